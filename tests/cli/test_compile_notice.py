from __future__ import annotations

import pytest

from gramarye.cli.compile_notice import told_when_compiling
from gramarye.cli.signals import Interrupts
from gramarye.kernels import compiler


@pytest.mark.compiled
def test_compiling_is_told_once(capsys: pytest.CaptureFixture[str]) -> None:
    import numba

    with told_when_compiling(Interrupts()) as found:
        assert not found.seen
        numba.njit(lambda a: a + 1)(1)
        numba.njit(lambda a: a + 2)(1)
    assert bool(found.seen)
    assert capsys.readouterr().err == "note: compiling for this machine; this takes some seconds, and happens once\n"


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
