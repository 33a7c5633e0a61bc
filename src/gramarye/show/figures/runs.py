"""Where the single runs ended: one row per method, a box over its quartiles and a point for each run."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramarye.direction import Direction, signed
from gramarye.show.figures import theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FAR = 6.0  # quartile ranges above the upper quartile from which on a run need not be in the picture
GOLDEN = (math.sqrt(5) - 1) / 2


@theme.drawing
def distributions(
    finals: Mapping[str, ArrayLike], title: str, *, xlabel: str = "fitness", direction: Direction = "minimise"
) -> Figure:
    """The final fitness of all runs [runs] of each method, one row per method, the first at the top."""
    values = [signed(np.asarray(each, np.float64), direction) for each in finals.values()]  # smaller is better
    figure, (axes,) = theme.panels(1, 1, 5.5, 1.1 + 0.5 * max(len(finals), 2))
    best, worst = _limits([each[theme.drawable(each)] for each in values])
    for k, each in enumerate(values):
        _draw(axes, k, each, worst, 2 * worst - best, direction)
    axes.set_xlim(*sorted((signed(best, direction), signed(worst, direction))))
    theme.rows(axes, list(finals))
    axes.set_xlabel(theme.wrapped(xlabel, 42), parse_math=False)
    theme.frame(axes)
    axes.grid(visible=False, axis="y")
    return theme.titled(figure, title)


def _limits(samples: list[NDArray[np.float64]]) -> tuple[float, float]:
    """The best and the worst that is in the picture."""
    drawn = np.concatenate([np.empty(0), *samples])
    if not len(drawn):
        return 0.0, 1.0
    worst = min(float(drawn.max()), theme.ceiling(samples, [_fence(sample) for sample in samples]))
    best = min(float(drawn.min()), worst)
    margin = 0.04 * (worst - best) or 0.04 * abs(worst) or 1.0
    return best - margin, worst + margin


def _fence(sample: NDArray[np.float64]) -> float:
    """Above this a run is far away from the others."""
    if not len(sample):
        return math.inf
    low, high = (float(q) for q in np.quantile(sample, [0.25, 0.75]))
    far = max(high + FAR * (high - low), 2 * high)
    return theme.HUGE if 0 <= high <= theme.SOLVED else far


def _draw(axes: Axes, k: int, values: NDArray[np.float64], worst: float, beyond: float, direction: Direction) -> None:
    """A row: box and whiskers above, the runs below them, and in words what can't be seen."""
    finite = np.sort(values[theme.drawable(values)])
    seen = finite[finite <= worst]
    if len(finite):
        _draw_box(axes, k, np.sort(np.where(theme.drawable(values), values, theme.LARGEST)), beyond, direction)
    # The golden ratio spreads neighbours: sorted runs of about the same fitness don't hide one another.
    jitter = (np.arange(len(seen)) * GOLDEN % 1 - 0.5) * 0.26
    axes.scatter(signed(seen, direction), k + 0.22 + jitter, s=9, color=theme.colour(k), alpha=0.55, linewidths=0)
    outside, lost = len(finite) - len(seen), len(values) - len(finite)
    side = "above" if direction == "minimise" else "below"
    notes = [f"{outside} {side} {theme.number(signed(worst, direction))}"] if outside else []
    notes += [f"{lost} of {len(values)} not finite"] if lost else []
    text = "\n".join([f"n = {len(values)}", *notes])
    axes.text(1.02, k, text, transform=axes.get_yaxis_transform(), va="center", fontsize=8, color=theme.NOTE)


def _draw_box(axes: Axes, k: int, values: NDArray[np.float64], beyond: float, direction: Direction) -> None:
    """Quartiles, median, and whiskers to the last run within one and a half quartile ranges (Tukey).

    The values ascend, and what is not finite is among them as the worst. What is outside the picture is drawn at
    `beyond`: files can't hold any number.
    """
    from matplotlib.patches import Rectangle

    low, median, high = np.quantile(values, [0.25, 0.5, 0.75])
    reach = 1.5 * (high - low)
    ends = values[values >= low - reach][0], values[values <= high + reach][-1]
    numbers = (min(float(x), beyond) for x in (ends[0], low, median, high, ends[1]))
    least, low, median, high, most = (signed(x, direction) for x in numbers)
    black: dict[str, Any] = {"color": "black", "linewidth": 0.8}
    y = k - 0.16
    for tip, edge in ((least, low), (most, high)):
        axes.plot([tip, edge], [y, y], **black)
        axes.plot([tip, tip], [y - 0.06, y + 0.06], **black)
    look: dict[str, Any] = {"facecolor": theme.colour(k), "edgecolor": "black", "linewidth": 0.8, "alpha": 0.45}
    axes.add_patch(Rectangle((low, y - 0.13), high - low, 0.26, **look))
    axes.plot([median, median], [y - 0.13, y + 0.13], color="black", linewidth=2, solid_capstyle="butt")
