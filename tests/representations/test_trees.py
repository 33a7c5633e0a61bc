from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gramarye as gm
from gramarye.derivations import Derivation, Derivations, Status
from gramarye.derivations.random_trees import random_trees, smallest_tree
from gramarye.engine.tracing import map_genotype
from gramarye.errors import GenotypeError, SettingsError
from gramarye.grammar import Grammar
from gramarye.methods import CFGGP
from gramarye.representations import Trees
from gramarye.representations.trees import TreeGenotypes
from tests.grammars import G1, GR, grammars

GRAMMAR, GRAMMAR_R = Grammar.from_text(G1), Grammar.from_text(GR)
SEED = np.uint64(5)
NOTHING = np.zeros(0)
A = [0, 1, 2, 6, 4, 1, 2, 7, 5, 2, 6]
SMALL: dict[str, Any] = {"population": 40, "generations": 6}


def test_the_worked_example() -> None:
    found = map_genotype(GRAMMAR, A, CFGGP())
    assert found.phenotype == "x * 1.0 - x"
    assert found.derivation.productions.tolist() == found.genotype == A
    assert found.codons_used == 11
    assert (found.steps[4].nonterminal, found.steps[4].codon, found.steps[4].production) == ("<op>", 4, 4)
    assert found.steps[4].comparison == "number 4 of the tree"
    assert map_genotype(GRAMMAR, np.array(A), CFGGP()).phenotype == found.phenotype


@pytest.mark.parametrize(
    ("genotype", "message"),
    [
        ({"<op>": [0]}, "a genotype is a list of production numbers in leftmost order, not"),
        ("0123", "a genotype is a list of production numbers in leftmost order, not '0123'"),
        ([0, 1, 8], "number 2 is 8: a production number is an integer in 0 … 7"),
        ([0, -1], "number 1 is -1: a production number is an integer in 0 … 7"),
        ([0, 2.0], "number 1 is 2.0: a production number"),
        ([0, True], "number 1 is True: a production number"),
        ([0, 2, 3], "number 2 is 3: that is a production of <op>, but <var> is next, whose productions are 6 … 7"),
        ([0, 2, 6, 6], "number 3 is 6: the tree is complete already; end the list here"),
        ([0, 1, 2, 6], "the list ends after 4 numbers, and <op> is left to expand"),
        ([], "the list ends after 0 numbers, and <start> is left to expand"),
    ],
)
def test_a_genotype_that_does_not_replay_is_refused_with_the_place(genotype: Any, message: str) -> None:
    with pytest.raises(GenotypeError) as caught:
        map_genotype(GRAMMAR, genotype, CFGGP())
    assert message in str(caught.value)


def varied(
    representation: Trees, grammar: Grammar, genotypes: TreeGenotypes, mutation: float, generation: int = 1
) -> TreeGenotypes:
    n = len(genotypes)
    fathers = np.roll(np.arange(n), 1)
    fathers[::4] = -1
    return representation.vary(grammar, genotypes, np.arange(n), fathers, mutation, SEED, generation)


@given(grammars(), st.integers(0, 2**64 - 1), st.integers(0, 4), st.integers(0, 3))
def test_trees_are_always_valid_and_never_deeper_than_the_limit(
    grammar: Grammar, seed: int, more: int, later: int
) -> None:
    limit = int(grammar.arrays.nt_height[0]) + more
    representation = Trees(limit, limit + later)
    genotypes = representation.initial(grammar, 9, np.uint64(seed))
    for generation in range(4):
        mapped, derivations = representation.map(grammar, genotypes, NOTHING, SEED, generation, 0)
        assert mapped is genotypes
        for i in range(9):
            tree = Derivation(grammar, derivations[i])
            assert tree.complete
            assert tree.depth <= (limit + later if generation else limit)
        genotypes = varied(representation, grammar, genotypes, 0.5, generation)


def test_without_crossover_and_mutation_children_are_copies() -> None:
    representation = Trees()
    genotypes = representation.initial(GRAMMAR_R, 30, SEED)
    mothers = np.arange(29, -1, -1)
    children = representation.vary(GRAMMAR_R, genotypes, mothers, np.full(30, -1), 0.0, SEED, 1)
    assert [representation.show(GRAMMAR_R, children, i) for i in range(30)] == [
        representation.show(GRAMMAR_R, genotypes, 29 - i) for i in range(30)
    ]


