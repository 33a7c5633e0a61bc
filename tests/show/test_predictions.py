"""The picture of predictions against the data."""

from __future__ import annotations

import numpy as np

from gramarye.show.figures.predictions import MOST_POINTS, predictions
from gramarye.show.figures.saving import svg_text


def test_each_sample_has_its_points_and_the_diagonal_goes_through_the_picture() -> None:
    observed = np.linspace(0, 1, 50)
    figure = predictions({"training": (observed, observed + 0.1), "test": (observed[:5], observed[:5])}, "price")
    (axes,) = figure.axes
    training, test, diagonal = axes.lines
    assert np.array_equal(np.asarray(training.get_xdata()), observed)
    assert len(np.asarray(test.get_xdata())) == 5
    assert np.array_equal(diagonal.get_xdata(), diagonal.get_ydata())
    text = svg_text(figure)
    assert "training, 50 rows" in text
    assert "price, predicted" in text
    assert "not drawn" not in text


def test_what_has_no_place_in_the_picture_is_counted() -> None:
    observed = np.arange(3 * MOST_POINTS, dtype=float)
    predicted = np.where(observed < 7, np.inf, observed)
    figure = predictions({"training": (observed, predicted)}, "$x_1$")
    assert len(np.asarray(figure.axes[0].lines[0].get_xdata())) == MOST_POINTS
    assert f"{2 * MOST_POINTS:,} rows are not drawn" in svg_text(figure)
    assert "$x_1$ in the data" in svg_text(figure)
