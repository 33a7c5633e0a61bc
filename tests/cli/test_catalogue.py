from __future__ import annotations

import importlib
import importlib.metadata
import io
import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gramarye.cli import main
from gramarye.grammar import Grammar
from gramarye.grammar.dialects import DIALECTS
from gramarye.methods import METHODS
from gramarye.problems import PROBLEMS, load
from gramarye.settings import describe

Command = Callable[..., Any]


class TestGrammar:
    def test_the_page_shows_rules_shape_and_the_chance_of_a_whole_program(self, gramarye: Command) -> None:
        page = gramarye("grammar", "pagie").stdout
        assert "pagie: 5 rules, 17 productions; the axiom is <start>" in page
        assert "(<expr> <op> <expr>)" in page
        assert [line.split() for line in page.splitlines() if line.startswith("<expr> ")][-1] == [
            "<expr>",
            "4",
            "2",
            "direct",
        ]
        assert "128 random codons" in page
        assert page.count("0.4994") == sum("consume_single" in kind().settings for kind in METHODS.values())
        assert "Warnings" not in page

    def test_warnings_are_shown(self, gramarye: Command, small: Path) -> None:
        small.write_text("<a> ::= x | x\n<b> ::= y\n", encoding="utf-8")
        page = gramarye("grammar", small).stdout
        assert "line 2: <b> is never reached" in page
        assert "more than once" in page

    def test_other_commands_note_the_first_warnings(self, gramarye: Command, small: Path) -> None:
        small.write_text("<a> ::= x\n  y | # z\n" + "".join(f"<b{i}> ::= x\n" for i in range(9)))
        page = gramarye("grammar", small)
        assert "note:" not in page.stderr
        notes = gramarye("grammar", small, "--bnf").stderr.splitlines()
        assert notes[0].startswith(f"note: {small}, line 1: a production of <a> goes over several lines")
        assert notes[-1] == f"note: {small}: 8 more such warnings; `gramarye grammar` shows them all"
        assert len(notes) == 4
        assert gramarye("map", small, "--genotype", "[0]", "--method", "ge").stderr.splitlines() == notes

    def test_probabilities_are_shown_rounded(self, gramarye: Command, small: Path) -> None:
        small.write_text("<a> ::= x {0.123456789} | y {0.876543211}\n", encoding="utf-8")
        page = gramarye("grammar", small).stdout
        assert "with probabilities" in page
        assert "0.1235" in page

    def test_indirect_recursion_is_named(self, gramarye: Command, small: Path) -> None:
        small.write_text("<a> ::= <b> | x\n<b> ::= ( <a> )\n", encoding="utf-8")
        document = json.loads(gramarye("grammar", small, "--json").stdout)
        assert document["rules"]["<b>"]["recursion"] == ["indirect"]

    def test_a_grammar_of_thousands_of_rules_is_cut(self, gramarye: Command, small: Path) -> None:
        rules = [f"<r{n}> ::= a <r{n + 1}>" for n in range(2000)]
        small.write_text("\n".join([*rules, "<r2000> ::= b", *(f"<u{n}> ::= c" for n in range(600))]), encoding="utf-8")
        page = gramarye("grammar", small).stdout
        assert page.count("… and 2,101 more rules") == 2
        assert "… and 100 more warnings" in page
        assert "<r499>" in page
        assert "<r501>" not in page
        assert "<r1999> ::= a <r2000>" in gramarye("grammar", small, "--bnf").stdout

    def test_a_rule_of_a_million_productions_is_cut(self, gramarye: Command, small: Path) -> None:
        small.write_text("<a> ::= GE_RANGE:1000\n", encoding="utf-8")
        assert "… and 960 more" in gramarye("grammar", small).stdout

    def test_an_empty_production_is_shown_in_quotes(self, gramarye: Command, small: Path) -> None:
        small.write_text('<a> ::= x<a> | ""\n', encoding="utf-8")
        assert '| ""' in gramarye("grammar", small).stdout

    def test_markup_and_emoji_in_a_grammar_are_text(self, gramarye: Command, small: Path) -> None:
        small.write_text("<a> ::= [bold]x[/bold] | :smile: | [/]\n", encoding="utf-8")
        page = gramarye("grammar", small).stdout
        assert "[bold]x[/bold]" in page
        assert ":smile:" in page
        assert "| [/]" in page

    def test_json_tells_everything(self, gramarye: Command, small: Path) -> None:
        small.write_text("<a> ::= x {0.25} | y {0.75}\n<b> ::= z\n", encoding="utf-8")
        document = json.loads(gramarye("grammar", small, "--json", "--codons", "7").stdout)
        assert document["axiom"] == "<a>"
        assert document["rules"]["<a>"]["probabilities"] == [0.25, 0.75]
        assert document["rules"]["<b>"]["reachable"] is False
        assert document["completion"] | {"codons": 7, "ge": 1.0, "pge": 1.0, "pcfgeda": 1.0} == document["completion"]
        assert "sge" not in document["completion"]
        assert Grammar.from_text(document["text"]) == Grammar.from_file(small)

    def test_a_file_of_another_system_is_recognised_and_that_is_said(self, gramarye: Command, small: Path) -> None:
        small.write_text("<a> ::= x |\n  if y:{:<a>\n<a>:}\n", encoding="utf-8")
        done = gramarye("grammar", small, "--bnf")
        assert "is read as PonyGE2: line breaks inside productions are kept" in done.stderr
        assert Grammar.from_text(done.stdout) == Grammar.from_file(small)
        assert json.loads(gramarye("grammar", small, "--json").stdout)["dialect"] == "ponyge2"

    def test_a_dialect_can_be_chosen(self, gramarye: Command, small: Path) -> None:
        small.write_text("<a> ::= 'x' | None\n", encoding="utf-8")
        assert gramarye("grammar", small, "--dialect", "sge", "--bnf").stdout == '<a> ::= "\'x\'" | ""\n'
        error = gramarye("grammar", small, "--dialect", "pony", code=2).stderr
        assert "there is no dialect 'pony'; did you mean ponyge2?" in error

    def test_the_help_names_all_dialects(self, gramarye: Command) -> None:
        shown = " ".join(gramarye("grammar", "--help").stdout.replace("│", " ").split())
        assert all(name in shown for name in DIALECTS)

    def test_bnf_reads_back_as_the_same_grammar(self, gramarye: Command) -> None:
        assert Grammar.from_text(gramarye("grammar", "boston", "--bnf").stdout) == load("boston").grammar

    def test_a_railroad_diagram_is_drawn(self, gramarye: Command, small: Path, tmp_path: Path) -> None:
        page = gramarye("grammar", small, "--railroad", "rails.svg").stdout
        assert "rails.svg" in page
        assert (tmp_path / "rails.svg").read_text(encoding="utf-8").startswith("<svg")

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["nofile.bnf"], "nofile.bnf: there is no such file"),
            (["pagi"], "no problem of that name; did you mean pagie?"),
            (["."], "is a folder"),
            (["pagie", "--railroad", "rails.png"], "only .svg can be written"),
            (["pagie", "--railroad", "nowhere/rails.svg"], "there is no folder nowhere"),
        ],
    )
    def test_what_can_not_be_read_or_drawn(self, gramarye: Command, words: list[str], message: str) -> None:
        error = gramarye("grammar", *words, code=2).stderr
        assert error.startswith("error: ")
        assert message in error

    def test_an_error_in_a_grammar_points_at_its_place(self, gramarye: Command, small: Path) -> None:
        small.write_text("<s> ::= <vra>\n<var> ::= x\n", encoding="utf-8")
        lines = gramarye("grammar", small, code=2).stderr.splitlines()
        assert lines[0].endswith("line 1, column 9: no rule defines <vra>; did you mean <var>?")
        assert lines[2].index("^") == lines[1].index("<vra>")

    def test_a_file_may_bear_the_name_of_a_problem(self, gramarye: Command, tmp_path: Path) -> None:
        (tmp_path / "pagie").write_text("<mine> ::= x\n", encoding="utf-8")
        assert "<mine>" in gramarye("grammar", "./pagie").stdout
        assert "<mine>" not in gramarye("grammar", "pagie").stdout


