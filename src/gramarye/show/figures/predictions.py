"""What a model predicts against what was observed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramarye.show.figures import theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_POINTS = 2000  # of a sample: more of them make files large and are no longer told apart

Pairs = tuple[NDArray[np.float64], NDArray[np.float64]]  # [rows] observed, [rows] predicted


@theme.drawing
def predictions(samples: Mapping[str, Pairs], target: str) -> Figure:
    """A point for each row, near the diagonal where the prediction is good; training and test rows differ."""
    figure, (axes,) = theme.panels(1, 1, 5.0, 4.4)
    note = draw_predictions(axes, samples, target)
    theme.note_above(axes, note)
    return figure


def draw_predictions(axes: Axes, samples: Mapping[str, Pairs], target: str) -> str:
    """The points and the diagonal; a note on what is left out."""
    from matplotlib.ticker import MaxNLocator

    left_out = 0
    for k, (name, (observed, predicted)) in enumerate(samples.items()):
        seen = np.flatnonzero(theme.drawable(observed) & theme.drawable(predicted))
        chosen = seen[np.linspace(0, len(seen) - 1, min(len(seen), MOST_POINTS)).astype(np.int64)]
        left_out += len(observed) - len(chosen)
        look: dict[str, Any] = {"color": theme.colour(k), "markersize": 4 if len(chosen) < 300 else 2.5, "alpha": 0.6}
        label = f"{name}, {len(observed):,} rows"
        axes.plot(observed[chosen], predicted[chosen], ("o", "s")[k % 2], markeredgewidth=0, label=label, **look)
    low, high = axes.get_xlim()
    axes.plot([low, high], [low, high], color=theme.GREY, linewidth=1, zorder=0, label="exact")
    axes.set_xlim(low, high)
    axes.set_xlabel(theme.short(f"{target} in the data", 36), parse_math=False)
    axes.set_ylabel(theme.short(f"{target}, predicted", 36), parse_math=False)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_locator(MaxNLocator(nbins=5))
    axes.legend(frameon=False)
    theme.frame(axes)
    return f"{left_out:,} rows are not drawn" if left_out else ""
