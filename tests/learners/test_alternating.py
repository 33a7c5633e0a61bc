from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gramarye as gm
from gramarye.derivations import Derivations
from gramarye.errors import GrammarError, SettingsError
from gramarye.grammar import Grammar
from gramarye.learners import AlternatingBest, NoLearning, update_probabilities
from gramarye.learners.alternating import raise_and_lower, spread
from gramarye.populations.population import Candidate, Population
from tests.grammars import G1

GRAMMAR = Grammar.from_text(G1)
X_TIMES_X = {"<start>": [1], "<expr>": [1, 2], "<op>": [0, 1, 0], "<var>": [2, 0]}
UNIFORM = {"<start>": [1.0], "<expr>": [0.5, 0.5], "<op>": [1 / 3] * 3, "<var>": [0.5, 0.5]}


def row(old: list[float], counts: list[int], learning_factor: float, **settings: Any) -> list[float]:
    return update_probabilities({"<a>": old}, {"<a>": counts}, learning_factor, **settings)["<a>"]


@pytest.mark.parametrize(
    ("name", "old", "exact", "printed"),
    [
        ("<start>", [1.0], [1.0], [1.0]),
        ("<expr>", [0.5, 0.5], [0.5 + 0.01 / 3 - 0.005, 0.5 + 0.02 / 3 - 0.005], [0.498, 0.502]),
        ("<op>", [0.33] * 3, [0.3289, 0.3422, 0.3289], [0.329, 0.342, 0.329]),
        ("<op>", [1 / 3] * 3, [0.33 - 0.01 / 9, 0.01 + 1 / 3 - 0.01 / 9, 0.33 - 0.01 / 9], [0.329, 0.342, 0.329]),
        ("<var>", [0.5, 0.5], [0.5075, 0.4925], [0.508, 0.493]),
    ],
)
def test_the_update_of_the_paper(name: str, old: list[float], exact: list[float], printed: list[float]) -> None:
    new = update_probabilities({name: old}, {name: X_TIMES_X[name]}, 0.01)[name]
    assert new == pytest.approx(exact, abs=1e-12)
    assert new == pytest.approx(printed, abs=0.00051)


def test_all_rows_are_updated_at_once() -> None:
    new = gm.update_probabilities(UNIFORM, X_TIMES_X, 0.01)
    assert {name: [round(p, 6) for p in row] for name, row in new.items()} == {
        "<start>": [1.0],
        "<expr>": [0.498333, 0.501667],
        "<op>": [0.328889, 0.342222, 0.328889],
        "<var>": [0.5075, 0.4925],
    }


@pytest.mark.parametrize(
    ("old", "counts", "learning_factor", "new"),
    [
        ([0.98, 0.015, 0.005], [3, 0, 0], 0.1, [0.99325, 0.00675, 0]),
        ([0.9, 0.06, 0.03, 0.01], [5, 0, 0, 0], 0.2, [0.976, 0.024, 0, 0]),
        ([0.5, 0.5], [1, 2], 0.01, [0.4983333333333333, 0.5016666666666667]),
        ([0.4983333333333333, 0.5016666666666667], [0, 1], 0.01, [0.49084166666666665, 0.50915833333333333]),
    ],
)
def test_more_vectors(old: list[float], counts: list[int], learning_factor: float, new: list[float]) -> None:
    assert row(old, counts, learning_factor) == pytest.approx(new, abs=1e-12)


def test_a_nonterminal_that_the_best_does_not_use_keeps_its_row_or_decays() -> None:
    old = [0.7, 0.2, 0.1]
    assert row(old, [0, 0, 0], 0.01) == old
    assert update_probabilities({"<a>": old}, {}, 0.01) == {"<a>": old}  # counts left out are zeros
    decayed = row(old, [0, 0, 0], 0.01, unexpanded="decay")
    assert decayed == pytest.approx([0.99 * p + 0.01 / 3 for p in old], abs=1e-12)
    assert decayed == pytest.approx([0.696333, 0.201333, 0.102333], abs=1e-6)


def test_division_by_the_sum_is_a_setting() -> None:
    assert row([0.5, 0.5], [2, 0], 0.01, normalise="divide") == pytest.approx([0.51 / 1.005, 0.495 / 1.005], abs=1e-15)
    assert row([0.3, 0.7], [0, 0], 1.0, unexpanded="decay", normalise="divide") == [0.3, 0.7]  # nothing is left


