"""Effect sizes: one row per pair of methods, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gramarye.show.figures.theme import COLOURS, NOTE, drawing, frame, panels, rows, titled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# A. Vargha and H. D. Delaney (2000), A critique and improvement of the CL common language effect size statistics of
# McGraw and Wong, Journal of Educational and Behavioral Statistics 25(2): small, medium and large are at least so far
# from one half.
THRESHOLDS = {"S": 0.06, "M": 0.14, "L": 0.21}
SHADES = {"S": "#F4F4F4", "M": "#E9E9E9", "L": "#DCDCDC"}
KEY = "S, M, L: small, medium and large effect (Vargha and Delaney 2000)"


@dataclass(frozen=True)
class Effect:
    """The effect size A₁₂ of a pair of methods, and an interval around it."""

    label: str  # "PGE – GE, Pagie"
    value: float
    low: float
    high: float


@drawing
def effects(pairs: Sequence[Effect], title: str = "") -> Figure:
    """A forest plot: each effect size with its interval; filled where the interval leaves out one half."""
    figure, (axes,) = panels(1, 1, 5.5, 1.5 + 0.27 * max(len(pairs), 2))
    _shade(axes)
    for k, pair in enumerate(pairs):
        _draw(axes, k, pair)
    rows(axes, [pair.label for pair in pairs])
    axes.set_xlim(0, 1)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
    axes.set_xlabel("A₁₂: probability that the\nfirst method is better")
    figure.supxlabel(KEY, fontsize=7.5, color=NOTE)
    frame(axes)
    axes.grid(visible=False)
    return titled(figure, title)


def _shade(axes: Axes) -> None:
    """The thresholds to both sides of one half, darker where the effect is larger."""
    edges = [*THRESHOLDS.values(), 0.5]
    for k, name in enumerate(THRESHOLDS):
        for side in (-1, 1):
            start, end = sorted((0.5 + side * edges[k], 0.5 + side * edges[k + 1]))
            axes.axvspan(start, end, color=SHADES[name], linewidth=0, zorder=0)
            place = (start + end) / 2
            axes.text(place, 1.01, name, transform=axes.get_xaxis_transform(), ha="center", fontsize=7.5, color=NOTE)
    axes.axvline(0.5, color="black", linewidth=0.9)


def _draw(axes: Axes, k: int, pair: Effect) -> None:
    if np.isnan(pair.value):
        text = "–"
    else:
        sure = pair.low > 0.5 or pair.high < 0.5
        axes.plot([pair.low, pair.high], [k, k], color=COLOURS[0], linewidth=1.6, solid_capstyle="butt")
        face = COLOURS[0] if sure else "white"
        axes.plot(pair.value, k, "o", color=COLOURS[0], markersize=6, markerfacecolor=face, zorder=3, clip_on=False)
        interval = "" if np.isnan(pair.low) or np.isnan(pair.high) else f" [{pair.low:.2f}, {pair.high:.2f}]"
        text = f"{pair.value:.2f}{interval}"
    axes.text(1.02, k, text, transform=axes.get_yaxis_transform(), va="center", fontsize=8, color=NOTE)
