"""The adapter has what SRBench asks of a method."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sympy
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor

from benchmarks.srbench import regressor

Floats = NDArray[np.float64]
FOLDER = Path(regressor.__file__).parent


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(1).uniform(1, 5, (80, 3)), columns=["x1", "gamma", "x0"])


@pytest.fixture(scope="module")
def y(table: pd.DataFrame) -> Floats:
    return (table["x1"] * table["gamma"] / table["x0"] + np.sin(table["x0"])).to_numpy()


def fitted(X: Any, y: Floats) -> Any:
    est = clone(regressor.est).set_params(**regressor.eval_kwargs["test_params"])
    est.random_state = 7
    return est.fit(X, y)


def values(text: str, table: pd.DataFrame) -> Floats:
    """As SRBench reads a string: each column is a symbol."""
    symbols = {name: sympy.Symbol(name) for name in table.columns}
    expression = sympy.parse_expr(text, local_dict=symbols)
    assert {str(symbol) for symbol in expression.free_symbols} <= set(table.columns)
    return np.broadcast_to(sympy.lambdify(list(symbols.values()), expression)(*table.to_numpy().T), len(table))


def test_the_estimator_is_a_regressor_with_a_seed_and_a_limit_of_time() -> None:
    assert is_regressor(regressor.est)
    assert hasattr(regressor.est, "random_state")
    assert regressor.est.max_time is not None  # SRBench sets an attribute of this name


def test_the_string_has_the_columns_of_the_frame_and_computes_what_is_predicted(table: pd.DataFrame, y: Floats) -> None:
    est = fitted(table, y)
    text = regressor.model(est, table)
    assert isinstance(text, str)
    assert np.allclose(values(text, table), est.predict(table), rtol=1e-9)
    assert regressor.model(est) == text


@pytest.mark.parametrize("of_array", [False, True])
def test_names_that_sympy_can_not_read_are_changed(table: pd.DataFrame, y: Floats, of_array: bool) -> None:
    odd = table.set_axis(["lambda", "alpha 1", "x0"], axis=1)
    est = fitted(odd.to_numpy() if of_array else odd, y)
    expression = sympy.parse_expr(regressor.model(est, odd))
    assert {str(symbol) for symbol in expression.free_symbols} == {"lambda_", "alpha_1", "x0"}


def test_columns_of_an_array_get_the_names_of_the_frame(table: pd.DataFrame, y: Floats) -> None:
    """All at once: the first column, x0 in the array, is x1 in the frame, where x0 is another one."""
    est = fitted(table.to_numpy(), y)
    assert set(est.infix().columns) == {"x0", "x1", "x2"}
    assert np.allclose(values(regressor.model(est, table), table), est.predict(table.to_numpy()), rtol=1e-9)


def test_each_model_of_the_population_predicts_what_its_string_computes(table: pd.DataFrame, y: Floats) -> None:
    est = fitted(table, y)
    before = regressor.model(est, table)
    population = regressor.get_population(est)
    assert 1 < len(population) <= 100
    for member in population:
        assert np.allclose(values(regressor.model(member, table), table), member.predict(table), rtol=1e-9)
    assert len({regressor.model(member, table) for member in population}) == len(population)
    assert regressor.model(regressor.get_best_solution(est), table) == before


def test_options_are_those_that_srbench_knows() -> None:
    known = {"test_params", "max_train_samples", "scale_x", "scale_y", "pre_train", "use_dataframe"}
    assert set(regressor.eval_kwargs) <= known


def test_the_folder_has_the_files_that_are_required() -> None:
    described = (FOLDER / "metadata.yml").read_text(encoding="utf-8")
    assert all(f"{key}:" in described for key in ("authors", "name", "description"))
    assert (FOLDER / "requirements.txt").read_text(encoding="utf-8").startswith("gramarye[")
