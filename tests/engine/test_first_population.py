from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import gramarye as gm
from gramarye.derivations import Derivation, Derivations
from gramarye.derivations.random_trees import random_trees, texts
from gramarye.engine.first_population import ATTEMPTS, first_genotypes
from gramarye.errors import SettingsError
from gramarye.grammar import Grammar
from gramarye.methods import METHODS, MethodBase
from gramarye.representations import Encodes, Representation, Trees
from gramarye.representations.trees import TreeGenotypes
from tests.grammars import G1, GR, grammars

GRAMMAR, GRAMMAR_R = Grammar.from_text(G1), Grammar.from_text(GR)
SEED = np.uint64(5)
HOW: list[Any] = ["grow", "full", "ramped", "pi-grow", "ptc2"]


@dataclass(frozen=True)
class Short(Trees):  # type: ignore[misc]
    """Trees that hold a few steps only, as codons would."""

    steps: int = 9
    encoded: ClassVar[list[int]] = []  # how many derivations each call was given

    def encode(
        self, grammar: Grammar, derivations: Derivations, probabilities: Any, seed: Any, generation: int = 0
    ) -> tuple[TreeGenotypes, NDArray[np.bool_]]:
        self.encoded.append(len(derivations))
        return TreeGenotypes.of(derivations), np.diff(derivations.offsets) <= self.steps


class EveryOther(Trees):  # type: ignore[misc]
    """Trees of which no odd individual can be encoded."""

    def encode(
        self, grammar: Grammar, derivations: Derivations, probabilities: Any, seed: Any, generation: int = 0
    ) -> tuple[TreeGenotypes, NDArray[np.bool_]]:
        return TreeGenotypes.of(derivations), np.arange(len(derivations)) % 2 == 0


class OneWay(Representation[TreeGenotypes]):
    """Trees that can't be encoded."""

    initial, map, vary = Trees().initial, Trees().map, Trees().vary


def made(grammar: Grammar, method: MethodBase, n: int = 60, seed: int = 5) -> tuple[Any, list[str | None]]:
    """The first genotypes, and their programs."""
    setup = gm.engine.Setup(gm.Objective(len, grammar), replace(method, population=n), seed)
    genotypes = first_genotypes(setup)
    assert len(genotypes) == n
    _, derivations = method.representation.map(setup.grammar, genotypes, setup.probabilities, setup.key, 0, 0)
    return genotypes, texts(setup.grammar, derivations)


def trees(grammar: Grammar, how: Any, n: int = 60, **settings: Any) -> list[str | None]:
    return texts(grammar, random_trees(grammar, how, np.arange(n), SEED, **settings))


@pytest.mark.parametrize("method", [gm.PGE(), gm.GE(), gm.SGE(), gm.CFGGP(initialisation="random")])
def test_at_random_means_as_the_representation_draws(method: MethodBase) -> None:
    found, _ = made(GRAMMAR_R, method)
    representation: Any = method.representation
    plain = representation.initial(GRAMMAR_R, 60, SEED)
    shown = [[representation.show(GRAMMAR_R, g, i) for i in range(60)] for g in (found, plain)]
    assert shown[0] == shown[1]


@pytest.mark.parametrize("how", HOW)
def test_trees_become_genotypes_of_the_same_programs(how: Any) -> None:
    method = gm.CFGGP(initialisation=how, initial_size=40)
    assert made(GRAMMAR_R, method)[1] == trees(GRAMMAR_R, how, size=40)


