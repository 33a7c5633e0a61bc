from __future__ import annotations

import pytest
from rich.text import Text

from gramarye.cli.console import show


def test_a_page_has_no_blanks_at_the_ends_of_its_lines_but_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Text("a  \n\n  b ", style="bold")
    show(page)
    assert capsys.readouterr().out == "a\n\n  b\n"
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    show(page)
    assert "\x1b[1ma  " in capsys.readouterr().out
