"""`gramarye reproduce | compare | report`."""

from __future__ import annotations

import re
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import gramarye as gm

TOML = """
name = "small"
runs = 3
[settings]
population = 20
generations = 3
[[methods]]
method = "pge"
[[methods]]
method = "ge"
[[problems]]
problem = "quartic"
"""


def change(path: Path, statement: str) -> None:
    """Change what a file of results holds."""
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()


@pytest.fixture
def experiment(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(TOML, encoding="utf-8")
    return path


def test_an_experiment_leaves_a_folder_with_everything(gramarye: Callable[..., Any], experiment: Path) -> None:
    printed = gramarye("compare", experiment, "--workers", "1").stdout
    folder = experiment.with_suffix("")
    assert sorted(path.name for path in folder.iterdir()) == ["figures", "report.html", "results.db", "tables"]
    for ending in ("pdf", "svg", "png"):
        assert (folder / "figures" / f"progress-quartic.{ending}").stat().st_size > 1000
    for ending in ("csv", "tex", "md"):
        assert (folder / "tables" / f"final-fitness.{ending}").exists()
    assert "Final fitness: mean ± standard deviation of 3 runs" in printed
    assert str(folder / "report.html") in printed.replace("\n", "")
    assert "<h1>small</h1>" in (folder / "report.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("unpainted")
def test_the_same_command_again_runs_nothing_and_gives_the_same_tables(
    gramarye: Callable[..., Any], experiment: Path
) -> None:
    first = gramarye("compare", experiment, "--workers", "1").stdout
    tables = {path: path.read_bytes() for path in (experiment.with_suffix("") / "tables").iterdir()}
    assert gramarye("compare", experiment, "--workers", "1").stdout == first
    assert {path: path.read_bytes() for path in tables} == tables
    with gm.Results.open(experiment.with_suffix("") / "results.db") as results:
        assert len(results.sessions) == 2


@pytest.mark.usefixtures("unpainted")
def test_a_grammar_of_another_system_is_noted_and_may_have_its_precedence(
    gramarye: Callable[..., Any], experiment: Path
) -> None:
    theirs = "<e> ::= <e><o><e>|x|1.0\n<o> ::= +|*|\\eb_div\\eb\n"
    (experiment.parent / "theirs.txt").write_text(theirs, encoding="utf-8")
    experiment.write_text(f'{TOML}grammar = "theirs.txt"\nprecedence = "authors"\n', encoding="utf-8")
    done = gramarye("compare", experiment, "--workers", "1")
    assert "the grammar of quartic is read as SGE, DSGE, PGE, PSGE: quotes are text" in done.stderr


@pytest.mark.usefixtures("unpainted")
def test_a_fitness_function_that_ends_its_process_ends_no_experiment(
    gramarye: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "ending.py").write_text(
        "import os\n\n\ndef fitness(text):\n    return os._exit(1) if 'b' in text else 1\n"
    )
    (tmp_path / "my.bnf").write_text("<e> ::= a <e> | b <e> | a | b\n", encoding="utf-8")
    text = 'runs = 1\nmethods = ["ge", "sge"]\n[settings]\npopulation = 10\ngenerations = 2\n'
    problem = '[[problems]]\nfitness = "ending:fitness"\ngrammar = "my.bnf"\n'
    (tmp_path / "e.toml").write_text(text + problem, encoding="utf-8")
    assert "mean ± standard deviation of 1 run" in gramarye("compare", "e.toml", "--workers", "1").stdout


def test_a_report_is_made_again_from_the_file_alone(
    gramarye: Callable[..., Any], experiment: Path, tmp_path: Path
) -> None:
    gramarye("compare", experiment, "--workers", "1", "--out", "study")
    before = (tmp_path / "study" / "tables" / "pairs.csv").read_bytes()
    gramarye("report", "study", "--out", "again")
    gramarye("report", Path("study") / "results.db", "--out", "once more")
    assert (tmp_path / "again" / "tables" / "pairs.csv").read_bytes() == before
    assert (tmp_path / "once more" / "report.html").exists()
    assert not (tmp_path / "again" / "results.db").exists()
    for figure in (tmp_path / "study" / "figures").iterdir():
        assert (tmp_path / "again" / "figures" / figure.name).read_bytes() == figure.read_bytes()


@pytest.mark.usefixtures("unpainted")
def test_the_example_is_an_experiment(gramarye: Callable[..., Any], tmp_path: Path) -> None:
    text = gramarye("compare", "--example").stdout
    small = re.sub(r"runs = 30", "runs = 1", text).replace("population = 200", "population = 20")
    (tmp_path / "e.toml").write_text(small, encoding="utf-8")
    printed = gramarye("compare", "e.toml", "--workers", "1").stdout
    assert "plain GE" in printed
    assert "learning_factor=0.05" in printed


@pytest.mark.usefixtures("unpainted")
def test_every_run_that_failed_is_told_and_the_exit_code_says_so(
    gramarye: Callable[..., Any], experiment: Path, tmp_path: Path
) -> None:
    gramarye("compare", experiment, "--workers", "1")
    path = experiment.with_suffix("") / "results.db"
    change(path, "UPDATE runs SET status = 'failed', error = 'Traceback\n<b>Oops</b>: why' WHERE seed = 2")
    result = gramarye("report", path, code=1)
    assert "2 runs failed, the first is PGE on quartic, seed 2: <b>Oops</b>: why" in result.stderr
    page = path.with_name("report.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;Oops&lt;/b&gt;: why" in page
    assert "2 runs failed" in page
    gramarye("compare", experiment, "--workers", "1")  # tries them again


@pytest.mark.usefixtures("unpainted")
def test_the_report_of_an_unfinished_experiment_says_so(gramarye: Callable[..., Any], experiment: Path) -> None:
    gramarye("compare", experiment, "--workers", "1")
    path = experiment.with_suffix("") / "results.db"
    change(path, "UPDATE runs SET status = 'waiting' WHERE cell = 2 OR seed = 3")
    gramarye("report", path)
    page = path.with_name("report.html").read_text(encoding="utf-8")
    assert "unfinished experiment: 4 runs still to be done" in page


@pytest.mark.usefixtures("unpainted")
def test_runs_that_all_failed_are_told_as_failed(gramarye: Callable[..., Any], experiment: Path) -> None:
    gramarye("compare", experiment, "--workers", "1")
    path = experiment.with_suffix("") / "results.db"
    change(path, "UPDATE runs SET status = 'failed', error = 'Oops: why'")
    result = gramarye("report", path, code=1)
    assert "6 runs failed, the first is PGE on quartic, seed 1: Oops: why" in result.stderr
    change(path, "UPDATE runs SET status = 'waiting'")
    assert "finite" not in gramarye("report", path).stderr  # nothing has ended: that is no failure


@pytest.mark.usefixtures("unpainted")
def test_an_experiment_without_a_valid_program_fails(gramarye: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "bad.bnf").write_text("<e> ::= <e> + | (\n", encoding="utf-8")
    bad = TOML.replace('problem = "quartic"', 'problem = "quartic"\ngrammar = "bad.bnf"')
    (tmp_path / "bad.toml").write_text(bad, encoding="utf-8")
    result = gramarye("compare", "bad.toml", "--workers", "1", code=1)
    assert "no run has found a program with a finite fitness; try `gramarye run`, which says why" in result.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("compare",), "missing argument: the TOML file of the experiment; gramarye compare --example prints one"),
        (("compare", "none.toml"), "none.toml: can't be read (No such file or directory)"),
        (("report", "none.db"), "none.db does not exist, or is empty"),
        (("report", "small.toml"), "small.toml is not a gramarye results file (results.db)"),
        (("reproduce", "--runs", "0", "--out", "x"), "runs is 0: it must be an integer from 1 to"),
        (("reproduce", "--runs", "1", "--seed", "-1"), "seed is -1: it must be an integer from 0"),
        (("compare", "small.toml", "--workers", "0"), "workers is 0"),
        (("compare", "small.toml", "--out", "small.toml"), "small.toml: can't be written (File exists)"),
    ],
)
def test_a_mistake_is_told_in_a_line(
    gramarye: Callable[..., Any], experiment: Path, words: tuple[str, ...], message: str
) -> None:
    result = gramarye(*words, code=2)
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_ctrl_c_before_the_first_run_is_told(
    gramarye: Callable[..., Any], experiment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("gramarye.experiment.carry_out", interrupted)
        assert "stopped before the first run" in gramarye("compare", experiment, code=130).stderr


@pytest.mark.usefixtures("unpainted")
def test_another_experiment_in_the_same_folder_is_refused(gramarye: Callable[..., Any], experiment: Path) -> None:
    gramarye("compare", experiment, "--workers", "1")
    experiment.write_text(TOML.replace("generations = 3", "generations = 4"), encoding="utf-8")
    result = gramarye("compare", experiment, "--workers", "1", code=2)
    assert "PGE on quartic was run with generations 3, not 4; choose another folder" in result.stderr


@pytest.mark.usefixtures("unpainted")
@pytest.mark.slow
def test_a_small_reproduction_of_the_paper_from_end_to_end(gramarye: Callable[..., Any], tmp_path: Path) -> None:
    printed = gramarye("reproduce", "--runs", "2", "--out", "paper", "--workers", "2").stdout
    tables = {path.name for path in (tmp_path / "paper" / "tables").iterdir()}
    for name in ("mean-best-fitness", "post-hoc", "probabilities", "parameters", "claims"):
        assert {f"paper-{name}.{ending}" for ending in ("csv", "tex", "md")} <= tables
    figures = {path.stem for path in (tmp_path / "paper" / "figures").iterdir()}
    assert {"progress-pagie", "progress-boston", "probabilities-pagie-pge", "probabilities-boston-pge"} <= figures
    page = (tmp_path / "paper" / "report.html").read_text(encoding="utf-8")
    assert "Probabilities of &lt;var&gt;" in page
    assert "0.56" in printed
    with gm.Results.open(tmp_path / "paper" / "results.db") as results:
        run = gm.evolve(gm.problems.load("pagie"), gm.PGE(), seed=2)
        assert results.final(results.cell("PGE", "pagie"), "best_so_far")[1] == run.best.fitness
