"""Several runs in one fit: what they share, and what is made of them."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

import gramarye as gm
from gramarye.models.joined import joined_front, picked
from gramarye.sklearn import GrammarClassifier, GrammarRegressor

SMALL = gm.TunedTrees(population=40, initial_depth=4, max_size=20)
RNG = np.random.default_rng(1)
X = RNG.uniform(1, 4, (60, 3))
y = np.sin(X[:, 0]) * X[:, 1] + 0.3 * RNG.normal(size=60)


def small(**parameters: Any) -> GrammarRegressor:
    given = {"method": SMALL, "max_evaluations": 1500, "runs": 3, "random_state": 0}
    return GrammarRegressor(**{**given, **parameters})


def test_one_run_is_the_default_and_the_first_of_several() -> None:
    alone = small(runs=1, max_evaluations=500).fit(X, y)
    several = small().fit(X, y)
    assert clone(alone).get_params()["runs"] == 1
    assert GrammarRegressor().runs == 1
    assert len(alone.runs_) == 1
    assert [member.formula for member in alone.run_.front] == [member.formula for member in several.runs_[0].front]


def test_runs_have_seeds_of_their_own_and_share_the_evaluations() -> None:
    model = small().fit(X, y)
    seeds = [run.seed for run in model.runs_]
    assert seeds[0] == 0
    assert len(set(seeds)) == 3
    assert [run.method.max_evaluations for run in model.runs_] == [500] * 3
    assert not set(seeds) & {run.seed for run in small(random_state=1).fit(X, y).runs_}


def test_limits_of_the_method_are_for_each_run() -> None:
    method = gm.PGE(population=50, generations=3, max_evaluations=120)
    assert [run.method for run in small(method=method, max_evaluations=None).fit(X, y).runs_] == [method] * 3


def test_runs_share_the_time() -> None:
    model = GrammarRegressor(method=SMALL, max_time=0.3, runs=3, random_state=0).fit(X, y)
    limits = [run.method.max_time for run in model.runs_]
    assert limits[0] == pytest.approx(0.1, rel=0.01)
    assert all(limit is not None and 0 < limit < 0.3 for limit in limits)  # what is left after the runs before


def test_the_joined_front_has_no_formula_that_another_run_beats() -> None:
    model = small().fit(X, y)
    nodes, error = model.front_["nodes"], model.front_["error"]
    assert (np.diff(nodes) > 0).all()
    assert (np.diff(error) < 0).all()
    assert model.front_["picked"].sum() == 1
    joined = joined_front(model.runs_)
    for run in model.runs_:
        for member in run.front:
            assert min(each.fitness for each in joined if each.nodes <= member.nodes) <= member.fitness * (1 + 1e-5)
    assert len({found.seed for found in model._members}) > 1
    assert model.run_.seed == model.picked_.seed
    assert model.use(int(nodes[0])).front_["picked"][0]


def test_the_picked_formula_is_at_least_as_good_as_that_of_each_run() -> None:
    model = small().fit(X, y)

    def cost(found: gm.Individual) -> float:
        return float(model.run_.problem.cost(np.array([found.fitness]), np.array([found.nodes + found.digits]))[0])

    assert cost(picked(joined_front(model.runs_))) == min(cost(run.picked) for run in model.runs_)
    assert cost(model.picked_) == min(map(cost, model._members))


def test_the_grammar_has_the_mean_probabilities_of_the_runs() -> None:
    model = small().fit(X, y)
    wanted = np.mean([run.probabilities[-1] for run in model.runs_], axis=0)
    found = np.asarray(model.grammar_.probabilities)
    assert np.allclose(found, wanted)
    assert not np.allclose(found, model.runs_[0].probabilities[-1])
    method = gm.GE(population=50, generations=2)
    assert small(method=method).fit(X, y).grammar_ == gm.Grammar.from_columns(X)  # it learns nothing


def test_threads_change_nothing_but_time() -> None:
    one, two = small().fit(X, y), small(n_jobs=2).fit(X, y)
    assert one.front_["formula"].tolist() == two.front_["formula"].tolist()


def test_a_warm_start_continues_each_run_from_its_own_formulas() -> None:
    model = small(warm_start=True).fit(X, y)
    fronts = [[str(member.phenotype) for member in run.front] for run in model.runs_]
    model.set_params(runs=4).fit(X, y)
    started = [[str(program.phenotype) for program in run.setup.programs.values()] for run in model.runs_]
    assert started == [*fronts, []]


def test_runs_that_have_not_begun_when_a_fit_is_stopped_are_left_out() -> None:
    model = small(callback=lambda generation: generation.index == 1).fit(X, y)
    assert [run.generations for run in model.runs_] == [2]
    data = load_iris()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        classifier = GrammarClassifier(method=SMALL, runs=2, callback=lambda _: True).fit(data.data, data.target)
    assert [run.generations for run in classifier.runs_] == [1, 1, 1]


def test_each_class_has_its_runs() -> None:
    data = load_iris()
    model = GrammarClassifier(method=SMALL, max_evaluations=600, runs=2, random_state=0).fit(data.data, data.target)
    assert [len(runs) for runs in model._runs] == [2, 2, 2]
    assert len(model.runs_) == 6
    assert all(run.method.max_evaluations == 300 for run in model.runs_)
    assert model.score(data.data, data.target) > 0.93


@pytest.mark.parametrize("runs", [0, -1, 1.5, True, "3", None])
def test_a_number_of_runs_that_is_none_is_refused(runs: Any) -> None:
    with pytest.raises(ValueError, match="it must be an integer ≥ 1"):
        small(runs=runs).fit(X, y)


def test_a_bar_says_which_run_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    small(verbose=1).fit(X, y)
    assert "run 3 of 3" in capsys.readouterr().out
