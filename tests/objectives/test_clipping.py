"""Predictions limited to the extended range of the training target."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gramarye as gm
from gramarye.errors import SettingsError

GRAMMAR = gm.Grammar.from_text("<e> ::= <e> * <e> | x | x / 0.0")
X = np.linspace(1, 4, 40)
Y = X**3


def problem(**options: Any) -> gm.Regression:
    return gm.Regression(X, Y, GRAMMAR, **options)


def best(chosen: gm.Regression, seed: int = 1) -> gm.Individual:
    return gm.evolve(chosen, gm.GE(population=60, generations=6, codons=16), seed).best


def test_predictions_stay_within_the_range_of_the_target_extended_by_its_width() -> None:
    plain, clipped = best(problem()), best(problem(clip=True))
    assert plain.phenotype == clipped.phenotype
    rows = [[2.0], [100.0], [-100.0]]
    low, high = 1 - 63, 64 + 63  # y is from 1 to 64
    assert plain.predict(rows).tolist() == [8.0, 1e6, -1e6]
    assert clipped.predict(rows).tolist() == [8.0, high, low]


def test_the_range_is_that_of_the_training_rows_of_the_run() -> None:
    chosen = problem(clip=True, test_rows=20)
    highs = set()
    for seed in range(1, 9):
        train, _ = chosen.split(np.uint64(seed))
        low, high = train.target.min(), train.target.max()
        (found,) = best(chosen, seed).predict([[1e3]])
        assert found == high + (high - low)
        highs.add(found)
    assert len(highs) > 1


@pytest.mark.parametrize("error", ["rrse", "rmse", "mae", "1-r2"])
@pytest.mark.parametrize("linear_scaling", [False, True])
@pytest.mark.parametrize("weights", [None, 1.0 + np.arange(40.0) % 3])
def test_the_test_error_is_that_of_limited_predictions(error: Any, linear_scaling: bool, weights: Any) -> None:
    y = np.where(X > 3.9, 1e4, Y)  # where such a row is kept for testing, the training target is far smaller
    options: dict[str, Any] = {"error": error, "linear_scaling": linear_scaling, "sample_weight": weights}
    chosen = gm.Regression(X, y, GRAMMAR, test_rows=20, clip=True, **options)
    for seed in (1, 2, 3):
        run = gm.evolve(chosen, gm.GE(population=40, generations=3, codons=16), seed)
        test = chosen.split(np.uint64(seed))[1]
        assert test is not None
        apart = run.best.predict(test.columns.T) - test.target
        share = np.ones(20) if weights is None else test.weights
        mean = float((share * test.target).sum() / share.sum())
        spread = (share * (test.target - mean) ** 2).sum()
        squared = (share * apart**2).sum()
        meant = {
            "rrse": np.sqrt(squared / spread),
            "1-r2": squared / spread,
            "rmse": np.sqrt(squared / share.sum()),
            "mae": (share * np.abs(apart)).sum() / share.sum(),
        }[error]
        assert run.best.test_fitness == pytest.approx(meant, rel=1e-12)


def test_training_does_not_see_it() -> None:
    plain = gm.evolve(problem(test_rows=10), gm.SGE(population=30, generations=5), seed=1)
    clipped = gm.evolve(problem(test_rows=10, clip=True), gm.SGE(population=30, generations=5), seed=1)
    for name in ("best", "mean", "median", "evaluations"):
        assert plain.history[name].tolist() == clipped.history[name].tolist()


def test_what_is_infinite_is_limited_too() -> None:
    derivation = gm.parse(GRAMMAR, "x / 0.0 * x / 0.0")
    individual = gm.Individual(None, derivation, 1.0, problem=problem(clip=True), seed=1)
    assert np.isfinite(individual.predict([[1.0], [-1.0]])).all()


def test_it_is_part_of_what_a_problem_is() -> None:
    plain, clipped = problem(), problem(clip=True)
    assert (plain.summary["clip"], clipped.summary["clip"]) == (False, True)
    assert "clip" not in plain.identity
    assert clipped.identity["clip"] == "True"
    evolution = gm.Evolution(plain, gm.GE(population=10, generations=2), seed=1)
    evolution.advance()
    with pytest.raises(SettingsError, match="clip"):
        gm.Evolution(clipped, gm.GE(population=10, generations=2), state=evolution.state)


@pytest.mark.parametrize("wrong", [1, "yes", None])
def test_it_is_true_or_false(wrong: Any) -> None:
    with pytest.raises(SettingsError, match=f"clip is {wrong!r}: it must be True or False"):
        problem(clip=wrong)
