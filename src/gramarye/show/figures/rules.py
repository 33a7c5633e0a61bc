"""A rule over the generations: the probabilities of its productions, as they were recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramarye.show.figures import theme
from gramarye.show.figures.theme import End

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_LINES = 16  # productions that get a label and a colour; the others are grey


@theme.drawing
def probabilities(
    x: ArrayLike,  # [G]
    mean: ArrayLike,  # [G, P], over the runs
    labels: Sequence[str],  # [P]
    title: str,
    unit: str = "probability",  # what a line shows
) -> Figure:
    """The probabilities of one rule over the generations, a line per production, labelled where it ends."""
    figure, (axes,) = theme.panels(1, 1, 5.5, 3.7)
    draw_rule(axes, np.asarray(x), np.asarray(mean, np.float64), labels, step=0.062)
    axes.set_title(theme.wrapped(title, 50), fontsize="medium", parse_math=False)
    axes.set_ylabel(unit)
    theme.finish(axes, np.asarray(x))
    return figure


def draw_rule(
    axes: Axes,
    x: NDArray[np.number],  # [G]
    mean: NDArray[np.float64],  # [G, P]
    labels: Sequence[str],  # [P]
    step: float = theme.LABEL_STEP,
) -> None:
    """One line per production, labelled where it ends."""
    last = np.nan_to_num(mean[-1])
    order = np.argsort(-last, kind="stable")
    count = len(labels) if len(labels) <= MOST_LINES else MOST_LINES - 1
    named, others = np.sort(order[:count]), order[count:]
    marker = "o" if len(x) == 1 else ""
    top = 1.04 * float(np.nan_to_num(mean).max() or 1.0)
    for i in others:
        axes.plot(x, mean[:, i], color=theme.GREY, linewidth=0.7, marker=marker)
    ends = []
    for k, i in enumerate(named):
        axes.plot(x, mean[:, i], linewidth=1.5, marker=marker, **theme.look(k))
        ends.append(End(float(last[i]) / top, theme.short(labels[i]), theme.look(k)))
    if len(others):
        ends.append(End(float(last[others].mean()) / top, f"{len(others)} others", {"color": theme.GREY}))
    theme.label_ends(axes, ends, step)
    axes.set_ylim(0, top)
