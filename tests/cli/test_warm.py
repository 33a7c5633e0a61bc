from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gramarye.cli.commands import warm
from gramarye.kernels import compiler
from gramarye.methods import METHODS

Command = Callable[..., Any]


def program(cache: Path, *words: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    command = [sys.executable, "-m", "gramarye", *words]
    own = {"GRAMARYE_CACHE": str(cache)}
    return subprocess.run(command, env=kept | own, capture_output=True, text=True, check=True, cwd=cache)


def files(cache: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in cache.rglob("*") if path.is_file()}


@pytest.mark.slow
@pytest.mark.compiled
def test_after_warming_up_a_run_compiles_nothing(tmp_path: Path) -> None:
    warmed = program(tmp_path, "warm", "pge")
    assert warmed.stdout == "pge: compiled and ready\n"
    assert "0 %: pge" in warmed.stderr
    kept = files(tmp_path)
    assert kept
    run = program(tmp_path, "run", "pagie", "--seed", "1")
    assert "compil" not in run.stdout + run.stderr
    assert program(tmp_path, "warm", "PGE").stdout == "pge: ready, nothing had to be compiled\n"
    assert files(tmp_path) == kept


def test_all_methods_are_warmed_up_unless_some_are_named() -> None:
    assert [method.name for method in warm._methods("all")] == list(METHODS)
    assert [method.name for method in warm._methods("sge, GE")] == ["sge", "ge"]


def test_an_unknown_method_is_answered_with_the_nearest_name(gramarye: Command) -> None:
    assert "no method is called 'pgee'; did you mean pge?" in gramarye("warm", "pgee", code=2).stderr
    assert "METHODS names no method" in gramarye("warm", ",", code=2).stderr


def test_without_numba_there_is_nothing_to_do(gramarye: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "COMPILED", False)
    result = gramarye("warm", "pge")
    assert "nothing is compiled: Numba is missing, or NUMBA_DISABLE_JIT is set" in result.stderr
    assert not result.stdout
