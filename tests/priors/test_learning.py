from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import gramarye as gm
from gramarye.errors import GrammarError, OutputError, SettingsError
from gramarye.priors import auto_shrinkage
from gramarye.sklearn import GrammarRegressor
from tests.grammars import G1

QUARTIC = gm.problems.load("quartic")
SMALL: dict[str, Any] = {"population": 40, "generations": 4}
GRAMMAR = gm.Grammar.from_text(G1, "G1")


@pytest.fixture(scope="module")
def runs() -> list[gm.Run]:
    return [gm.evolve(QUARTIC, gm.PGE(**SMALL), seed=seed) for seed in (1, 2, 3)]


@pytest.fixture(scope="module")
def comparison(tmp_path_factory: pytest.TempPathFactory) -> gm.Comparison:
    path = tmp_path_factory.mktemp("results") / "results.db"
    return gm.compare([gm.PGE(**SMALL)], [QUARTIC], runs=3, workers=1, store=path)


def test_runs_and_their_programs_as_texts_give_the_same_prior(runs: list[gm.Run]) -> None:
    prior = gm.learn_prior(runs)
    texts = [str(run.best.phenotype) for run in runs]
    assert prior.with_probabilities(None) == QUARTIC.grammar
    assert gm.learn_prior(texts, QUARTIC.grammar) == prior
    assert gm.learn_prior([run.best.derivation for run in runs], QUARTIC.grammar) == prior


def test_results_are_read_from_a_file_or_from_what_was_opened(comparison: gm.Comparison, runs: list[gm.Run]) -> None:
    path = comparison.results.path
    assert path is not None
    prior = gm.learn_prior(path)
    assert gm.learn_prior(str(path)) == gm.learn_prior(comparison.results) == gm.learn_prior(comparison) == prior
    assert gm.learn_prior(path.parent) == gm.learn_prior(str(path.parent)) == prior
    texts = [str(run.best.phenotype) for run in runs]
    assert prior == gm.learn_prior(texts, QUARTIC.grammar)


def test_a_prior_is_for_the_grammar_of_the_problem_whatever_methods_make_of_it() -> None:
    methods = [gm.PGE(**SMALL), gm.PMBGE(**SMALL), gm.StaticSGE(**SMALL)]
    results = gm.compare(methods, [QUARTIC], runs=1, workers=1).results
    prior = gm.learn_prior(results)
    assert prior.with_probabilities(None) == QUARTIC.grammar
    assert gm.learn_prior([gm.evolve(QUARTIC, method, seed=1) for method in methods]) == prior


def test_one_run_is_enough(runs: list[gm.Run]) -> None:
    assert gm.learn_prior(runs[0]) == gm.learn_prior([runs[0]])


def test_a_prior_is_a_grammar_file_that_runs_start_from(runs: list[gm.Run], tmp_path: Path) -> None:
    prior = gm.learn_prior(runs)
    (tmp_path / "prior.bnf").write_text(str(prior), encoding="utf-8")
    read = gm.Grammar.from_file(tmp_path / "prior.bnf")
    assert read == prior
    run = gm.evolve(gm.problems.load("quartic", read), gm.PGE(**SMALL), seed=1)
    assert run.probabilities[0].tolist() == prior.start_probabilities().tolist()


def test_runs_of_one_problem_are_one_task_whatever_their_probabilities(runs: list[gm.Run]) -> None:
    other = gm.problems.load("quartic", gm.learn_prior(runs))
    again = gm.evolve(other, gm.PGE(**SMALL), seed=4)
    found = gm.learn_prior([*runs, again], QUARTIC.grammar)
    assert found == gm.learn_prior([*(run.best.derivation for run in runs), again.best.derivation], QUARTIC.grammar)
    with pytest.raises(GrammarError, match=r"has other probabilities than that of the best program of .*; choose"):
        gm.learn_prior([*runs, again])


def test_the_probabilities_of_the_grammar_are_what_it_is_shrunk_to() -> None:
    uneven = GRAMMAR.with_probabilities({"<var>": [0.9, 0.1]})
    rows = [
        gm.Probabilities.of(gm.learn_prior(["x", "1.0"], uneven, shrinkage=strength))["<var>"].tolist()
        for strength in (1e-6, 1.0, 1e6)
    ]
    assert rows[0] == pytest.approx([0.5, 0.5], abs=1e-5)
    assert rows[1] == pytest.approx([(0.9 + 2 / 3 * 0.5) / (1 + 2 / 3), (0.1 + 2 / 3 * 0.5) / (1 + 2 / 3)])
    assert rows[2] == pytest.approx([0.9, 0.1], abs=1e-5)


