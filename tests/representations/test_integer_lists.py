from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.derivations import Derivation, Derivations, Status
from gramarye.derivations.random_trees import MOST_STEPS
from gramarye.engine.tracing import map_genotype
from gramarye.errors import GenotypeError
from gramarye.grammar import Grammar
from gramarye.methods import SGE
from gramarye.representations import IntegerLists
from gramarye.representations.structured import ListGenotypes
from tests.grammars import G1, GR, grammars

GRAMMAR, GRAMMAR_R = Grammar.from_text(G1), Grammar.from_text(GR)
SEED = np.uint64(5)
NOTHING = np.zeros(0)
EXAMPLE = {"<start>": [0], "<expr>": [0, 1, 0, 1, 1], "<op>": [1, 2], "<var>": [0, 1, 0]}
RULES: list[Any] = ["height", "shortest", "nonrecursive"]


def test_the_worked_example() -> None:
    found = map_genotype(GRAMMAR, EXAMPLE, SGE())
    assert found.phenotype == "x * 1.0 - x"
    assert found.derivation.productions.tolist() == [0, 1, 2, 6, 4, 1, 2, 7, 5, 2, 6]
    assert found.derivation.depth == 5
    assert found.codons_used == 11
    assert found.genotype == EXAMPLE
    assert found.steps[1].comparison == "entry 0 of <expr>"
    representation = IntegerLists()
    mapped, _ = representation.map(GRAMMAR, representation.read(GRAMMAR, EXAMPLE), NOTHING, SEED, 0, 0)
    assert mapped.used.tolist() == [[1, 5, 2, 3]]
    assert mapped.depth.tolist() == [5]


def test_a_changed_entry_leaves_the_rest_silent_but_in_place() -> None:
    found = map_genotype(GRAMMAR, EXAMPLE | {"<expr>": [0, 1, 1, 1, 1]}, SGE())
    assert found.phenotype == "x * 1.0"
    assert [sum(row) for row in found.counts.values()] == [1, 3, 1, 2]
    assert found.genotype == EXAMPLE | {"<expr>": [0, 1, 1, 1, 1]}


def test_missing_entries_are_drawn_appended_and_used() -> None:
    """The crossover child of the example: var:?, op:?, var:? are drawn, in this order."""
    child = {"<start>": [0], "<expr>": [0, 1, 0, 1, 1], "<op>": [0], "<var>": [1]}
    seen = set()
    for seed in range(60):
        found = map_genotype(GRAMMAR, child, SGE(), seed=seed)
        assert found.valid
        assert found.genotype["<start>"] == [0]
        assert found.genotype["<expr>"] == [0, 1, 0, 1, 1]
        (op,) = found.genotype["<op>"][1:]
        first, second = found.genotype["<var>"][1:]
        names = ["x", "1.0"]
        assert found.phenotype == f"1.0 + {names[first]} {'+*-'[op]} {names[second]}"
        drawn = [(step.nonterminal, step.comparison) for step in found.steps if step.filled]
        assert drawn == [
            ("<var>", "entry 1 of <var>, drawn"),
            ("<op>", "entry 1 of <op>, drawn"),
            ("<var>", "entry 2 of <var>, drawn"),
        ]
        again = map_genotype(GRAMMAR, found.genotype, SGE(), seed=seed + 1)  # what was drawn is written back
        assert again.phenotype == found.phenotype
        assert again.genotype == found.genotype
        seen.add((first, op, second))
    assert len(seen) == 12
    assert "1.0 + x - 1.0" in {map_genotype(GRAMMAR, child, SGE(), seed=seed).phenotype for seed in range(60)}


