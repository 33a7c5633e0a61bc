from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import gramarye as gm
from gramarye.derivations import Derivation, Derivations, Status
from gramarye.derivations.random_trees import MOST_STEPS
from gramarye.engine.tracing import map_genotype
from gramarye.errors import GenotypeError, SettingsError
from gramarye.grammar import Grammar
from gramarye.methods import PSGE, SGE, CoPSGE
from gramarye.representations import IntegerLists, RealLists, RealListsWithProbabilities
from gramarye.representations.real_lists import RealListGenotypes
from tests.grammars import G1, GR, grammars

Either = RealLists | RealListsWithProbabilities

GRAMMAR, GRAMMAR_R = Grammar.from_text(G1), Grammar.from_text(GR)
SEED = np.uint64(5)
EXAMPLE = {"<start>": [0.91], "<expr>": [0.2, 0.7, 0.4, 0.9, 0.6], "<op>": [0.5, 0.8], "<var>": [0.3, 0.75, 0.1]}
OTHER = {"<expr>": [0.3, 0.7], "<op>": [0.2, 0.2, 0.6], "<var>": [0.8, 0.2]}
RULES: list[Any] = ["height", "shortest", "nonrecursive"]
BOTH: list[Any] = [RealLists, RealListsWithProbabilities]
NAMES = ("values", "start", "used", "drift", "probabilities")


def uniform(grammar: Grammar) -> NDArray[np.float64]:
    return np.array(grammar.uniform_probabilities())


def mapped(
    representation: Either, grammar: Grammar, genotypes: RealListGenotypes, row: Any = None, seed: int = 5
) -> tuple[RealListGenotypes, Derivations]:
    row = uniform(grammar) if row is None else row
    return representation.map(grammar, genotypes, row, np.uint64(seed), 0, 0)


def initial(
    representation: Either, grammar: Grammar, n: int, seed: int = 5, row: Any = None
) -> tuple[RealListGenotypes, Derivations]:
    genotypes = representation.initial(grammar, n, np.uint64(seed), 0, row)
    return mapped(representation, grammar, genotypes, row, seed)


def same(one: RealListGenotypes, other: RealListGenotypes) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in NAMES)


@st.composite
def rows(draw: st.DrawFn, grammar: Grammar) -> NDArray[np.float64]:
    """Probabilities of all productions, zeros among them."""
    row = np.array([draw(st.sampled_from([0.0, 0.2, 1.0])) for _ in grammar.productions])
    for span in grammar.spans.values():
        row[span] = row[span] / row[span].sum() if row[span].any() else 1 / (span.stop - span.start)
    return row


# The worked examples


@pytest.mark.parametrize("method", [PSGE(max_depth=10), CoPSGE(max_depth=10)], ids=lambda m: m.name)
def test_the_worked_example(method: Any) -> None:
    found = map_genotype(GRAMMAR, EXAMPLE, method)
    assert found.phenotype == "x * 1.0 - x"
    assert found.derivation.productions.tolist() == [0, 1, 2, 6, 4, 1, 2, 7, 5, 2, 6]
    assert [(step.nonterminal, step.codon) for step in found.steps[:4]] == [
        ("<start>", 0.91), ("<expr>", 0.2), ("<expr>", 0.7), ("<var>", 0.3),
    ]  # fmt: skip
    assert [step.comparison for step in found.steps[:5]] == [
        "0.91 < 1", "0.2 < 0.5", "0.5 ≤ 0.7 < 1", "0.3 < 0.5", "0.3333 ≤ 0.5 < 0.6667",
    ]  # fmt: skip
    assert found.codons_used == 11
    assert found.genotype == EXAMPLE


def test_the_worked_example_at_a_hard_limit() -> None:
    found = map_genotype(GRAMMAR, EXAMPLE, PSGE(max_depth=4))
    assert found.phenotype == "x * 1.0"
    assert found.derivation.productions.tolist() == [0, 1, 2, 6, 4, 2, 7]
    assert found.steps[5].comparison == "0.4 < 1, near the depth limit"
    assert found.genotype == EXAMPLE  # codons are never rewritten


