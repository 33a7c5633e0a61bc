from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest

import gramarye as gm
from gramarye.engine.individual import Individual
from gramarye.execution.versions import versions_of
from gramarye.populations.history import COUNTS, RECORDED

PROBLEM = gm.problems.load("quartic")
RUN = gm.evolve(PROBLEM, gm.PGE(population=40, generations=6, learning_factor=0.1), seed=3)


def test_a_run_holds_what_happened() -> None:
    assert RUN.seed == 3
    assert RUN.generations == 6
    assert RUN.evaluations == 240
    assert RUN.distinct == RUN.history["distinct"][-1] > 0
    assert RUN.node_rows == RUN.history["node_rows"][-1] > 0
    assert RUN.invalid == RUN.history["invalid"].sum() > RUN.history["invalid"].max()
    assert {type(count) for count in (RUN.evaluations, RUN.distinct, RUN.node_rows, RUN.invalid)} == {int}
    assert RUN.settings["learning_factor"] == 0.1
    assert RUN.best.fitness == RUN.history["best_so_far"][-1]
    assert RUN.best.phenotype == RUN.best.derivation.phenotype
    assert RUN.best.size == RUN.best.derivation.size
    assert RUN.best.depth == RUN.best.derivation.depth
    assert len(RUN.best.genotype) == 128
    assert math.isnan(RUN.best.test_fitness)
    assert RUN.seconds > 0


def test_the_best_genotype_still_maps_to_the_best_program() -> None:
    """Under the probabilities of the generation in which it was found."""
    found = int(np.flatnonzero(RUN.history["best_so_far"] == RUN.best.fitness)[0])
    phenotypes = [
        gm.map_genotype(PROBLEM.grammar, RUN.best.genotype, RUN.method, RUN.probabilities[g]).phenotype
        for g in range(found, 6)
    ]
    assert RUN.best.phenotype in phenotypes


def test_the_history_is_a_table_for_pandas() -> None:
    table = pd.DataFrame(RUN.table)
    assert list(table.columns) == ["generation", *RECORDED]
    whole = {"generation", *COUNTS}
    assert {name for name in table.columns if table[name].dtype == np.int64} == whole
    assert {name for name in table.columns if table[name].dtype == np.float64} == set(table.columns) - whole
    assert table["generation"].tolist() == list(range(6))
    assert table["evaluations"].tolist() == [40, 80, 120, 160, 200, 240]
    assert (table["best_so_far"].diff().dropna() <= 0).all()
    assert (table["distinct"].diff().dropna() >= 0).all()
    assert table["invalid"].tolist() == RUN.history["invalid"].tolist()


def test_the_grammar_of_a_run_reads_back_to_the_same_bits() -> None:
    assert RUN.probabilities.shape == (6, len(PROBLEM.grammar.productions))
    assert RUN.probabilities[0].tolist() == PROBLEM.grammar.start_probabilities().tolist()
    assert RUN.probabilities[-1].tolist() != RUN.probabilities[0].tolist()
    again = gm.Grammar.from_text(str(RUN.grammar))
    assert again.probabilities is not None
    assert again.probabilities.tobytes() == RUN.probabilities[-1].tobytes()
    assert again == RUN.grammar
    further = gm.evolve(gm.problems.load("quartic", again), gm.PGE(population=40, generations=2), seed=1)
    assert further.probabilities[0].tobytes() == RUN.probabilities[-1].tobytes()


def test_a_method_that_learns_nothing_leaves_the_grammar_as_it_is() -> None:
    run = gm.evolve(PROBLEM, gm.GE(population=20, generations=2), seed=1)
    assert run.grammar is PROBLEM.grammar


def test_versions_are_recorded() -> None:
    assert set(RUN.versions) == {"python", "gramarye", "numpy", "numba"}
    assert RUN.versions["numpy"] == np.__version__
    assert versions_of("no-such-package")["no-such-package"] == "none"


def test_a_notebook_shows_a_run_and_escapes_it() -> None:
    page = RUN._repr_html_()
    assert "<b>PGE</b> on <b>quartic</b>, seed 3" in page
    assert "240 evaluations" in page
    assert "&lt;expr&gt;" in page
    assert not re.search("<expr>|<op>", page)
    grammar = gm.Grammar.from_text("<a> ::= '<script>alert(1)</script>'")
    wicked = gm.Objective(len, grammar, name="<img src=x>")
    shown = gm.evolve(wicked, gm.GE(population=4, generations=1, codons=2), seed=1)._repr_html_()
    assert "<script>" not in shown
    assert "<img" not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown


def test_an_invalid_individual_has_no_phenotype() -> None:
    derivation = gm.Derivation(PROBLEM.grammar, np.array([2, 7], np.int32))
    assert derivation.phenotype == "x"
    assert Individual([], derivation, 1.0).phenotype == "x"
    assert Individual([], derivation, math.inf).phenotype is None


@pytest.mark.parametrize("name", ["best", "mean", "median"])
def test_what_is_recorded_is_what_the_population_shows(name: str) -> None:
    statistic: Any = {"best": np.min, "mean": np.mean, "median": np.median}[name]
    for generation in gm.Evolution(PROBLEM, gm.PGE(population=40, generations=3), seed=3):
        valid = generation.fitness[np.isfinite(generation.fitness)]
        assert generation.record[name] == pytest.approx(statistic(valid))
        assert generation.record["invalid"] == 40 - len(valid)
        assert generation.validity == len(valid) / 40
        assert generation.best_of_generation.fitness == generation.fitness.min()


def test_a_run_shows_itself_on_one_line() -> None:
    assert repr(RUN) == str(RUN) == f"Run(PGE on quartic, seed 3: {RUN.best.fitness:.4g} after 6 generations)"
    hopeless = gm.Objective(lambda _: math.inf, PROBLEM.grammar, name="hopeless")
    run = gm.evolve(hopeless, gm.GE(population=5, generations=1), seed=1)
    assert repr(run) == "Run(GE on hopeless, seed 1: no valid program after 1 generation)"


def test_an_individual_shows_itself_on_one_line() -> None:
    x = gm.Derivation(PROBLEM.grammar, np.array([2, 7], np.int32))
    assert repr(Individual([0.5] * 128, x, 0.72884)) == "Individual('x', fitness 0.7288)"
    assert repr(Individual([0.5] * 128, x, math.inf)) == "Individual(invalid: 'x')"
    begun = gm.Derivation(PROBLEM.grammar, np.zeros(30, np.int32))
    assert len(repr(Individual([0.5] * 128, begun, math.inf))) < 100


def test_a_generation_shows_itself_on_one_line() -> None:
    fitness = np.array([0.8125, 2.0, 3.0, math.inf])
    derivation = gm.Derivation(PROBLEM.grammar, np.array([2, 7], np.int32))
    best = Individual([], derivation, 0.8125)
    probabilities = gm.Probabilities(PROBLEM.grammar, PROBLEM.grammar.start_probabilities())
    generation = gm.Generation(3, best, best, probabilities, fitness, {})
    assert repr(generation) == "Generation(3: best 0.8125, 75% valid)"
