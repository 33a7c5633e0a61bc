"""What all pictures share: colours and strokes, labels where lines end, notes, text as it is, files without a date."""

from __future__ import annotations

import functools
import io
import math
import textwrap
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramarye.errors import MissingExtraError
from gramarye.files import write_whole
from gramarye.text import cut, shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Inputs = ParamSpec("Inputs")

FORMATS = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}  # with what leaves out the date
LARGEST = 1e200  # what is not finite is left out, and what overflows where Matplotlib sets its margins and ticks
FAR_ABOVE = 100.0  # a line so many times above another one need not be in the same picture, if it is huge, too:
HUGE = 1e3  # next to a method that solves its problem all others are many times above
SOLVED = 1e-9  # below this a fitness is as good as zero, and says nothing about how large others may be
LONGEST_LABEL = 22
MOST_IN_KEY = 9  # lines that a key inside a panel names
LABEL_STEP = 0.055  # least distance of two labels, as a share of the panel's height

# Okabe & Ito's colours, told apart by colour-blind readers, but for the yellow that is too pale on white. Seven colours
# and five strokes have no common factor, so that 35 lines differ, and neighbours do so without colour.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#000000", "#CC79A7", "#E69F00", "#56B4E9")
STROKES = ("-", (0, (5, 1.5)), (0, (1, 1.2)), (0, (6, 1.5, 1, 1.5)), (0, (3, 1.2, 1, 1.2, 1, 1.2)))
GREY = "#999999"
NOTE = "#555555"  # for small text: dark enough to be read

# What the caller set up for other pictures must not change these: all starts from Matplotlib's defaults.
SETTINGS = {
    "svg.hashsalt": "gramarye",  # names in an SVG follow from what it shows
    "font.size": 10.0,
    "figure.constrained_layout.w_pad": 0.08,
    "figure.constrained_layout.h_pad": 0.08,
}


@dataclass(frozen=True)
class Line:
    """One method: a value for each place on an axis, perhaps with a band around it and a thin line beside it."""

    label: str
    x: ArrayLike  # [G], generations, evaluations or places
    y: ArrayLike  # [G], the mean of the runs, as a rule
    low: ArrayLike | None = None  # [G]
    high: ArrayLike | None = None  # [G]
    median: ArrayLike | None = None  # [G], of the runs; a mean may be carried away by a single bad one
    limit: float | None = None  # drawn as a line across


def style(**more: Any) -> AbstractContextManager[None]:
    """The settings under which pictures are drawn and written; those of the caller come back afterwards."""
    try:
        from matplotlib.style import context
    except ImportError as error:
        raise MissingExtraError("Matplotlib", "report") from error
    return context(["default", SETTINGS | more])


def drawing(draw: Callable[Inputs, Figure]) -> Callable[Inputs, Figure]:
    """Draw under these settings, and put everything in its final place: whatever is written later has this layout."""

    @functools.wraps(draw)
    def drawn(*args: Inputs.args, **more: Inputs.kwargs) -> Figure:
        with style():
            figure = draw(*args, **more)
            figure.draw_without_rendering()
        figure.set_layout_engine("none")
        return figure

    return drawn


def panels(
    count: int, columns: int, width: float, height: float, margins: tuple[float, float] = (0, 0), **more: Any
) -> tuple[Figure, list[Axes]]:
    """A figure with so many panels of this size, in inches, side by side and in rows."""
    from matplotlib.figure import Figure  # without pyplot: no window, no state that outlives the picture

    rows = max(1, math.ceil(count / columns))
    size = width * columns + margins[0], height * rows + margins[1]
    figure = Figure(figsize=size, layout="constrained")
    grid = list(figure.subplots(rows, columns, squeeze=False, **more).ravel())
    for axes in grid[count:]:
        axes.remove()
    return figure, grid[:count]


def titled(figure: Figure, title: str, width: int = 60) -> Figure:
    """The figure under a title of some lines."""
    figure.suptitle(wrapped(title, width), fontsize="medium", parse_math=False)
    return figure


def colour(k: int) -> str:
    """The colour of the line number `k`."""
    return COLOURS[k % len(COLOURS)]


def look(k: int) -> dict[str, Any]:
    """Colour and stroke of the line number `k`."""
    return {"color": colour(k), "linestyle": STROKES[k % len(STROKES)]}