class TestMethods:
    def test_all_are_listed(self, gramarye: Command) -> None:
        page = " ".join(gramarye("methods").stdout.split())
        for name, method in METHODS.items():
            own = [setting for setting in method().settings if setting not in page.partition("all have")[2]]
            assert f"{name}: {method.title} paper {method.paper} genotype {method.genotype} learns" in page
            assert f"learns {method.learns} settings {', '.join(own)}" in page
        assert set(json.loads(gramarye("methods", "--json").stdout)["methods"]) == set(METHODS)

    @pytest.mark.parametrize("name", METHODS)
    def test_one_is_shown_with_all_its_settings(self, gramarye: Command, name: str) -> None:
        page = gramarye("methods", name).stdout
        settings = METHODS[name]().settings
        assert all(f"\n{setting} " in page for setting in settings)
        document = json.loads(gramarye("methods", name, "--json").stdout)
        defaults = {key: value["default"] for key, value in document["settings"].items()}
        assert settings.items() <= defaults.items()
        assert defaults == {each.name: each.default for each in describe(METHODS[name])}
        assert all(value["values"] for value in document["settings"].values())

    @pytest.mark.parametrize(
        ("name", "setting", "meaning"),
        [
            ("pge", "mutation", "probability that a codon is replaced by a random one"),
            ("cfggp", "mutation", "probability that one subtree of an individual is replaced by a random one"),
            ("whge", "mutation", "probability that a bit is flipped"),
            ("pmbge", "crossover", "has no effect: offspring have no parents"),
            ("whge", "initial_size", "has no effect: bits are not made from trees"),
        ],
    )
    def test_a_setting_means_what_the_method_makes_of_it(
        self, gramarye: Command, name: str, setting: str, meaning: str
    ) -> None:
        document = json.loads(gramarye("methods", name, "--json").stdout)
        assert document["settings"][setting]["meaning"] == meaning
        assert meaning in " ".join(gramarye("methods", name).stdout.split())

    def test_the_list_fits_into_a_hundred_columns(self, gramarye: Command) -> None:
        lines = gramarye("methods").stdout.splitlines()
        assert max(map(len, lines)) <= 100

    def test_an_unknown_one_names_the_nearest(self, gramarye: Command) -> None:
        assert "did you mean pge?" in gramarye("methods", "pgee", code=2).stderr


