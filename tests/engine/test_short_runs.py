from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import gramarye as gm
from gramarye import kernels
from gramarye.engine import short_runs
from gramarye.engine.state import State
from gramarye.errors import SettingsError
from gramarye.kernels import codes
from gramarye.methods import MethodBase
from gramarye.representations.base import as_seed
from tests.engine.test_front import PROBLEM
from tests.engine.test_restarts import but_for_work, states
from tests.engine.test_state import same

SHORT: dict[str, Any] = {"population": 20, "generations": 14, "short_runs": 3, "short_generations": 3}
METHODS: list[MethodBase] = [
    gm.PGE(**SHORT),
    gm.PGE(**SHORT, context="parent"),
    gm.SGE(**SHORT),
    gm.CFGGP(**SHORT),
    gm.CoPSGE(**SHORT),
    gm.PMBGE(**SHORT),
    gm.GE(**SHORT, initialisation="grow"),
    gm.TunedTrees(**SHORT, max_size=9, terms=1, tuning_iterations=1),
]
BEGINNINGS = [0, 3, 6, 9]  # the last one is that of the long run
every_method = pytest.mark.parametrize("method", METHODS, ids=lambda m: f"{m.name}-{m.settings.get('context', '')}")


def bests(found: list[State], method: MethodBase) -> list[gm.Derivation]:
    """The best program of each short run: the first one with the smallest error."""
    setup = gm.Evolution(PROBLEM, method, 1).setup
    programs = []
    for begin in BEGINNINGS[:3]:
        run = found[begin : begin + 3]
        state = min(run, key=lambda state: state.fitness.min())
        if np.isfinite(state.fitness.min()):
            own = state.derivations.take(np.array([state.fitness.argmin()]))
            programs.append(gm.Derivation.first_of(PROBLEM.grammar, setup.rewriting.translate(own)))
    return programs


def prior_of(found: list[State], method: MethodBase) -> gm.Grammar:
    return gm.learn_prior(bests(found, method), PROBLEM.grammar)


@every_method
def test_runs_begin_at_their_generations_and_the_best_of_all_is_kept(method: MethodBase) -> None:
    found = states(method)
    assert len(found) == 14
    begun = [state.generation for state in found if (state.born == state.generation).all()]
    assert set(BEGINNINGS) <= set(begun)
    if method.elites and not method.samples:
        assert begun == BEGINNINGS
    assert [state.best_of_run.fitness for state in found] == sorted(
        (s.best_of_run.fitness for s in found), reverse=True
    )


@every_method
def test_the_long_run_starts_as_one_on_the_same_problem_with_the_prior_as_its_grammar(method: MethodBase) -> None:
    found = states(method)
    started = gm.Regression(PROBLEM.dataset.columns.T, PROBLEM.dataset.target, prior_of(found, method))
    seed = int(kernels.random.stream(as_seed(1), 3, codes.RESTART, 0))
    alone = gm.Evolution(started, replace(method, short_runs=0, short_generations=5), seed)
    alone.advance()
    assert alone.state is not None
    np.testing.assert_allclose(alone.setup.probabilities, first_probabilities(found, method), rtol=1e-13)
    if not isinstance(method, gm.SGE):  # whose lists are filled by the seed of the run as they are read
        mine, other = found[9].derivations, alone.state.derivations
        np.testing.assert_array_equal(mine.productions, other.productions)
        np.testing.assert_array_equal(mine.offsets, other.offsets)


def first_probabilities(found: list[State], method: MethodBase) -> Any:
    """Those by which the long run begins."""
    setup = gm.Evolution(PROBLEM, method, 1).setup
    _, probabilities = short_runs.next_population(setup, found[8], found[8].memory["short_runs"])
    return probabilities


@every_method
def test_short_runs_begin_by_the_probabilities_of_the_problem(method: MethodBase) -> None:
    found = states(method)
    first = found[0].derivations
    for begin in BEGINNINGS[1:3]:
        assert "short_runs" in found[begin].memory
        assert not np.array_equal(found[begin].derivations.productions, first.productions)
    assert "short_runs" not in found[9].memory
    if not isinstance(method, gm.CoPSGE | gm.TunedTrees):  # which record others
        for begin in BEGINNINGS[:3]:
            np.testing.assert_array_equal(found[begin].probabilities, found[0].probabilities)