def test_the_worked_example_under_other_probabilities() -> None:
    for method in (PSGE(max_depth=10), CoPSGE(max_depth=10)):
        found = map_genotype(GRAMMAR, EXAMPLE, method, OTHER)
        assert found.phenotype == "x - x"
        assert found.derivation.productions.tolist() == [0, 1, 2, 6, 5, 2, 6]
        assert found.genotype == EXAMPLE


def test_an_individual_may_bring_its_own_probabilities() -> None:
    found = map_genotype(GRAMMAR, {**EXAMPLE, "probabilities": OTHER}, CoPSGE())
    assert found.phenotype == "x - x"
    own = {"<start>": [1.0], **OTHER}
    assert found.genotype == {**EXAMPLE, "probabilities": own}
    again = map_genotype(GRAMMAR, found.genotype, CoPSGE(), {"<var>": [0.1, 0.9]})  # its own ones count
    assert again.phenotype == "x - x"


def test_the_update_of_the_worked_example() -> None:
    counts = map_genotype(GRAMMAR, EXAMPLE, PSGE()).counts
    assert counts == {"<start>": [1], "<expr>": [2, 3], "<op>": [0, 1, 1], "<var>": [2, 1]}
    old = {name: [1 / len(row)] * len(row) for name, row in counts.items()}
    new = gm.update_probabilities(old, counts, 0.01, normalise="divide")
    assert new["<expr>"] == pytest.approx([0.4990099, 0.5009901], abs=1e-7)
    assert new["<op>"] == pytest.approx([0.3278146, 0.3360927, 0.3360927], abs=1e-7)
    assert new["<var>"] == pytest.approx([0.5016502, 0.4983498], abs=1e-7)
    equal = gm.update_probabilities(old, counts, 0.01, normalise="equal")
    assert equal["<expr>"] == pytest.approx([0.499, 0.501], abs=1e-7)
    assert equal["<op>"] == pytest.approx([0.3277778, 0.3361111, 0.3361111], abs=1e-7)
    assert equal["<var>"] == pytest.approx([0.5016667, 0.4983333], abs=1e-7)


def test_a_codon_of_one_takes_the_last_production_that_is_possible() -> None:
    found = map_genotype(GRAMMAR, {"<expr>": [1.0], "<var>": [1.0]}, PSGE(), {"<var>": [1.0, 0.0]})
    assert found.phenotype == "x"
    assert found.steps[2].comparison == "1 ≥ 1: the last possible one"


# Genotypes given by hand


@pytest.mark.parametrize("method", [PSGE(), CoPSGE()], ids=lambda m: m.name)
@pytest.mark.parametrize(
    ("genotype", "message"),
    [
        ([0.1, 1], "a genotype is a mapping from each non-terminal to a list of numbers in [0, 1]"),
        ({"<exp>": [0]}, "the grammar has no <exp>; did you mean <expr>?"),
        ({"<op>": 0.3}, "the codons of <op> are a list of numbers in [0, 1], not 0.3"),
        ({"<op>": "012"}, "the codons of <op> are a list"),
        ({"<op>": [0, 1.5]}, "codon 1 of <op> is 1.5: it must be a number in [0, 1]"),
        ({"<op>": [-0.1]}, "codon 0 of <op> is -0.1: it must be"),
        ({"<op>": [float("nan")]}, "codon 0 of <op> is nan: it must be"),
        ({"<op>": ["x"]}, "codon 0 of <op> is 'x': it must be"),
        ({"<op>": [True]}, "codon 0 of <op> is True"),
    ],
)
def test_a_genotype_that_can_not_be_read_is_refused(method: Any, genotype: Any, message: str) -> None:
    with pytest.raises(GenotypeError) as raised:
        map_genotype(GRAMMAR, genotype, method)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("probabilities", "message"),
    [
        ({"<op>": [0.5, 0.5]}, "the probabilities of <op>"),
        ({"<op>": [0.5, 0.5, 0.5]}, "the probabilities of <op> add up to 1.5, not to 1"),
        ({"<ops>": [1]}, "did you mean <op>?"),
        (3, "the probabilities"),
    ],
)
def test_own_probabilities_that_are_none_are_refused(probabilities: Any, message: str) -> None:
    with pytest.raises(GenotypeError) as raised:
        map_genotype(GRAMMAR, {**EXAMPLE, "probabilities": probabilities}, CoPSGE())
    assert message in str(raised.value)
    with pytest.raises(GenotypeError, match="the grammar has no probabilities"):
        map_genotype(GRAMMAR, {**EXAMPLE, "probabilities": OTHER}, PSGE())


