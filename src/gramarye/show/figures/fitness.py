"""Fitness over the generations or evaluations, averaged over the runs of each method."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramarye.direction import Direction, signed
from gramarye.show.figures import theme
from gramarye.show.figures.theme import End, Line

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STEP = 0.17  # inches between two labels
STEEP = 20.0  # a start so many times above the rest of its line need not be in the picture, if it is huge
MOST_NAMED = 3  # methods that a note names


@dataclass(frozen=True)
class Panel:
    """One set of axes: all methods on one problem."""

    title: str
    lines: Sequence[Line]
    ylabel: str = "fitness"
    direction: Direction = "minimise"


@theme.drawing
def progress(given: Sequence[Panel], *, xlabel: str = "generation") -> Figure:
    """Fitness over the generations, one panel below the other; a method looks the same in all of them."""
    labels = list(dict.fromkeys(line.label for panel in given for line in panel.lines))
    height = max(2.6, STEP * len(labels))
    figure, grid = theme.panels(len(given), 1, 5.5, height + 0.9)
    for axes, panel in zip(grid, given, strict=True):
        lines = [_Drawn(line, labels.index(line.label), panel.direction) for line in panel.lines]
        worst = _draw(axes, lines, height, panel.direction)
        axes.set_ylabel(theme.short(panel.ylabel, 36), parse_math=False)
        theme.finish(axes, _ends_of([line.x for line in panel.lines]), xlabel)
        pad = theme.note_above(axes, _note(lines, worst, panel.direction))
        axes.set_title(theme.wrapped(panel.title, 44), fontsize="medium", parse_math=False, pad=pad)
    return figure


class _Drawn:
    """A line as arrays, smaller is better, and the number by which it looks the same everywhere."""

    def __init__(self, line: Line, k: int, direction: Direction) -> None:
        self.label, self.k = line.label, k
        self.x = np.asarray(line.x, np.float64)
        self.middle = signed(np.asarray(line.y, np.float64), direction)
        self.median = None if line.median is None else signed(np.asarray(line.median, np.float64), direction)
        both = line.low is not None and line.high is not None
        self.band = [signed(np.asarray(side, np.float64), direction) for side in (line.low, line.high)] if both else []

    def samples(self) -> list[NDArray[np.float64]]:
        """Mean and median, where they have a place in a picture."""
        both = [self.middle] if self.median is None else [self.middle, self.median]
        return [values[theme.drawable(values)] for values in both]

    def sides(self) -> NDArray[np.float64]:
        """The edges of the band, where they have a place in a picture."""
        values = np.concatenate([np.empty(0), *self.band])
        return values[theme.drawable(values)]


def _fence(values: NDArray[np.float64]) -> float:
    """Above this a line has left its usual range: far over where it started, or a start far over all the rest."""
    if not len(values):
        return math.inf
    usual, start = float(np.quantile(values, 0.75)), float(values[0])
    if usual <= theme.SOLVED:
        return theme.HUGE if usual >= 0 else math.inf
    return 2 * max(usual, start if start <= max(STEEP * usual, theme.HUGE) else usual)


def _draw(axes: Axes, lines: list[_Drawn], height: float, direction: Direction) -> float:
    """All lines and their labels; returns the worst that is in the picture."""
    best, worst = _limits(lines)
    right = _ends_of([line.x for line in lines])[-1:]
    reach = 10 * (worst - best)  # what is far outside is drawn a little outside: files can't hold any number

    def drawn(values: NDArray[np.float64]) -> NDArray[np.float64]:
        return signed(np.clip(values, best - reach, worst + reach), direction)

    for line in lines:
        x, look = line.x, theme.look(line.k)
        if line.band:
            low, high = (drawn(side) for side in line.band)
            if len(x) == 1:
                axes.vlines(x, low, high, color=look["color"], alpha=0.4)
            inside = line.middle <= worst  # a band around what is not in the picture would only fill it
            axes.fill_between(x, low, high, where=inside, color=look["color"], alpha=0.15, linewidth=0)
        if line.median is not None:
            axes.plot(x, drawn(line.median), linewidth=0.7, **look)
        values = drawn(line.middle)
        axes.plot([x[-1:], right], [values[-1:]] * 2, color=theme.GREY, linewidth=0.5)  # if others go on, to the label
        axes.plot(x, values, linewidth=1.7, marker="o", markersize=4, markevery=_alone(values), **look)
    bottom, top = sorted((signed(best, direction), signed(worst, direction)))
    axes.set_ylim(bottom, top)
    if not any(theme.drawable(line.middle).any() for line in lines):
        axes.text(0.5, 0.5, "no finite fitness", ha="center", transform=axes.transAxes)
        axes.set_yticks([])
    places = [_end(line.middle, best, worst) for line in lines]
    heights = places if direction == "minimise" else [1 - place for place in places]
    ends = [
        End(place, theme.squeezed(line.label), theme.look(line.k)) for place, line in zip(heights, lines, strict=True)
    ]
    theme.label_ends(axes, ends, step=STEP / height, family="sans-serif")
    return worst


def _limits(lines: list[_Drawn]) -> tuple[float, float]:
    """The best and the worst that is in the picture: all that is finite, but for what would press the rest flat."""
    samples = [sample for line in lines for sample in line.samples()]
    drawn = np.concatenate([np.empty(0), *samples])
    if not len(drawn):
        return 0.0, 1.0
    top, bottom = theme.ceiling(samples, [_fence(sample) for sample in samples]), float(drawn.min())
    # A band makes room for itself as far as it is not much wider than all lines together.
    sides = np.concatenate([line.sides() for line in lines])
    room = max(top - bottom, 0.1 * abs(top))
    sides = sides[(sides >= bottom - room) & (sides <= top + room)]
    low, high = min([bottom, *sides]), max([top, *sides])
    margin = 0.05 * (high - low) or 0.05 * abs(high) or 1.0
    # The picture ends at zero if no line crosses it.
    first = max(low - margin, 0.0) if bottom >= 0 else low - margin
    return first, min(high + margin, 0.0) if bottom < top <= 0 else high + margin


def _alone(values: NDArray[np.float64]) -> list[int]:
    """The points with no neighbour to draw a line to."""
    seen = np.concatenate([[False], ~np.isnan(values), [False]])
    return [int(i) for i in np.flatnonzero(seen[1:-1] & ~seen[:-2] & ~seen[2:])]


def _end(values: NDArray[np.float64], best: float, worst: float) -> float:
    """Where a line ends, from 0 for the best to 1 for the worst; a line without a single point has its label there."""
    seen = values[~np.isnan(values)]
    return float(np.clip((seen[-1] - best) / (worst - best), 0, 1)) if len(seen) else 1.0


def _note(lines: list[_Drawn], worst: float, direction: Direction) -> str:
    """What is outside the picture, and what the thin lines are."""
    side, way = ("above", "up") if direction == "minimise" else ("below", "down")
    told = []
    for line in lines:
        count = int((line.middle > worst).sum())
        if count:
            most = theme.number(signed(float(np.nanmax(line.middle)), direction))
            where = f"in {count} of {len(line.middle)} generations ({way} to {most})"
            told.append(f"{theme.squeezed(line.label, 14)} {where}")
    more = [f"{len(told) - MOST_NAMED} others"] if len(told) > MOST_NAMED else []
    notes = [f"{side} the picture: {', '.join(told[:MOST_NAMED] + more)}"] if told else []
    thin = ["thin lines: median"] if any(line.median is not None for line in lines) else []
    return "\n".join(textwrap.wrap("; ".join(notes + thin), 62))


def _ends_of(xs: Sequence[ArrayLike]) -> NDArray[np.float64]:
    """The least and the greatest of several axes."""
    joined = np.concatenate([np.empty(0), *(np.asarray(x, np.float64) for x in xs)])
    return np.array([joined.min(), joined.max()]) if len(joined) else joined
