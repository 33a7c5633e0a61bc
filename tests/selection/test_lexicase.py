from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gramarye as gm
from gramarye.derivations import Derivations
from gramarye.errors import SettingsError
from gramarye.execution import Threads
from gramarye.populations.population import Population
from gramarye.selection import EpsilonLexicase, Lexicase, Tournament, find, text_of
from gramarye.selection.lexicase import median_deviation

QUARTIC = gm.problems.load("quartic")
SEED = np.uint64(3)
SMALL: dict[str, Any] = {"population": 60, "generations": 5}


def population(errors: list[list[float]]) -> Population:
    """Individuals with these errors, whose fitness is their mean."""
    n = len(errors)
    nothing = Derivations(np.zeros(0, np.int32), np.zeros(n + 1, np.int64), np.zeros(n, np.int8))
    return Population.of(nothing, np.mean(errors, axis=1), np.array(errors))


def shares(selection: gm.selection.Selection, errors: list[list[float]], n: int = 6000) -> np.ndarray:
    mothers, fathers = selection.parents(population(errors), n, SEED, 1)
    assert abs((mothers == fathers).mean() - (np.bincount(mothers, minlength=len(errors)) ** 2).sum() / n**2) < 0.03
    return np.bincount(np.concatenate([mothers, fathers]), minlength=len(errors)) / (2 * n)


def by_all_orders(errors: list[list[float]], tolerance: list[float]) -> np.ndarray:
    """The probability of each individual, from every order of the cases."""
    found = np.zeros(len(errors))
    orders = list(permutations(range(len(tolerance))))
    for order in orders:
        left = list(range(len(errors)))
        for case in order:
            limit = min(errors[i][case] for i in left) + tolerance[case]
            left = [i for i in left if errors[i][case] <= limit]
        found[left] += 1 / len(left) / len(orders)
    return found


# Specialists win, one of them twice there; the best mean, individual 2, never does.
ERRORS = [[0.0, 9.0, 9.0], [9.0, 0.0, 0.0], [1.0, 1.0, 1.0], [9.0, 0.0, 0.0], [0.0, 8.0, 10.0]]


def test_parents_are_as_frequent_as_the_orders_of_cases_that_lead_to_them() -> None:
    wanted = by_all_orders(ERRORS, [0, 0, 0])
    assert wanted == pytest.approx([1 / 6, 1 / 3, 0, 1 / 3, 1 / 6])
    assert shares(Lexicase(), ERRORS) == pytest.approx(wanted, abs=0.02)


def test_a_tolerance_keeps_those_who_are_nearly_the_best() -> None:
    errors = [[0.0, 4.0, 2.0], [0.5, 1.0, 3.0], [2.0, 1.2, 0.0], [7.0, 9.0, 0.3]]
    tolerance = median_deviation(np.array(errors)).tolist()
    assert tolerance == pytest.approx([1.0, 1.5, 1.0])
    assert shares(EpsilonLexicase(), errors) == pytest.approx(by_all_orders(errors, tolerance), abs=0.02)
    assert by_all_orders(errors, tolerance).tolist() != by_all_orders(errors, [0, 0, 0]).tolist()


def test_the_deviation_is_that_of_each_case_from_its_median() -> None:
    errors = np.array([[1.0, 0.0], [2.0, 0.0], [4.0, 0.0], [100.0, 8.0]])
    assert median_deviation(errors).tolist() == [1.5, 0.0]  # the median of 2, 1, 1 and 97 is 1.5


def test_an_invalid_individual_is_no_parent_unless_nobody_else_is_there() -> None:
    half = [[math.inf] * 3, [1.0, 2.0, 3.0], [math.inf] * 3]
    for selection in (Lexicase(), EpsilonLexicase(), Lexicase(downsample=0.3)):
        assert shares(selection, half).tolist() == [0, 1, 0]
        nobody = population([[math.inf] * 3] * 4)
        mothers, _ = selection.parents(nobody, 4000, SEED, 1)
        assert np.bincount(mothers, minlength=4) / 4000 == pytest.approx([0.25] * 4, abs=0.04)


def test_a_sample_of_the_cases_is_the_same_for_all_children_of_a_generation_and_another_in_the_next() -> None:
    one_each = (1 - np.eye(20)).tolist()  # everyone is the best in a case of their own
    seen = set()
    for generation in range(8):
        mothers, fathers = Lexicase(downsample=0.05).parents(population(one_each), 50, SEED, generation)
        winners = set(mothers.tolist()) | set(fathers.tolist())
        assert len(winners) == 1
        seen |= winners
    assert len(seen) > 3


@given(st.floats(0, 1))
def test_at_least_one_case_is_always_drawn(downsample: float) -> None:
    mothers, _ = Lexicase(downsample=downsample).parents(population([[1.0, 0.0], [0.0, 1.0]]), 5, SEED, 1)
    assert len(mothers) == 5


