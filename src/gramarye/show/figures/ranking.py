"""Mean ranks over several problems, and which methods the problems don't tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from gramarye.show.figures.theme import NOTE, drawing, squeezed, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROW = 0.24  # inches from one label to the next
BAR = 0.13  # inches from one bar to the next
TEXT = 1.6  # inches for the labels at each side
WIDTH = 5.5


@drawing
def ranks(
    mean_ranks: ArrayLike,  # [M]
    labels: Sequence[str],  # [M]
    critical_difference: float | None = None,  # None where there are too few problems to tell
    title: str = "",
) -> Figure:
    """A critical-difference diagram: bars join the methods whose mean ranks are less than the difference apart."""
    # J. Demšar (2006), Statistical comparisons of classifiers over multiple data sets, JMLR 7; the best is at the right
    from matplotlib.figure import Figure

    values = np.asarray(mean_ranks, np.float64)
    order = np.argsort(values, kind="stable")
    ordered = [(float(values[i]), squeezed(labels[i], 14)) for i in order if np.isfinite(values[i])]
    bars = _bars([rank for rank, _ in ordered], critical_difference)
    depth = 0.2 + BAR * (1 + max((level for *_, level in bars), default=-1))  # where the labels begin
    below = depth + ROW * max((len(ordered) + 1) // 2, 1)
    above = 0.55 + (0.3 if critical_difference is not None else 0) + (0.3 if title else 0)
    figure = Figure(figsize=(WIDTH, above + below))
    # One unit is one inch in both directions, so that all places can be told in inches.
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, WIDTH), ylim=(-below, above))
    axes.set_axis_off()
    scale = _Scale(max(len(values), 2))
    scale.draw(axes)
    _draw_difference(axes, scale, critical_difference)
    for first, last, level in bars:
        y, ends = -0.14 - BAR * level, [scale.place(ordered[first][0]) + 0.04, scale.place(ordered[last][0]) - 0.04]
        axes.plot(ends, [y, y], color="black", linewidth=4, solid_capstyle="butt")
    _draw_methods(axes, scale, ordered, depth)
    axes.text(WIDTH / 2, above - 0.12, wrapped(title, 64, 1), ha="center", va="top", parse_math=False)
    return figure


class _Scale:
    """The axis of ranks, from the worst at the left to 1 at the right."""

    def __init__(self, worst: int) -> None:
        self.worst = worst
        self.unit = (WIDTH - 2 * TEXT) / (worst - 1)

    def place(self, rank: float) -> float:
        return TEXT + (self.worst - rank) * self.unit

    def draw(self, axes: Axes) -> None:
        axes.plot([TEXT, WIDTH - TEXT], [0, 0], color="black", linewidth=1)
        step = 1 if self.worst <= 12 else 2
        for rank in range(1, self.worst + 1):
            major = (rank - 1) % step == 0
            axes.plot([self.place(rank)] * 2, [0, 0.08 if major else 0.05], color="black", linewidth=1)
            if major:
                axes.text(self.place(rank), 0.11, str(rank), ha="center", fontsize=9)
        axes.text(WIDTH - TEXT + 0.2, 0, "mean rank\n(right: best)", va="bottom", fontsize=8, color=NOTE)


def _bars(ranks: list[float], difference: float | None) -> list[tuple[int, int, int]]:
    """The largest groups of neighbours that don't differ: first, last, and the level at which the bar has room."""
    groups: list[tuple[int, int, int]] = []
    for first, rank in enumerate(ranks if difference is not None else []):
        last = max(i for i, other in enumerate(ranks) if other - rank < (difference or 0.0) or i == first)
        if last > first and all(last > end for _, end, _ in groups):
            taken = {level for _, end, level in groups if end >= first}
            groups.append((first, last, min(set(range(len(ranks))) - taken)))
    return groups


def _draw_difference(axes: Axes, scale: _Scale, difference: float | None) -> None:
    """The critical difference as a ruler over the axis, from its left end."""
    if difference is None:
        return
    text, fits = f"critical difference {difference:.2f}", difference <= scale.worst - 1
    if fits:
        start, end = TEXT, TEXT + difference * scale.unit
        axes.plot([start, end], [0.42, 0.42], color="black", linewidth=1.2)
        for x in (start, end):
            axes.plot([x, x], [0.37, 0.47], color="black", linewidth=1.2)
    else:
        text += ", more than the axis"
    axes.text(TEXT, 0.52 if fits else 0.4, text, fontsize=8.5, color=NOTE)


def _draw_methods(axes: Axes, scale: _Scale, ordered: list[tuple[float, str]], depth: float) -> None:
    """Leader lines from the axis down and out: the better half to the right, the others to the left."""
    half = len(ordered) // 2  # an odd one goes to the left, where the worse half is
    if not ordered:
        axes.text(WIDTH / 2, -depth, "no ranks", ha="center", va="top", color=NOTE)
    for i, (rank, label) in enumerate(ordered):
        right = i < len(ordered) - half
        y = -depth - ROW * (i if right else len(ordered) - 1 - i)
        out = WIDTH - TEXT + 0.36 if right else TEXT - 0.36
        axes.plot([scale.place(rank)] * 2 + [out], [0, y, y], color="black", linewidth=0.8)
        x, side = (out + 0.05, "left") if right else (out - 0.05, "right")
        axes.text(x, y, label, ha=side, va="center", fontsize=9, parse_math=False)
        axes.text(out, y + 0.01, f"{rank:.2f}", ha="right" if right else "left", va="bottom", fontsize=7, color=NOTE)
