"""What small changes do along runs: measures over generations, places over generations, and success."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from gramarye.show.figures.locality import Points, draw, legend, percent
from gramarye.show.figures.theme import NOTE, colour, frame, laid_out, short, squeezed, style, wrapped

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_BANDS = 4  # of intervals in one panel: more of them hide each other
NEAR = (0.02, 0.02)  # shares of the axes within which two points have one label
BESIDE = (0.15, 0.05)  # within which a point to the right sends a label to the left
HEAT_COLUMNS = 3


@dataclass(frozen=True)
class Heat:
    """One method: a share for each place in each generation."""

    label: str
    rows: Sequence[str]  # [G]
    edges: ArrayLike  # [P + 1] where places begin, and where the last one ends
    shares: ArrayLike  # [G, P], NaN where nothing is known


def along_runs(panels: Sequence[tuple[str, Sequence[Points]]], labels: Sequence[str], title: str = "") -> Figure:
    """Measures over the generations of a run, a panel for each; a method looks the same in all of them."""
    with style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(7.4, 2.5 * math.ceil(len(panels) / 2) + 0.6), layout="constrained")
        grid = figure.subplots(max(1, math.ceil(len(panels) / 2)), 2, squeeze=False).ravel()
        for axes, (name, lines) in zip(grid, panels, strict=False):
            for line in lines:
                draw(axes, labels.index(line.label), line, "o", band=len(labels) <= MOST_BANDS)
            if not lines:
                axes.text(0.5, 0.5, "nothing to show", ha="center", transform=axes.transAxes, color=NOTE)
            axes.set_title(short(name, 44), fontsize=9.5, parse_math=False)
            axes.set_xlabel("generation", fontsize=9)
            frame(axes)
        for axes in grid[len(panels) :]:
            axes.remove()
        legend(figure, labels)
        figure.suptitle(wrapped(title, 66), fontsize="medium", parse_math=False)
        return laid_out(figure)


def heat(maps: Sequence[Heat], xlabel: str, title: str = "") -> Figure:
    """A panel for each method: the share at each place (across) in each generation (down), dark where it is large."""
    with style():
        from matplotlib.figure import Figure

        columns = max(1, min(HEAT_COLUMNS, len(maps)))
        height = max(1, math.ceil(len(maps) / columns))
        figure = Figure(figsize=(2.7 * columns + 0.9, 1.35 * height + 1.0), layout="constrained")
        grid = figure.subplots(height, columns, squeeze=False).ravel()
        for axes in grid[len(maps) :]:
            axes.remove()
        shown = None
        for axes, each in zip(grid, maps, strict=False):
            shares = np.ma.masked_invalid(np.asarray(each.shares, np.float64))
            shown = axes.pcolormesh(
                each.edges, np.arange(len(each.rows) + 1), shares, vmin=0, vmax=1, cmap="viridis_r", rasterized=False
            )
            axes.set_facecolor("#EEEEEE")
            axes.set_yticks(np.arange(len(each.rows)) + 0.5, list(each.rows), parse_math=False)
            axes.invert_yaxis()
            axes.tick_params(labelsize=7.5, length=2)
            axes.set_title(squeezed(each.label), fontsize=9, parse_math=False)
        if shown is not None:
            figure.colorbar(shown, ax=list(grid[: len(maps)]), format=percent(), shrink=0.6, aspect=30)
        figure.supxlabel(xlabel, fontsize=9)
        figure.supylabel("generation", fontsize=9)
        figure.suptitle(wrapped(title, 27 * columns), fontsize="medium", parse_math=False)
        return laid_out(figure)


def scatter(points: Mapping[str, Sequence[Points]], xlabel: str, ylabel: str, title: str = "") -> Figure:
    """A panel for each problem, a point for each method, its name beside it; `x` and `y` have one value each."""
    with style():
        from matplotlib.figure import Figure

        panels = {name: part for name, part in points.items() if part}
        columns = max(1, len(panels))
        figure = Figure(figsize=(4.3 * columns + 1.2 * (columns == 1), 4.0), layout="constrained")
        grid = figure.subplots(1, columns, squeeze=False).ravel()
        for axes, (name, part) in zip(grid, panels.items(), strict=False):
            for k, point in enumerate(part):
                axes.plot(point.x, point.y, "o", color=colour(k), markersize=6)
            labels = merged(part)
            for text, place in labels:
                side, away = ("right", (-5, -9)) if crowded(place, labels) else ("left", (5, 4))
                axes.annotate(text, place, away, textcoords="offset points", ha=side, fontsize=8, parse_math=False)
            axes.set_title(short(name, 30), fontsize=9.5, parse_math=False)
            axes.margins(0.12)
        for axes in grid:
            axes.xaxis.set_major_formatter(percent())
            axes.set_xlabel(short(xlabel, 44), parse_math=False)
            frame(axes)
        grid[0].set_ylabel(short(ylabel, 36), parse_math=False)
        figure.suptitle(wrapped(title, 54 * columns), fontsize="medium", parse_math=False)
        return laid_out(figure)


def merged(points: Sequence[Points]) -> list[tuple[str, tuple[float, float]]]:
    """Names and places; points that lie on one another share a line."""
    places = [(float(np.asarray(point.x)[0]), float(np.asarray(point.y)[0])) for point in points]
    found: list[tuple[str, tuple[float, float]]] = []
    for point, place in zip(points, places, strict=True):
        label = squeezed(point.label)
        for i, (text, other) in enumerate(found):
            if within(NEAR, place, other, places):
                found[i] = f"{text}, {label}", other
                break
        else:
            found.append((label, place))
    return found


def crowded(place: tuple[float, float], labels: Sequence[tuple[str, tuple[float, float]]]) -> bool:
    """Whether there is another point where the name of this one would stand."""
    others = [other for _, other in labels]
    return any(other[0] > place[0] and within(BESIDE, place, other, others) for other in others)


def within(
    shares: tuple[float, float],
    one: tuple[float, float],
    other: tuple[float, float],
    places: Sequence[tuple[float, float]],
) -> bool:
    """Whether two points are so near, as shares of what all of them span."""
    spans = [max(axis) - min(axis) for axis in zip(*places, strict=True)]
    reach = [max(share * span, 1e-12) for share, span in zip(shares, spans, strict=True)]
    return all(abs(a - b) <= near for a, b, near in zip(one, other, reach, strict=True))