@pytest.mark.parametrize(
    ("genotype", "message"),
    [
        ([0, 1], "a genotype is a mapping from each non-terminal to a list of production numbers, not"),
        ({"<exp>": [0]}, "the grammar has no <exp>; did you mean <expr>?"),
        ({"<op>": 3}, "the entries of <op> are a list of production numbers, not 3"),
        ({"<op>": "012"}, "the entries of <op> are a list"),
        ({"<op>": [0, 3]}, "entry 1 of <op> is 3: it must be an integer in 0 … 2"),
        ({"<op>": [-1]}, "entry 0 of <op> is -1: it must be an integer in 0 … 2"),
        ({"<op>": [0.5]}, "entry 0 of <op> is 0.5"),
        ({"<op>": [True]}, "entry 0 of <op> is True"),
    ],
)
def test_a_genotype_that_can_not_be_read_is_refused(genotype: Any, message: str) -> None:
    with pytest.raises(GenotypeError, match=message.replace("?", r"\?")):
        map_genotype(GRAMMAR, genotype, SGE())


def test_lists_may_be_arrays_and_may_be_left_out() -> None:
    found = map_genotype(GRAMMAR, {"<expr>": np.array([1])}, SGE(), seed=3)
    assert found.phenotype in ("x", "1.0")
    assert found.genotype["<op>"] == []


def initial(representation: IntegerLists, grammar: Grammar, n: int, seed: int = 5) -> tuple[ListGenotypes, Derivations]:
    genotypes = representation.initial(grammar, n, np.uint64(seed))
    return representation.map(grammar, genotypes, NOTHING, np.uint64(seed), 0, 0)


@given(grammars(), st.integers(0, 2**40), st.integers(0, 4))
def test_under_the_rule_of_heights_no_tree_passes_the_limit(grammar: Grammar, seed: int, room: int) -> None:
    limit = int(grammar.arrays.nt_height[0]) + room
    representation = IntegerLists(limit, limit, "height")
    genotypes, derivations = initial(representation, grammar, 12, seed)
    for generation in range(1, 4):
        fathers = np.roll(np.arange(12), 1)
        genotypes = representation.vary(grammar, genotypes, np.arange(12), fathers, 0.3, SEED, generation)
        genotypes, derivations = representation.map(grammar, genotypes, NOTHING, SEED, generation, 0)
        for i in range(12):
            assert Derivation(grammar, derivations[i]).depth == genotypes.depth[i] <= limit


@given(grammars(), st.integers(0, 2**40), st.sampled_from(RULES), st.integers(1, 5))
def test_structured_genotypes_are_always_valid(grammar: Grammar, seed: int, rule: Any, depth: int) -> None:
    representation = IntegerLists(depth, depth + 2, rule)
    genotypes, derivations = initial(representation, grammar, 10, seed)
    assert (derivations.status == Status.OK).all()
    for i in range(10):
        found = Derivation(grammar, derivations[i])
        assert found.complete
        assert found.depth == genotypes.depth[i]
        assert [sum(row) for row in found.counts.values()] == genotypes.used[i].tolist()


@given(grammars(), st.integers(0, 2**40), st.sampled_from(RULES), st.integers(1, 4))
def test_mapping_a_mapped_population_again_changes_nothing(grammar: Grammar, seed: int, rule: Any, depth: int) -> None:
    representation = IntegerLists(depth, depth, rule)
    genotypes, derivations = initial(representation, grammar, 8, seed)
    again, same = representation.map(grammar, genotypes, NOTHING, np.uint64(seed + 1), 3, 0)
    assert (again.values == genotypes.values).all()
    assert (again.start == genotypes.start).all()
    assert (same.productions == derivations.productions).all()


@given(grammars(), st.integers(0, 2**40), st.sampled_from(RULES))
def test_a_batch_equals_one_by_one(grammar: Grammar, seed: int, rule: Any) -> None:
    representation = IntegerLists(2, 4, rule)
    empty = representation.read(grammar, {})
    nobody = ListGenotypes.join([empty] * 7)
    batch, derivations = representation.map(grammar, nobody, NOTHING, np.uint64(seed), 2, 0)
    for i in range(7):
        alone, single = representation.map(grammar, empty, NOTHING, np.uint64(seed), 2, i)
        assert single[0].tolist() == derivations[i].tolist()
        assert representation.show(grammar, alone, 0) == representation.show(grammar, batch, i)


