"""The pictures of fitted models."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score, r2_score

import gramarye as gm
from gramarye.sklearn import GrammarClassifier, GrammarRegressor

SMALL = gm.TunedTrees(population=40, initial_depth=4, max_size=20)
RNG = np.random.default_rng(1)
X = RNG.uniform(1, 4, (60, 3))
y = np.sin(X[:, 0]) * X[:, 1] + 0.3 * RNG.normal(size=60)
LABELS = np.array(["low", "middle", "high"])[(X[:, 0] > 2).astype(int) + (X[:, 0] > 3)]


def regressor(**parameters: Any) -> GrammarRegressor:
    return GrammarRegressor(**{"method": SMALL, "max_evaluations": 1500, "random_state": 0, **parameters})


def classifier(**parameters: Any) -> GrammarClassifier:
    return GrammarClassifier(**{"method": SMALL, "max_evaluations": 600, "random_state": 0, **parameters})


def drawn(line: Any) -> tuple[list[float], list[float]]:
    """Its x and y."""
    return line.get_xdata().tolist(), line.get_ydata().tolist()


def key(axes: Any) -> list[str]:
    return [text.get_text() for text in axes.get_legend().get_texts()]


def drawn_points(axes: Any, label: str) -> Any:
    line = next(line for line in axes.lines if line.get_label().startswith(label))
    return np.sort(np.column_stack([line.get_xdata(), line.get_ydata()]), axis=0)


def test_a_regressor_draws_search_front_and_predictions() -> None:
    model = regressor().fit(X, pd.Series(y, name="price"))
    figure = model.plot()
    search, front, predictions = figure.axes
    run = model.run_
    assert drawn(search.lines[0]) == (run.history["evaluations"].tolist(), run.history["best_so_far"].tolist())
    assert search.get_legend() is None
    nodes, errors = drawn(front.lines[0])
    assert (nodes[::2], errors[::2]) == (model.front_["nodes"].tolist(), model.front_["error"].tolist())
    assert drawn(front.lines[1])[0] == model.front_["nodes"][model.front_["picked"]].tolist()
    wanted = np.sort(np.column_stack([y, model.predict(X)]), axis=0)
    assert np.allclose(drawn_points(predictions, "training"), wanted)
    assert predictions.get_xlabel() == "price in the data"
    assert predictions.get_title() == f"R² {model.score(X, y):.3g} in training"
    assert figure.get_suptitle().startswith("price ≈ ")


def test_given_rows_are_drawn_next_to_the_training_rows() -> None:
    model = regressor().fit(X[:40], y[:40])
    predictions = model.plot(X[40:], y[40:]).axes[2]
    assert key(predictions) == ["training, 40 rows", "given, 20 rows", "exact"]
    assert np.allclose(drawn_points(predictions, "given")[:, 0], np.sort(y[40:]))
    assert f"{r2_score(y[40:], model.predict(X[40:])):.3g} in the given rows" in predictions.get_title()


def test_the_ring_follows_another_formula_and_the_thick_line_its_run() -> None:
    model = regressor(runs=3).fit(X, y)
    for nodes in model.front_["nodes"].tolist():
        search, front, _ = model.use(nodes).plot().axes
        assert drawn(front.lines[1])[0] == [nodes]
        thick = next(line for line in search.lines if line.get_linewidth() > 1)
        assert drawn(thick)[1] == model.run_.history["best_so_far"].tolist()
        assert sorted(key(search)) == ["other runs", "run of the picked formula"]
        assert len(search.lines) == 3


def test_weights_count_in_the_score() -> None:
    weights = RNG.integers(0, 3, 60)
    model = regressor().fit(X, y, sample_weight=weights)
    assert model.plot().axes[2].get_title() == f"R² {model.score(X, y, weights):.3g} in training"


def test_columns_of_texts_are_drawn_too() -> None:
    frame = pd.DataFrame({"a": X[:, 0], "label": LABELS})
    assert len(regressor().fit(frame, y).plot(frame, y).axes) == 3
    assert len(classifier().fit(frame, y > 1).plot(frame, y > 1).axes) == 3


def test_a_classifier_draws_a_line_for_each_class_and_counts_rows() -> None:
    model = classifier(runs=2).fit(X, LABELS)
    search, fronts, counts = model.plot().axes
    assert key(search) == ["high", "low", "middle"]
    assert key(fronts) == ["picked", "high", "low", "middle"]
    found = np.array([int(text.get_text()) for text in counts.texts]).reshape(3, 3)
    assert found.sum(axis=1).tolist() == [int((label == LABELS).sum()) for label in model.classes_]
    right = accuracy_score(LABELS, model.predict(X))
    assert np.trace(found) == round(right * 60)
    assert counts.get_title() == f"Accuracy {right:.3g} in training"
    given = model.plot(X[:7], LABELS[:7]).axes[2]
    assert sum(int(text.get_text()) for text in given.texts) == 7
    assert given.get_title().endswith("in the given rows")


def test_two_classes_have_the_picture_of_one_formula() -> None:
    model = classifier().fit(X, X[:, 0] > 2)
    figure = model.plot()
    assert figure.get_suptitle().startswith("True: ")
    assert [text.get_text() for text in figure.axes[2].get_yticklabels()] == ["False", "True"]
    weighted = classifier().fit(X, X[:, 0] > 2, sample_weight=np.full(60, 2.0)).plot()
    assert sum(float(text.get_text()) for text in weighted.axes[2].texts) == 120


def test_many_classes_are_drawn_without_numbers_and_with_a_short_key(tmp_path: Path) -> None:
    labels = np.arange(60) % 15
    figure = classifier(max_evaluations=40).fit(X, labels).plot(path=tmp_path / "many.png")
    assert not figure.axes[2].texts
    assert len(figure.axes[2].get_yticks()) <= 12
    assert key(figure.axes[0])[-1] == "and 6 more"
    assert all(axes.get_position().height > 0.5 for axes in figure.axes)


def test_a_solved_problem_and_a_search_of_one_generation_are_drawn(tmp_path: Path) -> None:
    regressor().fit(X, X[:, 1]).plot(path=tmp_path / "solved.svg")
    regressor(callback=lambda _: True).fit(X, y).plot(path=tmp_path / "short.pdf")
    assert {path.suffix for path in tmp_path.iterdir()} == {".svg", ".pdf"}


def test_notebooks_show_it() -> None:
    figure: Any = regressor(max_evaluations=100).fit(X, y).plot()
    assert figure._repr_png_().startswith(b"\x89PNG")


def test_mistakes_are_said_before_anything_is_drawn(tmp_path: Path) -> None:
    model = regressor(max_evaluations=100).fit(X, y)
    with pytest.raises(ValueError, match="X is given without y"):
        model.plot(X)
    with pytest.raises(ValueError, match="y is given without X"):
        model.plot(y=y)
    with pytest.raises(OSError, match=r"the format '\.gif' is not known; end it in \.png"):
        model.plot(path=tmp_path / "model.gif")
    with pytest.raises(NotFittedError):
        regressor().plot()


def test_without_matplotlib_the_extra_is_named() -> None:
    code = """
import sys
sys.modules["matplotlib"] = sys.modules["matplotlib.style"] = None
from gramarye.sklearn import GrammarRegressor
model = GrammarRegressor(max_evaluations=100, random_state=0).fit([[1.0], [2.0], [3.0]], [1.0, 2.0, 4.0])
model.plot()
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "Matplotlib is not installed: pip install 'gramarye[report]'" in run.stderr
