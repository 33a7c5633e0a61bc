"""Runs that record what their front is made of, and runs that start from it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import gramarye as gm
from gramarye.derivations import Derivations
from gramarye.engine.loop import start, step
from gramarye.engine.run import Run
from gramarye.engine.setup import Setup
from gramarye.engine.state import State
from gramarye.learners.counts import frequencies

TEXT = "<e> ::= (<e> <op> <e>) | sin(<e>) | x | y | <const>\n<op> ::= + | - | * | /"
GRAMMAR = gm.Grammar.from_text(TEXT, "constants")
PROBLEM = gm.problems.load("pagie", GRAMMAR)
SMALL: dict[str, Any] = {"population": 60, "generations": 8}
RUN = gm.evolve(PROBLEM, gm.TunedTrees(**SMALL), seed=1)


def of_front(run: Run) -> list[float]:
    """What the front of a run, as people see it, says."""
    found = np.array(run.setup.probabilities)
    for span in run.setup.grammar.spans.values():
        counts = [np.bincount(each.derivation.productions, minlength=len(found))[span] for each in run.front]
        shares = [row / row.sum() for row in counts if row.any()]
        if shares:
            found[span] = (sum(shares) + found[span]) / (len(shares) + 1)
    return list(found)


def test_what_is_recorded_is_read_out_of_the_front() -> None:
    assert len(RUN.front) > 3
    assert RUN.probabilities.shape == (8, len(GRAMMAR.productions))
    assert RUN.probabilities[-1].tolist() == pytest.approx(of_front(RUN), abs=1e-12)
    for g in (1, 4):
        shorter = gm.evolve(PROBLEM, gm.TunedTrees(population=60, generations=g), seed=1)
        assert shorter.probabilities.tolist() == RUN.probabilities[:g].tolist()


def test_it_guides_nothing() -> None:
    """A run is the same, but for what it records, as one that records nothing."""
    parts: dict[str, Any] = {**SMALL, "representation": gm.TunedTrees().representation}
    read, still = (
        gm.evolve(PROBLEM, gm.Method(**parts, learner=learner), seed=2)
        for learner in (gm.learners.FrontFrequencies(), gm.learners.NoLearning())
    )
    for name in read.history:
        assert read.history[name].tobytes() == still.history[name].tobytes()
    assert read.best.genotype == still.best.genotype
    assert still.grammar is GRAMMAR
    assert read.grammar.probabilities is not None


def test_every_population_is_made_by_the_probabilities_of_the_start() -> None:
    setup = Setup(PROBLEM, RUN.method, 1)
    state = start(setup)
    for _ in range(3):
        state = step(setup, state)
        assert state.probabilities.tolist() == setup.probabilities.tolist()
        assert state.probability_history[-1].tolist() != setup.probabilities.tolist()
    forgetful = replace(state, probability_history=np.zeros_like(state.probability_history))
    first, second = step(setup, forgetful).derivations, step(setup, state).derivations
    assert first.productions.tolist() == second.productions.tolist()


def test_a_generation_shows_what_is_recorded_of_it() -> None:
    generations = list(gm.Evolution(PROBLEM, RUN.method, 1))
    for generation, row in zip(generations, RUN.probabilities, strict=True):
        assert generation.probabilities.values_array.tolist() == row.tolist()


def test_the_front_is_that_of_the_whole_run_also_after_restarts() -> None:
    method = gm.TunedTrees(population=20, generations=30, restart_after=2, max_size=9, terms=1, tuning_iterations=1)
    evolution = gm.Evolution(PROBLEM, method, 1)
    restarted = []
    for _ in evolution:
        assert evolution.state is not None
        restarted.append(int(evolution.state.memory["restarts"]["number"]))
    run = evolution.run
    first = restarted.index(1)
    assert run.probabilities[first].tolist() != run.setup.probabilities.tolist()
    assert run.probabilities[-1].tolist() == pytest.approx(of_front(run), abs=1e-12)


def test_a_resumed_run_records_the_same() -> None:
    half = gm.Evolution(PROBLEM, RUN.method, 1)
    for _ in range(4):
        half.advance()
    assert half.state is not None
    resumed = gm.Evolution(PROBLEM, RUN.method, state=State.from_bytes(half.state.to_bytes()))
    assert [generation.index for generation in resumed] == [4, 5, 6, 7]
    assert resumed.run.probabilities.tobytes() == RUN.probabilities.tobytes()


def used(derivations: Derivations, grammar: gm.Grammar, name: str) -> list[float]:
    """How often each production of a rule is used in derivations."""
    counts = np.bincount(derivations.productions, minlength=len(grammar.productions))
    return frequencies(counts[grammar.spans[name]].tolist())


@pytest.mark.parametrize("method", [gm.TunedTrees(population=400), gm.CFGGP(population=400)], ids=lambda m: m.name)
def test_another_run_starts_from_it(method: gm.MethodBase) -> None:
    text = str(RUN.grammar)
    grammar = gm.Grammar.from_text(text)
    assert grammar == RUN.grammar
    assert str(grammar) == text
    problem = gm.problems.load("pagie", grammar)
    setup = Setup(problem, method, 5)
    assert setup.probabilities.tolist() == RUN.probabilities[-1].tolist()
    state = start(setup)
    wanted = gm.Probabilities.of(grammar)["<op>"]
    assert used(state.derivations, grammar, "<op>") == pytest.approx(wanted, abs=0.06)
    assert used(start(Setup(PROBLEM, method, 5)).derivations, grammar, "<op>") == pytest.approx([0.25] * 4, abs=0.06)
    assert max(wanted) > 0.33
    again = gm.evolve(problem, replace(method, population=60, generations=3), seed=5)
    assert np.isfinite(again.best.fitness)
    assert again.grammar.productions == grammar.productions


def test_mutations_follow_what_was_read_out() -> None:
    sure = {"<op>": [0.0, 0.0, 1.0, 0.0]}
    problem = gm.problems.load("pagie", RUN.grammar.with_probabilities(sure))
    run = gm.evolve(problem, gm.TunedTrees(**SMALL), seed=3)
    assert all(re.search(r"[+/]|\s-\s", str(each.phenotype)) is None for each in run.front)


def test_only_who_records_something_changes_the_grammar() -> None:
    assert gm.evolve(PROBLEM, gm.CFGGP(population=20, generations=2), seed=1).grammar is GRAMMAR


def test_a_notebook_says_what_the_probabilities_are() -> None:
    assert (
        "The grammar with the frequencies of its productions in the front, which did not guide the search:"
        in RUN._repr_html_()
    )
    learned = gm.evolve(PROBLEM, gm.PGE(population=20, generations=2), seed=1)
    assert "The grammar with the probabilities it learned:" in learned._repr_html_()
    own = gm.evolve(PROBLEM, gm.CoPSGE(population=20, generations=2), seed=1)
    assert "The grammar with the probabilities of its best individual:" in own._repr_html_()
    assert "The grammar with" not in gm.evolve(PROBLEM, gm.GE(population=20, generations=2), seed=1)._repr_html_()