def test_a_floor_mixes_in_a_uniform_distribution() -> None:
    without = row([0.9, 0.1, 0.0], [1, 0, 0], 0.1)
    assert row([0.9, 0.1, 0.0], [1, 0, 0], 0.1, floor=0.2) == pytest.approx([0.8 * p + 0.2 / 3 for p in without])


@pytest.mark.parametrize(
    ("j", "after_50", "near_one", "gone"), [(2, 0.833, 79, 112), (3, 0.743, 85, 106), (4, 0.691, 88, 105)]
)
def test_one_sided_updates_fix_a_nonterminal_in_about_a_hundred(
    j: int, after_50: float, near_one: int, gone: int
) -> None:
    p = [1 / j] * j
    counts = [1] + [0] * (j - 1)
    history = []
    for _ in range(130):
        u = p[0]
        p = row(p, counts, 0.01)
        if u < 0.99:  # until the cap at 1 acts
            assert p[0] == pytest.approx(u + 0.01 * (1 - u / j), abs=1e-12)
        history.append(p)
    assert history[49][0] == pytest.approx(after_50, abs=0.0005)
    reached = next(n for n, p in enumerate(history, start=1) if p[0] >= 0.99)
    assert abs(reached - near_one) <= 1
    small = next(n for n, p in enumerate(history, start=1) if p[1] < 1e-12)
    assert abs(small - gone) <= 1
    before, after = history[reached][1], history[reached + 1][1]
    assert after == pytest.approx(before * 0.99 / j, rel=1e-6)


rows = st.integers(1, 7).flatmap(
    lambda j: st.tuples(
        st.lists(st.floats(0, 1), min_size=j, max_size=j).filter(lambda r: sum(r) > 0.01),
        st.lists(st.integers(0, 20), min_size=j, max_size=j),
    )
)
rates = st.floats(0, 1)


def normalised(weights: list[float]) -> list[float]:
    return [w / math.fsum(weights) for w in weights]


@given(rows, rates, st.sampled_from(["keep", "decay"]), st.sampled_from(["equal", "divide"]), st.floats(0, 1))
def test_probabilities_stay_probabilities(
    case: tuple[list[float], list[int]], learning_factor: float, unexpanded: Any, normalise: Any, floor: float
) -> None:
    old, counts = normalised(case[0]), case[1]
    new = row(old, counts, learning_factor, unexpanded=unexpanded, normalise=normalise, floor=floor)
    assert all(0 <= p <= 1 + 1e-12 for p in new)
    assert math.fsum(new) == pytest.approx(1, abs=1e-12)


@given(rows, st.sampled_from(["keep", "decay"]))
def test_a_learning_factor_of_zero_changes_nothing(case: tuple[list[float], list[int]], unexpanded: Any) -> None:
    old = normalised(case[0])
    assert row(old, case[1], 0.0, unexpanded=unexpanded) == pytest.approx(old, abs=1e-15)


@given(rows, rates, st.randoms())
def test_permuting_the_productions_permutes_the_result(
    case: tuple[list[float], list[int]], learning_factor: float, random: Any
) -> None:
    old, counts = normalised(case[0]), case[1]
    order = list(range(len(old)))
    random.shuffle(order)
    permuted = row([old[i] for i in order], [counts[i] for i in order], learning_factor)
    new = row(old, counts, learning_factor)
    assert permuted == pytest.approx([new[i] for i in order], abs=1e-15)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6).filter(lambda r: math.fsum(r) > 1))
def test_spreading_an_excess_is_the_limit_of_subtracting_and_clamping(raised: list[float]) -> None:
    slow = np.array(raised)
    for _ in range(2000):
        slow = np.maximum(slow + (1 - slow.sum()) / len(slow), 0)
    assert spread(raised) == pytest.approx(slow.tolist(), abs=1e-9)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=6).filter(lambda r: math.fsum(r) <= 1))
def test_spreading_a_deficit_adds_equal_shares(raised: list[float]) -> None:
    share = (1 - math.fsum(raised)) / len(raised)
    assert spread(raised) == pytest.approx([r + share for r in raised], abs=1e-15)