@given(grammars(), st.integers(0, 2**64 - 1))
def test_a_derivation_is_its_own_genotype(grammar: Grammar, seed: int) -> None:
    depth = int(grammar.arrays.nt_height[0]) + 3
    derivations = random_trees(grammar, "grow", np.arange(6), np.uint64(seed), depth=depth)
    genotypes, fits = Trees(depth, depth).encode(grammar, derivations, NOTHING, SEED)
    assert fits.all()
    assert genotypes.derivations.productions.tolist() == derivations.productions.tolist()
    assert genotypes.derivations.offsets.tolist() == derivations.offsets.tolist()


def test_what_is_invalid_or_too_deep_does_not_fit_and_is_replaced() -> None:
    representation = Trees(3, 4)
    invalid = Derivations(np.zeros(0, np.int32), np.zeros(2, np.int64), np.array([Status.OUT_OF_CODONS], np.int8))
    good, deep = (Derivations.of(np.array(tree, np.int32)) for tree in ([0, 1, 2, 6, 4, 2, 6], A))
    genotypes, fits = representation.encode(GRAMMAR, Derivations.join([good, invalid, deep, good]), NOTHING, SEED)
    assert fits.tolist() == [True, False, False, True]
    for i in range(4):
        tree = Derivation(GRAMMAR, genotypes.derivations[i])
        assert tree.complete
        assert tree.depth <= 4
        assert (tree.phenotype == "x * x") is bool(fits[i])
    reason = representation.misfit(GRAMMAR, deep[0], NOTHING)
    assert reason == "its tree has depth 5, and max_depth is 4; give max_depth=5"


def test_populations_are_taken_apart_and_joined() -> None:
    genotypes = Trees().initial(GRAMMAR, 6, SEED)
    parts = [genotypes.take(np.array([0, 1])), genotypes.take(np.arange(2, 6))]
    joined = TreeGenotypes.join(parts)
    assert len(joined) == 6
    assert (joined.productions == genotypes.productions).all()
    assert (joined.offsets == genotypes.offsets).all()


# The method


def test_without_arguments_the_method_is_as_described() -> None:
    method = CFGGP()
    assert method.name == "cfggp"
    assert (method.mutation, method.crossover, method.initialisation) == (0.1, 0.9, "ramped")
    assert method.representation == Trees(6, 17)
    assert method.learner == gm.learners.NoLearning()
    assert CFGGP(initial_depth=4, max_depth=5).representation == Trees(4, 5)


def test_its_own_trees_are_ramped() -> None:
    """At random means what the representation does by itself, and that is ramped half and half."""
    problem = gm.problems.load("quartic")
    runs = [gm.evolve(problem, CFGGP(**SMALL, initialisation=how), 3) for how in ("ramped", "random")]
    assert runs[0].best.genotype == runs[1].best.genotype
    assert runs[0].history["mean"].tolist() == runs[1].history["mean"].tolist()
    assert not runs[0].history["invalid"][0]


def test_a_first_depth_above_the_limit_is_refused() -> None:
    with pytest.raises(SettingsError, match="initial_depth is 6: it must not be above max_depth, which is 5"):
        Trees(max_depth=5)


@pytest.mark.parametrize("how", ["random", "ramped", "ptc2"])
def test_a_first_depth_below_the_lowest_tree_is_refused(how: Any) -> None:
    problem = gm.problems.load("pagie")
    with pytest.raises(SettingsError, match="initial_depth is 2: the lowest tree of pagie has depth 3; give 3 or"):
        gm.engine.start(gm.engine.Setup(problem, CFGGP(**SMALL, initial_depth=2, initialisation=how), 1))


def test_a_run_goes_on_from_a_saved_state() -> None:
    problem = gm.problems.load("quartic")
    whole = gm.evolve(problem, CFGGP(**SMALL), 2)
    with gm.Evolution(problem, CFGGP(**SMALL), 2) as evolution:
        for _ in range(3):
            evolution.advance()
        state = gm.State.from_bytes(evolution.state.to_bytes())  # type: ignore[union-attr]
    with gm.Evolution(problem, CFGGP(**SMALL), state=state, threads=3) as evolution:
        for _ in evolution:
            pass
        assert evolution.run.best.genotype == whole.best.genotype
        assert evolution.run.history["mean"].tolist() == whole.history["mean"].tolist()
    assert map_genotype(problem.grammar, whole.best.genotype, CFGGP()).phenotype == whole.best.phenotype


# The number of nodes

LONG = Grammar.from_text("<e> ::= <e> + <e> * <e> - <e> | (<e> + <e>) | sin(<e>) | x | y")


def nodes_of(grammar: Grammar, genotypes: Any) -> list[int]:
    """Words and operators of each program."""
    texts = [Derivation(grammar, row).phenotype for row in np.split(genotypes.productions, genotypes.offsets[1:-1])]
    return [len(re.findall(r"\w+|[-+*]", str(text))) for text in texts]


