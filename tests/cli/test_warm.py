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


def test_all_methods_are_warmed_up_unless_some_are_named() -> None:
    assert [method.name for method in warm._methods(["all"])] == list(METHODS)
    assert [method.name for method in warm._methods(["ALL", "pge"])] == list(METHODS)


@pytest.mark.parametrize("words", [["sge,GE"], ["sge, GE"], ["sge", "GE"], ["sge,", "GE"], ["sge", ",", "GE", "SGE"]])
def test_methods_are_separated_by_blanks_or_commas(words: list[str]) -> None:
    assert [method.name for method in warm._methods(words)] == ["sge", "ge"]


def test_an_unknown_method_is_answered_with_the_nearest_name(gramarye: Command) -> None:
    assert "no method is called 'pgee'; did you mean pge?" in gramarye("warm", "pgee", code=2).stderr
    assert "no method is called 'geg'; did you mean ge?" in gramarye("warm", "pge", "geg", code=2).stderr
    assert "METHODS names no method" in gramarye("warm", ",", code=2).stderr


def test_without_numba_there_is_nothing_to_do(gramarye: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "COMPILED", False)
    result = gramarye("warm", "pge")
    assert "nothing is compiled: Numba is missing, or NUMBA_DISABLE_JIT is set" in result.stderr
    assert not result.stdout


USED = """
import sys
from dataclasses import replace
from pathlib import Path

import gramarye as gm
from gramarye.analysis.analysis import analyse
from gramarye.kernels.compiler_hooks import watches
from gramarye.methods import METHODS
from gramarye.problems import from_csv, load
from gramarye.representations.optional import Encodes

compiled, doing = [], ""
watches.append(lambda: compiled.append(doing))
pagie = load("pagie")
table = Path("table.csv")
table.write_text("a,w,y\\n" + "".join(f"{i},{1 + i % 3},{i * i}\\n" for i in range(40)))
grammar = gm.Grammar.from_text("<e> ::= <e> + <e> | <e> * <e> | a | 1.0")
problems = [pagie, load("boston"), load("boston", linear_scaling=True), from_csv(table, grammar)]
problems.append(from_csv(table, grammar, sample_weight="w", linear_scaling=True))
tuned = gm.Grammar.from_text("<e> ::= <e> + <e> | <e> * <e> | log(<e>) | a | <const> | <const:-1..1>")
constants = [from_csv(table, tuned, target="y", test_rows=5, clip=True)]
constants.append(from_csv(table, tuned, sample_weight="w", linear_scaling=True))
for name, kind in METHODS.items():
    method = kind(population=300, generations=12)
    for problem in constants + problems:
        doing = f"{name} {problem.name}"
        run = gm.evolve(problem, method, seed=2)
    doing = f"{name} restarts"
    gm.evolve(pagie, replace(method, restart_after=2), seed=2)
    for selection in () if method.samples else ("lexicase", "epsilon-lexicase"):
        doing = f"{name} {selection}"
        gm.evolve(pagie, replace(method, selection=selection, generations=3), seed=2)
    doing = f"{name} map"
    gm.map_genotype(grammar, run.best.genotype, method)
    if isinstance(method.representation, Encodes):
        doing = f"{name} encode"
        gm.encode(grammar, "a + a", method)
        doing = f"{name} ramped"
        gm.evolve(pagie, replace(method, initialisation="ramped", generations=3), seed=2)
    doing = f"{name} analyse"
    analyse(pagie.grammar, [method], bases=50, neighbours=3, seed=2)
print(sorted(set(compiled)), "numba" in sys.modules)
"""


@pytest.mark.slow
@pytest.mark.compiled
def test_after_warming_up_nothing_common_is_compiled(tmp_path: Path) -> None:
    warmed = program(tmp_path, "warm", "pge")
    assert warmed.stdout == "pge: compiled and ready\n"
    assert "pge (1 of 1)" in warmed.stderr
    kept = files(tmp_path)
    assert kept
    run = program(tmp_path, "run", "pagie", "--seed", "1")
    assert "compil" not in run.stdout + run.stderr
    assert program(tmp_path, "warm", "PGE").stdout == "pge: ready, nothing had to be compiled\n"
    assert files(tmp_path) == kept

    program(tmp_path, "warm", "all")
    command = [sys.executable, "-c", USED]
    environment = {name: value for name, value in os.environ.items() if name != "NUMBA_DISABLE_JIT"}
    own = {"GRAMARYE_CACHE": str(tmp_path)}
    done = subprocess.run(command, env=environment | own, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[] False\n"
