"""docs/methods.md is what the program makes of it now, and its examples end as they should."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

import gramarye as gm
from gramarye.methods import METHODS

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
PROGRAMS = {
    "ge": "1.0 - x", "pge": "x * x", "sge": "x * 1.0 - x", "staticsge": "x * 1.0 + x - 1.0", "psge": "x * 1.0 - x",
    "copsge": "x - x", "cfggp": "x * 1.0 - x", "pige": "1.0 / x", "chorus": "1.0 * x", "whge": "1.0 * x",
    "pcfgeda": "x", "pmbge": "x * 1.0 - x",
}  # fmt: skip


def section(name: str) -> str:
    """What the page says about a method."""
    return PAGE.partition(f"\n### {name}\n")[2].partition("\n### ")[0]


def test_the_page_is_up_to_date() -> None:
    made = runpy.run_path(str(ROOT / "tests" / "pages" / "make_methods.py"))["page"]()
    assert made == PAGE, "write it anew: python tests/pages/make_methods.py"


@pytest.mark.parametrize("method", METHODS.values(), ids=METHODS)
def test_every_method_has_its_line_its_paper_and_its_example(method: type) -> None:
    name = method.__name__
    assert f"| [{name}](#{name.lower()}) | " in PAGE
    assert (ROOT / "src" / "gramarye" / "methods" / f"{name.lower()}.py").exists()
    assert f"methods/{name.lower()}.py) |" in PAGE
    assert f"gm.{name}(" in section(name)
    assert f" {PROGRAMS[name.lower()]} " in section(name).partition("```text")[2]


def test_the_table_has_no_empty_cell() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| [")]
    assert len(rows) == len(METHODS) == len(PROGRAMS)
    assert all(cell.strip() for row in rows for cell in row.strip("|").split("|"))


def test_every_method_is_in_the_table_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8").partition("\n## Methods\n")[2].partition("\n## ")[0]
    for method in METHODS.values():
        row = f"| `{method.__name__}` | {method.genotype} | {method.learns} | {method.paper} |"
        assert row in readme
        assert getattr(gm, method.__name__) is method
