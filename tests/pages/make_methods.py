"""docs/methods.md, made by the program itself: `python tests/pages/make_methods.py` writes it anew.

The prose and the code are in methods.md beside this file; {methods} becomes the table of all methods, {GE} the title
and the paper of one, and below each block of code comes what it prints.
"""

from __future__ import annotations

import contextlib
import io
import re
import sys
import textwrap
from pathlib import Path

from gramarye.methods import METHODS, MethodBase

ROOT = Path(__file__).parents[2]
SOURCE = Path(__file__).with_name("methods.md")
PAGE = ROOT / "docs" / "methods.md"
BLOCK = re.compile(r"^```python\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


def page() -> str:
    """The whole page."""
    text = SOURCE.read_text(encoding="utf-8").replace("{methods}", table())
    for method in METHODS.values():
        text = text.replace(f"{{{method.__name__}}}", about(method))
    namespace: dict[str, object] = {}
    return BLOCK.sub(lambda block: block[0] + printed(block[1], namespace), text)


def table() -> str:
    """All methods, a line for each."""
    heads = "| method | idea | genotype | what is learned | paper | file |\n|---|---|---|---|---|---|"
    return "\n".join([heads, *map(_row, METHODS.values())])


def _row(method: type[MethodBase]) -> str:
    name, file = method.__name__, f"{method.__module__.replace('.', '/')}.py"
    idea = (method.__doc__ or "").splitlines()[0].partition(": ")[2].rstrip(".")
    cells = [f"[{name}](#{name.lower()})", idea, method.genotype, method.learns, method.paper]
    return f"| {' | '.join(cells)} | [{Path(file).name}](../src/{file}) |"


def about(method: type[MethodBase]) -> str:
    """The title of a method and its paper, as its file names it."""
    paper = (sys.modules[method.__module__].__doc__ or "").partition("\n\n")[2].strip()
    title = method.title[0].upper() + method.title[1:]
    return textwrap.fill(f"{title}. {paper}", 120, break_long_words=False, break_on_hyphens=False)


def printed(code: str, namespace: dict[str, object]) -> str:
    """What a block of code prints, as a block of text; nothing where it prints nothing."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(code, namespace)
    lines = "".join(f"{line.rstrip()}\n" for line in output.getvalue().splitlines())
    return f"\n```text\n{lines}```\n" if lines else ""


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