@pytest.mark.parametrize("most", [1, 2, 3, 7, 40])
def test_no_initial_tree_has_more_nodes_than_it_may_have(most: int) -> None:
    seed = np.uint64(1)
    limited = Trees(5, 17, most, "mixed").initial(LONG, 300, seed)
    assert max(nodes_of(LONG, limited)) <= most
    free = Trees(5, 17, None, "mixed").initial(LONG, 300, seed)
    assert max(nodes_of(LONG, free)) > 40
    for i, nodes in enumerate(nodes_of(LONG, free)):
        if nodes <= most:  # those that are small enough stay as they were drawn
            one = np.array([i])
            assert limited.take(one).productions.tolist() == free.take(one).productions.tolist()


def test_where_no_small_tree_is_drawn_the_smallest_one_is_taken() -> None:
    rare = Grammar.from_text("<e> ::= x + x + x + x {1.0} | <f> {0.0}\n<f> ::= x {1.0}")
    found = Trees(4, 17, 1, "mixed").initial(rare, 10, np.uint64(1), probabilities=rare.probabilities)
    assert nodes_of(rare, found) == [1] * 10


@pytest.mark.parametrize(
    ("text", "depth", "nodes", "program"),
    [
        ("<e> ::= <e> + <e> | x", 3, 1, "x"),
        ("<e> ::= x + y + x | <f>\n<f> ::= <g>\n<g> ::= x", 1, 5, "x + y + x"),
        ("<e> ::= x + y + x | <f>\n<f> ::= <g>\n<g> ::= x", 2, 5, "x + y + x"),
        ("<e> ::= x + y + x | <f>\n<f> ::= <g>\n<g> ::= x", 3, 1, "x"),
        ("<e> ::= <f> + <f>\n<f> ::= sin(<f>) | x", 9, 3, "x + x"),
    ],
)
def test_the_smallest_tree_has_the_fewest_nodes_within_its_depth(
    text: str, depth: int, nodes: int, program: str
) -> None:
    grammar = Grammar.from_text(text)
    least, productions = smallest_tree(grammar, depth)
    assert (least, Derivation(grammar, productions).phenotype) == (nodes, program)
    assert Derivation(grammar, productions).depth <= depth


@given(grammars(), st.integers(0, 3))
def test_no_tree_is_smaller_than_the_smallest_one(grammar: Grammar, more: int) -> None:
    depth = int(grammar.arrays.nt_height[0]) + more
    least, productions = smallest_tree(grammar, depth)
    assert grammar.node_counts[productions].sum() == least
    assert Derivation(grammar, productions).depth <= depth
    drawn = random_trees(grammar, "ramped", np.arange(20), np.uint64(1), depth=depth)
    sums = [int(grammar.node_counts[drawn[i]].sum()) for i in range(20)]
    assert min(sums) >= least


def test_a_grammar_whose_programs_are_all_too_large_is_refused() -> None:
    grammar = Grammar.from_text("<e> ::= <f> + <f>\n<f> ::= (<f> * <f>) | x", name="sums.bnf")
    message = "max_size is 2: the smallest program of sums.bnf with initial_depth 5 has 3 nodes; give 3 or more"
    problem = gm.Regression(np.arange(9.0), np.arange(9.0) ** 2, grammar)
    with pytest.raises(SettingsError, match=message):
        gm.evolve(problem, gm.TunedTrees(population=9, generations=2, max_size=2), seed=1)
    run = gm.evolve(problem, gm.TunedTrees(population=9, generations=2, max_size=3), seed=1)
    assert run.best.nodes == 3


@pytest.mark.parametrize("initialisation", ["random", "grow", "full", "ramped", "pi-grow", "ptc2"])
def test_every_initialisation_of_tuned_trees_keeps_to_the_number_of_nodes(initialisation: Any) -> None:
    problem = gm.Regression(np.ones((9, 2)) * np.arange(9.0)[:, None], np.arange(9.0) ** 2, LONG)
    method = gm.TunedTrees(population=60, generations=2, max_size=9, initialisation=initialisation, initial_size=40)
    evolution = gm.Evolution(problem, method, seed=1)
    for _ in evolution:
        assert evolution.state is not None
        assert max(nodes_of(LONG, evolution.state.genotypes)) <= 9


def test_a_program_with_too_many_nodes_is_not_encoded() -> None:
    with pytest.raises(GenotypeError, match="it has 5 nodes, and max_size is 4; give max_size=5"):
        gm.encode(LONG, "(x + (y + x))", gm.TunedTrees(max_size=4))
    gm.encode(LONG, "(x + (y + x))", gm.TunedTrees(max_size=5))