@pytest.mark.parametrize("method", [PSGE(), CoPSGE()], ids=lambda m: m.name)
def test_missing_codons_are_drawn_appended_and_used(method: Any) -> None:
    child = {"<expr>": np.array([0.2, 0.7, 1]), "<op>": [0]}
    seen = set()
    for seed in range(40):
        found = map_genotype(GRAMMAR, child, method, seed=seed)
        assert found.genotype["<expr>"] == [0.2, 0.7, 1.0]
        assert len(found.genotype["<var>"]) == 2
        assert [step.nonterminal for step in found.steps if step.filled] == ["<start>", "<var>", "<var>"]
        assert found.steps[3].comparison.endswith(", drawn")
        again = map_genotype(GRAMMAR, found.genotype, method, seed=seed + 1)
        assert (again.phenotype, again.genotype) == (found.phenotype, found.genotype)
        seen.add(found.phenotype)
    assert seen == {f"{a} + {b}" for a in ("x", "1.0") for b in ("x", "1.0")}


def test_an_endless_genotype_is_ended_by_the_step_limit() -> None:
    grammar = Grammar.from_text("<a> ::= <a>x | x")
    method = PSGE(depth_rule="shortest", max_depth=2 * MOST_STEPS)
    found = map_genotype(grammar, {"<a>": [0.1] * (MOST_STEPS + 5)}, method)
    assert found.valid
    assert found.derivation.productions.tolist() == [0] * MOST_STEPS + [1]
    assert found.steps[-2].comparison == "0.1 < 0.5"
    assert found.steps[-1].comparison == "0.1 < 1, at the step limit"
    long = Derivations.of(found.derivation.productions)
    genotypes, fits = RealLists().encode(grammar, long, uniform(grammar), SEED)
    assert not fits.any()  # it is too deep
    hard = RealLists(6, 2 * MOST_STEPS)
    genotypes, fits = hard.encode(grammar, long, uniform(grammar), SEED)
    assert fits.all()
    assert mapped(hard, grammar, genotypes)[1][0].tolist() == long.productions.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("method", [PSGE(), CoPSGE()], ids=lambda m: m.name)
def test_what_was_drawn_is_shown_as_it_was_drawn_under_the_probabilities_at_hand(method: Any) -> None:
    recursive = {"<expr>": [0.8, 0.2]}
    for seed in range(6):
        found = map_genotype(GRAMMAR, {"<start>": [0.5]}, method, recursive, seed)
        assert {name: len(found.genotype[name]) for name in GRAMMAR.nonterminals} == {
            name: sum(counts) for name, counts in found.counts.items()
        }
        again = map_genotype(GRAMMAR, found.genotype, method, recursive, seed + 1)
        assert (again.phenotype, again.genotype) == (found.phenotype, found.genotype)
        assert not any(step.filled for step in again.steps)


# Laws


@given(grammars(), st.integers(0, 2**40), st.integers(0, 4), st.sampled_from(BOTH), st.data())
def test_under_the_rule_of_heights_no_tree_passes_the_limit(
    grammar: Grammar, seed: int, room: int, kind: Any, data: st.DataObject
) -> None:
    limit = int(grammar.arrays.nt_height[0]) + room
    representation = kind(limit, limit)
    row = data.draw(rows(grammar))
    genotypes, derivations = initial(representation, grammar, 12, seed, row)
    for generation in range(1, 4):
        for i in range(12):
            found = Derivation(grammar, derivations[i])
            assert found.complete
            assert found.depth <= limit
            assert [sum(counts) for counts in found.counts.values()] == genotypes.used[i].tolist()
        fathers = np.roll(np.arange(12), 1)
        genotypes = representation.vary(grammar, genotypes, np.arange(12), fathers, 0.3, SEED, generation)
        genotypes, derivations = representation.map(grammar, genotypes, row, SEED, generation, 0)
    assert (derivations.status == Status.OK).all()


