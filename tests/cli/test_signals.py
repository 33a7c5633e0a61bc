from __future__ import annotations

import os
import signal
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from gramarye.cli import app, main
from gramarye.cli.commands import catalogue, run
from gramarye.cli.signals import Interrupts
from gramarye.engine.evolution import Evolution
from gramarye.engine.run import Generation

Command = Callable[..., Any]
TINY = ["--population", "30", "--generations", "3", "--seed", "1"]


def press_ctrl_c(monkeypatch: pytest.MonkeyPatch, generation: int, times: int = 1) -> None:
    """Ctrl-C, really, while this generation is being evaluated."""
    advance = Evolution.advance

    def interrupted(evolution: Evolution) -> Generation:
        index = 0 if evolution.state is None else evolution.state.generation + 1
        for _ in range(times if index == generation else 0):
            os.kill(os.getpid(), signal.SIGINT)
        return advance(evolution)

    monkeypatch.setattr(Evolution, "advance", interrupted)


class TestCtrlC:
    def test_it_finishes_the_generation_and_shows_the_best_so_far(
        self, gramarye: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        press_ctrl_c(monkeypatch, generation=1)
        result = gramarye("run", "pagie", *TINY, code=130)
        assert "stopped after generation 2 of 3" in result.stdout
        assert "Best program" in result.stdout
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler

    def test_twice_it_does_not_wait(self, gramarye: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        press_ctrl_c(monkeypatch, generation=1, times=2)
        assert "stopped after generation 1 of 3" in gramarye("run", "pagie", *TINY, code=130).stdout

    def test_in_the_first_generation_it_says_that_it_waits(
        self, gramarye: Command, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
    ) -> None:
        press_ctrl_c(monkeypatch, generation=0)
        assert "stopped after generation 1 of 3" in gramarye("run", "pagie", *TINY, code=130).stdout
        assert capfd.readouterr().err == "stopping...\n"

    def test_before_the_first_generation_there_is_nothing_to_show(
        self, gramarye: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        press_ctrl_c(monkeypatch, generation=0, times=2)
        result = gramarye("run", "pagie", *TINY, code=130)
        assert not result.stdout
        assert "there is no result" in result.stderr

    def test_in_the_last_generation_it_comes_too_late(self, gramarye: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        press_ctrl_c(monkeypatch, generation=2)
        assert "stopped" not in gramarye("run", "pagie", *TINY).stdout

    def test_inside_a_kernel_it_arrives_in_disguise(self, gramarye: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        def disguised(_: Evolution) -> Generation:
            raise SystemError("a kernel returned a result with an exception set") from KeyboardInterrupt()

        monkeypatch.setattr(Evolution, "advance", disguised)
        gramarye("run", "pagie", *TINY, code=130)

    def test_whatever_breaks_after_it_is_blamed_on_it(self, gramarye: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        def breaking(_: Evolution) -> Generation:
            os.kill(os.getpid(), signal.SIGINT)
            raise RuntimeError("no compiled object yet")

        monkeypatch.setattr(Evolution, "advance", breaking)
        assert "there is no result" in gramarye("run", "pagie", *TINY, code=130).stderr

    def test_any_other_error_of_the_system_is_a_bug(self, gramarye: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(_: Evolution) -> Generation:
            raise SystemError("broken")

        monkeypatch.setattr(Evolution, "advance", broken)
        with pytest.raises(SystemError, match="broken"):
            gramarye("run", "pagie", *TINY)

    def test_a_background_job_goes_on_ignoring_it(self, gramarye: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        press_ctrl_c(monkeypatch, generation=1)
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            assert "stopped" not in gramarye("run", "pagie", *TINY).stdout
        finally:
            signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("words", [["run", "pagie", *TINY], ["map", "pagie", "--genotype", "[0.5]"]])
def test_while_modules_are_loaded_it_waits_for_them(
    gramarye: Command, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setattr(Interrupts, "asked", True)
    result = gramarye(*words, code=130)
    assert not result.stdout
    assert result.stderr == "interrupted\n"


def test_other_commands_stop_at_once(gramarye: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "read_grammar", lambda *_, **__: os.kill(os.getpid(), signal.SIGINT))
    assert gramarye("grammar", "pagie", code=130).stderr == "interrupted\n"


def test_before_any_command_it_ends_without_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(**_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(app, "app", interrupted)
    monkeypatch.setattr(warnings, "formatwarning", warnings.formatwarning)
    with pytest.raises(SystemExit, match="130"):
        main()


def test_ctrl_c_elsewhere_ends_quietly_too(gramarye: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "driven", interrupted)
    assert gramarye("run", "pagie", *TINY, code=130).stderr == "interrupted\n"
