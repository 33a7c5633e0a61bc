"""The command line in this process: `gramarye("run", "pagie")`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from gramarye.cli.app import app

SMALL = """<start> ::= <expr>
<expr> ::= <expr> <op> <expr> | <var>
<op> ::= + | * | -
<var> ::= x | 1.0
"""


COLOURS = ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the caller prefers must not change what tests see."""
    for name in COLOURS:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def gramarye(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Runs a command in an empty folder and checks its exit code."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def invoke(*words: str | Path, code: int = 0) -> Any:
        result = CliRunner().invoke(app, [str(word) for word in words])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        assert result.exit_code == code, result.output
        return result

    return invoke


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A small grammar in a file."""
    path = tmp_path / "small.bnf"
    path.write_text(SMALL, encoding="utf-8")
    return path