def test_the_soft_rule_ends_trees_soon_after_its_limit() -> None:
    genotypes, _ = initial(IntegerLists(6, 17), GRAMMAR_R, 500)
    highest = int(GRAMMAR_R.arrays.nt_height.max())
    assert 6 < genotypes.depth.max() <= 6 + highest + 1
    hard, _ = initial(IntegerLists(6, 17, "height"), GRAMMAR_R, 500)
    assert hard.depth.max() == 6


def test_the_rule_without_recursion_fails_on_indirect_recursion_and_the_step_limit_ends_such_trees() -> None:
    grammar = Grammar.from_text("<a> ::= <b><b> | x\n<b> ::= <a><a> | <a><a><a>")
    _, derivations = initial(IntegerLists(2, 3, "nonrecursive"), grammar, 6)
    assert (derivations.status == Status.OK).all()
    assert np.diff(derivations.offsets).max() > MOST_STEPS
    _, derivations = initial(IntegerLists(2, 3, "shortest"), grammar, 30)
    assert np.diff(derivations.offsets).max() < MOST_STEPS


def test_an_endless_genotype_is_ended_by_the_step_limit() -> None:
    grammar = Grammar.from_text("<a> ::= <a>x | x")
    found = map_genotype(grammar, {"<a>": [0] * (MOST_STEPS + 5) + [1]}, SGE())
    assert found.valid
    assert found.derivation.productions.tolist() == [0] * MOST_STEPS + [1]
    assert found.genotype == {"<a>": [0] * MOST_STEPS + [1] + [0] * 4 + [1]}


def test_a_forbidden_entry_is_replaced_and_written_back() -> None:
    method = SGE(depth_rule="height", max_depth=3)
    found = map_genotype(GRAMMAR, {"<expr>": [0, 0], "<var>": [1]}, method)
    assert found.phenotype == "1.0"
    assert found.genotype["<expr>"] == [1, 0]  # of the one production that fits, 0 mod 1; the other entry was not read
    soft = map_genotype(GRAMMAR, {"<expr>": [0] * 30}, SGE(max_depth=3))
    assert soft.derivation.depth > 30  # under the soft rules stored entries are obeyed at any depth


def test_where_nothing_fits_the_nearest_way_out_is_permitted_and_stays() -> None:
    grammar = Grammar.from_text("<s> ::= <c>\n<c> ::= x | <s>a | y")
    method = SGE(depth_rule="height", initial_depth=1, max_depth=1)
    assert [map_genotype(grammar, {"<c>": [e]}, method).phenotype for e in range(3)] == ["x", "y", "y"]


def vary_all(
    grammar: Grammar, representation: IntegerLists, genotypes: ListGenotypes, mutation: float, fathers: Any = None
) -> ListGenotypes:
    n = len(genotypes)
    fathers = np.full(n, -1) if fathers is None else fathers
    return representation.vary(grammar, genotypes, np.arange(n), fathers, mutation, SEED, 1)


def test_crossover_takes_whole_lists_from_one_parent_or_the_other() -> None:
    representation = IntegerLists(max_depth=60)
    genotypes, _ = initial(representation, GRAMMAR, 200)
    children = vary_all(GRAMMAR, representation, genotypes, 0.0, np.roll(np.arange(200), 1))
    from_father = []
    for i in range(200):
        mother = representation.show(GRAMMAR, genotypes, i)
        father = representation.show(GRAMMAR, genotypes, (i - 1) % 200)
        for name, row in representation.show(GRAMMAR, children, i).items():
            parents = [parent for parent in (mother, father) if row[: len(parent[name])] == parent[name]]
            assert parents  # lists are whole; filling may have added entries
            if mother[name] != father[name] and len(parents) == 1:
                from_father.append(parents[0] is father)
    assert 0.35 < np.mean(from_father) < 0.65


