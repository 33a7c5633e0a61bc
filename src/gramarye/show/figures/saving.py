"""Figures as files, and as a piece of a page."""

from __future__ import annotations

import hashlib
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING

from gramarye.files import check_output
from gramarye.show.figures.theme import style, write

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENDINGS = (".pdf", ".svg", ".png")
TAG = re.compile(r"<[^>]*>")  # what stands between tags is the user's text, and stays as it is
NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write NAME.pdf, NAME.svg and NAME.png; the same data gives the same bytes."""
    paths = [folder / f"{name}{ending}" for ending in ENDINGS]
    for path in paths:
        check_output(path)
    for path in paths:
        write(figure, path, dpi=200)
    return paths


def svg_text(figure: Figure) -> str:
    """The figure as an `<svg>` element for a page, as wide as its place allows.

    Its text stays text: it can be searched, read aloud, and takes half the room. That needs no font of ours, because
    DejaVu Sans, with which all places were measured, is wider than what a reader without it sees in its stead. In the
    files of `save` letters are shapes, so that they look the same in every program that opens them.
    """
    file = io.StringIO()
    with style(**{"svg.fonttype": "none"}):
        figure.savefig(file, format="svg", metadata=NO_METADATA)
    text = file.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r'(<svg[^>]*?) width="[^"]*"', r'\1 width="100%"', text, count=1)
    text = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1)
    return _own_names(_own_style(text))


def _own_style(text: str) -> str:
    """Matplotlib's style sheet speaks of all elements; on a page that would be those of others, too."""
    text = re.sub(r"\s*<defs>\s*<style[^>]*>[^<]*</style>\s*</defs>", "", text, count=1)
    return text.replace("<svg", '<svg stroke-linejoin="round" stroke-linecap="butt"', 1)


def _own_names(text: str) -> str:
    """Names that no other figure on the page has, without those that nothing refers to; and shorter paths."""
    prefix = f"f{hashlib.sha256(text.encode()).hexdigest()[:8]}-"
    used = {name for tag in TAG.findall(text) for name in re.findall(r'(?:url\(#|href="#)([^")]+)', tag)}

    def own(match: re.Match[str]) -> str:
        tag = re.sub(r' id="([^"]*)"', lambda name: f' id="{prefix}{name[1]}"' if name[1] in used else "", match[0])
        tag = re.sub(r' d="[^"]*"', lambda path: re.sub(r"(\.\d\d)\d+", r"\1", path[0]), tag)  # hundredths will do
        return re.sub(r'(url\(#|href="#)', lambda start: start[1] + prefix, tag)

    return TAG.sub(own, text)
