"""A run as one picture: fitness over the generations, and what one rule learned."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramarye.drawing import shown
from gramarye.errors import MissingExtraError, OutputError
from gramarye.report.output import check_output

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Stroke: TypeAlias = str | tuple[int, tuple[float, ...]]  # as Matplotlib names them: "-", or lengths on and off

FORMATS = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}  # with what leaves out the date
TOP = 2.0  # where the picture ends if the mean is far above the best: at so many times the largest best
LARGEST = 1e200  # what is not finite is left out, and what overflows where Matplotlib sets its margins and ticks
MOST_LINES = 16  # productions that get a label and a colour; the others are grey
LONGEST_LABEL = 22
LABEL_STEP = 0.055  # least distance of two labels, as a share of the panel's height

# Okabe & Ito's colours, told apart by colour-blind readers, but for the yellow that is too pale on white. Seven colours
# and five strokes have no common factor, so that 35 lines differ, and neighbours do so without colour.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#000000", "#CC79A7", "#E69F00", "#56B4E9")
STROKES: tuple[Stroke, ...] = ("-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (6, 1.5, 1, 1.5)), (0, (3, 1.2, 1, 1.2, 1, 1.2)))
GREY = "#999999"


def check_picture_path(path: str | os.PathLike[str]) -> None:
    """Raise now what `save_picture` would raise after a long run: no such format, no such folder, no permission."""
    path = Path(path)
    if importlib.util.find_spec("matplotlib") is None:
        raise MissingExtraError("Matplotlib", "report")
    if path.suffix.lower() not in FORMATS:
        what = f"the format {path.suffix!r} is not known" if path.suffix else "the name has no ending"
        raise OutputError(f"{path}: {what}; end it in {', '.join(FORMATS)}")
    check_output(path)


def save_picture(
    path: str | os.PathLike[str],
    *,
    generations: ArrayLike,  # [G]
    best: ArrayLike,  # [G], best so far
    mean: ArrayLike,  # [G]
    median: ArrayLike,  # [G], of the valid individuals; a mean may be carried away by a single bad one
    probabilities: ArrayLike | None,  # [G, P], of one non-terminal; None where nothing is learned
    labels: Sequence[str],  # [P], its productions
    nonterminal: str,
    title: str,
) -> None:
    """Draw a run into a PNG, SVG or PDF file."""
    check_picture_path(path)
    import matplotlib as mpl
    from matplotlib.figure import Figure  # without pyplot: no window, no state that outlives the picture

    x = np.asarray(generations)
    panels = 1 if probabilities is None else 2
    figure = Figure(figsize=(1.5 + 4.6 * panels, 4.2), layout="constrained")
    figure.suptitle(shown(title), parse_math=False)
    axes = figure.subplots(1, panels, squeeze=False)[0]
    _draw_fitness(axes[0], x, *(np.asarray(v, np.float64) for v in (best, mean, median)))
    if probabilities is not None:
        _draw_probabilities(axes[1], x, np.asarray(probabilities, np.float64), labels)
        axes[1].set_title(f"Probabilities of {shown(nonterminal)}", fontsize="medium", parse_math=False)
    undated: Any = FORMATS[Path(path).suffix.lower()]
    try:
        with mpl.rc_context({"svg.hashsalt": "gramarye"}):  # the same run gives the same file
            figure.savefig(path, dpi=150, metadata=undated)
    except OSError as error:
        raise OutputError(f"{path}: can't be written ({error.strerror or error}); choose another place") from error


def _draw_fitness(
    axes: Axes,
    x: NDArray[np.number],
    best: NDArray[np.float64],
    mean: NDArray[np.float64],
    median: NDArray[np.float64],
) -> None:
    lines = ((mean, "mean", 1), (median, "median", 2), (best, "best so far", 0))
    for values, label, k in lines:
        kept = _drawable(values)
        marker = "o" if kept.sum() == 1 else ""
        axes.plot(x[kept], values[kept], color=COLOURS[k], linestyle=STROKES[k], marker=marker, label=label)
    _cut(axes, best, mean)
    if not (_drawable(best) | _drawable(mean)).any():
        axes.text(0.5, 0.5, "no finite fitness", ha="center", transform=axes.transAxes)
    axes.legend(frameon=False, reverse=True)
    axes.set_title("Fitness", fontsize="medium")
    _finish(axes, x)


def _drawable(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    return np.abs(values) < LARGEST


def _cut(axes: Axes, best: NDArray[np.float64], mean: NDArray[np.float64]) -> None:
    """End the picture a little above the best: a single bad program can carry a mean to 1e60."""
    drawn = best[_drawable(best)]
    if not len(drawn) or drawn.min() < 0 or drawn.max() == 0:
        return
    top = TOP * float(drawn.max())
    above = int((mean > top).sum())
    if above:
        axes.set_ylim(0, top)
        note = f"the mean is above the picture in {above} of {len(mean)} generations"
        axes.text(0.98, 0.02, note, ha="right", fontsize="small", color=GREY, transform=axes.transAxes)


def _draw_probabilities(
    axes: Axes, x: NDArray[np.number], probabilities: NDArray[np.float64], labels: Sequence[str]
) -> None:
    """One line per production, labelled where it ends."""
    last = probabilities[-1]
    order = np.argsort(-last, kind="stable")
    count = len(labels) if len(labels) <= MOST_LINES else MOST_LINES - 1
    named, others = np.sort(order[:count]), order[count:]
    marker = "o" if len(x) == 1 else ""
    top = 1.04 * float(probabilities.max())
    for i in others:
        axes.plot(x, probabilities[:, i], color=GREY, linewidth=0.7, marker=marker)
    ends = []
    for k, i in enumerate(named):
        colour, stroke = COLOURS[k % len(COLOURS)], STROKES[k % len(STROKES)]
        axes.plot(x, probabilities[:, i], color=colour, linestyle=stroke, linewidth=1.5, marker=marker)
        ends.append(_End(float(last[i]) / top, _short(labels[i]), colour, stroke))
    if len(others):
        ends.append(_End(float(last[others].mean()) / top, f"{len(others)} others", GREY, "-"))
    _label_ends(axes, ends)
    axes.set_ylim(0, top)
    _finish(axes, x)


def _short(label: str) -> str:
    label = shown(label)
    return label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1] + "…"


class _End(NamedTuple):
    """Where a line leaves its panel, from 0 to 1, and how it is known there."""

    height: float
    text: str
    colour: str
    stroke: Stroke


def _label_ends(axes: Axes, ends: list[_End]) -> None:
    """A key beside the panel, each entry as near to the end of its line as its neighbours allow."""
    ends = sorted(ends, key=lambda end: end.height, reverse=True)[::-1]  # of equals, the first stands highest
    for end, y in zip(ends, spread([end.height for end in ends], LABEL_STEP), strict=True):
        outside: dict[str, Any] = {"transform": axes.transAxes, "clip_on": False}
        axes.plot([1.005, 1.045], [end.height, y], color=GREY, linewidth=0.5, **outside)
        axes.plot([1.05, 1.12], [y, y], color=end.colour, linestyle=end.stroke, linewidth=1.5, **outside)
        axes.text(1.135, y, end.text, fontsize=8.5, family="monospace", va="center", parse_math=False, **outside)


def spread(wanted: Sequence[float], step: float) -> list[float]:
    """Places in [0, 1] at least `step` apart for ascending wishes, as near to them as possible (least squares)."""
    # y[i] = z[i] + i·step turns "at least step apart" into "ascending": isotonic regression, by pooling neighbours.
    pools: list[tuple[float, int]] = []
    for i, y in enumerate(wanted):
        total, size = y - i * step, 1
        while pools and pools[-1][0] / pools[-1][1] > total / size:
            total, size = total + pools[-1][0], size + pools.pop()[1]
        pools.append((total, size))
    highest = 1 - (len(wanted) - 1) * step
    shifts = [min(max(total / size, 0.0), highest) for total, size in pools for _ in range(size)]
    return [shift + i * step for i, shift in enumerate(shifts)]


def _finish(axes: Axes, x: NDArray[np.number]) -> None:
    from matplotlib.ticker import MaxNLocator

    axes.set_xlabel("generation")
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    if len(x) > 1:
        axes.set_xlim(x[0], x[-1])
    else:
        axes.set_xticks(x)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(alpha=0.25, linewidth=0.6)
