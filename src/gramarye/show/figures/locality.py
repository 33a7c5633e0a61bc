"""What small changes of genotypes do to programs: outcomes, distances, causality, places, frequencies, along runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from gramarye.show.figures import theme
from gramarye.show.figures.theme import Line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Place: TypeAlias = tuple[float, float]

COLUMNS = 4  # of small panels
HEAT_COLUMNS = 3
MOST_OVERLAID = 6  # lines in one panel: more of them can't be told apart
MOST_BANDS = 4  # of intervals in one panel: more of them hide each other
NEAR = (0.02, 0.02)  # shares of the axes within which two points have one label
BESIDE = (0.15, 0.05)  # within which a point to the right sends a label to the left
PALE = "#CCCCCC"  # lines of the others
# What becomes of a neighbour
OUTCOMES = {"invalid": "#BBBBBB", "neutral": "#0072B2", "one edit": "#009E73", "more edits": "#D55E00"}


@dataclass(frozen=True)
class Heat:
    """One method: a share for each place in each generation."""

    label: str
    rows: Sequence[str]  # [G]
    edges: ArrayLike  # [P + 1] where places begin, and where the last one ends
    shares: ArrayLike  # [G, P], NaN where nothing is known


@theme.drawing
def outcomes(labels: Sequence[str], shares: ArrayLike, title: str = "") -> Figure:
    """A bar for each method, divided into what became of its neighbours [M, 4]: see `OUTCOMES`."""
    parts = np.asarray(shares, np.float64).reshape(-1, len(OUTCOMES))
    figure, (axes,) = theme.panels(1, 1, 6.2, 1.3 + 0.32 * max(len(labels), 2))
    left = np.cumsum(parts, axis=1) - parts
    for k, (name, shade) in enumerate(OUTCOMES.items()):
        axes.barh(range(len(labels)), parts[:, k], left=left[:, k], color=shade, height=0.72, label=name)
    for row, column in np.argwhere(parts >= 0.06).tolist():
        place = left[row, column] + parts[row, column] / 2
        ink = "black" if column == 0 else "white"
        axes.text(place, row, f"{parts[row, column]:.0%}", ha="center", va="center", color=ink, fontsize=7.5)
    theme.rows(axes, labels)
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(_percent())
    axes.set_xlabel("neighbours with one element changed")
    theme.frame(axes)
    axes.grid(visible=False, axis="y")
    figure.legend(loc="outside lower center", ncols=4, frameon=False, fontsize=8.5)
    return theme.titled(figure, title)


def steps(lines: Sequence[Line], title: str = "") -> Figure:
    """How large the changes of programs are: their empirical distribution, `y` the share up to a distance `x`."""

    def finish(axes: Axes) -> None:
        axes.set_xscale("log")
        axes.set_ylim(0, 1.02)
        axes.xaxis.set_major_formatter("{x:.0f}")

    labels = "distance of the changed program (tree edits)", "share of changed neighbours"
    return _overlaid(lines, finish, *labels, title, drawstyle="steps-post")


def frequencies(lines: Sequence[Line], title: str = "") -> Figure:
    """How often each program occurs in a sample of genotypes, the most frequent first."""

    def finish(axes: Axes) -> None:
        axes.set_xscale("log")
        axes.set_yscale("log")

    return _overlaid(lines, finish, "rank of the program", "share of genotypes", title)


def small_panels(
    lines: Sequence[Line], xlabel: str, ylabel: str, title: str = "", *, doubling: bool = False, top: float = 0.0
) -> Figure:
    """A panel for each method, with its limit as a dashed line; on an axis of doublings, if asked for."""

    def draw(axes: Axes, k: int, line: Line) -> None:
        _draw(axes, k, line, "o" if doubling else "")
        if line.limit is not None:
            axes.axhline(line.limit, color=theme.GREY, linestyle=(0, (4, 2)), linewidth=1)
        if doubling:
            axes.set_xscale("log", base=2)
            axes.set_xticks(np.asarray(line.x))
            axes.xaxis.set_major_formatter("{x:.0f}")
        axes.set_ylim(0, top or None)

    return _each(lines, draw, xlabel, ylabel, title, sharex=doubling)


def _overlaid(
    lines: Sequence[Line], finish: Callable[[Axes], None], xlabel: str, ylabel: str, title: str, **look: Any
) -> Figure:
    """All methods in one panel, with a key beside it; where they are many, a panel for each, the others in grey."""

    @theme.drawing
    def together() -> Figure:
        figure, (axes,) = theme.panels(1, 1, 6.2, max(3.4, 0.8 + 0.2 * len(lines)))
        for k, line in enumerate(lines):
            axes.plot(line.x, line.y, linewidth=1.5, **theme.look(k), **look)
        finish(axes)
        axes.set(xlabel=xlabel, ylabel=ylabel)
        theme.frame(axes)
        _legend(figure, [line.label for line in lines])
        return theme.titled(figure, title)

    def among_all(axes: Axes, k: int, line: Line) -> None:
        for other in lines:
            axes.plot(other.x, other.y, color=PALE, linewidth=0.7, **look)
        axes.plot(line.x, line.y, color=theme.colour(k), linewidth=1.8, **look)
        finish(axes)

    if len(lines) <= MOST_OVERLAID:
        return together()
    return _each(lines, among_all, xlabel, ylabel, title, sharex=True, sharey=True)


@theme.drawing
def _each(
    lines: Sequence[Line],
    draw: Callable[[Axes, int, Line], None],
    xlabel: str,
    ylabel: str,
    title: str,
    **shared: bool,
) -> Figure:
    """A small panel for each method."""
    columns = max(1, min(COLUMNS, len(lines)))
    figure, grid = theme.panels(len(lines), columns, 2.2, 1.75, (0.6, 0.9), **shared)
    for k, (axes, line) in enumerate(zip(grid, lines, strict=True)):
        draw(axes, k, line)
        axes.set_title(theme.squeezed(line.label), fontsize=9, parse_math=False)
        axes.tick_params(labelsize=7.5, labelbottom=True)
        theme.frame(axes)
    figure.supxlabel(xlabel, fontsize=9)
    figure.supylabel(ylabel, fontsize=9)
    return theme.titled(figure, title, 22 * columns)


@theme.drawing
def along_runs(given: Sequence[tuple[str, Sequence[Line]]], labels: Sequence[str], title: str = "") -> Figure:
    """Measures over the generations of a run, a panel for each; a method looks the same in all of them."""
    figure, grid = theme.panels(len(given), 2, 3.7, 2.5, (0, 0.6))
    for axes, (name, lines) in zip(grid, given, strict=True):
        for line in lines:
            _draw(axes, labels.index(line.label), line, "o", band=len(labels) <= MOST_BANDS)
        if not lines:
            axes.text(0.5, 0.5, "nothing to show", ha="center", transform=axes.transAxes, color=theme.NOTE)
        axes.set_title(theme.short(name, 44), fontsize=9.5, parse_math=False)
        axes.set_xlabel("generation", fontsize=9)
        theme.frame(axes)
    _legend(figure, labels)
    return theme.titled(figure, title, 66)


@theme.drawing
def heat(maps: Sequence[Heat], xlabel: str, title: str = "") -> Figure:
    """A panel for each method: the share at each place (across) in each generation (down), dark where it is large."""
    columns = max(1, min(HEAT_COLUMNS, len(maps)))
    figure, grid = theme.panels(len(maps), columns, 2.7, 1.35, (0.9, 1.0))
    shown = None
    for axes, each in zip(grid, maps, strict=True):
        shares = np.ma.masked_invalid(np.asarray(each.shares, np.float64))
        edges = each.edges, np.arange(len(each.rows) + 1)
        shown = axes.pcolormesh(*edges, shares, vmin=0, vmax=1, cmap="viridis_r", rasterized=False)
        axes.set_facecolor("#EEEEEE")
        axes.set_yticks(np.arange(len(each.rows)) + 0.5, list(each.rows), parse_math=False)
        axes.invert_yaxis()
        axes.tick_params(labelsize=7.5, length=2)
        axes.set_title(theme.squeezed(each.label), fontsize=9, parse_math=False)
    if shown is not None:
        figure.colorbar(shown, ax=grid, format=_percent(), shrink=0.6, aspect=30)
    figure.supxlabel(xlabel, fontsize=9)
    figure.supylabel("generation", fontsize=9)
    return theme.titled(figure, title, 27 * columns)


@theme.drawing
def scatter(points: Mapping[str, Sequence[Line]], xlabel: str, ylabel: str, title: str = "") -> Figure:
    """A panel for each problem, a point for each method, its name beside it; `x` and `y` have one value each."""
    columns = max(1, sum(map(bool, points.values())))
    figure, grid = theme.panels(columns, columns, 4.3, 4.0, (1.2 * (columns == 1), 0))
    for axes, (name, part) in zip(grid, ((name, part) for name, part in points.items() if part), strict=False):
        for k, point in enumerate(part):
            axes.plot(point.x, point.y, "o", color=theme.colour(k), markersize=6)
        labels = merged(part)
        for text, place in labels:
            side, away = ("right", (-5, -9)) if crowded(place, labels) else ("left", (5, 4))
            axes.annotate(text, place, away, textcoords="offset points", ha=side, fontsize=8, parse_math=False)
        axes.set_title(theme.short(name, 30), fontsize=9.5, parse_math=False)
        axes.margins(0.12)
    for axes in grid:
        axes.xaxis.set_major_formatter(_percent())
        axes.set_xlabel(theme.short(xlabel, 44), parse_math=False)
        theme.frame(axes)
    grid[0].set_ylabel(theme.short(ylabel, 36), parse_math=False)
    return theme.titled(figure, title, 54 * columns)


def merged(points: Sequence[Line]) -> list[tuple[str, Place]]:
    """Names and places; points that lie on one another share a line."""
    places = [(float(np.asarray(point.x)[0]), float(np.asarray(point.y)[0])) for point in points]
    found: dict[Place, str] = {}
    for point, place in zip(points, places, strict=True):
        near = next((other for other in found if _within(NEAR, place, other, places)), place)
        found[near] = ", ".join(filter(None, [found.get(near), theme.squeezed(point.label)]))
    return [(text, place) for place, text in found.items()]


def crowded(place: Place, labels: Sequence[tuple[str, Place]]) -> bool:
    """Whether there is another point where the name of this one would stand."""
    others = [other for _, other in labels]
    return any(other[0] > place[0] and _within(BESIDE, place, other, others) for other in others)


def _within(shares: Place, one: Place, other: Place, places: Sequence[Place]) -> bool:
    """Whether two points are so near, as shares of what all of them span."""
    reach = np.maximum(np.multiply(shares, np.ptp(places, axis=0)), 1e-12)
    return bool((np.abs(np.subtract(one, other)) <= reach).all())


def _draw(axes: Axes, k: int, line: Line, marker: str, *, band: bool = True) -> None:
    """The line number `k`, perhaps with a band for its intervals."""
    if band and line.low is not None and line.high is not None:
        axes.fill_between(line.x, line.low, line.high, color=theme.colour(k), alpha=0.18, linewidth=0)
    axes.plot(line.x, line.y, linewidth=1.4, marker=marker, markersize=3, **theme.look(k))


def _legend(figure: Figure, labels: Sequence[str]) -> None:
    """A key beside all panels."""
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], linewidth=1.5, **theme.look(k)) for k in range(len(labels))]
    names = [theme.squeezed(label) for label in labels]
    key = figure.legend(handles, names, loc="outside right center", frameon=False, fontsize=8.5, handlelength=2.8)
    for text in key.get_texts():
        text.set_parse_math(False)


def _percent() -> Any:
    """Shares as percentages."""
    from matplotlib.ticker import PercentFormatter

    return PercentFormatter(1, decimals=0)
