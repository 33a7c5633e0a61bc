from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from gramarye.cli.compile_notice import told_when_compiling
from gramarye.cli.signals import Interrupts
from gramarye.kernels.compiler import kernel
from gramarye.terminal.analysis import watching


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAMARYE_CACHE", str(tmp_path))


def following(a: float) -> float:
    """The next number."""
    return a + 1


@pytest.mark.compiled
def test_compiling_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    with told_when_compiling(Interrupts()) as found:
        assert not found.seen
        kernel(following)(1)
        kernel(following)(1.0)
    assert bool(found.seen)
    assert capsys.readouterr().err == "note: compiling for this machine; this takes some seconds, and happens once\n"
    with told_when_compiling(Interrupts()) as found:
        assert kernel(following)(1) == 2
    assert not found.seen


@pytest.mark.compiled
def test_the_note_stands_above_the_bar_of_an_analysis() -> None:
    terminal = io.StringIO()
    console = Console(file=terminal, force_terminal=True, force_interactive=True, width=100, no_color=True)
    with told_when_compiling(Interrupts(), console), watching(console) as watch:
        watch(0, 12, "PGE: drawing genotypes")
        kernel(following)(1)
    written = terminal.getvalue()
    assert "0 %" in written
    before = re.sub(r"\x1b\[[0-9;]*m", "", written[: written.index("note: compiling for this machine")])
    assert before.endswith("\r\x1b[2K")  # on a line that was cleared


def test_nothing_is_told_where_nothing_is_compiled() -> None:
    with told_when_compiling(Interrupts()) as found:
        pass
    assert not found.seen


@pytest.mark.compiled
def test_ctrl_c_has_its_turn_between_two_passes_of_the_compiler() -> None:
    interrupts = Interrupts()
    interrupts.asked = True
    with told_when_compiling(interrupts) as found, pytest.raises(KeyboardInterrupt):
        kernel(following)(1)
    assert not found.seen