def test_mutation_changes_used_entries_to_other_productions() -> None:
    representation = IntegerLists(max_depth=1000)
    genotypes, _ = initial(representation, GRAMMAR_R, 300)
    silent = representation.read(GRAMMAR_R, {"<expr>": [3, 0, 1, 2], "<var>": [1, 1, 1]})
    genotypes, _ = representation.map(GRAMMAR_R, ListGenotypes.join([genotypes, silent]), NOTHING, SEED, 0, 0)
    children = vary_all(GRAMMAR_R, representation, genotypes, 1.0)
    for i in range(301):
        before, after = (representation.show(GRAMMAR_R, g, i) for g in (genotypes, children))
        for a, name in enumerate(GRAMMAR_R.nonterminals):
            used = genotypes.used[i, a]
            pairs = list(zip(before[name], after[name], strict=True))
            single = len(GRAMMAR_R.rules[name]) == 1
            assert all((x == y) is single for x, y in pairs[:used])
            assert all(x == y for x, y in pairs[used:])
    unchanged = vary_all(GRAMMAR_R, representation, genotypes, 0.0)
    assert (unchanged.values == genotypes.values).all()


@pytest.mark.slow
def test_the_mutation_rate_is_per_used_entry() -> None:
    representation = IntegerLists(max_depth=1000)
    genotypes, _ = initial(representation, GRAMMAR_R, 2000)
    children = vary_all(GRAMMAR_R, representation, genotypes, 0.1)
    mutable = genotypes.used[:, 1:].sum()
    assert (children.values != genotypes.values).sum() / mutable == pytest.approx(0.1, abs=0.01)


def test_in_a_tree_at_the_depth_limit_mutation_takes_a_shortest_production() -> None:
    representation = IntegerLists(max_depth=4)
    deep = representation.read(GRAMMAR, {"<expr>": [0, 0, 1, 1, 1], "<op>": [0, 0], "<var>": [0, 0, 0]})
    genotypes = ListGenotypes.join([deep] * 50)
    children = vary_all(GRAMMAR, representation, genotypes, 1.0)
    for i in range(50):
        assert representation.show(GRAMMAR, children, i)["<expr>"] == [1] * 5
    shallow = vary_all(GRAMMAR, IntegerLists(max_depth=5 + 1), genotypes, 1.0)
    assert IntegerLists().show(GRAMMAR, shallow, 0)["<expr>"] == [1, 1, 0, 0, 0]


def test_populations_are_taken_apart_and_joined() -> None:
    genotypes, _ = initial(IntegerLists(), GRAMMAR, 6)
    parts = [genotypes.take(np.array([0, 1])), genotypes.take(np.arange(2, 6))]
    joined = ListGenotypes.join(parts)
    assert len(joined) == 6
    for name in ("values", "start", "used", "depth"):
        assert (getattr(joined, name) == getattr(genotypes, name)).all()
    assert ListGenotypes.join([genotypes]) is genotypes


# The way back


@given(grammars(), st.sampled_from(RULES), st.integers(0, 2**40))
def test_what_is_encoded_maps_to_the_same_derivation(grammar: Grammar, rule: Any, seed: int) -> None:
    _, derivations = initial(IntegerLists(3, 5), grammar, 8, seed)
    representation = IntegerLists(2, 4, rule)
    genotypes, fits = representation.encode(grammar, derivations, NOTHING, np.uint64(seed))
    _, again = representation.map(grammar, genotypes, NOTHING, SEED, 1, 0)
    for i in range(8):
        if fits[i]:
            assert again[i].tolist() == derivations[i].tolist()
        else:  # too deep for the hard rule, or no derivation at all
            assert derivations.status[i] != Status.OK or rule == "height"
            assert derivations.status[i] != Status.OK or Derivation(grammar, derivations[i]).depth > 4
            assert sum(map(len, representation.show(grammar, genotypes, i).values())) == 0