@pytest.mark.parametrize("how", HOW)
def test_a_run_begins_with_these_trees(how: Any) -> None:
    problem = gm.problems.load("quartic")
    method = gm.CFGGP(population=30, initialisation=how, initial_depth=5, initial_size=25)
    state = gm.engine.start(gm.engine.Setup(problem, method, 5))
    assert texts(problem.grammar, state.derivations) == trees(problem.grammar, how, 30, depth=5, size=25)


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize(
    "name", [name for name, method in METHODS.items() if isinstance(method().representation, Encodes)]
)
def test_all_methods_begin_with_the_same_programs(name: str, how: Any) -> None:
    settings: dict[str, Any] = {"initialisation": how, "initial_depth": 5, "initial_size": 30}
    problem = gm.problems.load("boston")
    method = METHODS[name](population=40, **settings)
    state = gm.engine.start(gm.engine.Setup(problem, method, 3))
    derivations = method.rewritten(problem.grammar).translate(state.derivations)
    expected = texts(problem.grammar, random_trees(problem.grammar, how, np.arange(40), np.uint64(3), depth=5, size=30))
    assert texts(problem.grammar, derivations) == expected


# Trees that don't fit


@pytest.mark.parametrize("how", HOW)
def test_what_does_not_fit_is_drawn_anew_and_smaller(how: Any) -> None:
    method = gm.Method(representation=Short(), initialisation=how)
    genotypes, found = made(GRAMMAR_R, method)
    sizes = np.diff(genotypes.offsets)
    assert sizes.max() <= 9
    expected = trees(GRAMMAR_R, how)
    lengths = np.diff(random_trees(GRAMMAR_R, how, np.arange(60), SEED).offsets)
    assert [text for text, size in zip(found, lengths, strict=True) if size <= 9] == [
        text for text, size in zip(expected, lengths, strict=True) if size <= 9
    ]
    assert (lengths > 9).any()


def test_trees_that_never_fit_are_told_in_the_end() -> None:
    method = gm.Method(representation=Short(steps=2), initialisation="grow")
    Short.encoded.clear()
    with pytest.raises(SettingsError, match="initialisation is 'grow': none of the trees drawn fits: its tree has"):
        made(GRAMMAR_R, method, 20)
    assert Short.encoded == [20] * ATTEMPTS


def test_only_those_that_never_fit_are_drawn_at_random() -> None:
    method = gm.Method(representation=EveryOther(), initialisation="full")
    _, found = made(GRAMMAR_R, method)
    initial = texts(GRAMMAR_R, method.representation.initial(GRAMMAR_R, 60, SEED).derivations)
    assert found[::2] == trees(GRAMMAR_R, "full")[::2]
    assert found[1::2] == initial[1::2]


# Unique programs


@pytest.mark.parametrize("how", ["random", *HOW])
@pytest.mark.parametrize("method", [gm.CFGGP, gm.PGE, gm.GE, gm.SGE])
def test_unique_programs_are_all_different(method: type[MethodBase], how: Any) -> None:
    _, found = made(GRAMMAR_R, method(unique=True, initialisation=how), 80)
    valid = [text for text in found if text is not None]
    assert len(set(valid)) == len(valid) > 20
    _, plain = made(GRAMMAR_R, method(initialisation=how), 80)
    assert plain.count(None) == found.count(None)  # no program is given up for an invalid one
    for i, text in enumerate(plain):
        assert text == found[i] or text in plain[:i] or text in found[:i]


@pytest.mark.parametrize("how", ["random", *HOW])
def test_a_grammar_with_few_programs_keeps_what_it_has(how: Any) -> None:
    grammar = Grammar.from_text("<a> ::= x | y | z | <b>\n<b> ::= x | y")
    _, found = made(grammar, gm.CFGGP(unique=True, initialisation=how), 50)
    assert set(found) == {"x", "y", "z"}
    assert len(found) == 50


def test_a_repeated_tree_is_drawn_deeper() -> None:
    """Depth 3 has three programs for a quarter of all individuals: the others move up the ramp."""
    _, found = made(GRAMMAR_R, gm.CFGGP(unique=True), 150)
    assert len(set(found)) == 150
    assert sum(text in ("x", "y", "1.0") for text in found) == 3


def test_unique_trees_that_do_not_fit_are_still_drawn_smaller() -> None:
    method = gm.Method(representation=Short(), initialisation="ramped", unique=True)
    genotypes, found = made(GRAMMAR_R, method, 100)
    assert np.diff(genotypes.offsets).max() <= 9
    assert len(set(found)) == 100


