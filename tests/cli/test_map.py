from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gramarye.cli.commands.map import _learner
from gramarye.errors import SettingsError
from gramarye.grammar import Grammar
from gramarye.methods import PMBGE

Command = Callable[..., Any]
GENOTYPE = "[0.8, 0.2, 0.98, 0.45, 0.62, 0.87, 0.19]"


def test_a_genotype_is_mapped_step_by_step(gramarye: Command, small: Path) -> None:
    page = gramarye("map", small, "--genotype", GENOTYPE).stdout
    steps = [line.split() for line in page.splitlines()]
    assert ["4", "<var>", "0.45", "0.45", "<", "0.5", "x", "x", "<op>", "<expr>"] in steps
    assert "0.3333 ≤ 0.62 < 0.6667" in page
    assert "Program\nx * x\n" in page
    assert "└─ <expr>" in page
    assert ["<expr>", "<expr>", "<op>", "<expr>", "1"] in steps  # counts


def test_only_productions_that_were_used_are_counted(gramarye: Command, small: Path) -> None:
    small.write_text("<a> ::= GE_RANGE:1000 | <b>\n<b> ::= x\n", encoding="utf-8")
    page = gramarye("map", small, "--genotype", "[0.5]").stdout
    counts = page.partition("How often productions were used (all others: not at all)\n")[2].splitlines()
    assert [line.split() for line in counts[2:]] == [["<a>", "500", "1"]]


def test_too_few_codons_are_told(gramarye: Command, small: Path) -> None:
    page = gramarye("map", small, "--genotype", "[0.8, 0.2]").stdout
    assert "no codons are left after 2, but non-terminals are: <expr> <op> <expr>" in page


def test_settings_of_the_method_may_be_given(gramarye: Command, small: Path) -> None:
    document = json.loads(gramarye("map", small, "--genotype", "[0.6]", "--set", "wraps=2", "--json").stdout)
    assert document["phenotype"] == "1.0"
    assert document["codons_used"] == 3
    assert document["settings"]["wraps"] == 2


def test_remainders_of_ge_are_shown(gramarye: Command, small: Path) -> None:
    page = gramarye("map", small, "--method", "ge", "--genotype", "[7, 83]").stdout
    assert "7 mod 2 = 1" in page
    assert "the only production" in page


def test_lists_of_sge_are_completed_from_the_seed(gramarye: Command, small: Path) -> None:
    words = ["map", small, "--method", "sge", "--genotype", "{'<expr>': [0, 1]}", "--seed", "1"]
    assert "completed" in gramarye(*words).stdout
    document = json.loads(gramarye(*words, "--json").stdout)
    assert document["valid"]
    assert document["genotype"]["<expr>"][:2] == [0, 1]
    assert document == json.loads(gramarye(*words, "--json").stdout)


@pytest.mark.parametrize(
    ("method", "genotype", "told"),
    [
        ("pige", "[[8, 19], [32, 15], [41, 51]]", "pair 3: 41 mod 1 = 0 picks it, 51 mod 2 = 1"),
        ("chorus", "[1, 8, 13]", "genes mod 7 = 1: 1 leads with 1"),
        ("whge", "110100101100", "11010010110: ones 3/6, 3/5"),
        ("staticsge", "{'<expr>': [1], '<var>': [0]}", "entry 0 of <var>"),
    ],
)
def test_genotypes_of_every_kind_are_explained(
    gramarye: Command, small: Path, method: str, genotype: str, told: str
) -> None:
    words = ["map", small, "--method", method, "--genotype", genotype]
    assert told in gramarye(*words).stdout
    assert json.loads(gramarye(*words, "--json").stdout)["valid"]


def test_the_tree_is_drawn(gramarye: Command, small: Path, tmp_path: Path) -> None:
    assert "tree.svg" in gramarye("map", small, "--genotype", GENOTYPE, "--svg", "tree.svg").stdout
    assert (tmp_path / "tree.svg").read_text(encoding="utf-8").startswith("<svg")


