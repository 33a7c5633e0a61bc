"""A report as one HTML file that needs nothing else: no other file, no network, and no script in order to be read."""

from __future__ import annotations

import base64
import functools
import hashlib
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from importlib import resources
from typing import TypeAlias, assert_never

from gramarye.errors import SettingsError
from gramarye.show.tables.table import Table, check_name, table_html
from gramarye.show.tables.values import Cell, format_cell, one_line

# A drawing as part of a page: what may stand once in a file may not stand twice in a document.
ASIDE = re.compile(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>", re.DOTALL)
TAG = re.compile(r"<[^>]*>")  # Matplotlib escapes a > wherever it stands in a text or an attribute
OWN_NAME = re.compile(r"""(\bid=["']|\bhref=["']\#|url\(["']?\#)""")
STYLE = re.compile(r"(<style[^>]*>)(.*?)(</style>)", re.DOTALL)
SIZE = re.compile(r"""\s(width|height)=["']([^"']*)["']""")
VERDICTS = {"agrees": ("✓", "Agrees"), "differs": ("≠", "Differs"), "unknown": ("?", "Undecided")}
ICON = (  # a small tree; a page without an icon makes browsers ask for one
    "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Cg fill='none' "
    "stroke='%230072B2' stroke-width='1.6'%3E%3Cpath d='M8 4 4 12M8 4l4 8'/%3E%3C/g%3E%3Cg fill='%230072B2'%3E"
    "%3Ccircle cx='8' cy='3.5' r='2.5'/%3E%3Ccircle cx='4' cy='12.5' r='2.5'/%3E%3Ccircle cx='12' cy='12.5' r='2.5'/%3E"
    "%3C/g%3E%3C/svg%3E"
)


@dataclass(frozen=True)
class Figure:
    """A drawing, given as the text of an SVG file."""

    name: str  # of its files
    caption: str
    svg: str


@dataclass(frozen=True)
class Verdict:
    """One sentence on whether a result is what was expected: it "agrees", "differs", or is "unknown"."""

    text: str
    kind: str

    def __post_init__(self) -> None:
        if self.kind not in VERDICTS:
            raise SettingsError(f"a verdict can't be {self.kind!r}; it is one of {', '.join(VERDICTS)}")


@dataclass(frozen=True)
class Facts:
    """Names and their values: settings, versions, the machine."""

    values: Mapping[str, Cell]
    title: str = ""


@dataclass(frozen=True)
class Code:
    """A text with lines of its own: a grammar, a phenotype."""

    text: str
    title: str = ""


@dataclass(frozen=True)
class Details:
    """Parts that are too long for most readers, closed until they are asked for."""

    summary: str
    parts: Sequence[Part]


@dataclass(frozen=True)
class Section:
    """A heading with parts below it; a section inside a section is a smaller one."""

    heading: str
    anchor: str  # its address within the page
    parts: Sequence[Part]


Part: TypeAlias = str | Table | Figure | Verdict | Facts | Code | Details | Section  # a text is a paragraph


def render(title: str, lead: Sequence[str], sections: Sequence[Section], footer: Sequence[str] = ()) -> str:
    """The text of an HTML file; `lead` and `footer` are paragraphs above and below all sections."""
    page = _Page()
    body = "\n".join(page.part(section) for section in sections)
    style, script = _resource("page.css"), _resource("page.js")
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_policy(script)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{_escaped(title)}</title>
<link rel="icon" href="{ICON}">
<style>
{style}</style>
</head>
<body>
<header>
<h1>{_escaped(title)}</h1>
{_paragraphs(lead)}
</header>
<nav aria-label="Contents">
<h2>Contents</h2>
{_contents(sections)}
</nav>
<main>
{body}
</main>
<footer>
{_paragraphs(footer)}
</footer>
<script>{script}</script>
</body>
</html>
"""


@dataclass
class _Page:
    """What is counted while a page is written: figures, tables, and names that may stand only once."""

    counts: Counter[str] = field(default_factory=Counter)
    names: set[str] = field(default_factory=set)

    def part(self, part: Part, level: int = 2) -> str:
        match part:
            case str():
                return _paragraphs([part])
            case Table():
                self._take(part.name, "table")
                return table_html(part, self._number("Table"))
            case Figure():
                return self._figure(part)
            case Verdict():
                sign, word = VERDICTS[part.kind]
                mark = f'<span class="sign" aria-hidden="true">{sign}</span> <b>{word}.</b>'
                return f'<p class="verdict {part.kind}">{mark} {_escaped(part.text)}</p>'
            case Facts():
                return _facts(part)
            case Code():
                lines = "\n".join(map(one_line, part.text.expandtabs(4).splitlines()))
                return f'{_title(part.title)}<pre tabindex="0"><code>{escape(lines)}</code></pre>'
            case Details():
                inside = self._parts(part.parts, level)
                return f"<details>\n<summary>{_escaped(part.summary)}</summary>\n{inside}\n</details>"
            case Section():
                self._take(part.anchor, "section")
                heading = f"<h{level}>{_escaped(part.heading)}</h{level}>"
                return f'<section id="{part.anchor}">\n{heading}\n{self._parts(part.parts, level + 1)}\n</section>'
        assert_never(part)

    def _parts(self, parts: Sequence[Part], level: int) -> str:
        return "\n".join(self.part(part, level) for part in parts)

    def _figure(self, figure: Figure) -> str:
        self._take(figure.name, "figure")
        drawing = _inline_svg(figure.svg, f"drawing-{figure.name}", figure.caption)
        caption = f"<span><b>{self._number('Figure')}</b> {_escaped(figure.caption)}</span>"
        return f"""<figure class="figure" id="figure-{figure.name}">
<div class="card">{drawing}</div>
<figcaption>{caption}</figcaption>
</figure>"""

    def _number(self, kind: str) -> str:
        self.counts[kind] += 1
        return f"{kind} {self.counts[kind]}."

    def _take(self, name: str, kind: str) -> None:
        check_name(name, f"a {kind}")
        anchor = name if kind == "section" else f"{kind}-{name}"
        if anchor in self.names:
            raise SettingsError(f"two parts of a page have the address {anchor}; rename one {kind}")
        self.names.add(anchor)


def _inline_svg(svg: str, prefix: str, label: str) -> str:
    """An SVG file as an element of a page: names and styles of its own, as wide as there is room."""
    text = ASIDE.sub("", svg).strip()
    if not (text.startswith("<svg") and text.endswith("</svg>")):
        raise SettingsError(f"figure {prefix}: its SVG starts with {text[:20]!r}; give the text of an SVG file")
    text = TAG.sub(lambda tag: OWN_NAME.sub(rf"\g<1>{prefix}-", tag[0]), text)
    text = STYLE.sub(rf"\1#{prefix} {{\2}}\3", text)  # a rule for * would hold for the whole page
    root, rest = text[: text.index(">")], text[text.index(">") :]
    sizes = dict(SIZE.findall(root))
    if "viewBox" not in root:
        raise SettingsError(f"figure {prefix}: its SVG has no viewBox and can't follow the width of a page; add one")
    limit = f' style="max-width: {sizes["width"]}"' if "width" in sizes else ""  # letters never larger than drawn
    return f'{SIZE.sub("", root)} id="{prefix}" role="img" aria-label="{escape(label)}"{limit}{rest}'


def _contents(sections: Sequence[Section]) -> str:
    """Links to the sections, and to the sections in them."""
    items = []
    for section in sections:
        inner = [part for part in section.parts if isinstance(part, Section)]
        below = f"\n{_contents(inner)}" if inner else ""
        items.append(f'<li><a href="#{section.anchor}">{_escaped(section.heading)}</a>{below}</li>')
    return "<ul>\n" + "\n".join(items) + "\n</ul>"


def _facts(facts: Facts) -> str:
    pairs = [f"<dt>{_escaped(name)}</dt><dd>{escape(format_cell(value))}</dd>" for name, value in facts.values.items()]
    return f"{_title(facts.title)}<dl>\n" + "\n".join(pairs) + "\n</dl>"


def _title(title: str) -> str:
    return f'<p class="title">{_escaped(title)}</p>\n' if title else ""


def _paragraphs(texts: Sequence[str]) -> str:
    texts = [texts] if isinstance(texts, str) else texts
    return "\n".join(f"<p>{_escaped(' '.join(text.splitlines()))}</p>" for text in texts)


def _escaped(text: str) -> str:
    return escape(one_line(text))


def _policy(script: str) -> str:
    """Nothing is fetched, and no script runs but our own: were a text not escaped, it would still do nothing."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = f"style-src 'unsafe-inline'; script-src 'sha256-{digest}'; img-src data:"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


@functools.cache
def _resource(name: str) -> str:
    return resources.files("gramarye.show.html").joinpath(name).read_text(encoding="utf-8")
