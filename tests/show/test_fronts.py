"""Fronts as figures."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.markers import MarkerStyle

from gramarye.show.figures.fronts import SOLVED, Front, draw_front, fronts
from gramarye.show.figures.picture import save_picture
from gramarye.show.figures.theme import style, write

PLAIN = Front([1, 3, 9], [0.5, 0.1, 1e-4], [math.nan] * 3, 1, "RRSE")
TESTED = Front([1, 3, 9], [0.5, 0.1, 1e-4], [0.6, 0.2, 3.0], 1, "RRSE")

# Whatever a run may come to: each is drawn without a warning.
ODD = {
    "one": Front([1], [0.5], [math.nan], 0),
    "solved": Front([1, 5], [0.5, 0.0], [math.nan] * 2, 1),
    "all solved": Front([1], [0.0], [math.nan], 0),
    "negative": Front([1, 5], [-2.0, -3.0], [math.nan] * 2, 1),
    "infinite in test": Front([1, 5], [0.5, 0.2], [0.5, math.inf], 1),
    "huge": Front([1, 5], [1e300, 1e-300], [math.nan] * 2, 1),
    "nothing picked": Front([1, 5], [0.5, 0.2], [math.nan] * 2, None),
}


def drawn(front: Front) -> Any:
    with style():
        axes = Figure().subplots()
        draw_front(axes, front, "minimise")
    return axes


def test_errors_are_drawn_against_nodes_on_a_logarithmic_axis() -> None:
    axes = drawn(PLAIN)
    assert axes.get_yscale() == "log"
    line = axes.lines[0]
    assert line.get_xdata().tolist() == [1, 3, 3, 9, 9]
    assert line.get_ydata().tolist() == [0.5, 0.5, 0.1, 0.1, 1e-4]
    assert line.get_markevery() == 2
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("nodes of the program", "RRSE")


def test_the_picked_one_has_a_ring() -> None:
    axes = drawn(TESTED)
    rings = [line for line in axes.lines if line.get_markersize() == 10 and len(line.get_xdata())]
    assert [(*line.get_xdata(), *line.get_ydata()) for line in rings] == [(3, 0.1), (3, 0.2)]
    assert all(line.get_marker() == "o" and MarkerStyle("o") for line in rings)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["training", "test", "picked"]


def test_an_error_of_nothing_has_its_place_and_is_told() -> None:
    axes = drawn(ODD["solved"])
    assert axes.lines[0].get_ydata().tolist() == [0.5, 0.5, SOLVED]
    assert [text.get_text() for text in axes.texts] == ["1 value below 1e-15 is drawn at 1e-15"]


def test_the_key_covers_no_step() -> None:
    with style():
        figure = Figure()
        axes = figure.subplots()
        draw_front(axes, Front([1, 2, 3], [0.687, 0.676, 0.0], [math.nan] * 3, 2, "RRSE", "formula"), "minimise")
        figure.draw_without_rendering()
    line = axes.lines[0]
    legend = axes.get_legend()
    assert legend is not None
    key = legend.get_window_extent()
    assert not line.get_transform().transform_path(line.get_path()).intersects_bbox(key, filled=False)
    assert (axes.get_xlabel(), axes.get_title()) == ("nodes of the formula", "Front: the best formula of each size")


@pytest.mark.parametrize("name", ODD)
def test_odd_fronts_are_drawn(name: str, tmp_path: Path) -> None:
    both = fronts({"TunedTrees": ODD[name], "a long name of a method that goes on": TESTED}, "quartic")
    write(both, tmp_path / "both.png", dpi=50)
    one = fronts({"TunedTrees": ODD[name]}, "quartic", direction="maximise")
    write(one, tmp_path / "one.svg", dpi=50)
    drawn(ODD[name])


def test_each_method_is_named_where_its_front_ends() -> None:
    better = Front([1, 2], [0.5, 1e-3], [math.nan] * 2, 1)
    worse = Front([1, 2], [0.5, 0.1], [math.nan] * 2, 1)
    (axes,) = fronts({"better": better, "worse": worse}, "quartic").axes
    heights = {text.get_text(): text.get_position()[1] for text in axes.texts}
    assert heights["worse"] > 0.6 > heights["better"]


def test_training_and_testing_have_a_panel_each() -> None:
    assert len(fronts({"a": TESTED, "b": TESTED}, "boston").axes) == 2
    assert len(fronts({"a": PLAIN}, "quartic").axes) == 1


def test_the_picture_of_a_run_has_a_panel_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Figure] = []
    save = Figure.savefig

    def spy(figure: Figure, *args: Any, **options: Any) -> None:
        seen.append(figure)
        save(figure, *args, **options)

    monkeypatch.setattr(Figure, "savefig", spy)
    g = np.arange(3)
    for front, learned, panels in ((None, None, 1), (PLAIN, None, 2), (PLAIN, np.full((3, 2), 0.5), 3)):
        save_picture(
            tmp_path / "run.png",
            generations=g,
            best=3.0 - g,
            mean=4.0 - g,
            median=4.0 - g,
            probabilities=learned,
            labels=["x", "y"],
            heading="Probabilities of <var>",
            title="a run",
            front=front,
        )
        assert len(seen[-1].axes) == panels
        titles = [axes.get_title() for axes in seen[-1].axes]
        assert ("Front: the best program of each size" in titles) is (front is not None)
