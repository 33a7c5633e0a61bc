from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from gramarye.cli.compile_notice import told_when_compiling
from gramarye.cli.signals import Interrupts
from gramarye.kernels import compiler
from gramarye.terminal.analysis import watching


@pytest.mark.compiled
def test_compiling_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    import numba

    with told_when_compiling(Interrupts()) as found:
        assert not found.seen
        numba.njit(lambda a: a + 1)(1)
        numba.njit(lambda a: a + 2)(1)
    assert bool(found.seen)
    assert capsys.readouterr().err == "note: compiling for this machine; this takes some seconds, and happens once\n"


@pytest.mark.compiled
def test_the_note_stands_above_the_bar_of_an_analysis() -> None:
    import numba

    terminal = io.StringIO()
    console = Console(file=terminal, force_terminal=True, force_interactive=True, width=100, no_color=True)
    with told_when_compiling(Interrupts(), console), watching(console) as watch:
        watch(0, 12, "PGE: drawing genotypes")
        numba.njit(lambda a: a + 3)(1)
    written = terminal.getvalue()
    assert "0 %" in written
    before = re.sub(r"\x1b\[[0-9;]*m", "", written[: written.index("note: compiling for this machine")])
    assert before.endswith("\r\x1b[2K")  # on a line that was cleared


def test_without_numba_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "COMPILED", False)
    with told_when_compiling(Interrupts()) as found:
        pass
    assert not found.seen


@pytest.mark.compiled
def test_ctrl_c_has_its_turn_between_two_passes_of_the_compiler() -> None:
    import numba

    interrupts = Interrupts()
    interrupts.asked = True
    with told_when_compiling(interrupts) as found, pytest.raises(KeyboardInterrupt):
        numba.njit(lambda a: a + 1)(1)
    assert not found.seen
