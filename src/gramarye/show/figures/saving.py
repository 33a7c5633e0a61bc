"""Figures as files, and as a piece of a page."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import TYPE_CHECKING

from gramarye.files import check_output
from gramarye.show.figures.theme import FORMATS, style, write

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENDINGS = (".pdf", ".svg", ".png")
TAG = re.compile(r"<[^>]*>")  # what stands between tags is the user's text, and stays as it is


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write NAME.pdf, NAME.svg and NAME.png; the same data gives the same bytes."""
    paths = [folder / f"{name}{ending}" for ending in ENDINGS]
    for path in paths:
        check_output(path)
    for path in paths:
        write(figure, path, dpi=200)
    return paths


def svg_text(figure: Figure) -> str:
    """The figure as the text of an SVG file for a page, without a size: as wide as its place allows.

    Its text stays text: it can be searched, read aloud, and takes half the room. That needs no font of ours, because
    DejaVu Sans, with which all places were measured, is wider than what a reader without it sees in its stead. In the
    files of `save` letters are shapes, so that they look the same in every program that opens them.
    """
    file = io.StringIO()
    with style(**{"svg.fonttype": "none"}):
        figure.savefig(file, format="svg", metadata=FORMATS[".svg"])
    text = re.sub(r' (width|height)="[^"]*"', "", file.getvalue(), count=2)  # those of the root come first
    # Matplotlib's style sheet speaks of all elements; on a page that would be those of others, too.
    text = re.sub(r"\s*<defs>\s*<style[^>]*>[^<]*</style>\s*</defs>", "", text, count=1)
    text = text.replace("<svg ", '<svg stroke-linejoin="round" stroke-linecap="butt" ', 1)
    used = {name for tag in TAG.findall(text) for name in re.findall(r'(?:url\(#|href="#)([^")]+)', tag)}

    def shortened(match: re.Match[str]) -> str:
        """A tag without a name that nothing refers to, and with hundredths in its path."""
        tag = re.sub(r' id="([^"]*)"', lambda name: name[0] if name[1] in used else "", match[0])
        return re.sub(r' d="[^"]*"', lambda path: re.sub(r"(\.\d\d)\d+", r"\1", path[0]), tag)

    return TAG.sub(shortened, text)
