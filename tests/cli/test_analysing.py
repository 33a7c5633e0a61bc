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
from gramarye.report.terminal.analysis import watching

Command = Callable[..., Any]
TINY = ["--bases", "8", "--neighbours", "2", "--seed", "1", "--workers", "1"]


def test_the_page_shows_the_tables_and_what_their_columns_mean(gramarye: Command, small: Path) -> None:
    result = gramarye("analyse", small, "--methods", "pge,sge", *TINY)
    for title in ("Locality: one element changed (small, seed 1)", "Causality", "Crossover", "Redundancy"):
        assert title in result.stdout
    assert "\nPGE " in result.stdout
    assert "0 %: PGE" in result.stderr
    assert "8 valid genotypes with 2 neighbours each" in result.stdout


def test_json_is_what_python_gives(gramarye: Command, small: Path) -> None:
    document = json.loads(gramarye("analyse", small, "--methods", "ge", *TINY, "--json").stdout)
    found = gm.analyse(gm.Grammar.from_file(small), ["ge"], bases=8, neighbours=2, seed=1)
    assert document["methods"][0]["measures"]["gap"]["estimate"] == found.found[0]["gap"].estimate
    assert document["seed"] == 1


def test_tables_and_figures_are_written_and_runs_are_followed(
    gramarye: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gramarye.report.analysis.find", lambda name: lambda: gm.PGE(population=20, generations=2))
    page = gramarye("analyse", "quartic", "--methods", "pge", "--problem", "quartic", "--out", "found", *TINY).stdout
    assert "Locality along runs" in page
    assert "files in found" in page
    assert (tmp_path / "found" / "runs.png").exists()
    assert (tmp_path / "found" / "locality.tex").exists()


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
        (["pagie", "--source", "tree"], "it must be one of 'random', 'trees'"),
        (["pagie", "--problem", "pagi"], "no problem is called 'pagi'"),
        (["pagie", "--out", "small.bnf"], "small.bnf: this is a file"),
    ],
)
def test_bad_input_is_told_in_a_line(gramarye: Command, small: Path, words: list[str], message: str) -> None:
    error = gramarye("analyse", *words, code=2).stderr
    assert error.startswith("error: ")
    assert message in error


def test_figures_need_matplotlib(gramarye: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert "Matplotlib" in gramarye("analyse", "pagie", "--out", "found", code=2).stderr


def test_help_has_examples(gramarye: Command) -> None:
    assert "gramarye analyse pagie" in gramarye("analyse", "--help").stdout


def test_a_terminal_shows_a_bar() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, force_interactive=True, width=80)
    with watching(console) as watch:
        watch(1, 2, "PGE: neighbours")
    assert "PGE: neighbours" in console.file.getvalue()  # type: ignore[attr-defined]
