"""The command line as a process of its own: exit codes, signals, pipes, what is loaded."""

from __future__ import annotations

import errno
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gramarye import cli

GRAMARYE = [sys.executable, "-m", "gramarye"]


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*GRAMARYE, *words], capture_output=True, text=True, check=False, encoding="utf-8", env=os.environ | environment
    )


def test_a_mistake_ends_with_2_and_without_a_traceback() -> None:
    result = run("grammar", "nofile.bnf")
    assert result.returncode == 2
    assert result.stderr.startswith("error: nofile.bnf: there is no such file")
    assert "Traceback" not in result.stderr


def test_a_pipe_has_no_colours_and_json_is_not_wrapped() -> None:
    assert "\x1b" not in run("methods").stdout
    lines = run("problems", "boston", "--json").stdout.splitlines()
    assert max(map(len, lines)) > 300


def test_an_output_that_knows_no_unicode_still_gets_the_page() -> None:
    result = run("methods", PYTHONIOENCODING="ascii")
    assert result.returncode == 0
    assert "M?gane" in result.stdout


@pytest.mark.parametrize("words", [["--help"], ["methods", "pge"]])
def test_columns_of_0_are_as_good_as_none(words: list[str]) -> None:
    assert run(*words, COLUMNS="0").stdout == run(*words, COLUMNS="80").stdout


def test_without_docstrings_there_is_help_all_the_same() -> None:
    result = run("run", "--help", PYTHONOPTIMIZE="2")
    assert result.returncode == 0
    assert "gramarye run pagie" in result.stdout
    assert "None" not in result.stdout


@pytest.mark.parametrize("words", [["methods"], ["methods", "--json"], ["grammar", "pagie", "--bnf"], ["--help"]])
def test_a_closed_pipe_leaves_no_traceback(words: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as pipe:
        result = subprocess.run([*GRAMARYE, *words], stdout=pipe, stderr=subprocess.PIPE, text=True, check=False)
    assert not result.stderr


FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="there is no such device")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", [["methods"], ["methods", "--json"], ["--version"]])
def test_a_full_disk_behind_standard_output_is_told_in_one_line(words: list[str], unbuffered: str) -> None:
    environment = os.environ | {"PYTHONUNBUFFERED": unbuffered}
    with FULL.open("wb") as full:
        result = subprocess.run(
            [*GRAMARYE, *words], stdout=full, stderr=subprocess.PIPE, text=True, env=environment, check=False
        )
        assert result.stderr == "error: the output can't be written (No space left on device)\n"
        silent = subprocess.run([*GRAMARYE, *words], stdout=full, stderr=full, env=environment, check=False)
    assert result.returncode == silent.returncode == 1


@pytest.mark.skipif(not FULL.exists(), reason="there is no such device")
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EPIPE])
def test_what_is_left_in_buffers_is_given_up(
    number: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with FULL.open("w") as full:
        full.write("never written")
        monkeypatch.setattr(sys, "stdout", full)
        with pytest.raises(SystemExit, match="1"):
            cli._end(OSError(number, "why"))
    assert capsys.readouterr().err == ("error: the output can't be written (why)\n" if number == errno.ENOSPC else "")


def test_an_error_of_another_file_is_not_taken_for_one_of_the_output() -> None:
    with pytest.raises(PermissionError):
        cli._end(PermissionError(errno.EACCES, "Permission denied"))
    with pytest.raises(OSError, match="data"):
        cli._end(OSError(errno.ENOSPC, "No space left on device", "data.csv"))


@pytest.mark.parametrize("words", [["--help"], ["run", "--help"], ["methods"], ["problems"], ["grammar", "pagie"]])
def test_nothing_heavy_is_loaded_before_a_run(words: list[str]) -> None:
    code = f"""
import sys
from gramarye.cli import main
sys.argv = ["gramarye", *{words!r}]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print(*{{name.partition('.')[0] for name in sys.modules}}, file=sys.stderr)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    loaded = set(result.stderr.split())
    assert not loaded & {"numba", "llvmlite", "scipy", "matplotlib", "pandas", "ssl"}
    if "--help" in words:
        assert "numpy" not in loaded


def long_run(folder: Path) -> list[str]:
    return [*GRAMARYE, "run", "pagie", "--seed", "1", "--generations", "1000000", "--checkpoint", str(folder / "a.npz")]


def first_progress(process: subprocess.Popen[str]) -> str:
    """Waits for the first line that tells of a generation."""
    assert process.stderr is not None
    return next(line for line in process.stderr if line.startswith("generation "))


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is not a signal there")
def test_ctrl_c_prints_the_best_so_far_and_ends_with_130(tmp_path: Path) -> None:
    process = subprocess.Popen(long_run(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert "/1,000,000: best " in first_progress(process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "stopped after generation" in out
    assert "Best program" in out
    assert "Traceback" not in err
    assert (tmp_path / "a.npz").exists()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_terminal_gets_a_live_display(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        long_run(tmp_path), stdout=subprocess.DEVNULL, stderr=theirs, env=os.environ | {"TERM": "xterm"}
    )
    os.close(theirs)
    seen, end = "", time.monotonic() + 120
    try:
        while "evaluations/s" not in seen and time.monotonic() < end:
            seen += os.read(ours, 4096).decode(errors="replace")
    finally:
        process.send_signal(signal.SIGINT)
        process.wait()
        os.close(ours)
    assert "/1,000,000" in seen
    assert "best program" in seen
    assert "time left" in seen
