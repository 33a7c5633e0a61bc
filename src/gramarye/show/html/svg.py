"""A drawing as part of a page: what may stand once in a file may not stand twice in a document."""

from __future__ import annotations

import re
from html import escape

from gramarye.errors import SettingsError

ASIDE = re.compile(r"<\?xml.*?\?>|<!DOCTYPE.*?>|<!--.*?-->|<metadata>.*?</metadata>", re.DOTALL)
TAG = re.compile(r"<[^>]*>")  # Matplotlib escapes a > wherever it stands in a text or an attribute
OWN_NAME = re.compile(r"""(\bid=["']|\bhref=["']\#|url\(["']?\#)""")
STYLE = re.compile(r"(<style[^>]*>)(.*?)(</style>)", re.DOTALL)
SIZE = re.compile(r"""\s(width|height)=["']([^"']*)["']""")


def inline_svg(svg: str, prefix: str, label: str) -> str:
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
