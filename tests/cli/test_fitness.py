"""`gramarye run --fitness module:function`: a fitness function of the user's on the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

Command = Callable[..., Any]

MODULE = """
import os, time

def fitness(program):
    if "crash" in program:
        os._exit(3)
    if "hang" in program:
        time.sleep(60)
    return abs(eval(program, {"x": 3}) - 17)

def unseen(program):
    return abs(eval(program, {"x": 4}) - 17)

def all_at_once(programs):
    print("hello")
    return [float(len(program)) for program in programs]

def slow(program):
    time.sleep(0.05)
    return float(len(program))

def wrong(program):
    return 1 / len("")

def service(programs):
    raise ConnectionError("no answer")

number = 3

class Scorer:
    @staticmethod
    def score(program):
        return len(program)
"""
TINY = ["--method", "ge", "--population", "30", "--generations", "4", "--seed", "1"]
RUN = ["run", "--grammar", "my.bnf", *TINY]


@pytest.fixture
def folder(gramarye: Command, tmp_path: Path) -> Iterator[Path]:
    """A folder with a grammar and modules, as a user has it."""
    (tmp_path / "my.bnf").write_text("<e> ::= <e> + <e> | <e> * <e> | x | 1 | crash | hang | 1/0\n")
    (tmp_path / "mine.py").write_text(MODULE)
    (tmp_path / "bad_syntax.py").write_text("def f(:\n")
    (tmp_path / "bad_import.py").write_text("import nothing_like_this\n")
    (tmp_path / "bad_value.py").write_text("\nhalf = 1 / 0\n")
    path, modules = list(sys.path), set(sys.modules)
    yield tmp_path
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if name in ("mine", "bad_syntax", "bad_import", "bad_value"):
            del sys.modules[name]


def test_a_function_of_a_module_is_the_objective(gramarye: Command, folder: Path) -> None:
    words = [*RUN, "--fitness", "mine:fitness", "--test-fitness", "mine:unseen", "--timeout", "0.2"]
    result = gramarye(*words, "--workers", "2")
    assert "GE on fitness, seed 1" in result.stdout
    assert "fitness in test" in result.stdout
    assert "% remembered" in result.stdout
    assert "% of it in the objective" in result.stdout
    assert "failed" in result.stdout
    assert "note: for the program '1/0', the objective raised ZeroDivisionError: division by zero;" in result.stderr
    assert "the run may differ on another machine" in result.stderr


def test_json_counts_failures_and_shows_the_first(gramarye: Command, folder: Path) -> None:
    result = gramarye(*RUN, "--fitness", "mine:fitness", "--timeout", "0.2", "--json")
    document = json.loads(result.stdout)
    failures = {failure["reason"]: failure for failure in document["failures"]}
    assert set(failures) == {"timeout", "crash", "exception"}
    for reason, failure in failures.items():
        assert failure["individuals"] == sum(document["history"][reason]) > 0
        assert repr(failure["first_program"]) in failure["message"]
    assert 0 < document["objective_share"] <= 1
    assert 0 < document["counters"]["remembered"] < 1


def test_larger_may_be_better(gramarye: Command, folder: Path) -> None:
    result = gramarye(*RUN, "--fitness", "mine:Scorer.score", "--maximise", "--json")
    document = json.loads(result.stdout)
    assert document["direction"] == "maximise"
    assert document["best"]["fitness"] > 1


def test_a_batch_function_takes_all_programs_of_a_generation(gramarye: Command, folder: Path) -> None:
    result = gramarye(*RUN, "--fitness", "mine:all_at_once", "--batch", "--json")
    assert "hello" in result.stderr
    document = json.loads(result.stdout)
    assert document["best"]["fitness"] == 1.0
    assert document["best"]["phenotype"] in ("x", "1")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--fitness", "mine"], "--fitness is 'mine': write MODULE:FUNCTION, such as mymodule:fitness"),
        (["--fitness", "mine.py:fitness"], "name the module, not its file: mine:fitness"),
        (["--fitness", "nothing:f"], "--fitness: there is no module 'nothing', neither in "),
        (["--fitness", "mine:fitnes"], "--fitness: mine has no 'fitnes'; did you mean fitness?"),
        (["--fitness", "mine:number"], "--fitness: mine:number is 3, which is not a function"),
        (["--fitness", "mine:fitness", "--test-fitness", "mine:test"], "--test-fitness: mine has no 'test'"),
        (["--fitness", "bad_syntax:f"], "bad_syntax can't be imported (bad_syntax.py, line 1: SyntaxError: invalid"),
        (["--fitness", "bad_import:f"], "bad_import.py, line 1: ModuleNotFoundError: No module named 'nothing_like"),
        (["--fitness", "bad_value:f"], "bad_value.py, line 2: ZeroDivisionError: division by zero)"),
        (["--fitness", "mine:fitness", "--timeout", "0"], "timeout is 0.0: it must be a number of seconds > 0"),
        (
            ["--fitness", "mine:fitness", "--memory", "lots"],
            "memory is 'lots': it must be a size of at least 1MB, such as '512MB'",
        ),
        (["--fitness", "mine:fitness", "--workers", "0"], "workers is 0: it must be an integer ≥ 1"),
        (["--fitness", "mine:fitness", "--on-error", "x"], "on_error is 'x': it must be 'worst' or 'raise'"),
        (["--fitness", "mine:fitness", "--target", "y"], "--target goes with a table of data, not with --fitness"),
        (["--fitness", "mine:fitness", "--clip"], "--clip goes with a table of data, not with --fitness"),
        (["--fitness", "mine:fitness", "--precedence", "authors"], "--precedence goes with a table of data, not with"),
        (
            ["--fitness", "mine:all_at_once", "--batch", "--timeout", "1"],
            "a batch function runs in this process, witho",
        ),
        (
            ["--fitness", "mine:all_at_once", "--batch", "--workers", "2"],
            "--workers goes with a function of one program, not with --batch",
        ),
        (["--fitness", "mine:tme"], "--fitness: mine has no 'tme'\n"),  # time is not a function
        (["--fitness", "mine:fitness", "--predict", "a.csv", "b.csv"], "--predict goes with a table of data, not with"),
        (["fizz-buzz", "--batch"], "--batch goes with --fitness MODULE:FUNCTION"),
        (["pagie", "--fitness", "mine:fitness"], "--fitness defines the problem; leave out 'pagie'"),
        (["pagie", "--timeout", "1"], "--timeout goes with --fitness MODULE:FUNCTION"),
        (["pagie", "--workers", "2"], "--workers goes with --fitness MODULE:FUNCTION"),
        (["fizz-buzz", "--timeout", "0"], "timeout is 0.0: it must be a number of seconds > 0"),
        (["fizz-buzz", "--maximise"], "--maximise goes with --fitness MODULE:FUNCTION"),
        (["fizz-buzz", "--error", "mae"], "--error goes with a table of data, not with the problem 'fizz-buzz'"),
        ([], "missing argument: a problem (see `gramarye problems`), a CSV file, or --fitness MODULE:FUNCTION"),
    ],
)
def test_mistakes_are_told_before_anything_runs(gramarye: Command, folder: Path, words: list[str], told: str) -> None:
    assert told in gramarye(*RUN, *words, code=2).stderr


def test_a_function_needs_a_grammar(gramarye: Command, folder: Path) -> None:
    assert "--fitness needs the grammar of the programs" in gramarye("run", "--fitness", "mine:fitness", code=2).stderr


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (["mine:wrong"], '    return 1 / len("")'),
        (["mine:service", "--batch"], '    raise ConnectionError("no answer")'),
    ],
)
def test_where_a_function_raises_is_shown_without_our_own_frames(
    gramarye: Command, folder: Path, words: list[str], place: str
) -> None:
    error = gramarye(*RUN, "--fitness", *words, code=1).stderr
    assert place in error
    assert "gramarye/" not in error


def test_the_best_program_is_written_as_python_or_as_its_text(gramarye: Command, folder: Path) -> None:
    words = [*RUN, "--fitness", "mine:Scorer.score", "--json"]
    best = json.loads(gramarye(*words, "--out", "best.txt").stdout)["best"]["phenotype"]
    assert (folder / "best.txt").read_text(encoding="utf-8") == best
    gramarye(*words, "--out", "best.py")
    assert (folder / "best.py").read_text(encoding="utf-8").strip() == best


def test_what_a_module_prints_at_its_import_is_not_in_the_json(gramarye: Command, folder: Path) -> None:
    (folder / "mine.py").write_text("print('hello')\n\ndef fitness(program):\n    return len(program)\n")
    words = [sys.executable, "-m", "gramarye", *RUN, "--fitness", "mine:fitness", "--workers", "1"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    result = subprocess.run([*words, "--json"], cwd=folder, env=environment, capture_output=True, text=True, check=True)
    assert json.loads(result.stdout)["problem"] == "fitness"
    assert result.stderr.count("hello") == 1


@pytest.mark.parametrize("more", [[], ["--front"]])
def test_a_run_that_had_ended_shows_what_it_was(gramarye: Command, folder: Path, more: list[str]) -> None:
    words = [*RUN, "--fitness", "mine:Scorer.score", "--checkpoint", "run.npz", *more]
    gramarye(*words)
    again = gramarye(*words).stdout
    assert "% remembered" in again
    assert "node·rows" not in again
    assert "formula" not in again


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_does_not_wait_for_the_generation_and_saves_what_is_there(folder: Path, number: int) -> None:
    words = ["run", "--grammar", "my.bnf", "--fitness", "mine:slow", "--workers", "2", "--method", "ge"]
    limits = ["--seed", "1", "--population", "50", "--generations", "1000", "--checkpoint", "run.npz"]
    process = subprocess.Popen(
        [sys.executable, "-m", "gramarye", *words, *limits],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    assert next(line for line in process.stderr if line.startswith("generation "))
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "stopped after generation" in out
    assert "Traceback" not in err
    assert (folder / "run.npz").exists()