@given(grammars(), st.integers(0, 2**40), st.sampled_from(RULES), st.integers(1, 4), st.sampled_from(BOTH))
def test_mapping_a_mapped_population_again_changes_nothing(
    grammar: Grammar, seed: int, rule: Any, depth: int, kind: Any
) -> None:
    representation = kind(depth, depth, rule)
    genotypes, derivations = initial(representation, grammar, 8, seed)
    again, other = mapped(representation, grammar, genotypes, seed=seed + 1)
    assert same(again, genotypes)
    assert (other.productions == derivations.productions).all()


@given(grammars(), st.integers(0, 2**40), st.sampled_from(RULES), st.sampled_from(BOTH))
def test_a_batch_equals_one_by_one(grammar: Grammar, seed: int, rule: Any, kind: Any) -> None:
    representation = kind(2, 4, rule)
    empty = representation.read(grammar, {})
    row = uniform(grammar)
    batch, derivations = representation.map(grammar, RealListGenotypes.join([empty] * 7), row, np.uint64(seed), 2, 0)
    for i in range(7):
        alone, single = representation.map(grammar, empty, row, np.uint64(seed), 2, i)
        assert single[0].tolist() == derivations[i].tolist()
        assert same(alone, batch.take(np.array([i])))


@given(grammars(), st.integers(0, 2**40), st.sampled_from(BOTH), st.data())
def test_a_given_or_shown_genotype_reads_back(grammar: Grammar, seed: int, kind: Any, data: st.DataObject) -> None:
    representation = kind(2, 4)
    genotypes, derivations = initial(representation, grammar, 3, seed, data.draw(rows(grammar)))
    for i in range(3):
        again = representation.read(grammar, representation.show(grammar, genotypes, i))
        one, single = mapped(representation, grammar, again, data.draw(rows(grammar)))
        if kind is RealListsWithProbabilities:  # whatever the others are mapped with
            assert single[0].tolist() == derivations[i].tolist()
            assert same(one, genotypes.take(np.array([i])))
        assert (again.values == genotypes.take(np.array([i])).values).all()


@pytest.mark.parametrize("kind", BOTH)
def test_the_first_trees_keep_the_limit_of_the_first_generation(kind: Any) -> None:
    """Also when they are mapped under the later, larger limit."""
    for rule, most in (("height", 4), ("shortest", 4 + 3 + 1)):
        genotypes, derivations = initial(kind(4, 17, rule), GRAMMAR_R, 400)
        depths = [Derivation(GRAMMAR_R, derivations[i]).depth for i in range(400)]
        assert 4 <= max(depths) <= most
        assert len(set(depths)) > 1
        assert (genotypes.used.sum(axis=1) == np.diff(derivations.offsets)).all()


def test_the_first_trees_are_grown_by_the_given_probabilities() -> None:
    row = np.array([1.0, 0.3, 0.7, 0.0, 0.25, 0.75, 0.9, 0.1])
    for kind in BOTH:
        _, derivations = initial(kind(5, 9), GRAMMAR, 1500, row=row)
        counts = np.bincount(derivations.productions, minlength=8)
        assert counts[3] == 0
        assert counts[5] / counts[3:6].sum() == pytest.approx(0.75, abs=0.06)
        assert counts[6] / counts[6:].sum() == pytest.approx(0.9, abs=0.03)
    learned = GRAMMAR.with_probabilities(row)
    assert same(RealLists().initial(learned, 20, SEED), RealLists().initial(GRAMMAR, 20, SEED, 0, row))


def test_a_later_generation_is_drawn_anew() -> None:
    one, other = (RealLists().initial(GRAMMAR, 20, SEED, generation) for generation in (1, 2))
    assert not np.array_equal(one.values[:20], other.values[:20])


def test_with_uniform_probabilities_it_is_integer_lists() -> None:
    """A codon in the middle of a production's slice, so long as the depth rule excludes nothing."""
    integers = IntegerLists(6, 100)
    genotypes = integers.initial(GRAMMAR_R, 50, SEED)
    for i in range(50):
        entries = integers.show(GRAMMAR_R, genotypes, i)
        codons = {name: [(a + 0.5) / len(GRAMMAR_R.rules[name]) for a in row] for name, row in entries.items()}
        found = map_genotype(GRAMMAR_R, codons, PSGE(max_depth=100))
        expected = map_genotype(GRAMMAR_R, entries, SGE(max_depth=100))
        assert found.derivation.productions.tolist() == expected.derivation.productions.tolist()


