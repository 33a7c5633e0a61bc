"""The Python blocks of README.md and docs/ run, in order, and print what the block below them says.

A ```python block runs in the namespace of its page. If the next block is a ```text block, with nothing but white space
between the two, it is what the code prints; `...` in it stands for any text. A block after `<!-- not run: why -->` is
left out.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("**/*.md"))]

BLOCK = re.compile(
    r"(?P<skip><!-- not run: [^>]+ -->\s*)?"
    r"^```python\n(?P<code>.*?)^```[ ]*$"
    r"(?:\s*^```text\n(?P<output>.*?)^```[ ]*$)?",
    re.MULTILINE | re.DOTALL,
)


class Example(NamedTuple):
    """A block of code, where it stands, and what it prints (None: not said)."""

    line: int
    code: str
    output: str | None


def examples(page: str) -> list[Example]:
    return [
        Example(page.count("\n", 0, match.start("code")) + 1, match["code"], match["output"])
        for match in BLOCK.finditer(page)
        if not match["skip"]
    ]


def run_page(page: str, name: str) -> None:
    """Run all blocks of a page in one namespace."""
    namespace: dict[str, object] = {"__name__": "__main__"}
    checker = doctest.OutputChecker()
    for example in examples(page):
        printed = io.StringIO()
        code = compile("\n" * (example.line - 1) + example.code, name, "exec")  # so that tracebacks name the line
        with contextlib.redirect_stdout(printed):
            exec(code, namespace)
        wanted, got = example.output, printed.getvalue()
        if wanted is not None and not checker.check_output(wanted.rstrip(), got.rstrip(), doctest.ELLIPSIS):
            pytest.fail(f"{name}, line {example.line}: printed\n{got}instead of\n{wanted}", pytrace=False)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_examples_of_a_page_run_and_print_what_it_says(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # examples may write files
    run_page(path.read_text(encoding="utf-8"), path.name)


def test_the_readme_has_an_example_with_its_output() -> None:
    assert any(example.output for example in examples((ROOT / "README.md").read_text(encoding="utf-8")))


def test_an_example_that_prints_something_else_is_noticed() -> None:
    page = "One.\n\n```python\nprint(1 + 1)\n```\n\n```text\n{}\n```\n"
    run_page(page.format("2"), "page")
    with pytest.raises(pytest.fail.Exception, match=r"page, line 4: printed\n2\ninstead of\n3"):
        run_page(page.format("3"), "page")


def test_blocks_share_a_namespace_and_text_elsewhere_is_not_output() -> None:
    page = "```python\na = 1\n```\nThen:\n```text\nnot printed\n```\n```python\nassert a == 2\n```\n"
    with pytest.raises(AssertionError):
        run_page(page, "page")


def test_a_block_may_be_left_out_with_a_reason() -> None:
    run_page("<!-- not run: needs a cluster -->\n```python\nraise SystemExit\n```\n", "page")


def anchors(page: str) -> set[str]:
    """The places in a page that links can name, as GitHub names them."""
    headings = re.findall(r"^#+ (.+)$", re.sub(r"^```.*?^```", "", page, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    texts = [re.sub(r"\[(.+?)\]\(.+?\)", r"\1", heading).lower() for heading in headings]
    return {re.sub(r"[^\w\- ]", "", text).replace(" ", "-") for text in texts}


@pytest.mark.parametrize("path", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    for file, _, anchor in re.findall(r"\]\(((?!https?:)[^)#\s]*)(#([^)\s]+))?\)", path.read_text(encoding="utf-8")):
        target = (path.parent / file).resolve() if file else path
        assert target.exists(), f"{path.name} links to {file}"
        if anchor:
            assert anchor in anchors(target.read_text(encoding="utf-8")), f"{path.name} links to {file}#{anchor}"
