"""A run as one picture: fitness over the generations, the probabilities of one rule, and the front."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramarye.direction import Direction, signed
from gramarye.errors import MissingExtraError, OutputError
from gramarye.files import check_output
from gramarye.show.figures import theme
from gramarye.show.figures.fronts import Front, draw_front
from gramarye.show.figures.rules import draw_rule

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TOP = 2.0  # where the picture ends if the mean is far worse than the best: at so many times the worst best


def check_picture_path(path: str | os.PathLike[str]) -> None:
    """Raise now what `save_picture` would raise after a long run: no such format, no such folder, no permission."""
    path = Path(path)
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingExtraError("Matplotlib", "report")
    if path.suffix.lower() not in theme.FORMATS:
        what = f"the format {path.suffix!r} is not known" if path.suffix else "the name has no ending"
        raise OutputError(f"{path}: {what}; end it in {', '.join(theme.FORMATS)}")
    check_output(path)


def save_picture(
    path: str | os.PathLike[str],
    *,
    generations: ArrayLike,  # [G]
    best: ArrayLike,  # [G], best so far
    mean: ArrayLike,  # [G]
    median: ArrayLike,  # [G], of the valid individuals; a mean may be carried away by a single bad one
    probabilities: ArrayLike | None,  # [G, P], of one non-terminal; None where none are recorded
    labels: Sequence[str],  # [P], its productions
    heading: str,  # above the probabilities
    title: str,
    direction: Direction = "minimise",
    front: Front | None = None,  # None where it is not drawn
) -> None:
    """Draw a run into a PNG, SVG or PDF file."""
    check_picture_path(path)
    with theme.style():
        x = np.asarray(generations)
        columns = 1 + (probabilities is not None) + (front is not None)
        figure, axes = theme.panels(columns, columns, 4.6, 4.2, (1.5, 0))
        figure.suptitle(theme.wrapped(title, 50 * columns), parse_math=False)
        _draw_fitness(axes[0], x, direction, *(np.asarray(v, np.float64) for v in (best, mean, median)))
        if probabilities is not None:
            draw_rule(axes[1], x, np.asarray(probabilities, np.float64), labels)
            theme.finish(axes[1], x)
            axes[1].set_title(theme.readable(heading), fontsize="medium", parse_math=False)
        if front is not None:
            draw_front(axes[-1], front, direction)
    theme.write(figure, Path(path), dpi=150)


def _draw_fitness(
    axes: Axes,
    x: NDArray[np.number],
    direction: Direction,
    best: NDArray[np.float64],
    mean: NDArray[np.float64],
    median: NDArray[np.float64],
) -> None:
    lines = ((mean, "mean", 1), (median, "median", 2), (best, "best so far", 0))
    for values, label, k in lines:
        kept = theme.drawable(values)
        marker = "o" if kept.sum() == 1 else ""
        axes.plot(x[kept], values[kept], marker=marker, label=label, **theme.look(k))
    pad = theme.note_above(axes, _cut(axes, signed(best, direction), signed(mean, direction), direction))
    if not (theme.drawable(best) | theme.drawable(mean)).any():
        axes.text(0.5, 0.5, "no finite fitness", ha="center", transform=axes.transAxes)
    axes.legend(frameon=False, reverse=True)
    title = "Fitness" if direction == "minimise" else "Fitness, larger is better"
    axes.set_title(title, fontsize="medium", pad=pad)
    theme.finish(axes, x)


def _cut(axes: Axes, best: NDArray[np.float64], mean: NDArray[np.float64], direction: Direction) -> str:
    """End the picture a little beyond the best, as a single bad program can carry a mean to 1e60; a note on it."""
    drawn = best[theme.drawable(best)]
    if not len(drawn) or drawn.min() < 0 or drawn.max() == 0:
        return ""
    end = TOP * float(drawn.max())
    outside = int((mean > end).sum())
    if not outside:
        return ""
    axes.set_ylim(*sorted((0.0, signed(end, direction))))
    return f"the mean is off scale in {outside} of {len(mean)} generations"
