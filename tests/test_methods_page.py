"""docs/methods.md is what the program makes of it now, and its examples end as they should."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from gramarye.methods import METHODS, MethodBase
from gramarye.settings import describe

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
MAKER = runpy.run_path(str(ROOT / "tests" / "pages" / "make_methods.py"))


def section(name: str) -> str:
    """What the page says about a method."""
    return PAGE.partition(f"\n### {name}\n")[2].partition("\n### ")[0]


def test_the_page_is_up_to_date() -> None:
    assert MAKER["page"]() == PAGE, "run python tests/pages/make_methods.py"


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_every_method_has_its_line_its_paper_and_its_settings(method: type[MethodBase]) -> None:
    name = method.__name__
    assert f"| [{name}](#{name.lower()}) | " in PAGE
    assert (ROOT / "src" / "gramarye" / "methods" / f"{name.lower()}.py").exists()
    assert f"methods/{name.lower()}.py) |" in PAGE
    shared = PAGE.partition("\n## Settings of every method\n")[2].partition("\n## ")[0]
    for setting in describe(method):
        row = f"| `{setting.name}` | `{setting.default!r}` | {setting.values} | {setting.doc} |"
        assert row in section(name) or row in shared


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_an_example_ends_with_a_program(method: type[MethodBase]) -> None:
    code, _, printed = section(method.__name__).partition("```text\n")
    if code.count("```python") == 0:
        pytest.skip("has no example")
    steps = printed.partition("```")[0].splitlines()
    assert f"gm.{method.__name__}(" in code
    assert any(line.startswith("<") and line[15:].strip() and "<" not in line[15:45] for line in steps)


def test_the_table_has_no_empty_cell() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| [")]
    assert len(rows) == len(METHODS)
    assert all(cell.strip() for row in rows for cell in row.strip("|").split("|"))
