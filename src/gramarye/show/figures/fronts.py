"""Fronts: error against size, of one run or of one run for each method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramarye.direction import Direction
from gramarye.show.figures import theme
from gramarye.show.figures.theme import End
from gramarye.text import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

STEP = 0.17  # inches between two labels
FEW_DECADES = 30.0  # between the largest and the smallest error
SOLVED = 1e-15  # smaller errors are as good as none, and would only stretch the axis


@dataclass(frozen=True)
class Front:
    """The best program of every size that is better than all smaller ones."""

    nodes: Sequence[int]  # [P], ascending
    fitness: Sequence[float]  # [P], as people see it
    test: Sequence[float]  # [P], NaN where there are no rows for testing
    picked: int | None  # which of them is worth its size
    measure: str = "fitness"
    noun: str = "program"

    @property
    def tests(self) -> bool:
        """Whether there are rows for testing."""
        return bool(np.isfinite(np.asarray(self.test, np.float64)).any())


def draw_front(axes: Axes, front: Front, direction: Direction) -> None:
    """One front: training and test errors, the picked program marked."""
    from matplotlib.ticker import MaxNLocator

    lines = [("training", front.fitness, 0)] if front.tests else [(front.measure, front.fitness, 0)]
    lines += [("test", front.test, 1)] if front.tests else []
    note = scale_errors(axes, [values for _, values, _ in lines])
    for label, values, k in lines:
        _draw(axes, front.nodes, values, front.picked, label=label, **theme.look(k))
    if front.picked is not None:
        axes.plot([], [], "o", markersize=10, markerfacecolor="none", markeredgecolor="black", label="picked")
        axes.legend(frameon=False)
    axes.set_xlabel(f"nodes of the {front.noun}")
    axes.set_ylabel(theme.short(front.measure, 36), parse_math=False)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True, min_n_ticks=1))
    pad = theme.note_above(axes, note)
    theme.frame(axes)
    better = "" if direction == "minimise" else ", larger is better"
    axes.set_title(f"Front: the best {front.noun} of each size{better}", fontsize="medium", pad=pad)


def draw_fronts(axes: Axes, given: Mapping[str, Front]) -> None:
    """Several fronts in one panel, with a key inside it."""
    from matplotlib.ticker import MaxNLocator

    note = scale_errors(axes, [front.fitness for front in given.values()])
    axes.plot([], [], "o", markersize=10, markerfacecolor="none", markeredgecolor="black", label="picked")
    for k, (label, front) in enumerate(given.items()):
        _draw(axes, front.nodes, front.fitness, front.picked, label=theme.squeezed(label), **theme.look(k))
    theme.key(axes)
    first = next(iter(given.values()))
    axes.set_xlabel(f"nodes of the {first.noun}")
    axes.set_ylabel(theme.short(first.measure, 36), parse_math=False)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True, min_n_ticks=1))
    axes.set_title(f"Fronts: the best {first.noun} of each size", fontsize="medium", pad=theme.note_above(axes, note))
    theme.frame(axes)


@theme.drawing
def fronts(given: Mapping[str, Front], title: str, *, direction: Direction = "minimise") -> Figure:
    """The fronts of several methods, training above testing; a method looks the same in both."""
    from matplotlib.ticker import MaxNLocator

    tests = any(front.tests for front in given.values())
    measure, noun = next(((front.measure, front.noun) for front in given.values()), ("fitness", "program"))
    height = max(2.6, STEP * len(given))
    figure, grid = theme.panels(1 + tests, 1, 5.5, height + 0.9)
    parts = ["training", "test"] if tests else [""]
    for axes, part in zip(grid, parts, strict=True):
        errors = {label: front.test if part == "test" else front.fitness for label, front in given.items()}
        note = scale_errors(axes, list(errors.values()))
        for k, (label, values) in enumerate(errors.items()):
            _draw(axes, given[label].nodes, values, given[label].picked, **theme.look(k))
        axes.set_ylabel(theme.short(f"{measure} in {part}" if part else measure, 36), parse_math=False)
        axes.set_xlabel(f"nodes of the {noun}")
        axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True, min_n_ticks=1))
        theme.note_above(axes, note)
        theme.frame(axes)
        _label(axes, errors, height)
    better = "" if direction == "minimise" else ", larger is better"
    return theme.titled(figure, f"{title}{better}")


def _draw(axes: Axes, nodes: Sequence[int], errors: Sequence[float], picked: int | None, **look: Any) -> None:
    """A step for each program, and a ring around the picked one."""
    x, y = np.asarray(nodes, np.float64), placed_errors(axes, errors)
    steps = np.repeat(x, 2)[1:], np.repeat(y, 2)[:-1]  # not a drawstyle: a key avoids only lines that it knows
    axes.plot(*steps, marker="o", markevery=2, markersize=3.5, linewidth=1.4, **look)
    if picked is not None:
        ring: dict[str, Any] = {
            "markersize": 10,
            "markerfacecolor": "none",
            "markeredgecolor": look["color"],
            "markeredgewidth": 1.5,
        }
        axes.plot(x[picked : picked + 1], y[picked : picked + 1], "o", **ring)


def placed_errors(axes: Axes, errors: ArrayLike) -> NDArray[np.float64]:
    """Errors where they have a place in the picture; the rest is not a number."""
    values = np.asarray(errors, np.float64)
    values = np.where(theme.drawable(values), values, np.nan)
    return np.maximum(values, SOLVED) if axes.get_yscale() == "log" else values


def scale_errors(axes: Axes, errors: Sequence[ArrayLike]) -> str:
    """A logarithmic axis, unless fitness can be negative; a note on what is too small for it."""
    values = np.concatenate([np.empty(0), *(np.asarray(each, np.float64) for each in errors)])
    values = values[theme.drawable(values)]
    if not len(values) or values.min() < 0 or values.max() <= SOLVED:
        return ""
    axes.set_yscale("log")
    if values.max() < FEW_DECADES * values.min():  # powers of ten alone would leave the axis without a number
        from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

        axes.yaxis.set_major_locator(LogLocator(subs=(1, 1.5, 2, 3, 4, 5, 7)))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: theme.number(value)))
    small = int((values < SOLVED).sum())
    return (
        f"{counted(small, 'value')} below {SOLVED:g} {'is' if small == 1 else 'are'} drawn at {SOLVED:g}"
        if small
        else ""
    )


def _label(axes: Axes, errors: Mapping[str, Sequence[float]], height: float) -> None:
    """A key beside the panel, each method where its front ends."""
    axes.set_ylim(axes.get_ylim())  # before that, nothing has its place yet
    to_axes = axes.transScale + axes.transLimits
    ends = []
    for k, (label, values) in enumerate(errors.items()):
        drawn = placed_errors(axes, values)
        seen = drawn[~np.isnan(drawn)]
        place = float(to_axes.transform((0.0, seen[-1]))[1]) if len(seen) else 1.0
        ends.append(End(min(max(place, 0.0), 1.0), theme.squeezed(label), theme.look(k)))
    theme.label_ends(axes, ends, step=STEP / height, family="sans-serif")