def test_auto_chooses_a_shrinkage() -> None:
    tasks = {"one": ["x * x"], "two": ["x * x"], "three": ["x * x"]}
    assert gm.learn_prior(tasks, GRAMMAR, shrinkage="auto") == gm.learn_prior(tasks, GRAMMAR, shrinkage=1 / 64)
    assert auto_shrinkage(tasks, GRAMMAR) == 1 / 64


@pytest.mark.parametrize("context", ["parent", "slot"])
def test_contexts_have_rows_of_their_own_that_lean_on_their_nonterminal(context: Any) -> None:
    prior = gm.learn_prior(["x * 1.0", "x * x * 1.0"], GRAMMAR, context=context)
    plain = gm.Probabilities.of(gm.learn_prior(["x * 1.0", "x * x * 1.0"], GRAMMAR))
    assert len(prior.rules) == {"parent": 5, "slot": 6}[context]
    assert prior.start_probabilities().min() > 0
    below = [row for name, row in gm.Probabilities.of(prior).items() if name.startswith("<expr")]
    assert below[0][0] > plain["<expr>"][0] > min(row[0] for row in below)  # both programs begin with p1
    run = gm.evolve(gm.problems.load("quartic", prior), gm.PGE(**SMALL), seed=1)
    assert run.best.phenotype is not None


def test_constants_are_read_from_programs_and_learned_around() -> None:
    grammar = gm.Grammar.from_text("<e> ::= <e> + <e> | x | <const>", "constants")
    prior = gm.learn_prior(["x + 0.25", "x + x + -3.5"], grammar, context="parent")
    assert prior.has_constants
    assert "<const>" in str(prior)


def test_runs_without_a_valid_program_are_left_out_and_all_of_them_are_an_error(runs: list[gm.Run]) -> None:
    nothing = gm.evolve(gm.Objective(lambda _: float("inf"), QUARTIC.grammar), gm.GE(**SMALL), seed=1)
    assert gm.learn_prior([*runs, nothing]) == gm.learn_prior(runs)
    with pytest.raises(SettingsError, match="none of the runs has found a valid program"):
        gm.learn_prior([nothing])


@pytest.mark.parametrize(
    ("programs", "message"),
    [
        ([], "cannot learn a prior from an empty list; give runs"),
        (3, "cannot learn a prior from int; give runs"),
        ([3, "x"], "cannot learn a prior from a mixture of int and texts; give runs"),
        ([3], "cannot learn a prior from a list of int; give runs"),
        ((QUARTIC.grammar,), "cannot learn a prior from a tuple of Grammar; give runs"),
        (GrammarRegressor(), r"cannot learn a prior from GrammarRegressor; give runs \(model\.runs_ of an estimator\)"),
        ("x + x", r"x \+ x does not exist \(a text alone is read as a path; give a list of programs\)"),
        ({}, "there are no programs to learn from; give at least one"),
        ({"task": "x"}, "the programs of 'task' are 'x'; give a list of texts"),
        ({"task": [1]}, "program 1 of 'task' is of type int; give its text"),
    ],
)
def test_what_is_no_source_is_refused(programs: Any, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        gm.learn_prior(programs, GRAMMAR)


@pytest.mark.parametrize("shrinkage", [0, -1, float("nan"), 1e7, 10**400, True, None, "much"])
def test_a_shrinkage_out_of_its_range_is_refused(shrinkage: Any) -> None:
    with pytest.raises(SettingsError, match=r"shrinkage is .*: it must be a number from 0.000001 to 1,000,000, or 'au"):
        gm.learn_prior(["x"], GRAMMAR, shrinkage=shrinkage)


def test_other_mistakes_are_named(comparison: gm.Comparison) -> None:
    with pytest.raises(SettingsError, match="context is 'sibling': it must be one of 'none', 'parent', 'slot'"):
        gm.learn_prior(["x"], GRAMMAR, context="sibling")  # type: ignore[arg-type]
    with pytest.raises(GrammarError, match="programs alone have no grammar; give the grammar that the prior is for"):
        gm.learn_prior(["x"])
    with pytest.raises(SettingsError, match=r"the grammar is 'G1\.bnf': give gm\.Grammar\.from_text"):
        gm.learn_prior(["x"], "G1.bnf")  # type: ignore[arg-type]
    with pytest.raises(GrammarError, match="program 2 of the task, line 1, column 5: this is not a program of G1"):
        gm.learn_prior(["x", "x + z"], GRAMMAR)
    with pytest.raises(GrammarError, match="the best program of PGE on quartic, seed 1, line 1, column"):
        gm.learn_prior(comparison.results, gm.Grammar.from_text("<e> ::= y"))
    with pytest.raises(SettingsError, match=r"nowhere\.db does not exist"):
        gm.learn_prior("nowhere.db")
    with pytest.raises(OutputError, match=r"nowhere\.db does not exist"):
        gm.learn_prior(Path("nowhere.db"))
