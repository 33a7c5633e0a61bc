"""The package as `import gramarye as gm` shows it."""

from __future__ import annotations

import doctest
import inspect
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest

import gramarye as gm
from gramarye import learners, methods, replacement, representations, selection

ROOT = Path(__file__).parents[1]
SCRIPT = """
import gramarye as gm
from typing_extensions import assert_type

assert_type(gm.PGE(population=3), gm.PGE)
assert_type(gm.representations.FlatReal(3).codons, int)
assert_type(gm.selection.Tournament(3).size, int)
assert_type(gm.learners.AlternatingBest().floor, float)
gm.PGE(popluation=3)  # the only mistake
"""


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    for name in ("evolv", "PGEE", "find", "_private"):
        with pytest.raises(AttributeError, match=f"module 'gramarye' has no attribute '{name}'"):
            getattr(gm, name)


def test_modules_and_names_are_there_when_they_are_asked_for() -> None:
    assert gm.errors.GramaryeError is gm.GramaryeError
    assert {"evolve", "PGE", "problems"} <= set(dir(gm))


@pytest.mark.parametrize("family", [methods, representations, learners, selection, replacement])
def test_a_family_offers_its_members_and_its_interface_and_nothing_that_it_imports(family: types.ModuleType) -> None:
    for value in vars(family).values():
        if inspect.isclass(value) and value is not Any:
            assert value.__module__.startswith(family.__name__)
    assert any(inspect.isabstract(value) for value in vars(family).values() if inspect.isclass(value))


def test_every_method_is_public() -> None:
    assert {kind.__name__ for kind in methods.METHODS.values()} | {"Method"} <= set(gm.__all__)


def test_there_are_about_thirty_names_at_the_top() -> None:
    names = [name for name in gm.__all__ if not inspect.ismodule(getattr(gm, name))]
    assert len(names) <= 36


DOCUMENTED = [name for name in gm.__all__ if not inspect.ismodule(getattr(gm, name))]


@pytest.mark.parametrize("name", [name for name in DOCUMENTED if name != "GramaryeError"])
def test_a_public_name_is_documented_with_an_example_or_its_settings(name: str) -> None:
    public = getattr(gm, name)
    text = inspect.getdoc(public) or ""
    settings = inspect.isclass(public) and issubclass(public, gm.methods.MethodBase)
    assert "Parameters\n----------" in text or "Attributes\n----------" in text or "save" in text
    assert settings or ">>> " in text
    examples = doctest.DocTestFinder(recurse=False).find(public, name)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    printed: list[str] = []
    for example in examples:
        runner.run(example, out=printed.append)
    assert not runner.failures, "".join(printed)


def test_everything_can_be_imported_at_once() -> None:
    namespace: dict[str, object] = {}
    exec("from gramarye import *", namespace)
    assert set(gm.__all__) <= set(namespace)
    assert namespace["PGE"] is gm.PGE


@pytest.mark.slow
def test_type_checkers_see_what_is_loaded_later(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", str(tmp_path / "script.py")]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    mistakes = [line for line in run.stdout.splitlines() if "script.py:" in line and "error:" in line]
    assert len(mistakes) == 1, run.stdout + run.stderr
    assert 'Unexpected keyword argument "popluation" for "PGE"; did you mean "population"?' in mistakes[0]
