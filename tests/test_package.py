"""The package as `import gramarye as gm` shows it."""

from __future__ import annotations

import inspect
import subprocess
import sys
import types
from pathlib import Path

import pytest

import gramarye as gm
from gramarye import learners, methods, representations

ROOT = Path(__file__).parents[1]
SCRIPT = """
import gramarye as gm
from typing_extensions import assert_type

assert_type(gm.PGE(population=3), gm.PGE)
assert_type(gm.FlatReal(3).codons, int)
assert_type(gm.selection.Tournament(3).size, int)
assert_type(gm.AlternatingBest().floor, float)
gm.PGE(popluation=3)  # the only mistake
"""


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    for name in ("evolv", "PGEE", "find", "_private"):
        with pytest.raises(AttributeError, match=f"module 'gramarye' has no attribute '{name}'"):
            getattr(gm, name)


def test_modules_and_names_are_there_when_they_are_asked_for() -> None:
    assert gm.errors.GramaryeError is gm.GramaryeError
    assert {"evolve", "PGE", "problems"} <= set(dir(gm))


@pytest.mark.parametrize("family", [methods, representations, learners])
def test_the_classes_of_a_family_are_public_and_nothing_that_it_imports(family: types.ModuleType) -> None:
    for name, value in vars(family).items():
        public = inspect.isclass(value) or name.isupper()
        assert (name in dir(gm)) == public or name in ("errors", "update_probabilities")
        if inspect.isclass(value):
            assert getattr(gm, name) is value
            assert value.__module__.startswith(family.__name__)


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
