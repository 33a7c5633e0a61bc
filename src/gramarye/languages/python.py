"""Python programs: from phenotypes with `{: :}` for blocks to correctly indented text."""

from __future__ import annotations

import re

_INDENT = "    "
_SIGN = re.compile(r"(\{:|:\}|\r\n|\n|\r)")


def python_text(phenotype: str) -> str:
    """The text of a program, one statement a line, in which `{:` and `:}` begin and end a block.

    A line break begins a line of the same block, and blanks after it count as the program's own indentation. Blank
    lines are left out. A text without blocks keeps the indentation that it has.
    """
    lines = []
    level = 0
    fresh = True  # whether blanks here only surround a sign
    for piece in _SIGN.split(phenotype):
        if piece in ("{:", ":}"):
            level = max(0, level + (1 if piece == "{:" else -1))
            fresh = True
        elif piece in ("\r\n", "\n", "\r"):
            fresh = False
        elif piece.strip():
            lines.append(_INDENT * level + (piece.strip() if fresh else piece.rstrip()))
    return "".join(f"{line}\n" for line in lines)
