from __future__ import annotations

import importlib.util
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import gramarye as gm
from gramarye.terminal.analysis import watching
from gramarye.terminal.screen import Screen

Command = Callable[..., Any]
TINY = ["--bases", "8", "--neighbours", "2", "--seed", "1", "--threads", "1"]


def test_the_page_shows_the_main_table_and_for_few_methods_all_measures(gramarye: Command, small: Path) -> None:
    result = gramarye("analyse", small, "--methods", "pge,sge", *TINY)
    for text in ("Locality and redundancy (small, seed 1)", "All measures", "Per cent", "edits after 32 changes"):
        assert text in result.stdout
    assert "\nPGE " in result.stdout
    assert "--out FOLDER" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 100
    assert "0 %: PGE" in result.stderr
    assert "8 valid genotypes of each method, 2 neighbours of each" in result.stdout


def test_many_methods_fit_a_screen(gramarye: Command, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    page = gramarye("analyse", small, "--methods", "pge,ge,sge,psge,pige,whge,cfggp", *TINY).stdout
    assert "All measures" not in page
    assert len(page.splitlines()) < 30
    assert max(map(len, page.splitlines())) <= 80


def test_the_page_is_wider_where_there_is_room(gramarye: Command, small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    words = ["analyse", small, "--methods", "pge,psge", "--bases", "400", "--neighbours", "2", "--seed", "1"]
    wide = gramarye(*words).stdout
    monkeypatch.setenv("COLUMNS", "60")
    assert gramarye(*words).stdout.splitlines()[3] != wide.splitlines()[3]


def test_a_measure_that_no_method_has_is_left_out(gramarye: Command, small: Path) -> None:
    assert "small step" not in gramarye("analyse", small, "--methods", "pge,sge", *TINY).stdout
    assert "small step" in gramarye("analyse", small, "--methods", "pge,psge", *TINY).stdout


def test_a_method_that_is_left_out_is_told(gramarye: Command, small: Path) -> None:
    page = gramarye("analyse", small, "--methods", "ge,whge", "--source", "trees", *TINY).stdout
    assert "WHGE: whge cannot encode" in page
    assert "programs that all of these methods can encode" in page


def test_json_is_what_python_gives(gramarye: Command, small: Path) -> None:
    document = json.loads(gramarye("analyse", small, "--methods", "ge", *TINY, "--json").stdout)
    found = gm.analyse(gm.Grammar.from_file(small), ["ge"], bases=8, neighbours=2, seed=1)
    assert document["methods"][0]["measures"]["gap"]["estimate"] == found.found[0]["gap"].estimate
    assert document["seed"] == 1


def test_tables_and_figures_are_written_and_runs_are_followed(
    gramarye: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gramarye.analysis.analysis.find", lambda name: lambda: gm.PGE(population=20, generations=2))
    page = gramarye("analyse", "quartic", "--methods", "pge", "--problem", "quartic", "--out", "found", *TINY).stdout
    assert "Along runs, generation 0 to 1" in page
    assert "open found/report.html" in page
    assert (tmp_path / "found" / "figures" / "runs-quartic.png").exists()
    assert (tmp_path / "found" / "tables" / "locality.tex").exists()


def test_runs_on_several_problems_are_followed(gramarye: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gramarye.analysis.analysis.find", lambda name: lambda: gm.PGE(population=20, generations=2))
    words = ["analyse", "quartic", "--methods", "pge", "--problem", "quartic,pagie", *TINY, "--json"]
    document = json.loads(gramarye(*words).stdout)
    assert document["problems"] == ["quartic", "pagie"]
    assert {each["problem"] for each in document["runs"]} == {"quartic", "pagie"}


def test_all_may_start_from_the_same_trees(gramarye: Command, small: Path) -> None:
    words = ["analyse", small, "--methods", "ge,pge", "--source", "trees", *TINY, "--json"]
    document = json.loads(gramarye(*words).stdout)
    assert {each["source"] for each in document["methods"]} == {"trees"}
    assert len({each["bases"] for each in document["methods"]}) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nofile.bnf"], "there is no such file"),
        (["pagie", "--methods", "pgee"], "no method is called 'pgee'; did you mean pge?"),
        (["pagie", "--methods", ","], "--methods names no method"),
        (["pagie", "--bases", "1"], "bases is 1"),
        (["pagie", "--bases", "0"], "bases is 0: it must be an integer ≥ 2"),
        (["pagie", "--neighbours", "0"], "neighbours is 0"),
        (["pagie", "--threads", "0"], "threads is 0"),
        (["pagie", "--problem", ","], "--problem names no problem"),
        (["pagie", "--methods", "whge", "--source", "trees"], "WHGE: whge cannot encode programs as genotypes"),
        (["pagie", "--out", "small.bnf/inside"], "small.bnf/inside: can't be written (Not a directory)"),
        (["pagie", "--source", "tree"], "it must be one of 'random', 'trees'"),
        (["pagie", "--problem", "pagi"], "no problem is called 'pagi'"),
        (["pagie", "--out", "small.bnf"], "small.bnf: can't be written (File exists)"),
    ],
)
def test_bad_input_is_told_in_a_line(gramarye: Command, small: Path, words: list[str], message: str) -> None:
    error = gramarye("analyse", *words, code=2).stderr
    assert error.splitlines()[-1].startswith("error: ")
    assert message in error


def test_figures_need_matplotlib(gramarye: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert "Matplotlib" in gramarye("analyse", "pagie", "--out", "found", code=2).stderr


def test_a_folder_without_permission_is_told_before_the_work(
    gramarye: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "can't be written" in gramarye("analyse", "pagie", "--out", "/proc/new/deep", code=2).stderr
    monkeypatch.setattr("os.access", lambda *_: False)
    assert "no permission to write" in gramarye("analyse", "pagie", "--out", "new/deep", code=2).stderr


def test_help_has_examples(gramarye: Command) -> None:
    assert "gramarye analyse pagie" in gramarye("analyse", "--help").stdout


def test_a_terminal_shows_a_bar() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, force_interactive=True, width=80)
    with Screen(console) as screen:
        watching(screen)(1, 2, "PGE: neighbours")
    assert "PGE: neighbours" in console.file.getvalue()  # type: ignore[attr-defined]
