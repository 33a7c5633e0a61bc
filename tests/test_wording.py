"""Messages, help texts and pages are written as numpy or scikit-learn would write them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ODD = re.compile(
    r"(?<![Tt]here )\b(?:is|are) no (?!longer\b)[a-zA-Z]+"
    r"|\bfrom \d+ on\b|\bgo(?:es|ing)? on\b|\bwhere none (?:is|was)\b"
)
QUOTED = {"paper.py"}  # holds sentences of the paper


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Every text in a source that is not a docstring, with its line."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    heads = [
        node.body[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body
    ]
    documented = {id(head.value) for head in heads if isinstance(head, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documented:
            yield node.lineno, node.value


@pytest.mark.parametrize("path", sorted((ROOT / "src").rglob("*.py")), ids=lambda path: path.stem)
def test_messages_are_plain_english(path: Path) -> None:
    odd = [f"line {line}: {found[0]!r}" for line, text in texts(path) if (found := ODD.search(text))]
    assert not odd or path.name in QUOTED, f"{path.relative_to(ROOT)}: {'; '.join(odd)}"


def test_the_readme_is_plain_english() -> None:
    assert not ODD.search((ROOT / "README.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "text", ["'a' is no number", "an integer from 1 on", "the run goes on", "a new one where none is given"]
)
def test_odd_words_are_found(text: str) -> None:
    assert ODD.search(text)
    assert not ODD.search("there is no such file; it is no longer used; from 1 to 3")
