"""What small changes of genotypes do to programs: outcomes, distances, causality, places, frequencies."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gramarye.show.figures.theme import GREY, colour, frame, laid_out, rows, squeezed, stroke, style, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMNS = 4  # of small panels
MOST_OVERLAID = 6  # lines in one panel: more of them can't be told apart
PALE = "#CCCCCC"  # lines of the others
# What becomes of a neighbour
OUTCOMES = {"invalid": "#BBBBBB", "neutral": "#0072B2", "one edit": "#009E73", "more edits": "#D55E00"}


@dataclass(frozen=True)
class Points:
    """One method: a value for each place on an axis, perhaps with an interval."""

    label: str
    x: ArrayLike  # [P]
    y: ArrayLike  # [P]
    low: ArrayLike | None = None  # [P]
    high: ArrayLike | None = None  # [P]
    limit: float | None = None  # drawn as a line across


def outcomes(labels: Sequence[str], shares: ArrayLike, title: str = "") -> Figure:
    """A bar for each method, divided into what became of its neighbours [M, 4]: see `OUTCOMES`."""
    with style():
        from matplotlib.figure import Figure

        parts = np.asarray(shares, np.float64).reshape(-1, len(OUTCOMES))
        figure = Figure(figsize=(6.2, 1.3 + 0.32 * max(len(labels), 2)), layout="constrained")
        axes = figure.subplots()
        left = np.cumsum(parts, axis=1) - parts
        for k, (name, shade) in enumerate(OUTCOMES.items()):
            axes.barh(range(len(labels)), parts[:, k], left=left[:, k], color=shade, height=0.72, label=name)
        for row, column in np.argwhere(parts >= 0.06).tolist():
            place = left[row, column] + parts[row, column] / 2
            ink = "black" if column == 0 else "white"
            axes.text(place, row, f"{parts[row, column]:.0%}", ha="center", va="center", color=ink, fontsize=7.5)
        rows(axes, labels)
        axes.set_xlim(0, 1)
        axes.xaxis.set_major_formatter(percent())
        axes.set_xlabel("neighbours with one element changed")
        frame(axes)
        axes.grid(visible=False, axis="y")
        figure.legend(loc="outside lower center", ncols=4, frameon=False, fontsize=8.5)
        figure.suptitle(wrapped(title, 60), fontsize="medium", parse_math=False)
        return laid_out(figure)


def steps(lines: Sequence[Points], title: str = "") -> Figure:
    """How large the changes of programs are: their empirical distribution, `y` the share up to a distance `x`."""

    def finish(axes: Axes) -> None:
        axes.set_xscale("log")
        axes.set_ylim(0, 1.02)
        axes.set_xlabel("distance of the changed program (tree edits)")
        axes.set_ylabel("share of changed neighbours")
        axes.xaxis.set_major_formatter(_plain_number())

    return _overlaid(lines, finish, title, drawstyle="steps-post")


def frequencies(lines: Sequence[Points], title: str = "") -> Figure:
    """How often each program occurs in a sample of genotypes, the most frequent first."""

    def finish(axes: Axes) -> None:
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("rank of the program")
        axes.set_ylabel("share of genotypes")

    return _overlaid(lines, finish, title)


def small_panels(
    lines: Sequence[Points], xlabel: str, ylabel: str, title: str = "", *, doubling: bool = False, top: float = 0.0
) -> Figure:
    """A panel for each method, with its limit as a dashed line; on an axis of doublings, if asked for."""
    with style():
        from matplotlib.figure import Figure

        columns = max(1, min(COLUMNS, len(lines)))
        height = max(1, math.ceil(len(lines) / columns))
        figure = Figure(figsize=(2.2 * columns + 0.6, 1.75 * height + 0.9), layout="constrained")
        grid = figure.subplots(height, columns, squeeze=False, sharex=doubling).ravel()
        for axes in grid[len(lines) :]:
            axes.remove()
        for k, (axes, line) in enumerate(zip(grid, lines, strict=False)):
            draw(axes, k, line, "o" if doubling else "")
            if line.limit is not None:
                axes.axhline(line.limit, color=GREY, linestyle=(0, (4, 2)), linewidth=1)
            if doubling:
                axes.set_xscale("log", base=2)
                axes.set_xticks(np.asarray(line.x))
                axes.xaxis.set_major_formatter(_plain_number())
            axes.set_ylim(0, top or None)
            axes.set_title(squeezed(line.label), fontsize=9, parse_math=False)
            axes.tick_params(labelsize=7.5, labelbottom=True)
            frame(axes)
        figure.supxlabel(xlabel, fontsize=9)
        figure.supylabel(ylabel, fontsize=9)
        figure.suptitle(wrapped(title, 22 * columns), fontsize="medium", parse_math=False)
        return laid_out(figure)


def _overlaid(lines: Sequence[Points], finish: Callable[[Axes], None], title: str, **look: Any) -> Figure:
    """All methods in one panel, with a key beside it; where they are many, a panel for each, the others in grey."""
    if len(lines) > MOST_OVERLAID:
        return _each_among_all(lines, finish, title, **look)
    with style():
        from matplotlib.figure import Figure

        figure = Figure(figsize=(6.2, max(3.4, 0.8 + 0.2 * len(lines))), layout="constrained")
        axes = figure.subplots()
        for k, line in enumerate(lines):
            axes.plot(line.x, line.y, color=colour(k), linestyle=stroke(k), linewidth=1.5, **look)
        finish(axes)
        frame(axes)
        legend(figure, [line.label for line in lines])
        figure.suptitle(wrapped(title, 60), fontsize="medium", parse_math=False)
        return laid_out(figure)


def _each_among_all(lines: Sequence[Points], finish: Callable[[Axes], None], title: str, **look: Any) -> Figure:
    with style():
        from matplotlib.figure import Figure

        height = math.ceil(len(lines) / COLUMNS)
        figure = Figure(figsize=(2.2 * COLUMNS + 0.6, 1.75 * height + 0.9), layout="constrained")
        grid = figure.subplots(height, COLUMNS, squeeze=False, sharex=True, sharey=True).ravel()
        for axes in grid[len(lines) :]:
            axes.remove()
        for k, (axes, line) in enumerate(zip(grid, lines, strict=False)):
            for other in lines:
                axes.plot(other.x, other.y, color=PALE, linewidth=0.7, **look)
            axes.plot(line.x, line.y, color=colour(k), linewidth=1.8, **look)
            finish(axes)
            figure.supxlabel(axes.get_xlabel(), fontsize=9)
            figure.supylabel(axes.get_ylabel(), fontsize=9)
            axes.set(xlabel="", ylabel="")
            axes.set_title(squeezed(line.label), fontsize=9, parse_math=False)
            axes.tick_params(labelsize=7.5, labelbottom=True)
            frame(axes)
        figure.suptitle(wrapped(title, 22 * COLUMNS), fontsize="medium", parse_math=False)
        return laid_out(figure)


def draw(axes: Axes, k: int, line: Points, marker: str, *, band: bool = True) -> None:
    """The line number `k`, perhaps with a band for its intervals."""
    if band and line.low is not None and line.high is not None:
        axes.fill_between(line.x, line.low, line.high, color=colour(k), alpha=0.18, linewidth=0)
    axes.plot(line.x, line.y, color=colour(k), linestyle=stroke(k), linewidth=1.4, marker=marker, markersize=3)


def legend(figure: Figure, labels: Sequence[str]) -> None:
    """A key beside all panels."""
    from matplotlib.lines import Line2D

    looks: list[dict[str, Any]] = [{"color": colour(k), "linestyle": stroke(k)} for k in range(len(labels))]
    handles = [Line2D([], [], linewidth=1.5, **look) for look in looks]
    names = [squeezed(label) for label in labels]
    key = figure.legend(handles, names, loc="outside right center", frameon=False, fontsize=8.5, handlelength=2.8)
    for text in key.get_texts():
        text.set_parse_math(False)


def percent() -> Any:
    """Shares as percentages."""
    from matplotlib.ticker import PercentFormatter

    return PercentFormatter(1, decimals=0)


def _plain_number() -> Any:
    from matplotlib.ticker import StrMethodFormatter

    return StrMethodFormatter("{x:.0f}")
