"""A fitted model as one picture: error over the search, error against size, and predictions against the data."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gramarye.show.figures import theme
from gramarye.show.figures.fronts import Front, draw_front, draw_fronts, placed_errors, scale_errors
from gramarye.show.figures.predictions import Pairs, draw_predictions

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_COUNTED = 12  # classes whose rows are written into a picture


@dataclass(frozen=True)
class Searched:
    """The search for one formula."""

    label: str  # the class that it is for; "" where there is one formula only
    evaluations: Sequence[NDArray[np.float64]]  # [runs][G]
    errors: Sequence[NDArray[np.float64]]  # [runs][G] least so far
    found_by: int  # the run of the picked formula
    front: Front  # of all runs


def number_model(searched: Searched, samples: Mapping[str, Pairs], target: str, heading: str, title: str) -> Figure:
    """The picture of a model that predicts a number; `heading` stands above the predictions."""

    def draw(axes: Axes) -> None:
        note = draw_predictions(axes, samples, target)
        pad = theme.note_above(axes, note)
        axes.set_title(theme.wrapped(heading, 60), fontsize="medium", parse_math=False, pad=pad)

    return _model([searched], draw, title)


def class_model(
    searches: Sequence[Searched],
    counts: NDArray[np.float64],  # [classes, classes] rows of each class, by the class that is predicted
    classes: Sequence[str],
    heading: str,
    title: str,
) -> Figure:
    """The picture of a model that predicts a class; `heading` stands above the predictions."""

    def draw(axes: Axes) -> None:
        _draw_counts(axes, counts, classes)
        axes.set_title(theme.wrapped(heading, 60), fontsize="medium", parse_math=False)

    return _model(searches, draw, title)


@theme.drawing
def _model(searches: Sequence[Searched], draw: Callable[[Axes], None], title: str) -> Figure:
    figure, panels = theme.panels(3, 3, 4.6, 4.2)
    _draw_search(panels[0], searches)
    if len(searches) == 1:
        draw_front(panels[1], searches[0].front, "minimise")
    else:
        draw_fronts(panels[1], {searched.label: searched.front for searched in searches})
    draw(panels[2])
    # Notebooks show a figure by themselves only after pyplot was imported, which nothing here does.
    setattr(figure, "_repr_png_", partial(_png, figure))  # noqa: B010, Figure has no such attribute to assign to
    return theme.titled(figure, title, 130) if title else figure


def _png(figure: Figure) -> bytes:
    content = io.BytesIO()
    with theme.style():
        figure.savefig(content, format="png", dpi=100)
    return content.getvalue()


def _draw_search(axes: Axes, searches: Sequence[Searched]) -> None:
    """A line for each run; that of the picked formula is thick."""
    note = scale_errors(axes, [errors for searched in searches for errors in searched.errors])
    ends = []
    for k, searched in enumerate(searches):
        for run, (x, errors) in enumerate(zip(searched.evaluations, searched.errors, strict=True)):
            ends += [x[0], x[-1]]
            chosen = run == searched.found_by
            look: dict[str, Any] = {"linewidth": 1.7} if chosen else {"linewidth": 0.8, "alpha": 0.5}
            y, marker = placed_errors(axes, errors), "o" if len(x) == 1 else ""
            label = _label(searched, run)
            axes.plot(x, y, label=label, marker=marker, drawstyle="steps-post", **theme.look(k), **look)
    if axes.get_yscale() != "log":  # nothing but rounding
        axes.set_ylim(0, None)
    if any(searched.label or len(searched.errors) > 1 for searched in searches):
        theme.key(axes)
    theme.finish(axes, np.array([min(ends), max(ends)]), "evaluations")
    axes.set_ylabel(theme.short(searches[0].front.measure, 36), parse_math=False)
    axes.set_title("Least error so far, of any size", fontsize="medium", pad=theme.note_above(axes, note))


def _label(searched: Searched, run: int) -> str | None:
    """What the key calls a run; of a model for classes, only the class."""
    if run == searched.found_by:
        return theme.squeezed(searched.label) if searched.label else "run of the picked formula"
    first = int(searched.found_by == 0)  # of the others
    return "other runs" if run == first and not searched.label else None


def _draw_counts(axes: Axes, counts: NDArray[np.float64], classes: Sequence[str]) -> None:
    """A square for each pair of classes, darker where more rows of a class are."""
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1.8, aspect="auto")  # black text is readable on all of it
    names = [theme.squeezed(name, 14) for name in classes]
    places = range(len(names))
    if len(names) <= MOST_COUNTED:
        for row in places:
            for column in places:
                axes.text(column, row, f"{counts[row, column]:.6g}", ha="center", va="center", fontsize=9)
    else:
        places = range(0, len(names), -(-len(names) // MOST_COUNTED))
    shown = [names[place] for place in places]
    axes.set_xticks(places, shown, parse_math=False, rotation=90 if sum(map(len, shown)) > 40 else 0)
    axes.set_yticks(places, shown, parse_math=False)
    axes.set_xlabel("class that is predicted")
    axes.set_ylabel("class in the data")