# Variation


def vary(
    representation: Either, genotypes: RealListGenotypes, mutation: float, fathers: Any = None, fitness: Any = None
) -> RealListGenotypes:
    n = len(genotypes)
    fathers = np.full(n, -1) if fathers is None else fathers
    return representation.vary(GRAMMAR_R, genotypes, np.arange(n), fathers, mutation, SEED, 1, fitness)


@pytest.mark.parametrize("kind", BOTH)
def test_crossover_takes_whole_lists_and_maps_the_child_to_see_what_it_uses(kind: Any) -> None:
    representation = kind()
    genotypes, _ = initial(representation, GRAMMAR_R, 100)
    children = vary(representation, genotypes, 0.0, np.roll(np.arange(100), 1))
    again, _ = mapped(representation, GRAMMAR_R, children)
    assert (again.used == children.used).all()
    assert (again.start == children.start).all()
    from_father = []
    for i in range(100):
        mother, father = (representation.show(GRAMMAR_R, genotypes, j) for j in (i, (i - 1) % 100))
        child = representation.show(GRAMMAR_R, children, i)
        for a, name in enumerate(GRAMMAR_R.nonterminals):
            parent = max((row for row in (mother[name], father[name]) if child[name][: len(row)] == row), key=len)
            assert len(child[name]) == max(len(parent), children.used[i, a])  # what was missing has been drawn
            if parent and mother[name] != father[name]:
                from_father.append(parent == father[name])
    assert 0.35 < np.mean(from_father) < 0.65


@pytest.mark.parametrize("kind", BOTH)
def test_mutation_moves_used_codons_and_no_others_of_children_of_two(kind: Any) -> None:
    """Children of a crossover mutate as well: they are mapped before."""
    representation = kind(max_depth=8)
    genotypes, _ = initial(representation, GRAMMAR_R, 200)
    genotypes, _ = mapped(representation, GRAMMAR_R, vary(representation, genotypes, 0.5, np.roll(np.arange(200), 1)))
    crossed = vary(representation, genotypes, 0.0, np.roll(np.arange(200), 1))
    children = vary(representation, genotypes, 1.0, np.roll(np.arange(200), 1))
    assert (crossed.start == children.start).all()
    silent = 0
    for i in range(200):
        before, after = (representation.show(GRAMMAR_R, g, i) for g in (crossed, children))
        for a, name in enumerate(GRAMMAR_R.nonterminals):
            used = crossed.used[i, a]
            single = len(GRAMMAR_R.rules[name]) == 1
            # A codon that is on a border and would leave it stays there.
            moved = [x != y or x in (0.0, 1.0) for x, y in zip(before[name], after[name], strict=True)]
            assert all(moved[:used]) or single
            assert before[name][used:] == after[name][used:]
            assert before[name] == after[name] or not single
            silent += len(before[name]) - used
    assert silent > 0


def test_parents_stay_as_they_are() -> None:
    for kind in BOTH:
        representation = kind(facilitated=True)
        genotypes, _ = initial(representation, GRAMMAR_R, 50)
        before = {name: getattr(genotypes, name).copy() for name in NAMES}
        vary(representation, genotypes, 1.0, np.roll(np.arange(50), 1))
        vary(representation, genotypes, 1.0)
        assert all((getattr(genotypes, name) == array).all() for name, array in before.items())


@pytest.mark.slow
@pytest.mark.parametrize("kind", BOTH)
def test_rates_change_only_where_mutation_is_facilitated(kind: Any) -> None:
    genotypes, _ = initial(kind(), GRAMMAR_R, 200)
    assert not vary(kind(), genotypes, 0.05).drift.any()
    children = vary(kind(facilitated=True), genotypes, 0.05)
    changed = children.drift != 0
    assert changed.mean() == pytest.approx(0.3, abs=0.06)
    assert (0.05 + children.drift >= 0).all()
    grandchildren = vary(kind(), children, 0.05, np.roll(np.arange(200), 1))  # a rate travels with its list
    for a in range(5):
        assert set(np.round(grandchildren.drift[:, a], 12)) <= set(np.round(children.drift[:, a], 12))


