"""Methods keep to their time, and their formulas compute what they predict."""

from __future__ import annotations

import importlib.metadata
import shutil

import numpy as np
import pytest
import sympy

from benchmarks.methods import METHODS, OURS, nodes
from benchmarks.methods.fitting import infix, line_through
from benchmarks.methods.operon import readable
from benchmarks.regression import missing, versions


@pytest.mark.parametrize(
    ("formula", "size"),
    [("x0", 1), ("-1.5", 1), ("x0 + 2*x1", 5), ("-x0", 2), ("sin(x0)**2", 4), ("Max(x0, x1, 3)", 4), ("x0 <= 0", 3)],
)
def test_the_size_of_a_formula_counts_operators_functions_variables_and_constants(formula: str, size: int) -> None:
    assert nodes(formula) == size


def test_nested_calls_become_what_sympy_reads() -> None:
    assert infix("add(x0, mul(-2.5, sqrt(x1)))") == "(x0 + (-2.5 * sqrt(Abs(x1))))"
    assert infix("square(div(x0, log(x1)))") == "((x0 / log(Abs(x1))))**2"
    with pytest.raises(KeyError, match="unknown"):
        infix("unknown(x0)")


def test_columns_of_operon_are_counted_from_1() -> None:
    assert readable("((0.5 * X1) + (abs(X12) ^ 2))") == "((0.5 * x0) + (Abs(x11) ** 2))"


def test_a_line_through_constant_outputs_is_the_mean() -> None:
    y = np.array([1.0, 2.0, 6.0])
    assert line_through(np.ones(3), y) == (0.0, 3.0)
    assert line_through(np.array([1.0, 2.0, np.inf]), y) == (0.0, 3.0)
    assert line_through(2 * y - 1, y) == pytest.approx((0.5, 0.5))


def test_each_method_says_what_it_was_given_and_how_it_is_stopped() -> None:
    assert next(iter(METHODS)) == OURS
    assert all(method.settings and method.stopping and method.package for method in METHODS.values())


def test_packages_that_are_not_installed_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(name: str) -> str:
        if name == "pyoperon":
            raise importlib.metadata.PackageNotFoundError(name)
        return "1.0"

    monkeypatch.setattr(importlib.metadata, "version", version)
    assert missing(METHODS) == ["pyoperon"]
    assert missing([OURS, "DEAP"]) == []


def test_versions_name_the_package_of_a_method() -> None:
    assert versions("linear regression").startswith("scikit-learn ")
    assert "Python 3" in versions("linear regression")


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # what rivals warn of is theirs
@pytest.mark.parametrize("name", METHODS)
def test_a_fit_ends_in_time_and_its_formula_computes_what_it_predicts(name: str) -> None:
    if missing([name]):
        pytest.skip(f"{METHODS[name].package} is not installed")
    if name == "rils-rols" and shutil.which("cc") is None:
        pytest.skip("there is no C compiler")
    rng = np.random.default_rng(3)
    X = rng.uniform(1, 3, (60, 2))
    y = X[:, 0] / X[:, 1] + np.sin(3 * X[:, 0]) + rng.normal(0, 0.1, 60)  # noise: nobody stops early
    seconds = 1.0
    fit = METHODS[name].fit(X, y, 1, seconds)
    assert fit.seconds < seconds + 1.0
    assert fit.seconds > 0.5 * seconds or not METHODS[name].budgeted
    predicted = fit.predict(X)
    assert predicted.shape == y.shape
    if not fit.formula:
        return
    assert fit.size == nodes(fit.formula)
    read = sympy.lambdify(sympy.symbols("x0 x1"), sympy.parse_expr(fit.formula))
    assert np.allclose(np.broadcast_to(read(*X.T), y.shape), predicted, rtol=1e-2, atol=1e-2)
