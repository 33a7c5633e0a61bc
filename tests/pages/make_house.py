"""docs/house.md and its picture from the docstrings and imports themselves: `python tests/pages/make_house.py`.

The prose is in house.md beside this file; {rooms} becomes the list of rooms and files. In the picture,
rooms stand in the rows of their layers, and a line says that a room imports one above it. What follows from other lines
is left out, and so are lines to the single files at the top, which are for all; lines to the same room share their way.
"""

from __future__ import annotations

import ast
import functools
import runpy
import textwrap
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple
from xml.sax.saxutils import escape

ROOT = Path(__file__).parents[2]
SOURCE = Path(__file__).with_name("house.md")
PAGE = ROOT / "docs" / "house.md"
PICTURE = ROOT / "docs" / "images" / "house.svg"
HOUSE = runpy.run_path(str(ROOT / "tests" / "test_architecture.py"))
LAYER: dict[str, int] = {room: number for room, number in HOUSE["LAYER"].items() if room != "__main__"}
path_of: Callable[[str], Path] = HOUSE["path_of"]

# Boxes bring their own light ground, and greys between black and white are seen on both: as in grammar/drawing.py.
INK, GREY, FOLDER, FILE = "#1a1a1a", "#767676", "#dbe9f6", "#fff3d6"
BOX, ROW, MARGIN, GAP = 50, 80, 16, 24  # heights of boxes and rows, space around all, space between neighbours
LETTERS = 32  # on a line of a box
LETTER = 6.2  # width of one, a little more than sans-serif fonts have at this size
LANE = 14  # width of a line's way between boxes
SWEEPS = 200  # in which order and places settle


class Place(NamedTuple):
    """A room, or where the lines to a room pass a row that it is not in."""

    room: str
    row: int


def summary(module: str) -> str:
    """What the docstring of a module says first."""
    text = ast.get_docstring(ast.parse(path_of(module).read_text(encoding="utf-8"))) or ""
    return " ".join(text.partition("\n\n")[0].split())


def uses() -> dict[str, set[str]]:
    """The rooms that each room imports from."""
    known = set(HOUSE["modules"]())
    found: dict[str, set[str]] = {room: set() for room in LAYER}
    for module in known - {"__main__"}:
        room = module.partition(".")[0]
        imported = HOUSE["imports"](path_of(module).read_text(encoding="utf-8"), known)
        found[room] |= {name.partition(".")[0] for name in imported} - {room}
    return found


def reduced(graph: dict[str, set[str]]) -> dict[str, set[str]]:
    """The same without what follows from the rest."""
    reached: dict[str, set[str]] = {}
    for room in sorted(graph, key=LAYER.__getitem__):
        reached[room] = graph[room].union(*(reached[other] for other in graph[room]))
    return {room: used - set().union(*(reached[other] for other in used)) for room, used in graph.items()}


def is_folder(module: str) -> bool:
    return path_of(module).name == "__init__.py"


class Lines:
    """The lines of the picture, from row to row: `links` joins neighbouring rows, upper place first."""

    def __init__(self, graph: dict[str, set[str]]) -> None:
        self.links: list[tuple[Place, Place]] = []
        self.rows: list[list[Place]] = [[] for _ in range(1 + max(LAYER.values()))]
        for room, row in LAYER.items():
            self.rows[row].append(Place(room, row))
        users: dict[str, list[str]] = defaultdict(list)
        for room, used in graph.items():
            for other in sorted(filter(is_folder, used)):
                users[other].append(room)
        for room, row in LAYER.items():
            self._join(room, row, users[room])
        self.near: dict[Place, list[Place]] = defaultdict(list)
        for upper, lower in self.links:
            self.near[upper].append(lower)
            self.near[lower].append(upper)

    def _join(self, room: str, row: int, users: Sequence[str]) -> None:
        last = max((LAYER[user] for user in users), default=row)
        for passed in range(row + 1, last):
            self.rows[passed].append(Place(room, passed))
            self.links.append((Place(room, passed - 1), Place(room, passed)))
        self.links += [(Place(room, LAYER[user] - 1), Place(user, LAYER[user])) for user in users]


def drawn(place: Place) -> bool:
    """Whether a room itself is there."""
    return LAYER[place.room] == place.row


@functools.cache
def lines_of(room: str) -> list[str]:
    """What a room is, in two lines at most: as much of the first sentence of its docstring as there is room for."""
    text = summary(room).replace("`", "").partition(". ")[0].partition(";")[0].rstrip(".")
    before = text.partition(":")[0]
    parts = [text, *([before] if before.count(" ") > 1 else [])]
    parts += [text.rsplit(",", count)[0] for count in range(1, text.count(",") + 1)]
    lines = next(lines for part in parts if len(lines := textwrap.wrap(part, LETTERS)) <= 2)
    narrower = (textwrap.wrap(" ".join(lines), letters) for letters in range(10, LETTERS + 1))
    return next(found for found in narrower if len(found) == len(lines))


def width(place: Place) -> float:
    if not drawn(place):
        return LANE
    return max(len(place.room) * 8.5, *(len(line) * LETTER for line in lines_of(place.room))) + 20


def settled(lines: Lines) -> dict[Place, float]:
    """Where the middle of each place is: as near to its neighbours as the order of its row allows."""
    x = {place: 0.0 for row in lines.rows for place in row}
    for row in lines.rows:
        spread(row, dict.fromkeys(row, 0.0), x)
    for sweep in range(SWEEPS):
        for row in lines.rows if sweep % 2 == 0 else reversed(lines.rows):
            wanted = {place: pull(place, lines, x) for place in row}
            if sweep < SWEEPS // 2:
                row.sort(key=wanted.__getitem__)
            spread(row, wanted, x)
    least = min(x[place] - width(place) / 2 for place in x)
    return {place: x[place] - least + MARGIN for place in x}