def test_a_higher_rate_moves_more_codons() -> None:
    representation = RealLists()
    genotypes, _ = initial(representation, GRAMMAR_R, 300)
    drift = np.zeros((300, 5))
    drift[:, 4] = 0.95
    children = vary(representation, RealListGenotypes(**vars(genotypes) | {"drift": drift}), 0.05)
    moved = np.concatenate([[0], np.cumsum(children.values != genotypes.values)])
    by_list = (moved[genotypes.start[1:]] - moved[genotypes.start[:-1]]).reshape(-1, 5).sum(axis=0)
    share = by_list / genotypes.used.sum(axis=0)
    assert share[4] == 1
    assert share[1] == pytest.approx(0.05, abs=0.03)


@pytest.mark.parametrize("borders", ["clip", "reflect"])
def test_borders_are_clipped_or_reflected(borders: Any) -> None:
    representation = RealLists(borders=borders)
    genotypes, _ = initial(representation, GRAMMAR_R, 300)
    children = vary(representation, genotypes, 1.0)
    on_a_border = np.isin(children.values, (0.0, 1.0)).any()
    assert on_a_border == (borders == "clip")
    assert ((children.values >= 0) & (children.values <= 1)).all()


def test_the_fitter_parent_hands_on_its_whole_grammar() -> None:
    representation = RealListsWithProbabilities(grammar_mutation=0.0)
    genotypes, _ = initial(representation, GRAMMAR_R, 4)
    table = np.repeat(uniform(GRAMMAR_R)[None], 4, axis=0)
    table[:, -3:] = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0.5, 0.5, 0]])
    genotypes = RealListGenotypes(**vars(genotypes) | {"probabilities": table})
    fitness = np.array([1.0, 2.0, 2.0, np.inf])
    mothers, fathers = np.array([0, 1, 1, 2, 3, 3, 0]), np.array([1, 0, 2, 1, 3, -1, -1])
    children = representation.vary(GRAMMAR_R, genotypes, mothers, fathers, 0.1, SEED, 1, fitness)
    givers = [0, 0, 2, 1, 3, 3, 0]  # a tie: the father
    assert (children.probabilities == table[givers]).all()
    unknown = representation.vary(GRAMMAR_R, genotypes, mothers, fathers, 0.1, SEED, 1)
    assert (unknown.probabilities == table[[1, 0, 2, 1, 3, 3, 0]]).all()


@pytest.mark.slow
def test_grammars_mutate_and_stay_probabilities() -> None:
    representation = RealListsWithProbabilities(max_depth=6, grammar_mutation=0.5, grammar_sigma=2.0)
    genotypes, _ = initial(representation, GRAMMAR_R, 60)
    for generation in range(1, 6):
        genotypes = representation.vary(
            GRAMMAR_R, genotypes, np.arange(60), np.roll(np.arange(60), 1), 0.05, SEED, generation, np.zeros(60)
        )
        for i in range(60):
            own = representation.own_probabilities(genotypes, i)
            GRAMMAR_R.check_probabilities(own.copy())
        genotypes, derivations = mapped(representation, GRAMMAR_R, genotypes)
        assert (derivations.status == Status.OK).all()
    assert (genotypes.probabilities == 0).any()  # zeros are common, and harmless
    assert (vary(RealListsWithProbabilities(grammar_sigma=0.0), genotypes, 0.1).probabilities >= 0).all()


def test_where_all_share_a_grammar_nobody_has_one() -> None:
    genotypes, _ = initial(RealLists(), GRAMMAR, 3)
    assert genotypes.probabilities.shape == (3, 0)
    assert RealLists().own_probabilities(genotypes, 0) is None


def test_what_was_read_without_probabilities_may_be_varied() -> None:
    representation = RealListsWithProbabilities(grammar_mutation=0.0)
    read = representation.read(GRAMMAR, EXAMPLE)
    child = representation.vary(GRAMMAR, read, np.zeros(1, np.int64), np.zeros(1, np.int64), 0.5, SEED, 1)
    assert child.probabilities.tolist() == [uniform(GRAMMAR).tolist()]


# The way back


