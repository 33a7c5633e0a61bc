"""Settings that can't work with a grammar: said before a run starts, with the numbers and what to change."""

from __future__ import annotations

from typing import Any

import pytest

import gramarye as gm
from gramarye.errors import GramaryeError
from gramarye.methods import MethodBase

QUARTIC = gm.problems.load("quartic")
DEEP = "".join(f"<a{n}> ::= <a{n + 1}>\n" for n in range(8)) + "<a8> ::= <a8> + <a8> | x\n"
MANY = "<expr> ::= <expr> + <expr> | <n>\n<n> ::= " + " | ".join(f"{n}.0" for n in range(300))
DEPTHS: list[type[Any]] = [gm.SGE, gm.PSGE, gm.CoPSGE, gm.CFGGP]


def said(method: MethodBase, text: str | None = None, initial_programs: list[str] | None = None) -> str:
    problem = QUARTIC if text is None else gm.problems.load("quartic", gm.Grammar.from_text(text, "given"))
    with pytest.raises(GramaryeError) as error:
        gm.evolve(problem, method, seed=1, initial_programs=initial_programs or [])
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_method_that_cannot_encode_takes_no_programs_and_no_trees() -> None:
    assert said(gm.WHGE(), initial_programs=["x"]) == "whge cannot encode programs as genotypes; use another method"
    assert said(gm.WHGE(initialisation="ramped")) == (
        "initialisation is 'ramped': whge cannot encode programs as genotypes; use another method, "
        "or give initialisation='random'"
    )


def test_a_tournament_of_a_billion_is_refused() -> None:
    with pytest.raises(GramaryeError, match="tournament is 1000000000: it must be an integer from 1 to 1048576"):
        gm.GE(tournament=10**9)


def test_lists_beyond_the_memory_are_refused() -> None:
    assert said(gm.StaticSGE(recursion=30, population=50)) == (
        "recursion is 30: an individual of quartic would have 12,884,901,886 entries, so that 50 of them have "
        "644,245,094,300, and 67,108,864 is the most; set recursion or population lower"
    )


def test_genes_that_can_not_name_every_production_are_refused() -> None:
    assert said(gm.Chorus(), MANY) == (
        "codon_max is 255: given has 302 productions to choose from, so that 46 of them could never be named; "
        "set codon_max to 301 or more"
    )


@pytest.mark.parametrize("method", DEPTHS)
def test_depths_below_the_lowest_tree_are_refused_with_its_depth(method: type[Any]) -> None:
    lowest = "the lowest tree of given has depth 9; give 9 or more"
    assert said(method(), DEEP) == f"initial_depth is 6: {lowest}"
    fine = gm.problems.load("quartic", gm.Grammar.from_text(DEEP, "given"))
    run = gm.evolve(fine, method(initial_depth=9, population=10, generations=2), seed=1)
    assert run.best.derivation.depth >= 9


@pytest.mark.parametrize("method", DEPTHS[:3])
def test_a_largest_depth_below_the_lowest_tree_is_refused_too(method: type[Any]) -> None:
    lowest = "the lowest tree of given has depth 9; give 9 or more"
    assert said(method(max_depth=8), DEEP) == f"max_depth is 8: {lowest}"


@pytest.mark.parametrize("method", DEPTHS)
def test_first_trees_are_no_deeper_than_later_ones(method: type[Any]) -> None:
    with pytest.raises(GramaryeError) as error:
        gm.evolve(QUARTIC, method(max_depth=5), seed=1)
    assert str(error.value) == (
        "initial_depth is 6: it must not be above max_depth, which is 5; give 5 or less, or set max_depth to 6 or more"
    )


def test_trees_to_begin_with_must_fit_the_grammar() -> None:
    assert said(gm.PGE(initialisation="grow"), DEEP) == (
        "initial_depth is 6: the lowest tree of given has depth 9; give 9 or more"
    )
    assert said(gm.GE(initialisation="ptc2", initial_size=8), DEEP) == (
        "initial_size is 8: the smallest program of given takes 9 expansions; give 9 or more"
    )


@pytest.mark.parametrize("method", [gm.GE(codon_max=3), gm.PIGE(codon_max=3)])
def test_codons_too_small_for_the_last_productions_are_refused(method: MethodBase) -> None:
    assert said(method, MANY).endswith(
        "codon_max is 3: <n> of given has 300 productions, so that 296 of them could never be chosen; "
        "set codon_max to 299 or more"
    )


@pytest.mark.parametrize("method", [gm.SGE(), gm.PSGE(), gm.CoPSGE(), gm.CFGGP(), gm.WHGE()])
def test_a_grammar_whose_smallest_program_is_beyond_all_bounds_is_refused(method: MethodBase) -> None:
    doubling = "".join(f"<a{n}> ::= <a{n + 1}> + <a{n + 1}>\n" for n in range(40)) + "<a40> ::= x | 1.0\n"
    assert said(method, doubling) == (
        "the smallest program of given takes more than 2,147,483,647 expansions, and trees have at most 10,000; "
        "give the grammar shorter ways to end"
    )


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        (
            {"representation": 3},
            "representation is 3: give one with its settings, such as gm.representations.FlatReal(64)",
        ),
        (
            {"learner": gm.learners.NoLearning},
            "learner is the class NoLearning: give one with its settings, such as gm.learners.Alt",
        ),
    ],
)
def test_parts_that_are_none_are_refused(parts: dict[str, Any], message: str) -> None:
    with pytest.raises(GramaryeError) as error:
        gm.Method(**parts)
    assert str(error.value).startswith(message)
