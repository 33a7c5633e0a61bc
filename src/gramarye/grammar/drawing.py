"""Derivation trees and grammars drawn as text and as self-contained SVG."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

from gramarye.errors import MissingExtraError
from gramarye.text import counted, shown

if TYPE_CHECKING:
    from types import ModuleType

    from gramarye.grammar.rules import Rule

FONT_SIZE = 14
CHARACTER = 8.5  # width of a character, a little more than 0.6 em: what monospaced fonts agree on
MARGIN = 12
BOX = 24  # height of a node
LEVEL = 54  # from one level of a tree to the next
GAP = 10  # between neighbours
MOST_PRODUCTIONS = 60  # of a rule in a railroad diagram: GE_RANGE may write a million

# Boxes bring their own light ground, and what stands outside them is a grey in the middle between black and white: a
# notebook's theme is not known here, and this is readable on both.
INK, GREY = "#1a1a1a", "#767676"
NONTERMINAL, TERMINAL = "#dbe9f6", "#fff3d6"

_RAILROAD_STYLE = f"""<style>
.gramarye .railroad path {{ fill: none; stroke: {GREY}; stroke-width: 2 }}
.gramarye .railroad rect {{ stroke: {GREY}; stroke-width: 1.5 }}
.gramarye .terminal rect {{ fill: {TERMINAL} }}
.gramarye .terminal text {{ fill: {INK}; font-weight: bold }}
.gramarye .non-terminal rect {{ fill: {NONTERMINAL} }}
.gramarye .non-terminal text {{ fill: {INK} }}
.gramarye .non-terminal .comment {{ fill: {GREY}; font-size: 12px }}
.gramarye .heading {{ fill: {GREY}; font-weight: bold; text-anchor: start }}
</style>
"""


@dataclass(slots=True)
class Node:
    """A node of a derivation tree. White space belongs to the phenotype, but is not drawn."""

    text: str
    nonterminal: bool = False
    space: bool = False
    children: list[Node] = field(default_factory=list)


def tree_text(node: Node) -> str:
    """The tree with one node per line, drawn with box characters."""
    lines = []
    stack = [(node, "", "")]  # with what stands before the node itself, and before its children
    while stack:
        node, own, below = stack.pop()
        lines.append(own + shown(node.text))
        last = True  # the last child is pushed first
        for child in reversed(_visible(node)):
            stack.append((child, below + ("└─ " if last else "├─ "), below + ("   " if last else "│  ")))
            last = False
    return "\n".join(lines)


def _visible(node: Node) -> list[Node]:
    return [child for child in node.children if not child.space]


@dataclass(slots=True)
class _Box:
    """A node with its place. `left` and `right` are how far its whole subtree reaches from its own centre."""

    node: Node
    level: int
    width: float
    children: list[_Box] = field(default_factory=list)
    left: float = 0.0
    right: float = 0.0
    x: float = 0.0  # centre, first relative to the parent's

    @property
    def y(self) -> float:
        return MARGIN + BOX / 2 + self.level * LEVEL


def tree_svg(node: Node) -> str:
    """The tree as an SVG picture: non-terminals upright in square boxes, terminals bold in round ones."""
    boxes = _boxes(node)
    _place(boxes)
    width = boxes[0].left + boxes[0].right + 2 * MARGIN
    height = max(box.y for box in boxes) + BOX / 2 + MARGIN
    edges = "".join(_edge(parent, child) for parent in boxes for child in parent.children)
    body = [f'<path d="{edges}" fill="none" stroke="{GREY}" stroke-width="1.5"/>'] if edges else []
    for kind in (True, False):
        members = [box for box in boxes if box.node.nonterminal is kind]
        fill, weight = (NONTERMINAL, "normal") if kind else (TERMINAL, "bold")
        body += [f'<g fill="{fill}" stroke="{GREY}" stroke-width="1.5">', *map(_rectangle, members), "</g>"]
        body += [f'<g fill="{INK}" font-weight="{weight}">', *map(_label, members), "</g>"]
    return _svg(width, height, f"Derivation tree of {counted(len(boxes), 'node')}", body)


def _boxes(root: Node) -> list[_Box]:
    """Every node that is drawn, parents before their children, children from left to right."""
    boxes: list[_Box] = []
    first = _Box(root, 0, _width(shown(root.text)))
    stack = [first]
    while stack:
        box = stack.pop()
        boxes.append(box)
        box.children = [_Box(child, box.level + 1, _width(shown(child.text))) for child in _visible(box.node)]
        stack.extend(reversed(box.children))
    return boxes


def _place(boxes: list[_Box]) -> None:
    """Set subtrees side by side, and each parent over the middle of its outermost children."""
    for box in reversed(boxes):  # children before their parents
        position = 0.0
        for child in box.children:
            child.x = position + child.left
            position = child.x + child.right + GAP
        centre = (box.children[0].x + box.children[-1].x) / 2 if box.children else 0.0
        for child in box.children:
            child.x -= centre
        box.left = max([box.width / 2, *(child.left - child.x for child in box.children[:1])])
        box.right = max([box.width / 2, *(child.x + child.right for child in box.children[-1:])])
    boxes[0].x = MARGIN + boxes[0].left
    for box in boxes:
        for child in box.children:
            child.x += box.x


def _width(text: str) -> float:
    wide = sum(unicodedata.east_asian_width(character) in "WF" for character in text)
    return max(BOX, (len(text) + wide) * CHARACTER + 12)


def _edge(parent: _Box, child: _Box) -> str:
    return f"M{parent.x:.1f} {parent.y + BOX / 2:.1f}L{child.x:.1f} {child.y - BOX / 2:.1f}"


def _rectangle(box: _Box) -> str:
    waiting = box.node.nonterminal and not box.node.children  # what an unfinished derivation has left
    extra = ' stroke-dasharray="4 3"' if waiting else "" if box.node.nonterminal else f' rx="{BOX / 2:g}"'
    x, y = box.x - box.width / 2, box.y - BOX / 2
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{box.width:.1f}" height="{BOX}"{extra}/>'


def _label(box: _Box) -> str:
    return f'<text x="{box.x:.1f}" y="{box.y + 5:.1f}">{escape(shown(box.node.text), quote=False)}</text>'


def _svg(width: float, height: float, title: str, body: Iterable[str]) -> str:
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    font = f'font-family="monospace" font-size="{FONT_SIZE}" text-anchor="middle" xml:space="preserve"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" role="img" {size} {font}>'
    return "\n".join([head, f"<title>{escape(title, quote=False)}</title>", *body, "</svg>\n"])


def railroad_svg(rules: Iterable[Rule]) -> str:
    """The rules as railroad diagrams, one below the other, each with its name as heading."""
    try:
        import railroad
    except ImportError as error:
        raise MissingExtraError("railroad-diagrams", "notebook") from error
    body = [_RAILROAD_STYLE]
    width, y = 0.0, float(MARGIN)
    for rule in rules:
        name = shown(rule.name)
        body.append(f'<text class="heading" x="{MARGIN}" y="{y + FONT_SIZE:.1f}">{escape(name, quote=False)}</text>\n')
        y += FONT_SIZE
        diagram = railroad.Diagram(railroad.Choice(0, *_tracks(railroad, rule)), type="complex").format(MARGIN)
        diagram.attrs.update({"class": "railroad", "y": y})
        diagram.writeSvg(body.append)
        width = max(width, float(diagram.attrs["width"]), 2 * MARGIN + _width(name))
        y += float(diagram.attrs["height"]) + MARGIN
    drawn = "".join(body).replace("]]>", "]]&gt;")  # XML forbids it in text, and the library leaves every > as it is
    return _svg(width, y, "Railroad diagrams of the grammar", ['<g class="gramarye">', drawn, "</g>"])


def _tracks(railroad: ModuleType, rule: Rule) -> Iterator[Any]:
    """The productions of a rule, each as a track of the diagram, with its probability if it carries one."""
    for production in rule.productions[:MOST_PRODUCTIONS]:
        stops = [
            (railroad.NonTerminal if symbol.kind == "nonterminal" else railroad.Terminal)(shown(symbol.text))
            for symbol in production.symbols
            if symbol.kind != "space"
        ]
        if production.probability is not None:
            stops.append(railroad.Comment(f"{production.probability:.3g}"))
        yield railroad.Sequence(*stops) if stops else railroad.Skip()
    more = len(rule.productions) - MOST_PRODUCTIONS
    if more > 0:
        yield railroad.Comment(f"… and {more} more")