@given(grammars(), st.sampled_from(BOTH), st.sampled_from(RULES), st.integers(0, 2**40), st.data())
def test_what_is_encoded_maps_to_the_same_derivation(
    grammar: Grammar, kind: Any, rule: Any, seed: int, data: st.DataObject
) -> None:
    _, derivations = initial(kind(3, 5, "shortest"), grammar, 8, seed)
    row = data.draw(rows(grammar))
    representation = kind(2, 4, rule)
    genotypes, fits = representation.encode(grammar, derivations, row, np.uint64(seed))
    # However the population is mapped later on, its own probabilities count.
    other = uniform(grammar) if kind is RealListsWithProbabilities else row
    _, again = representation.map(grammar, genotypes, other, SEED, 1, 0)
    for i in range(8):
        possible = bool(len(derivations[i])) and (row[derivations[i]] > 0).all()
        if fits[i]:
            assert again[i].tolist() == derivations[i].tolist()
        elif possible:
            assert Derivation(grammar, derivations[i]).depth > 4
        assert again.status[i] == Status.OK
        assert fits[i] or sum(len(codons) for name, codons in representation.show(grammar, genotypes, i).items()
                              if name != "probabilities") == 0  # fmt: skip


def test_codons_are_drawn_anew_with_each_seed_and_generation() -> None:
    derivations = Derivations.of(np.array([0, 1, 2, 6, 4, 2, 7], np.int32))
    codons = [
        RealLists().encode(GRAMMAR, derivations, uniform(GRAMMAR), np.uint64(seed), generation)[0].values.tolist()
        for seed, generation in ((1, 0), (2, 0), (1, 1), (1, 0))
    ]
    assert codons[0] == codons[3]
    assert len({tuple(values) for values in codons}) == 3


@pytest.mark.parametrize("method", [PSGE(max_depth=4), CoPSGE(max_depth=4)], ids=lambda m: m.name)
def test_a_misfit_says_what_to_change(method: Any) -> None:
    representation = method.representation
    deep = np.array([0, 1, 2, 6, 4, 1, 2, 7, 5, 2, 6], np.int32)
    assert not representation.encode(GRAMMAR, Derivations.of(deep), uniform(GRAMMAR), SEED)[1].any()
    assert representation.misfit(GRAMMAR, deep, uniform(GRAMMAR)) == (
        "its tree has a depth of 5; set max_depth to 5 or more"
    )
    row = uniform(GRAMMAR)
    row[6:] = 0, 1
    rare = np.array([0, 2, 6], np.int32)
    assert not representation.encode(GRAMMAR, Derivations.of(rare), row, SEED)[1].any()
    assert representation.misfit(GRAMMAR, rare, row) == (
        "no codon chooses x for <var>: its probability is 0; give it a larger one"
    )


# Settings and layout


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("max_depth", 0, "max_depth is 0"),
        ("depth_rule", "none", "depth_rule is 'none'"),
        ("sigma", -1, "sigma is -1: it must be a number ≥ 0"),
        ("borders", "wrap", "borders is 'wrap': it must be one of 'clip', 'reflect'"),
        ("facilitated", 1, "facilitated is 1"),
    ],
)
def test_a_setting_out_of_its_range_is_refused(name: str, value: Any, message: str) -> None:
    for kind in (*BOTH, PSGE, CoPSGE):
        with pytest.raises(SettingsError, match=message):
            kind(**{name: value})
    with pytest.raises(SettingsError, match=r"grammar_mutation is 2: it must be a number in \[0, 1\]"):
        CoPSGE(grammar_mutation=2)


@pytest.mark.parametrize("kind", BOTH)
def test_populations_are_taken_apart_and_joined(kind: Any) -> None:
    genotypes, _ = initial(kind(facilitated=True), GRAMMAR, 6)
    genotypes = RealListGenotypes(**vars(genotypes) | {"drift": np.arange(24.0).reshape(6, 4)})
    joined = RealListGenotypes.join([genotypes.take(np.array([0, 1])), genotypes.take(np.arange(2, 6))])
    assert len(joined) == 6
    assert same(joined, genotypes)
    assert RealListGenotypes.join([genotypes]) is genotypes
    assert all(getattr(joined, name).flags.c_contiguous for name in NAMES)
