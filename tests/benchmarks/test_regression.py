"""The benchmark resumes where it was stopped, and any part of it can be compared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks import regression
from benchmarks.methods import METHODS, Fit
from benchmarks.regression import FIRST_SEED, SEEDS, Job, chosen_tasks, duration, jobs, measured, options, planned
from benchmarks.results import COLUMNS, Log, Result, coefficient, read
from benchmarks.tasks import tasks

RESULT = Result(
    "I.14.3", "physics", 0.01, "DEAP", 2000, 5.0, 5.01, 0.5, 0.25, 7, "no", "deap 1", 'Max(x0, "é")'
)  # fmt: skip


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    failed = replace(RESULT, seed=2001, test=float("-inf"), formula="ValueError: no,\nnone")
    assert read(path) == []
    for result in (RESULT, failed):
        Log(path).add(result)  # each time by another log, as after a resumption
    assert read(path) == [RESULT, failed]
    assert path.read_text(encoding="utf-8").count(",".join(COLUMNS)) == 1


def test_a_line_that_was_cut_off_is_left_out_and_written_again(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    log = Log(path)
    log.add(RESULT)
    log.add(replace(RESULT, seed=2001))
    path.write_text(path.read_text(encoding="utf-8")[:-30], encoding="utf-8")
    assert read(path) == [RESULT]
    Log(path).add(replace(RESULT, seed=2001))
    assert read(path) == [RESULT, replace(RESULT, seed=2001)]


def test_fits_come_seed_by_seed_and_all_methods_of_a_task_together() -> None:
    chosen, methods = tasks()[:2], ["gramarye", "DEAP"]
    made = list(jobs(chosen, methods, 2, 5.0, set()))
    assert [job.seed for job in made] == [FIRST_SEED] * 4 + [FIRST_SEED + 1] * 4
    assert [job.method for job in made] == methods * 4
    assert len({job.key for job in made}) == 8
    assert list(jobs(chosen, methods, 2, 5.0, {job.key for job in made[:3]})) == made[3:]


def test_the_whole_benchmark_takes_at_most_two_and_a_half_hours_on_two_cores() -> None:
    everything = list(jobs(tasks(), METHODS, SEEDS, 5.0, set()))
    assert duration(everything, 2) <= 2.5 * 3600
    assert duration(everything, 4) == pytest.approx(duration(everything, 2) / 2)


def test_recovery_is_looked_for_in_physics_formulas_without_noise(tmp_path: Path) -> None:
    left = planned(options([str(tmp_path / "none.csv"), "--recovery"]))
    assert {job.seconds for job in left} == {60.0}
    assert {job.noise for job in left} == {0.0}
    assert len({job.task for job in left}) == 24
    assert "linear regression" not in {job.method for job in left}


def test_an_unknown_task_is_named() -> None:
    with pytest.raises(SystemExit, match="there is no task nguyen-99; choose from nguyen-5, "):
        chosen_tasks(options(["results.csv", "--tasks", "nguyen-99"]))


def test_results_of_another_limit_are_not_mixed(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    Log(path).add(RESULT)
    with pytest.raises(SystemExit, match="has fits of 5 s, not 60 s; choose another file"):
        planned(options([str(path), "--recovery"]))


def test_a_fit_that_fails_is_a_result(monkeypatch: pytest.MonkeyPatch) -> None:
    def fit(*_: Any) -> Fit:
        raise ValueError("too hard")

    name = "linear regression"
    monkeypatch.setitem(METHODS, name, replace(METHODS[name], fit=fit))
    result = measured(Job("I.14.3", 0.0, name, 1, 5.0))
    assert result.formula == "ValueError: too hard"
    assert result.test == float("-inf")
    assert result.recovered == ""


@pytest.mark.slow
def test_a_true_formula_is_scored_as_recovered_and_a_useless_one_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "linear regression"
    found = {"2*x0*x1*x2": lambda X: X.prod(1), "x0": lambda X: -X[:, 0]}
    results = {}
    for formula, predict in found.items():
        fit = Fit(0.1, predict, formula, 3)
        monkeypatch.setitem(METHODS, name, replace(METHODS[name], fit=lambda *_, fit=fit: fit))
        results[formula] = measured(Job("I.14.3", 0.0, name, 1, 5.0))
    regression.judge().close()
    assert results["2*x0*x1*x2"].recovered == "yes"
    assert results["2*x0*x1*x2"].test == 1.0
    assert results["x0"].recovered == "no"


@pytest.mark.slow
def test_formulas_of_a_file_are_judged_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "results.csv"
    formula = "Abs(x0*x1*x2 + x0 - 1) - x0"
    rows = [
        replace(RESULT, test=0.99, formula=formula),
        replace(RESULT, test=0.99, formula="x0", seed=2001),
        replace(RESULT, formula=formula, seed=2002),  # with its R² it can't be the true one
        replace(RESULT, test=0.99, recovered="yes", formula="as it was", seed=2003),
        replace(RESULT, task="diabetes", noise=0.0, recovered="", seed=2004),
    ]
    for row in rows:
        Log(path).add(row)
    regression.judge_again(path, 1)
    assert read(path) == [replace(rows[0], recovered="by sign"), *rows[1:]]
    assert list(tmp_path.iterdir()) == [path]
    assert capsys.readouterr().out == "I.14.3, noise 0.01, DEAP, seed 2000: no → by sign\n"


def test_a_coefficient_that_is_not_finite_is_the_worst() -> None:
    y = np.array([1.0, 2.0, 3.0])
    assert coefficient(y, y) == 1.0
    assert coefficient(np.full(3, 2.0), y) == 0.0
    assert coefficient(np.array([1.0, np.nan, 3.0]), y) == float("-inf")
    assert coefficient(np.array([1.0, np.inf, 3.0]), y) == float("-inf")


@pytest.mark.slow
def test_an_interrupted_benchmark_resumes_to_the_same_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    chosen = ["nguyen-5", "diabetes"]
    command = [str(tmp_path / "results.csv"), "--methods", "linear regression", "--tasks", *chosen, "--seeds", "2"]
    given = options([*command, "--workers", "1"])
    everything = planned(given)
    assert regression.run(everything[:2], Log(given.results), 1, 50.0) == 2
    left = planned(given)
    assert left == everything[2:]
    assert regression.run(left, Log(given.results), 1, 0.0) == 0  # no time: no fit
    assert regression.run(left, Log(given.results), 1, 50.0) == 4
    assert [result.key for result in read(given.results)] == [job.key for job in everything]
    assert planned(given) == []
    assert "nguyen-5, noise 0, linear regression, seed 2000: R² " in capsys.readouterr().out