def test_of_a_huge_derivation_no_tree_and_no_forms_are_shown(gramarye: Command, small: Path) -> None:
    genotype = str([0.1] * 3_000)  # recursion without end
    page = gramarye("map", small, "--genotype", genotype).stdout
    assert "… 2,880 more steps" in page
    assert "nodes, too many to be shown here; --svg FILE draws them" in page
    assert len(page) < 60_000
    steps = json.loads(gramarye("map", small, "--genotype", genotype, "--json").stdout)["steps"]
    assert len(steps) == 3_000
    assert {step["form"] for step in steps} == {None}


class TestLearning:
    def test_the_update_is_shown_number_by_number(self, gramarye: Command, small: Path) -> None:
        page = gramarye("map", small, "--genotype", GENOTYPE, "--learn", "0.01").stdout
        assert "0.500000 + 0.01·2/3 = 0.506667   0.501667" in page
        assert "0.500000 − 0.01·0.500000 = 0.495000   0.492500" in page
        assert "sum 1.005000, excess +0.005000: every value − 0.002500" in page
        assert "<start> has one production" in page

    def test_the_old_grammar_and_the_new_one_stand_side_by_side(self, gramarye: Command, small: Path) -> None:
        page = gramarye("map", small, "--genotype", GENOTYPE, "--learn", "0.01").stdout
        rows = [line.split() for line in page.partition("The old grammar and the new one\n")[2].splitlines()]
        assert rows[2] == ["<start>", "<expr>", "1.000000", "1.000000"]
        assert rows[-2:] == [["<var>", "x", "0.500000", "0.507500"], ["1.0", "0.500000", "0.492500"]]
        assert len(rows) == 2 + 8

    def test_of_a_large_rule_only_what_was_used_is_updated_in_words(self, gramarye: Command, small: Path) -> None:
        small.write_text("<a> ::= GE_RANGE:1000\n", encoding="utf-8")
        page = gramarye("map", small, "--genotype", "[0.9995]", "--learn", "0.01").stdout
        rows = [line.split() for line in page.splitlines()]
        assert ["999", "1", "0.001000", "0.001000", "+", "0.01·1/1", "=", "0.011000", "0.011000"] in rows
        assert ["…", "999", "more", "0"] in rows
        assert ["…", "960", "more"] in rows
        assert len(rows) < 70

    def test_what_was_not_used_stays(self, gramarye: Command, small: Path) -> None:
        page = gramarye("map", small, "--genotype", "[0.5, 0.5, 0.1]", "--learn", "0.01").stdout
        assert "<op> was not used: its probabilities stay as they are" in page

    def test_decay_division_and_floor_are_told(self, gramarye: Command, small: Path) -> None:
        settings = ["--set", "unexpanded=decay", "--set", "normalise=divide", "--set", "floor=0.1"]
        page = gramarye("map", small, "--genotype", "[0.5, 0.5, 0.1]", "--learn", "0.01", *settings).stdout
        assert "was not used" not in page
        assert "divided by the sum, then 0.1 of a uniform distribution" in " ".join(page.split())

    def test_limits_at_0_and_1_are_told(self, gramarye: Command, small: Path) -> None:
        small.write_text("<a> ::= x {0.9} | y {0.05} | z {0.05}\n", encoding="utf-8")
        page = gramarye("map", small, "--genotype", "[0.5]", "--learn", "0.9").stdout
        assert "0.900000 + 0.9·1/1 = 1.000000 (at most 1)" in page
        small.write_text("<a> ::= x {0.9} | y {0.1} | z {0.0}\n", encoding="utf-8")
        page = gramarye("map", small, "--genotype", "[0.5]", "--learn", "0.05").stdout
        assert "equal shares are taken from all that stay above 0" in page

    def test_a_sum_below_1_is_made_up(self, gramarye: Command, small: Path) -> None:
        settings = ["--set", "unexpanded=decay", "--learn", "0.3"]
        page = gramarye("map", small, "--genotype", "[0.5, 0.5, 0.1]", *settings).stdout
        assert "sum 0.700000, excess -0.300000: every value + 0.100000" in page

    def test_an_invalid_individual_teaches_nothing(self, gramarye: Command, small: Path) -> None:
        words = ["map", small, "--genotype", "[0.5]", "--learn", "0.01"]
        assert "An invalid individual teaches nothing" in gramarye(*words).stdout
        assert "lessons" not in json.loads(gramarye(*words, "--json").stdout)

    def test_the_new_grammar_is_in_the_json(self, gramarye: Command, small: Path) -> None:
        document = json.loads(gramarye("map", small, "--genotype", GENOTYPE, "--learn", "0.01", "--json").stdout)
        new = Grammar.from_text(document["grammar"])
        assert new.probabilities is not None
        assert new.probabilities[-2:].tolist() == document["lessons"]["<var>"]["new"]
        assert document["lessons"]["<var>"]["raised"] == [0.51, 0.495]

    def test_only_the_update_of_pge_is_shown(self) -> None:
        with pytest.raises(SettingsError, match="pmbge learns in another way; --learn goes with --method pge"):
            _learner(PMBGE(), 0.01)