@given(grammars(), st.integers(0, 2**64 - 1), st.sampled_from(["random", *HOW]), st.booleans())
def test_first_genotypes_are_whole_and_depend_on_the_seed_alone(
    grammar: Grammar, seed: int, how: Any, unique: bool
) -> None:
    depth = int(grammar.arrays.nt_height[0]) + 1
    method = gm.CFGGP(initial_depth=depth, max_depth=depth + 9, initialisation=how, unique=unique)
    (one, found), (other, _) = (made(grammar, method, 7, seed) for _ in range(2))
    assert one.productions.tolist() == other.productions.tolist()
    for i in range(7):
        assert Derivation(grammar, one.derivations[i]).phenotype == found[i]


@pytest.mark.parametrize("how", ["random", "ramped"])
@pytest.mark.parametrize("name", ["pge", "sge", "staticsge", "cfggp"])
def test_unique_programs_are_different_from_given_ones_too(name: str, how: Any) -> None:
    problem = gm.problems.load("quartic")
    method = METHODS[name](population=60, initialisation=how, unique=True)
    state = gm.engine.start(gm.engine.Setup(problem, method, 1, initial_programs=["x", "1.0", "x * x"]))
    found = texts(problem.grammar, method.rewritten(problem.grammar).translate(state.derivations))
    assert found[:3] == ["x", "1.0", "x * x"]
    valid = [text for text in found if text is not None]
    assert len(valid) == len(set(valid))


# What is refused


@pytest.mark.parametrize("how", HOW)
def test_a_representation_that_cannot_encode_is_told_to_begin_at_random(how: Any) -> None:
    method = gm.Method(representation=OneWay(), initialisation=how)
    with pytest.raises(SettingsError) as caught:
        gm.engine.start(gm.engine.Setup(gm.problems.load("quartic"), method, 1))
    assert str(caught.value) == (
        f"initialisation is '{how}': method cannot encode programs as genotypes; use another method, "
        "or give initialisation='random'"
    )
    made(GRAMMAR, gm.Method(representation=OneWay()))


def test_limits_below_the_grammar_s_own_are_refused_before_the_run() -> None:
    problem = gm.problems.load("pagie")
    with pytest.raises(SettingsError, match="initial_depth is 1: the lowest tree of pagie has depth 3; give 3"):
        gm.engine.start(
            gm.engine.Setup(problem, gm.Method(representation=Trees(), initialisation="full", initial_depth=1), 1)
        )
    with pytest.raises(SettingsError, match="initial_size is 2: the smallest program of pagie takes 3 expansions"):
        gm.engine.start(gm.engine.Setup(problem, gm.CFGGP(initialisation="ptc2", initial_size=2), 1))


WIDE = "<start> ::= " + " + ".join(["<v>"] * 200) + "\n<v> ::= x | 1.0\n"
NEVER = "<e> ::= <e> + <e> {1.0} | x {0.0}\n"


@pytest.mark.parametrize(
    ("method", "text", "why"),
    [
        (
            gm.PGE(initialisation="ramped"),
            WIDE,
            "it needs 201 codons, and a genotype holds 128; set codons to 201",
        ),
        (
            gm.PSGE(initialisation="grow"),
            NEVER,
            "no codon chooses x for <e>: its probability is 0; give it a lar",
        ),
    ],
)
def test_trees_of_which_none_fits_are_told_instead_of_replaced(
    method: gm.methods.MethodBase, text: str, why: str
) -> None:
    problem = gm.problems.load("quartic", Grammar.from_text(text))
    with pytest.raises(SettingsError) as caught:
        gm.engine.start(gm.engine.Setup(problem, method, 1))
    assert str(caught.value).startswith(f"initialisation is '{method.initialisation}': none of the trees drawn fits: ")
    assert why in str(caught.value)
