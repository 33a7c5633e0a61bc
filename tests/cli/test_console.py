from __future__ import annotations

import json

import numpy as np
import pytest
from rich.text import Text

from gramarye.cli.console import json_text, plain, show


def test_json_has_plain_values_only() -> None:
    value = {"a": np.array([1.0, np.nan]), "b": (np.float64(np.inf), np.int64(3)), "c": {}, "d": [{"e": None}]}
    assert json.loads(json_text(plain(value))) == {"a": [1, None], "b": [None, 3], "c": {}, "d": [{"e": None}]}
    assert json_text({"a": [1, 2], "b": {"c": "é"}}) == '{\n  "a": [1, 2],\n  "b": {\n    "c": "\\u00e9"\n  }\n}'


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