def pull(place: Place, lines: Lines, x: dict[Place, float]) -> float:
    """The mean of its neighbours; ways of lines are pulled straight, rooms a little to the middle of the house."""
    near = [(x[other], 1 if drawn(place) or drawn(other) else 8) for other in lines.near[place]]
    near += [(0.0, 1)] * drawn(place)
    return sum(at * weight for at, weight in near) / sum(weight for _, weight in near)


def spread(row: Sequence[Place], wanted: dict[Place, float], x: dict[Place, float]) -> None:
    """Set a row in its order, nothing over anything, with least squares to what is wanted (isotonic regression)."""
    starts, at = [], 0.0
    for k, place in enumerate(row):
        at += 0 if k == 0 else (width(row[k - 1]) + width(place)) / 2 + GAP
        starts.append(at)
    blocks: list[tuple[float, int]] = []
    for place, start in zip(row, starts, strict=True):
        mean, count = wanted[place] - start, 1
        while blocks and blocks[-1][0] > mean:
            other, more = blocks.pop()
            mean, count = (mean * count + other * more) / (count + more), count + more
        blocks.append((mean, count))
    offsets = [mean for mean, count in blocks for _ in range(count)]
    x.update({place: start + offset for place, start, offset in zip(row, starts, offsets, strict=True)})


def page() -> str:
    """The whole page."""
    return SOURCE.read_text(encoding="utf-8").replace("{rooms}", "\n\n".join(map(section, LAYER)))


def section(room: str) -> str:
    """A room with its files."""
    title = link(room)
    inside = [name for name in HOUSE["modules"]() if name.startswith(f"{room}.")]
    files = [f"- [`{link(name).removeprefix(title)}`](../src/gramarye/{link(name)}): {prose(name)}" for name in inside]
    return "\n\n".join(filter(None, [f"## [{title}](../src/gramarye/{title})", prose(room), "\n".join(files)]))


def link(module: str) -> str:
    """Where a module is, inside the package; of a folder, the folder."""
    path = module.replace(".", "/")
    return f"{path}/" if is_folder(module) else f"{path}.py"


def prose(module: str) -> str:
    """The first sentences of a file, where <expr> stays what it is."""
    return summary(module).replace("<", r"\<")


def picture() -> str:
    """The house as SVG."""
    lines = Lines(reduced(uses()))
    x = settled(lines)
    wide = max(x[place] + width(place) / 2 for place in x) + MARGIN
    high = MARGIN * 2 + ROW * (len(lines.rows) - 1) + BOX
    paths = "".join(path(upper, lower, x) for upper, lower in lines.links)
    paths += "".join(f"M{x[p]:.1f} {top(p)}V{top(p) + BOX}" for p in x if not drawn(p))
    used = sorted({upper for upper, _ in lines.links if drawn(upper)})
    tips = "".join(f"M{x[p]:.1f} {top(p) + BOX}l-4 8h8z" for p in used)
    band = f'width="{wide:.0f}" height="{BOX + 16}" fill="{GREY}" fill-opacity="0.09"'
    body = [
        *(f'<rect y="{MARGIN + ROW * k - 8}" {band}/>' for k in range(len(lines.rows))),
        f'<path d="{paths}" fill="none" stroke="{GREY}" stroke-width="1.5"/>',
        f'<path d="{tips}" fill="{GREY}"/>',
        *(box(place, x[place]) for place in x if drawn(place)),
    ]
    size = f'width="{wide:.0f}" height="{high}" viewBox="0 0 {wide:.0f} {high}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size} text-anchor="middle">'
    return "\n".join([head, "<title>The rooms of gramarye and what they import</title>", *body, "</svg>\n"])


def top(place: Place) -> int:
    return MARGIN + ROW * place.row


def path(upper: Place, lower: Place, x: dict[Place, float]) -> str:
    begin, end = top(upper) + BOX + (8 if drawn(upper) else 0), top(lower)
    middle = (begin + end) / 2
    return f"M{x[upper]:.1f} {begin}C{x[upper]:.1f} {middle:g} {x[lower]:.1f} {middle:g} {x[lower]:.1f} {end}"


def box(place: Place, x: float) -> str:
    """A room: its name and what it is."""
    y, half = top(place), width(place) / 2
    fill, name = (FOLDER, f"{place.room}/") if is_folder(place.room) else (FILE, place.room)
    told = lines_of(place.room)
    first = y + 18 + (3 if len(told) == 1 else 0)
    texts = [f'<text x="{x:.1f}" y="{first}" font-family="monospace" font-size="14" font-weight="bold">{name}</text>']
    texts += [
        f'<text x="{x:.1f}" y="{first + 13 * (k + 1)}" font-family="sans-serif" font-size="11">{escape(line)}</text>'
        for k, line in enumerate(told)
    ]
    size = f'x="{x - half:.1f}" y="{y}" width="{2 * half:.1f}" height="{BOX}"'
    frame = f'<rect {size} rx="5" fill="{fill}" stroke="{GREY}"/>'
    return "\n".join([frame, f'<g fill="{INK}">', *texts, "</g>"])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
    PICTURE.write_text(picture(), encoding="utf-8", newline="\n")