def test_the_worked_example_is_what_its_derivation_is_encoded_as() -> None:
    derivations = Derivations.of(np.array([0, 1, 2, 6, 4, 1, 2, 7, 5, 2, 6], np.int32))
    genotypes, fits = IntegerLists().encode(GRAMMAR, derivations, NOTHING, SEED)
    assert fits.tolist() == [True]
    assert IntegerLists().show(GRAMMAR, genotypes, 0) == EXAMPLE
    assert genotypes.values.dtype == np.int32


def test_a_misfit_says_what_to_change() -> None:
    hard = IntegerLists(4, 4, "height")
    deep = np.array([0, 1, 2, 6, 4, 1, 2, 7, 5, 2, 6], np.int32)
    assert not hard.encode(GRAMMAR, Derivations.of(deep), NOTHING, SEED)[1].any()
    assert hard.misfit(GRAMMAR, deep, NOTHING) == "its tree has a depth of 5; set max_depth to 5 or more"
    assert IntegerLists(4, 4, "shortest").encode(GRAMMAR, Derivations.of(deep), NOTHING, SEED)[1].all()
    grammar = Grammar.from_text("<a> ::= <a>x | x")
    assert (
        IntegerLists()
        .encode(grammar, Derivations.of(np.array([0] * MOST_STEPS + [1], np.int32)), NOTHING, SEED)[1]
        .all()
    )
    long = np.array([0] * (MOST_STEPS + 1) + [1], np.int32)
    assert not IntegerLists().encode(grammar, Derivations.of(long), NOTHING, SEED)[1].any()
    assert IntegerLists().misfit(grammar, long, NOTHING) == (
        "it takes 10,002 steps, and from step 10,000 on only the shortest productions are chosen; "
        "give a smaller program"
    )


def test_first_lists_follow_the_probabilities_of_the_grammar() -> None:
    uneven = GRAMMAR.with_probabilities({"<var>": [0.9, 0.1], "<op>": [0.0, 0.7, 0.3]})
    lists = IntegerLists(initial_depth=8)
    genotypes = lists.initial(uneven, 2000, SEED, probabilities=uneven.probabilities)
    _, derivations = lists.map(uneven, genotypes, uneven.start_probabilities(), SEED, 0, 0)
    counts = np.bincount(derivations.productions, minlength=len(uneven.productions))
    assert counts[uneven.spans["<op>"]][0] == 0  # an impossible one is never drawn
    shares = counts[uneven.spans["<var>"]] / counts[uneven.spans["<var>"]].sum()
    assert shares == pytest.approx([0.9, 0.1], abs=0.02)


def test_children_grow_by_the_probabilities_of_the_grammar() -> None:
    only_x = GRAMMAR.with_probabilities({"<var>": [1.0, 0.0]})
    weights, lists = np.array(only_x.start_probabilities()), IntegerLists()
    short = lists.read(only_x, {"<start>": [0], "<expr>": [0, 1, 1]})
    one = np.zeros(1, np.int64)
    child = lists.vary(only_x, short, one, one - 1, 0.0, SEED, 1, probabilities=weights)
    assert lists.show(only_x, child, 0)["<var>"] == [0, 0]


@given(grammars(), st.integers(0, 2**64 - 1))
def test_uniform_probabilities_change_nothing(grammar: Grammar, seed: int) -> None:
    lists = IntegerLists()
    uniform = np.array(grammar.uniform_probabilities())
    plain = lists.initial(grammar, 5, np.uint64(seed))
    weighted = lists.initial(grammar, 5, np.uint64(seed), probabilities=uniform)
    assert plain.values.tolist() == weighted.values.tolist()