@every_method
def test_a_shorter_run_is_the_beginning_of_a_longer_one(method: MethodBase) -> None:
    assert same(states(replace(method, generations=11))[-1], states(method)[10])


@every_method
def test_a_run_resumed_anywhere_equals_one_that_was_not_interrupted(method: MethodBase) -> None:
    whole = states(method)
    for at in (0, 1, 2, 5, 7, 8, 9, 12):
        saved = State.from_bytes(whole[at].to_bytes())
        assert same(saved, whole[at])
        assert same(but_for_work(states(method, state=saved)[-1]), but_for_work(whole[-1]))


def test_a_run_shows_what_it_has_learned_from_short_ones() -> None:
    method = gm.SGE(**SHORT)
    run = gm.evolve(PROBLEM, method, seed=1)
    learned = gm.Probabilities.of(prior_of(states(method), method))
    shown = gm.Probabilities.of(run.grammar)
    for name in PROBLEM.grammar.nonterminals:
        np.testing.assert_allclose(shown[name], learned[name], rtol=1e-13)


def test_short_runs_that_find_nothing_teach_nothing() -> None:
    assert short_runs.learned(PROBLEM.grammar, {"best": np.array(np.inf)}) is PROBLEM.grammar


def test_programs_to_start_from_are_refused() -> None:
    program = gm.evolve(PROBLEM, gm.CFGGP(population=20, generations=3), seed=5).best.derivation
    with pytest.raises(SettingsError, match="short_runs is 3: initial_programs would begin the first short run only"):
        gm.evolve(PROBLEM, gm.CFGGP(**SHORT), 1, initial_programs=[program])


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        (
            {"short_runs": 4, "generations": 20},
            r"short_runs is 4: with 5 generations each, they leave none of 20 gener",
        ),
        (
            {"short_runs": 1, "short_generations": 1, "generations": 1},
            r"with 1 generation each, they leave none of 1 g",
        ),
        ({"short_runs": 2, "restart_after": 3}, r"short_runs is 2 and restart_after is 3: leave one of them out"),
        ({"short_generations": 3}, r"short_generations is 3: it has no effect, because short_runs is 0"),
        (
            {"short_runs": 4, "population": 100, "max_evaluations": 1_800},
            r"they take at least 1,800 evaluations, and leave none of max_evaluations, 1,800, for the long run",
        ),
        ({"short_runs": -1}, r"short_runs is -1: it must be an integer"),
        ({"short_runs": 1.5}, r"short_runs is 1.5: it must be an integer"),
    ],
)
def test_settings_under_which_short_runs_make_no_sense_are_refused(settings: dict[str, Any], told: str) -> None:
    with pytest.raises(SettingsError, match=told):
        gm.PGE(**settings)


def test_methods_that_use_no_probabilities_have_no_short_runs() -> None:
    with pytest.raises(SettingsError, match="short_runs is 4: ge does not use probabilities"):
        gm.GE(short_runs=4)
    assert gm.GE(short_runs=4, initialisation="ramped").uses_probabilities
    assert "short_runs" not in repr(gm.PGE())
    assert "short_runs=4" in repr(gm.PGE(short_runs=4))
    assert gm.PGE(short_runs=4, population=100, max_evaluations=1_801).max_evaluations == 1_801


def test_what_short_runs_have_taught_is_what_a_run_shows_even_without_a_learner() -> None:
    assert gm.SGE().wording is None
    assert gm.SGE(short_runs=4).wording == gm.PGE().wording
    assert gm.TunedTrees(short_runs=4).wording == gm.TunedTrees().wording
    with gm.compare({"sge": gm.SGE(**SHORT)}, {"problem": PROBLEM}, 2, seed=1).results as results:
        (cell,) = results.cells
        assert cell.wording is not None
        mean = results.mean_probabilities(cell)
    runs = [gm.evolve(PROBLEM, gm.SGE(**SHORT), seed=seed) for seed in (1, 2)]
    np.testing.assert_allclose(mean[-1], np.mean([run.probabilities[-1] for run in runs], axis=0), rtol=1e-13)
    assert np.ptp(mean[8] - mean[0]) == 0
    assert np.ptp(mean[9] - mean[0]) > 0
