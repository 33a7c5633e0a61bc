from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from gramarye.cli.compile_notice import Compiling, told_when_compiling
from gramarye.cli.signals import Interrupts
from gramarye.kernels.compiler import kernel
from gramarye.kernels.compiler_hooks import loads, watches
from gramarye.terminal.analysis import watching
from gramarye.terminal.screen import Screen

NOTE = "note: compiling for this machine; this takes some seconds, and happens once\n"


@pytest.fixture(autouse=True)
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAMARYE_CACHE", str(tmp_path))


def following(a: float) -> float:
    """The next number."""
    return a + 1


def pipe() -> Screen:
    return Screen(Console(file=io.StringIO(), width=100))


def terminal() -> Screen:
    return Screen(Console(file=io.StringIO(), force_terminal=True, force_interactive=True, width=100, no_color=True))


def written(screen: Screen) -> str:
    return plain(screen.console.file.getvalue())  # type: ignore[attr-defined]


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def percents(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"(\d+) %[^\r\n]*; compiling for this machine", text)]


@pytest.mark.compiled
def test_a_pipe_gets_one_note() -> None:
    with pipe() as screen, told_when_compiling(Interrupts(), screen, 100) as found:
        assert not found.seen
        kernel(following)(1)
        kernel(following)(1.0)
    assert bool(found.seen)
    assert written(screen) == NOTE
    with pipe() as screen, told_when_compiling(Interrupts(), screen, 100) as found:
        assert kernel(following)(1) == 2
    assert not found.seen
    assert not written(screen)
    assert not watches
    assert not loads


@pytest.mark.compiled
def test_a_terminal_gets_a_bar_below_the_picture_that_is_gone_with_the_next_one() -> None:
    with terminal() as screen, told_when_compiling(Interrupts(), screen, 100):
        watch = watching(screen)
        watch(0, 12, "PGE: drawing genotypes")
        kernel(following)(1)
        before = written(screen)
        screen.draw("PGE: neighbours")
    both = before[before.index("PGE: drawing genotypes", before.index("PGE: drawing genotypes") + 1) :]
    assert percents(both)
    assert "note" not in before
    after = written(screen).removeprefix(before)
    assert "PGE: neighbours" in after
    assert "compiling" not in after
    assert after.rstrip("\x1b[?25h").endswith("\x1b[2K")  # all is erased


@pytest.mark.parametrize("loaded", [0, 40, 500])
def test_the_bar_never_goes_back_and_ends_at_100(loaded: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gramarye.terminal.screen.REFRESH", 0.0)
    with terminal() as screen:
        compiling = Compiling(screen, 100)
        compiling.load(loaded)
        for _ in range(150):
            compiling.compile()
    shown = percents(written(screen))
    assert len(shown) >= 150
    assert shown == sorted(shown)
    assert shown[0] == min(loaded + 1, 100)
    assert shown[-1] == 100


def test_the_time_that_is_left_is_shown_when_a_tenth_was_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    with terminal() as screen:
        compiling = Compiling(screen, 100)
        compiling.load(20)
        for _ in range(20):
            compiling.compile()
            now += 1.0
    lines = re.findall(r"\d+ %[^;]*;", written(screen))
    assert lines[8] == "29 %;"
    assert lines[9] == "30 %, 1:03 left;"  # 10 passes in 9 seconds, 70 are left
    assert lines[-1] == "40 %, 0:57 left;"


@pytest.mark.compiled
def test_what_is_loaded_counts_as_the_passes_that_it_took() -> None:
    compiled: list[int] = []
    loaded: list[int] = []
    count: Callable[[], None] = lambda: compiled.append(1)  # noqa: E731
    watches.append(count)
    loads.append(loaded.append)
    try:
        kernel(following)(1)
        assert not loaded
        kernel(following)(1)
    finally:
        watches.remove(count)
        loads.remove(loaded.append)
    assert loaded == [len(compiled)]


def test_nothing_is_shown_where_nothing_is_compiled() -> None:
    with pipe() as screen, told_when_compiling(Interrupts(), screen, 100) as found:
        pass
    assert not found.seen
    assert not written(screen)


@pytest.mark.compiled
def test_ctrl_c_has_its_turn_between_two_passes_of_the_compiler() -> None:
    interrupts = Interrupts()
    interrupts.asked = True
    with pipe() as screen, told_when_compiling(interrupts, screen, 100) as found, pytest.raises(KeyboardInterrupt):
        kernel(following)(1)
    assert not found.seen


COLD = [
    ["run", "pagie", "--seed", "1", "--generations", "10"],
    ["run", "boston", "--method", "psge", "--seed", "1", "--generations", "10"],
    ["map", "quartic", "--method", "sge", "--genotype", '{"<expr>": [2], "<var>": [0]}'],
    ["analyse", "pagie", "--methods", "pge,sge", "--bases", "20"],
]


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize("words", COLD, ids=" ".join)
def test_the_bar_of_a_cold_start_ends_near_100_in_a_real_terminal(words: list[str]) -> None:
    ours, theirs = pty.openpty()
    settings = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    command = [sys.executable, "-m", "gramarye", *words]
    settings |= {"TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs, env=settings)
    os.close(theirs)
    seen = b""
    try:
        while piece := os.read(ours, 65536):
            seen += piece
    except OSError:  # what Linux says at the end
        pass
    finally:
        os.close(ours)
    assert process.wait() == 0
    shown = percents(plain(seen.decode()))
    assert shown == sorted(shown)
    assert len(shown) > 3
    assert shown[-1] >= 75