def drawable(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which values have a place in a picture."""
    return np.abs(values) < LARGEST


def number(value: float) -> str:
    """A number in few characters: 0.56, 12, 3e60, ∞."""
    if not np.isfinite(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:.2g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-").replace("-", "−")


def readable(text: str) -> str:
    """A text on one line in which every character can be drawn; what the fonts don't have is a box."""
    text = shown(text)
    return text if text.isascii() else "".join(c if c.isascii() or _in_fonts(c) else "□" for c in text)


@functools.lru_cache(maxsize=1024)
def _in_fonts(character: str) -> bool:
    from matplotlib.font_manager import findfont, get_font

    fonts = (get_font(findfont(name)) for name in ("DejaVu Sans", "DejaVu Sans Mono"))
    return all(font.get_char_index(ord(character)) for font in fonts)


def short(label: str, longest: int = LONGEST_LABEL) -> str:
    """A label made readable, cut where it is long."""
    return cut(readable(label), longest)


def squeezed(label: str, longest: int = LONGEST_LABEL) -> str:
    """A label made readable, cut in the middle where it is long: variants of a method often differ at the end."""
    label, start = readable(label), longest // 2
    return label if len(label) <= longest else f"{label[:start]}…{label[start + 1 - longest :]}"


def wrapped(text: str, width: int, lines: int = 2) -> str:
    """A title made readable, on a few lines of about the same length."""
    folded = textwrap.wrap(readable(text), width, max_lines=lines, placeholder=" …") if text else []
    narrow = width
    while len(folded) > 1 and len(textwrap.wrap(" ".join(folded), narrow - 1)) == len(folded):
        narrow -= 1
    return textwrap.fill(" ".join(folded), narrow)


def note_above(axes: Axes, note: str) -> float:
    """A small note between a panel and its title; how far up the title has to go for it, in points."""
    if not note:
        return 6
    axes.annotate(note, (0, 1), (0, 7), "axes fraction", "offset points", fontsize=8, color=NOTE, parse_math=False)
    return 10 + 10 * (1 + note.count("\n"))


class End(NamedTuple):
    """Where a line leaves its panel, from 0 to 1, and how it is known there."""

    height: float
    text: str
    look: dict[str, Any]


def label_ends(axes: Axes, ends: Sequence[End], step: float = LABEL_STEP, family: str = "monospace") -> None:
    """A key beside the panel, each entry as near to the end of its line as its neighbours allow."""
    ends = sorted(ends, key=lambda end: end.height, reverse=True)[::-1]  # of equals, the first stands highest
    for end, y in zip(ends, spread([end.height for end in ends], step), strict=True):
        outside: dict[str, Any] = {"transform": axes.transAxes, "clip_on": False}
        axes.plot([1.005, 1.045], [end.height, y], color=GREY, linewidth=0.5, **outside)
        axes.plot([1.05, 1.14], [y, y], linewidth=1.5, **end.look, **outside)
        axes.text(1.155, y, end.text, fontsize=8.5, family=family, va="center", parse_math=False, **outside)


def key(axes: Axes) -> None:
    """A key inside a panel, cut where it would not fit."""
    from matplotlib.lines import Line2D

    handles, labels = axes.get_legend_handles_labels()
    if len(labels) > MOST_IN_KEY:
        labels = [*labels[:MOST_IN_KEY], f"and {len(labels) - MOST_IN_KEY} more"]
        handles = [*handles[:MOST_IN_KEY], Line2D([], [], linestyle="none")]
    axes.legend(handles, labels, frameon=False)


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


def ceiling(samples: Sequence[NDArray[np.float64]], fences: Sequence[float]) -> float:
    """The greatest value within its sample's fence, but for samples that as a whole are far above another one."""
    middles = [float(np.median(sample)) if len(sample) else np.nan for sample in samples]
    least = min((middle for middle in middles if middle > 0), default=np.inf)
    tops = [
        float(sample[sample <= fence].max())
        for sample, fence, middle in zip(samples, fences, middles, strict=True)
        if not middle > max(FAR_ABOVE * least, HUGE)
        if (sample <= fence).any()
    ]
    return max(tops)  # the least sample has one


def rows(axes: Axes, labels: Sequence[str]) -> None:
    """A row for each label, the first at the top."""
    axes.set_yticks(range(len(labels)), [squeezed(label, 28) for label in labels], parse_math=False)
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(max(len(labels), 1) - 0.5, -0.5)


def finish(axes: Axes, x: NDArray[np.number], xlabel: str = "generation") -> None:
    """The axis of the generations or evaluations, and a frame open to the top and the right."""
    from matplotlib.ticker import MaxNLocator, StrMethodFormatter

    axes.set_xlabel(short(xlabel, 36), parse_math=False)
    if len(x) and x[0] < x[-1]:
        axes.set_xlim(x[0], x[-1])
        axes.xaxis.set_major_locator(MaxNLocator(nbins=6, integer=True))
    else:
        axes.set_xticks(x[:1])
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    frame(axes)


def frame(axes: Axes) -> None:
    """Open to the top and the right, with a grid that stays behind what is drawn."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)
    axes.grid(alpha=0.25, linewidth=0.6)


def write(figure: Figure, path: Path, dpi: int) -> None:
    """A picture in the format that its ending names; the same figure gives the same bytes."""
    undated: Any = FORMATS[path.suffix.lower()]
    content = io.BytesIO()  # not into the file: Matplotlib's PDF writer breaks in its own way where a disk is full
    with style():
        figure.savefig(content, format=path.suffix[1:].lower(), dpi=dpi, metadata=undated)
    write_whole(path, content.getvalue())