def test_probabilities_that_are_ignored_are_noted(gramarye: Command, small: Path) -> None:
    small.write_text("<a> ::= x {0.9} | y {0.1}\n", encoding="utf-8")
    result = gramarye("map", small, "--genotype", "[1]", "--method", "ge")
    assert result.stderr == "note: ge ignores the probabilities that the grammar carries\n"


def test_trees_and_lists_grow_by_probabilities_so_nothing_is_noted(gramarye: Command, small: Path) -> None:
    small.write_text("<a> ::= x {0.9} | y {0.1}\n", encoding="utf-8")
    assert gramarye("map", small, "--genotype", "[1]", "--method", "cfggp").stderr == ""
    assert gramarye("map", small, "--genotype", '{"<a>": [1]}', "--method", "sge").stderr == ""


def test_a_tree_is_given_with_the_values_of_its_constants(gramarye: Command, small: Path) -> None:
    small.write_text("<a> ::= (<a> + <a>) | x | <const>\n", encoding="utf-8")
    page = gramarye("map", small, "--genotype", "[0, 1, 2, -1.5]", "--method", "cfggp").stdout
    assert "Program\n(x + (-1.5))\n" in page
    document = json.loads(gramarye("map", small, "--genotype", "[0, 1, 2, -1.5]", "--method", "cfggp", "--json").stdout)
    assert document["genotype"] == [0, 1, 2, -1.5]
    assert document["phenotype"] == "(x + (-1.5))"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["[0.8, -0.2]"], "codon 1 is -0.2"),
        (["[NaN]"], "a codon must be finite"),
        (["[0.8, "], "the genotype is not valid JSON: Expecting value at character 7"),
        (["9" * 5000], "a genotype is a list of numbers in [0, 1], not '99999"),
        (["[" * 100_000], "the genotype can't be read"),
        (["3"], "a genotype is a list of numbers"),
        (["[1.5]", "--method", "ge"], "codons of this method are integers"),
        (["[1]", "--method", "sge"], "a genotype is a mapping"),
        (["[1]", "--method", "xyz"], "there are ge, pge, sge"),
        (["[0.5]", "--learn", "2"], "learning_factor is 2.0"),
        (["[5]", "--learn", "0.1", "--method", "ge"], "ge learns nothing; --learn goes with --method pge"),
        (["[0.5]", "--seed", "-1"], "seed is -1"),
        (["[0.5]", "--svg", "nowhere/tree.svg"], "there is no folder nowhere"),
        (["[0.5]", "--svg", "tree.png"], "only .svg can be written"),
    ],
)
def test_bad_input_is_told_in_a_line(gramarye: Command, small: Path, words: list[str], message: str) -> None:
    error = gramarye("map", small, "--genotype", *words, code=2).stderr
    assert error.startswith("error: ")
    assert message in error
    assert error.count("\n") == 1
