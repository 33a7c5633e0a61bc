"""`gramarye prior`: probabilities learned from the runs of an experiment."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gramarye as gm
from gramarye.experiment.plan import Experiment, named_methods, named_problems
from gramarye.priors import auto_shrinkage
from gramarye.store import Store

Command = Callable[..., Any]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An experiment of two methods on two problems."""
    path = tmp_path_factory.mktemp("study") / "results.db"
    small: dict[str, Any] = {"population": 40, "generations": 3}
    problems = [gm.problems.load("quartic"), gm.problems.load("pagie")]
    gm.compare([gm.PGE(**small), gm.SGE(**small)], problems, runs=2, workers=1, store=path)
    return path


def test_without_a_file_it_shows_the_probabilities_before_and_after(gramarye: Command, results: Path) -> None:
    shown = gramarye("prior", results, "--problem", "quartic").stdout
    assert "Prior for quartic, learned from 4 programs on 1 problem with shrinkage 1" in shown
    assert "0.250000" in shown
    assert "<var>    x" in shown


def test_the_file_is_a_grammar_that_a_run_starts_from(gramarye: Command, results: Path) -> None:
    chosen = ("--problem", "quartic", "--method", "PGE", "--shrinkage", "2")
    result = gramarye("prior", results.parent, *chosen, "--out", "prior.bnf")
    assert result.stdout == ""
    assert "the prior learned from 2 programs on 1 problem with shrinkage 2 was written to prior.bnf" in result.stderr
    with gm.Results.open(results) as opened:
        texts = [winner.found.phenotype for winner in opened.winners(opened.cell("PGE", "quartic"))]
    prior = gm.learn_prior(texts, gm.problems.load("quartic").grammar, shrinkage=2)
    assert gm.Grammar.from_file("prior.bnf") == prior
    gramarye("run", "quartic", "--grammar", "prior.bnf", "--generations", "2", "--population", "20")


def test_contexts_and_another_grammar(gramarye: Command, results: Path) -> None:
    shown = gramarye("prior", results, "--problem", "quartic", "--grammar", "pagie", "--context", "slot").stdout
    assert "Prior for pagie" in shown
    assert "<expr.1.2>" in shown


def test_a_prior_is_also_json(gramarye: Command, results: Path) -> None:
    words = ("prior", results, "--problem", "quartic", "--shrinkage", "auto", "--json", "--out", "prior.bnf")
    document = json.loads(gramarye(*words).stdout)
    assert document["format"] == "gramarye-prior"
    assert (document["programs"], document["problems"], document["context"]) == (4, 1, "none")
    prior = gm.Grammar.from_file("prior.bnf")
    assert document["text"] == prior.text
    assert document["rules"]["<op>"]["before"] == [0.25] * 4
    assert document["rules"]["<op>"]["prior"] == gm.Probabilities.of(prior)["<op>"].tolist()
    with gm.Results.open(results) as opened:
        texts = [winner.found.phenotype for cell in opened.cells[::2] for winner in opened.winners(cell)]
    assert document["shrinkage"] == auto_shrinkage(texts, gm.problems.load("quartic").grammar)


TABLES = {"three": "a,b,c,price\n", "two": "a,b,price\n"}


def table(name: str) -> Path:
    """A table whose last column is the product of the first two."""
    path, rng = Path(f"{name}.csv"), np.random.default_rng(1)
    columns = rng.uniform(-2, 2, (40, TABLES[name].count(",")))
    rows = [",".join(map(repr, [*row, row[0] * row[1]])) for row in columns.tolist()]
    path.write_text(TABLES[name] + "\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_a_fit_feeds_a_prior_that_the_next_fit_with_other_columns_starts_from(gramarye: Command) -> None:
    small = ("--max-evaluations", "1000", "--seed", "1")
    gramarye("fit", table("three"), *small, "--out", "model.json")
    result = gramarye("prior", "model.json", "model.json", "--out", "prior.bnf")
    assert "the prior learned from 2 programs on 1 problem with shrinkage 1 was written" in result.stderr
    learned = gm.Probabilities.of(gm.Grammar.from_file("prior.bnf"))
    left = "has other productions for <x>: their probabilities are not taken over"
    for prior in ("prior.bnf", "model.json"):
        fitted = gramarye("fit", table("two"), *small, "--prior", prior, "--out", "next.json")
        assert left in " ".join(fitted.stderr.split())
        found = gm.Probabilities.of(gm.Model.load("next.json").grammar)
        assert found["<x>"].tolist() == [0.5, 0.5]
        if prior == "prior.bnf":
            assert found["<e>"].tolist() == learned["<e>"].tolist()
    words = gramarye("prior", "model.json", "--problem", "quartic", code=2).stderr.split()
    assert "model.json is a saved model: it has no problems or methods to choose from" in " ".join(words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            (),
            "is not that of the best program of PGE on pagie, seed 1; choose runs of one grammar, or give",
        ),
        (("--problem", "quartik"), "no problem is called 'quartik'; did you mean quartic?"),
        (("--method", "GE"), "no method is called 'GE'; did you mean"),
        (("--problem", "pagie", "--shrinkage", "much"), "--shrinkage is 'much': it must be a number, or auto"),
        (("--problem", "pagie", "--shrinkage", "0"), "shrinkage is 0.0: it must be a number from 0.000001"),
        (("--problem", "pagie", "--context", "sibling"), "context is 'sibling': it must be one of 'none', 'parent'"),
        (("--problem", "pagie", "--out", "prior.txt"), "prior.txt: only .bnf can be written"),
        (("--grammar", "quartic", "--problem", "pagie"), "this is not a program of quartic"),
        (("--grammar", "nowhere.bnf"), "nowhere.bnf"),
    ],
)
def test_mistakes_end_in_a_line(gramarye: Command, results: Path, words: tuple[str, ...], message: str) -> None:
    assert message in " ".join(gramarye("prior", results, *words, code=2).stderr.split())


def test_a_file_that_is_missing_or_holds_no_results_is_refused(gramarye: Command, small: Path) -> None:
    assert "nowhere.db does not exist" in gramarye("prior", "nowhere.db", code=2).stderr
    assert "is not a gramarye results file (results.db)" in gramarye("prior", small, code=2).stderr


def test_an_experiment_of_which_no_run_is_done_is_refused(gramarye: Command, tmp_path: Path) -> None:
    plan = Experiment(named_methods([gm.PGE()]), named_problems([gm.problems.load("quartic")]), 2)
    with Store(tmp_path / "results.db") as store:
        store.plan(plan.facts, plan.cells(), plan.seeds)
    assert "results.db: no run is done; wait for one, or choose other" in gramarye("prior", tmp_path, code=2).stderr
