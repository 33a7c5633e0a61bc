"""What an experiment is: names, seeds, budgets."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gramarye as gm
from gramarye.errors import SettingsError
from gramarye.experiment import Experiment
from gramarye.experiment.plan import named_methods, named_problems, with_evaluations
from gramarye.methods import MethodBase
from gramarye.replacement import Elitism
from gramarye.studies.pge2021.plan import paper_experiment
from tests.experiment.small import small

QUARTIC, BOSTON = gm.problems.load("quartic"), gm.problems.load("boston")


def test_every_method_meets_every_problem_with_every_seed() -> None:
    experiment = small(runs=3, seed=7)
    assert experiment.grid == [
        (method, problem) for problem in ("quartic", "boston") for method in ("PGE", "GE", "SGE")
    ]
    assert list(experiment.seeds) == [7, 8, 9]
    assert [(cell.method, cell.problem) for cell in experiment.cells()] == experiment.grid
    assert len({cell.identity for cell in experiment.cells()}) == 6
    json.dumps(experiment.facts)


def test_a_cell_knows_the_facts_of_its_problem_and_method() -> None:
    cell = next(cell for cell in small().cells() if (cell.method, cell.problem) == ("PGE", "boston"))
    assert cell.kind == "pge"
    assert cell.settings == gm.PGE(population=30, generations=6).settings
    assert cell.facts["test_rows"] > 0
    assert cell.grammar == BOSTON.grammar.text
    assert cell.learns


def test_the_parts_of_a_combined_method_are_noted_as_text() -> None:
    pge = gm.PGE(population=5)
    method = gm.Method(representation=pge.representation, learner=pge.learner, population=5)
    (cell,) = Experiment(named_methods([method]), named_problems([QUARTIC]), 1).cells()
    assert cell.settings["population"] == 5
    assert cell.settings["learner"] == repr(pge.learner)
    json.dumps(cell.settings)


@pytest.mark.parametrize(
    ("methods", "labels"),
    [
        ([gm.PGE(), gm.GE(), gm.SGE()], ["PGE", "GE", "SGE"]),
        ([gm.PGE(population=5), gm.GE()], ["PGE", "GE"]),
        (
            [gm.PGE(learning_factor=0.01), gm.PGE(learning_factor=0.05), gm.GE()],
            ["PGE learning_factor=0.01", "PGE learning_factor=0.05", "GE"],
        ),
        (
            [gm.GE(population=5, wraps=1), gm.GE(population=6, wraps=1), gm.GE(population=6, wraps=2)],
            ["GE population=5 wraps=1", "GE population=6 wraps=1", "GE population=6 wraps=2"],
        ),
        ({"fast": gm.PGE(), 2: gm.PGE()}, ["fast", "2"]),
        ((gm.SGE(),), ["SGE"]),
    ],
)
def test_methods_are_named_after_their_kind_and_what_tells_them_apart(methods: Any, labels: list[str]) -> None:
    assert list(named_methods(methods)) == labels


def test_problems_are_named_as_they_are_or_as_it_is_wished() -> None:
    assert list(named_problems([QUARTIC, BOSTON])) == ["quartic", "boston"]
    assert list(named_problems({"one": QUARTIC, "two": QUARTIC})) == ["one", "two"]
    numbered = gm.Objective(len, QUARTIC.grammar)
    numbered.name = 5  # type: ignore[assignment]
    assert list(named_problems([numbered])) == ["5"]


@pytest.mark.parametrize(
    ("methods", "message"),
    [
        ("pge", "methods is \"'pge'\": give a list of them, or a mapping from names to them"),
        (gm.PGE(), "methods is .*PGE.*give a list of them"),
        (["pge"], "method is the str 'pge'; give a method with its settings, gm.PGE"),
        ([gm.GE], "method is the class GE; give a method with its settings, gm.GE"),
        ({"a": gm.GE}, "method is the class GE"),
        ([None], "method is the NoneType"),
        ([gm.PGE(), gm.GE(), gm.PGE()], "two methods are the same, 'PGE"),
        ({1: gm.PGE(), "1": gm.GE()}, "2 methods have the same name, '1'; rename one"),
    ],
)
def test_what_are_no_methods_is_told(methods: Any, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        named_methods(methods)


@pytest.mark.parametrize(
    ("problems", "message"),
    [
        ("quartic", "problems is .*quartic.*give a list of them"),
        (QUARTIC, "problems is .*Regression.*give a list of them"),
        (["quartic"], "problem is the text 'quartic'; give the problem, gm.problems.load"),
        ([gm.Regression], "problem is of type"),
        ({"a": 5}, "problem is of type int"),
        ([QUARTIC, gm.problems.load("quartic")], "2 problems have the same name, 'quartic'; name them"),
        ({1: QUARTIC, "1": BOSTON}, "2 problems have the same name, '1'; rename one"),
    ],
)
def test_what_are_no_problems_is_told(problems: Any, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        named_problems(problems)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"methods": {}}, "there is no method to compare"),
        ({"problems": {}}, "there is no problem to compare"),
        *(
            ({"runs": value}, "runs is .*: it must be an integer from 1 to 10,000,000")
            for value in (0, -1, True, 1.5, "3", None, 10**9)
        ),
        *(({"seed": value}, "seed is .*: it must be an integer from 0") for value in (-1, True, 1.5, "3", None, 2**64)),
        ({"seed": 2**62}, "seed is 4611686018427387904: of an experiment, it must be from 0"),
    ],
)
def test_what_is_no_experiment_is_told(change: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        replace(small(), **change)


def test_there_are_at_most_a_thousand_methods() -> None:
    methods = {str(number): gm.GE() for number in range(1001)}
    with pytest.raises(SettingsError, match=r"there are 1,001 methods to compare, at most 1,000 can be"):
        Experiment(methods, {"quartic": gm.problems.load("quartic")})


def test_integers_of_numpy_are_integers() -> None:
    experiment = small(np.int64(2), np.uint8(5))  # type: ignore[arg-type]
    assert json.loads(json.dumps(experiment.facts))["seed"] == 5
    assert list(experiment.seeds) == [5, 6]
    assert Experiment(experiment.methods, experiment.problems, 1, 2**62 - 1).seeds[-1] == 2**62 - 1


def evaluations_of(method: MethodBase) -> list[float]:
    return gm.evolve(QUARTIC, method, seed=1).history["evaluations"].tolist()


@given(st.sampled_from([gm.PGE, gm.GE, gm.SGE]), st.integers(2, 12), st.integers(0, 3), st.integers(0, 60))
def test_a_budget_is_never_exceeded_and_one_more_generation_would(
    kind: type[MethodBase], population: int, elites: int, more: int
) -> None:
    method = kind(population=population, elitism=min(elites, population - 1))
    budget = population + more
    chosen = with_evaluations(method, budget)
    longer = evaluations_of(replace(chosen, generations=chosen.generations + 1, max_evaluations=None))
    assert longer[:-1] == evaluations_of(chosen)
    assert longer[-2] <= budget < longer[-1]


def test_elites_that_are_mapped_again_cost_again() -> None:
    assert with_evaluations(gm.PGE(population=100), 1000).generations == 10
    assert with_evaluations(gm.GE(population=100), 1000).generations == 11
    assert with_evaluations(gm.PGE(population=100, remap_elites=False), 1000).generations == 11


@pytest.mark.parametrize("evaluations", [99, 0, -5, True, 1e3, "1000", None])
def test_a_budget_must_be_enough_for_the_first_population(evaluations: Any) -> None:
    with pytest.raises(SettingsError, match=r"evaluations is .* enough for the first population, 100"):
        with_evaluations(gm.GE(population=100), evaluations)


def test_the_experiment_of_the_paper_has_its_settings() -> None:
    experiment = paper_experiment()
    assert experiment.paper
    assert (experiment.runs, list(experiment.problems), list(experiment.methods)) == (
        100,
        ["pagie", "boston"],
        ["PGE", "GE", "SGE"],
    )
    assert all((method.population, method.generations) == (1000, 50) for method in experiment.methods.values())


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (gm.WHGE(initialisation="ramped"), "mine on boston: initialisation is 'ramped': whge cannot encode"),
        (gm.Chorus(codon_max=14), "mine on boston: codon_max is 14: boston has .* productions to choose from"),
        (gm.CFGGP(initial_depth=1), "mine on quartic: initial_depth is 1: the lowest tree of quartic has depth 2"),
    ],
)
def test_a_method_that_can_t_begin_is_told_before_the_first_run(method: MethodBase, message: str) -> None:
    problems = {"quartic": QUARTIC, "boston": BOSTON}
    with pytest.raises(SettingsError, match=message):
        Experiment({"PGE": gm.PGE(), "mine": method}, problems if "quartic" in message else {"boston": BOSTON})


def test_methods_with_different_parts_are_told_apart_by_them() -> None:
    methods = [gm.GE(), gm.GE(selection="lexicase"), gm.GE(tournament=5)]
    assert list(named_methods(methods)) == ["GE tournament=3", "GE selection=lexicase", "GE tournament=5"]
    kept = [gm.Method(), gm.Method(replacement=Elitism(0.2))]
    assert list(named_methods(kept)) == ["Method elitism=0.1", "Method Elitism"]


def test_a_budget_ends_runs_whose_evaluations_are_passes_over_the_data() -> None:
    grammar = gm.Grammar.from_text("<e> ::= <e> + <e> | <e> * <e> | x | <const>")
    method = with_evaluations(gm.SGE(population=20), 500)
    assert method.max_evaluations == 500
    run = gm.evolve(gm.problems.load("quartic", grammar), method, seed=1)
    assert run.ended_by == "max_evaluations"
    assert run.history["evaluations"][-2] < 500 <= run.evaluations
    assert run.tunes
    assert with_evaluations(gm.TunedTrees(), 500_000).max_evaluations == 500_000