@given(rows, rates)
def test_used_productions_never_leave_less_than_one_to_share(
    case: tuple[list[float], list[int]], learning_factor: float
) -> None:
    """Without the cap Σ r = 1 + λU, where U is the old probability of what was used."""
    old, counts = normalised(case[0]), case[1]
    if sum(counts) == 0:
        return
    raised = raise_and_lower(old, counts, learning_factor)
    used = math.fsum(p for p, c in zip(old, counts, strict=True) if c)
    if max(raised) < 1:
        assert math.fsum(raised) == pytest.approx(1 + learning_factor * used, abs=1e-12)
    assert math.fsum(raised) >= 1 - 1e-12


@pytest.mark.parametrize(
    ("probabilities", "counts", "settings", "error", "message"),
    [
        ({"<a>": [0.5, 0.5]}, {"<a>": [1, 0]}, {"learning_factor": 1.5}, SettingsError, r"is 1.5: .*\[0, 1\]"),
        ({"<a>": [0.5, 0.5]}, {"<a>": [1, 0]}, {"learning_factor": math.nan}, SettingsError, "learning_factor is nan"),
        ({"<a>": [0.5, 0.5]}, {"<a>": [1, 0]}, {"learning_factor": "much"}, SettingsError, "learning_factor is 'much'"),
        ({"<a>": [0.5, 0.5]}, {"<a>": [1, 0]}, {"floor": -1}, SettingsError, "floor is -1"),
        ({"<a>": [0.5, 0.5]}, {"<a>": [1, 0]}, {"normalise": "equals"}, SettingsError, "is 'equals': .*'divide'"),
        ({"<a>": [0.5, 0.5]}, {"<a>": [1, 0]}, {"unexpanded": "no"}, SettingsError, "unexpanded is 'no': .*'decay'"),
        ({"<var>": [0.5, 0.5]}, {"<vra>": [1, 0]}, {}, GrammarError, "counts for <vra>, .*did you mean <var>"),
        ({"<a>": [0.5, 0.4]}, {"<a>": [1, 0]}, {}, GrammarError, r"the probabilities of <a> are \[0.5, 0.4\]"),
        ({"<a>": [1.5, -0.5]}, {"<a>": [1, 0]}, {}, GrammarError, "the probabilities of <a>"),
        ({"<a>": [0.5, 0.5]}, {"<a>": [1]}, {}, GrammarError, "<a> has 2 productions, but 1 counts"),
        ({"<a>": [0.5, 0.5]}, {"<a>": [1, -1]}, {}, GrammarError, r"the counts of <a> are \[1, -1\]"),
        ({"<a>": [0.5, 0.5]}, {"<a>": [1, 0.5]}, {}, GrammarError, "the counts of <a>"),
        ({"<a>": [0.5, 0.5]}, {"<a>": [math.inf, 0]}, {}, GrammarError, "the counts of <a>"),
    ],
)  # fmt: skip
def test_an_update_of_something_else_is_refused(
    probabilities: Any, counts: Any, settings: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        update_probabilities(probabilities, counts, **{"learning_factor": 0.1, **settings})


def candidate(*productions: int, fitness: float = 1.0) -> Candidate:
    return Candidate(np.array(productions, np.int32), fitness)


X, ONE, X_PLUS_X = candidate(0, 2, 6), candidate(0, 2, 7), candidate(0, 1, 2, 6, 3, 2, 6)
NOBODY = candidate(fitness=math.inf)


def population(generation: int, of_run: Candidate, child: Candidate, elite: Candidate) -> Population:
    """A child and an elite, after a run with this best."""
    individuals = [child, elite]
    derivations = Derivations.join([Derivations.of(each.productions) for each in individuals])
    made = Population.of(derivations, np.array([each.fitness for each in individuals]), generation=generation)
    return replace(made, best_of_run=of_run, born=np.array([generation, generation - 1]))


def learned(
    learner: AlternatingBest,
    generation: int,
    of_run: Candidate = NOBODY,
    child: Candidate = NOBODY,
    elite: Candidate = NOBODY,
) -> list[float]:
    """The new probabilities of <var>."""
    old = np.array(GRAMMAR.start_probabilities())
    new = learner.update(GRAMMAR, old, population(generation, of_run, child, elite))
    assert old.tolist() == GRAMMAR.start_probabilities().tolist()
    return new[GRAMMAR.spans["<var>"]].tolist()


RAISED, LOWERED, KEPT = [0.5075, 0.4925], [0.4925, 0.5075], [0.5, 0.5]


@pytest.mark.parametrize("generation", range(4))
@pytest.mark.parametrize("first", ["overall", "generation"])
def test_bests_alternate(generation: int, first: Any) -> None:
    new = learned(AlternatingBest(first=first), generation, of_run=X, child=ONE)
    turn = generation if first == "overall" else generation + 1
    assert new == pytest.approx(RAISED if turn % 2 == 0 else LOWERED, abs=1e-12)


def test_the_best_of_a_generation_is_that_of_its_offspring_or_of_all() -> None:
    bests = {"child": X, "elite": candidate(0, 2, 7, fitness=0.5)}
    assert learned(AlternatingBest(), 1, **bests) == pytest.approx(RAISED)
    assert learned(AlternatingBest(generation_best="all"), 1, **bests) == pytest.approx(LOWERED)


def test_nothing_is_learned_from_an_invalid_individual() -> None:
    assert learned(AlternatingBest(), 0, child=X) == KEPT
    assert learned(AlternatingBest(), 0, of_run=candidate(0, 2, 6, fitness=math.inf)) == KEPT
    assert learned(AlternatingBest(), 0, of_run=candidate(0, 2, 6, fitness=math.nan)) == KEPT


def test_a_learner_updates_as_the_public_function_does() -> None:
    ranked = population(0, X_PLUS_X, NOBODY, NOBODY)
    new = AlternatingBest(0.2, "decay", "divide", floor=0.1).update(
        GRAMMAR, np.array(GRAMMAR.start_probabilities()), ranked
    )
    counts = {"<start>": [1], "<expr>": [1, 2], "<op>": [1, 0, 0], "<var>": [2, 0]}
    wanted = update_probabilities(UNIFORM, counts, 0.2, unexpanded="decay", normalise="divide", floor=0.1)
    assert new.tolist() == [p for row in wanted.values() for p in row]


def test_contexts_learn_by_themselves() -> None:
    """x + x below <start>, <expr.0>, <expr.1>, <op.1>, <var.2>: <expr> is expanded below p0, is <var> below p1."""
    learner = AlternatingBest(context="parent")
    contexts = learner.rewritten(GRAMMAR).grammar
    ranked = population(0, candidate(0, 1, 4, 8, 5, 4, 8), NOBODY, NOBODY)
    new = learner.update(contexts, np.array(contexts.start_probabilities()), ranked)
    assert new[contexts.spans["<expr.0>"]].tolist() == row([0.5, 0.5], [1, 0], 0.01)
    assert new[contexts.spans["<expr.1>"]].tolist() == row([0.5, 0.5], [0, 2], 0.01)
    assert AlternatingBest().rewritten(GRAMMAR).templates is None


def test_no_learning_leaves_probabilities_as_they_are() -> None:
    old = np.array(GRAMMAR.start_probabilities())
    assert NoLearning().update(GRAMMAR, old, population(0, X, X, X)) is old
    assert not NoLearning.learns
    assert not NoLearning().remap_elites


@given(rows, rates)
def test_what_was_used_raises_the_sum_so_that_nothing_is_ever_added(
    case: tuple[list[float], list[int]], learning_factor: float
) -> None:
    """Without the cap at 1 the sum is 1 + λ·U, with U the old probability of what was used."""
    weights, counts = case
    old = normalised(weights)
    if sum(counts) == 0:
        return
    raised = raise_and_lower(old, counts, learning_factor)
    used = math.fsum(p for p, c in zip(old, counts, strict=True) if c > 0)
    assert math.fsum(raised) >= 1 - 1e-12
    if max(raised) < 1:
        assert math.fsum(raised) == pytest.approx(1 + learning_factor * used, abs=1e-12)


@given(st.floats(0, 1), rates, st.integers(2, 5))
def test_under_division_the_others_shrink_but_never_vanish(u: float, learning_factor: float, j: int) -> None:
    old = [u] + [(1 - u) / (j - 1)] * (j - 1)
    new = row(old, [1] + [0] * (j - 1), learning_factor, normalise="divide")
    if u + learning_factor <= 1:  # until the cap at 1 acts
        factor = (1 - learning_factor) / (1 + learning_factor * u)
        assert 1 - new[0] == pytest.approx((1 - u) * factor, abs=1e-12)
    assert all(p > 0 for p, before in zip(new, old, strict=True) if before > 1e-300 and learning_factor < 1)