@pytest.mark.parametrize("name", [name for name, kind in gm.methods.METHODS.items() if not kind().samples])
@pytest.mark.parametrize("selection", ["lexicase", "epsilon-lexicase,downsample=0.5"])
def test_every_method_that_varies_parents_takes_it(name: str, selection: str) -> None:
    method = gm.methods.METHODS[name](**SMALL, selection=selection)
    run = gm.evolve(QUARTIC, method, seed=1)
    assert run.method.settings["selection"] == selection
    assert "tournament" not in run.method.settings
    assert np.isfinite(run.best.fitness)
    other = gm.evolve(QUARTIC, gm.methods.METHODS[name](**SMALL), seed=1)
    assert run.history["mean"].tolist() != other.history["mean"].tolist()


@pytest.mark.parametrize("name", [name for name, kind in gm.methods.METHODS.items() if kind().samples])
def test_a_method_without_parents_refuses_it(name: str) -> None:
    with pytest.raises(
        SettingsError, match=f"selection is 'lexicase': {name} draws offspring from the grammar, without"
    ):
        gm.methods.METHODS[name](selection="lexicase")


def test_an_objective_that_returns_a_list_of_errors_has_cases() -> None:
    grammar = gm.Grammar.from_text("<s> ::= <c><c><c><c>\n<c> ::= a | b | c | d")
    wanted = "abcd"
    problem = gm.Objective(lambda text: [float(a != b) for a, b in zip(text, wanted, strict=True)], grammar)
    run = gm.evolve(problem, gm.GE(**SMALL, selection="lexicase"), seed=2)
    assert run.best.phenotype == wanted
    assert run.best.fitness == 0


def test_an_objective_that_returns_a_number_says_what_is_missing() -> None:
    problem = gm.Objective(len, QUARTIC.grammar)
    with pytest.raises(SettingsError, match="lexicase selection needs errors per case"):
        gm.evolve(problem, gm.GE(**SMALL, selection="lexicase"), seed=2)


def test_errors_per_case_are_no_part_of_a_state() -> None:
    setup = gm.engine.Setup(QUARTIC, gm.GE(**SMALL, selection="lexicase"), 1)
    state = gm.engine.step(setup, gm.engine.start(setup))
    again = gm.engine.step(setup, gm.State.from_bytes(state.to_bytes()))
    assert again.fitness.tolist() == gm.engine.step(setup, state).fitness.tolist()
    assert not state.memory


# Names


@pytest.mark.parametrize(
    ("text", "selection"),
    [
        ("tournament", Tournament()),
        ("tournament,size=5", Tournament(5)),
        ("lexicase", Lexicase()),
        ("epsilon-lexicase", EpsilonLexicase()),
        ("lexicase,downsample=0.25", Lexicase(0.25)),
    ],
)
def test_a_text_names_a_selection_and_back(text: str, selection: gm.selection.Selection) -> None:
    assert find(text) == find(f" {text.replace(',', ' , ')} ") == selection
    assert text_of(selection) == text


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"selection": "lexicasse"}, "no selection is called 'lexicasse'; did you mean lexicase?"),
        (
            {"selection": "roulette"},
            "no selection is called 'roulette'; there are tournament, lexicase, epsilon-lexicase",
        ),
        ({"selection": "lexicase,downsmaple=1"}, "Lexicase has no setting 'downsmaple'; did you mean 'downsample'?"),
        (
            {"selection": "lexicase,downsample"},
            "selection is 'lexicase,downsample': write a name, then each setting once",
        ),
        ({"selection": "lexicase,downsample=2"}, "downsample is 2.0: it must be a number in [0, 1]"),
        ({"selection": "lexicase,downsample=x"}, "downsample is 'x': it must be a number"),
        ({"selection": Lexicase}, "selection is the class Lexicase: give one with its settings"),
        ({"selection": 3}, "selection is 3: give one with its settings"),
        (
            {"selection": "lexicase", "tournament": 5},
            "tournament is 5: it has no effect, because selection is 'lexicase'; leave tournament out",
        ),
    ],
)
def test_a_selection_that_is_none_is_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError) as raised:
        gm.PGE(**settings)
    assert message in str(raised.value)


def test_a_selection_of_one_s_own_is_named_by_its_repr() -> None:
    class Mine(Lexicase):
        pass

    assert text_of(Mine()).endswith("Mine(downsample=1.0)")


def test_rows_of_weight_0_are_no_cases() -> None:
    grammar = gm.Grammar.from_text("<e> ::= x | y | x + y")
    rng = np.random.default_rng(1)
    X, weights = rng.normal(size=(20, 2)), np.repeat([0.0, 1.0], 10)
    weighted = gm.Regression(X, X[:, 0], grammar, sample_weight=weights)
    fewer = gm.Regression(X[10:], X[10:, 0], grammar)
    everyone = Derivations.join([Derivations.of(np.array([q], np.int32)) for q in range(3)])
    cases = [problem.evaluator(np.uint64(1), Threads()).cases(everyone) for problem in (weighted, fewer)]
    assert cases[0].tolist() == cases[1].tolist()