class TestProblems:
    def test_all_are_listed(self, gramarye: Command) -> None:
        page = gramarye("problems").stdout
        assert all(f"\n{name} " in page for name in PROBLEMS)
        assert set(json.loads(gramarye("problems", "--json").stdout)["problems"]) == set(PROBLEMS)

    def test_boston_says_why_it_was_withdrawn(self, gramarye: Command) -> None:
        page = " ".join(gramarye("problems", "boston").stdout.split())
        assert "scikit-learn withdrew this data set" in page
        assert "506, 50 of them kept for testing" in page
        assert "LSTAT" in page

    def test_one_for_programs(self, gramarye: Command) -> None:
        document = json.loads(gramarye("problems", "pagie", "--json").stdout)
        assert (document["rows"], document["columns"], document["error"]) == (676, 2, "rrse")

    def test_an_unknown_one_names_the_nearest(self, gramarye: Command) -> None:
        assert "did you mean boston?" in gramarye("problems", "bostn", code=2).stderr


@pytest.mark.parametrize("command", ["run", "map", "grammar", "methods", "problems", "analyse"])
def test_the_help_of_every_command_has_examples(gramarye: Command, command: str) -> None:
    page = gramarye(command, "--help").stdout
    assert "Examples:" in page
    assert f"gramarye {command}" in page.partition("Examples:")[2]


def test_help_and_version(gramarye: Command) -> None:
    assert "gramarye run pagie" in gramarye("--help").stdout
    assert gramarye("--version").stdout.startswith("gramarye ")
    assert "Usage" in gramarye("nonsense", code=2).stderr


class TestMain:
    @pytest.fixture(autouse=True)
    def _restored(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(warnings, "formatwarning", warnings.formatwarning)
        monkeypatch.setattr(sys, "argv", ["gramarye", "--version"])

    def test_the_module_runs_it(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit, match="0"):
            importlib.import_module("gramarye.__main__")
        assert capsys.readouterr().out.startswith("gramarye ")

    def test_any_stream_will_do_and_warnings_are_one_line(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdout", io.StringIO())
        with pytest.raises(SystemExit, match="0"):
            main()
        assert sys.stdout.getvalue().startswith("gramarye ")  # type: ignore[union-attr]
        assert warnings.formatwarning("slow", UserWarning, "file.py", 3) == "warning: slow\n"

    @pytest.mark.parametrize("installed", [True, False])
    def test_the_version_is_that_of_the_installed_package(
        self, gramarye: Command, monkeypatch: pytest.MonkeyPatch, installed: bool
    ) -> None:
        def version(_: str) -> str:
            if not installed:
                raise importlib.metadata.PackageNotFoundError
            return "1.2.3"

        monkeypatch.setattr(importlib.metadata, "version", version)
        assert gramarye("--version").stdout == f"gramarye {'1.2.3' if installed else '(not installed)'}\n"
