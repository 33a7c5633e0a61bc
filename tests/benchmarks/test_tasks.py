"""The tasks of the benchmark are well-formed, and the same on every day."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest
import sympy

from benchmarks.regression import FIRST_SEED, SEEDS
from benchmarks.tasks import NOISES, PHYSICS_ROWS, Split, Task, evaluate, tasks

ALL = tasks()
FORMULAS = [task for task in ALL if task.formula and not task.noise]
ROOT = Path(__file__).parents[2]


def split_of(task: Task, seed: int = FIRST_SEED) -> Split:
    if task.family == "table" and task.name != "diabetes":
        pytest.importorskip("statsmodels")
    return task.split(seed)


def test_there_are_enough_tasks_of_each_kind() -> None:
    families: dict[str, set[str]] = {}
    for task in ALL:
        families.setdefault(task.family, set()).add(task.name)
    assert {name: len(found) for name, found in families.items()} == {
        "Nguyen": 5,
        "Keijzer": 5,
        "Vladislavleva": 3,
        "Korns": 3,
        "Pagie": 1,
        "physics": 24,
        "table": 8,
    }
    assert sum(map(len, families.values())) >= 40


def test_every_formula_comes_with_each_noise_and_every_instance_once() -> None:
    instances = [(task.name, task.noise) for task in ALL]
    assert len(set(instances)) == len(instances)
    for task in FORMULAS:
        assert [noise for name, noise in instances if name == task.name] == list(NOISES)


@pytest.mark.parametrize("task", ALL, ids=lambda task: f"{task.name}-{task.noise:g}")
def test_rows_are_finite_and_the_target_varies(task: Task) -> None:
    for X, y in split_of(task):
        assert X.shape == (len(y), len(task.columns))
        assert np.isfinite(X).all()
        assert np.isfinite(y).all()
        assert y.std() > 0


@pytest.mark.parametrize("name", ["nguyen-5", "pagie-1", "I.8.14", "diabetes"])
def test_a_seed_gives_the_same_rows_and_another_seed_others(name: str) -> None:
    task = next(task for task in ALL if task.name == name)
    first, again, other = split_of(task, 1), split_of(task, 1), split_of(task, 2)
    assert np.array_equal(first.train[0], again.train[0])
    assert np.array_equal(first.test[1], again.test[1])
    assert not np.array_equal(first.test[0], other.test[0])


@pytest.mark.parametrize("task", FORMULAS, ids=lambda task: task.name)
def test_test_rows_follow_the_formula_as_sympy_reads_it(task: Task) -> None:
    X, y = task.split(FIRST_SEED).test
    symbols = {name: sympy.Symbol(name) for name in task.columns}
    read = sympy.lambdify(list(symbols.values()), sympy.parse_expr(task.formula, local_dict=symbols))
    assert np.allclose(read(*X.T), y, rtol=1e-9)
    assert all((X[:, task.columns.index(name)] > 0).all() for name in task.positive)


def test_noise_is_in_the_training_target_only_and_relative_to_its_root_mean_square() -> None:
    plain, noisy = (task for task in ALL if task.name == "I.11.19")
    (X, y), test = plain.split(3)
    (noisy_X, noisy_y), noisy_test = noisy.split(3)
    assert np.array_equal(X, noisy_X)
    assert np.array_equal(test[1], noisy_test[1])
    level = (noisy_y - y).std() / np.sqrt((y**2).mean())
    assert level == pytest.approx(0.01, rel=0.1)


def test_physics_formulas_are_split_as_in_srbench() -> None:
    train, test = next(task for task in ALL if task.family == "physics").split(1)
    assert (len(train[1]), len(test[1])) == (0.75 * PHYSICS_ROWS, 0.25 * PHYSICS_ROWS)


def test_tables_are_standardised_by_their_training_rows() -> None:
    X, y = next(task for task in ALL if task.name == "diabetes").split(1).train
    assert np.allclose(X.mean(0), 0)
    assert np.allclose(X.std(0), 1)
    assert y.mean() == pytest.approx(0)
    assert y.std() == pytest.approx(1)


def test_a_formula_is_evaluated_row_by_row() -> None:
    values = evaluate("2*sin(x)+pi", {"x": np.array([0.0, np.pi / 2])})
    assert values == pytest.approx([np.pi, np.pi + 2])


def test_no_formula_but_that_of_pagie_is_among_the_tasks_that_defaults_were_chosen_on() -> None:
    """Two tasks are the same formula if they agree in rows of the other's range."""
    development = runpy.run_path(str(ROOT / "docs" / "experiments" / "search.py"))["TASKS"]
    same = set()
    for name, make in development.items():
        X, y = make(FIRST_SEED).test
        for task in FORMULAS:
            if len(task.columns) == X.shape[1]:
                with np.errstate(all="ignore"):
                    found = evaluate(task.formula, dict(zip(task.columns, X.T, strict=True)))
                if np.allclose(found, y):
                    same.add((name, task.name))
    assert same == {("pagie", "pagie-1")}


def test_seeds_are_not_those_of_other_measurements() -> None:
    study = runpy.run_path(str(ROOT / "docs" / "experiments" / "search.py"))
    bench = (ROOT / "bench" / "search.py").read_text(encoding="utf-8")
    assert "FIRST_SEED = 100\n" in bench
    assert not set(range(FIRST_SEED, FIRST_SEED + SEEDS)) & {*range(study["RUNS"] + 1), *range(100, 110)}
