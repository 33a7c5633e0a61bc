from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gramarye as gm
from gramarye.analysis.plan import Plan
from gramarye.analysis.study import follow, study
from gramarye.analysis.subject import PARTS
from gramarye.execution import Threads
from gramarye.methods import METHODS, MethodBase
from gramarye.records.analysis import MEASURES, Locality, locality
from gramarye.records.document import json_text
from tests.grammars import G1, GR

GRAMMAR = gm.Grammar.from_text(G1)
PLAN = Plan(bases=30, neighbours=4, changes=(1, 2, 4), pairs=1, sample=60, generations=(0, 2, 50))
LOW: dict[str, Any] = {"initial_depth": 4, "max_depth": 6}
SMALL: dict[str, Any] = {
    "whge": {"bits": 64},
    "staticsge": {"recursion": 2},
    **dict.fromkeys(("sge", "psge", "copsge", "cfggp"), LOW),
}
ALWAYS_VALID = {"sge", "staticsge", "psge", "copsge", "cfggp", "whge", "tunedtrees"}


def quietly(_: str) -> None: ...


def measured(method: MethodBase, source: Any = "random", workers: int = 1, grammar: gm.Grammar = GRAMMAR) -> Locality:
    (found,) = study(grammar, {"it": method}, PLAN, 7, source, Threads(workers), quietly)[0]
    return found


@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_measured(name: str) -> None:
    method = METHODS[name](**SMALL.get(name, {}))
    found = measured(method)
    assert found.bases == 30
    assert found.draws >= 60
    assert set(found.measures) <= set(MEASURES)
    assert (found["validity"].estimate == 1) is (name in ALWAYS_VALID)
    shares = found.outcomes
    assert shares.invalid + shares.neutral + shares.one + shares.more == pytest.approx(1)
    assert found.curve is not None
    assert found.curve.changes.tolist() == [1, 2, 4]
    assert found.redundancy is not None
    assert found.redundancy.sample == 60
    assert (np.diff(found.steps) >= 0).all()
    crossed = found["crossover_validity"]
    assert (crossed.note == "no crossover") is method.samples
    assert (found["small_neutrality"].estimate is not None) is (name in ("psge", "copsge"))
    assert (found["moved_share"].estimate is not None) is (method.learner.learns and name != "copsge")
    assert found["one_edit"].estimate == pytest.approx(shares.one)


@pytest.mark.slow
def test_pge_keeps_a_choice_as_often_as_its_probability_says() -> None:
    """One half for <expr> and <var>, one third for <op>, one for <start>: of codons that were used, on average."""
    plan = Plan(bases=300, neighbours=40, changes=(1,), sample=300)
    (found,) = study(GRAMMAR, {"it": gm.PGE()}, plan, 1, "random", Threads(), quietly)[0]
    assert found["used_neutrality"].low is not None
    assert found["used_neutrality"].high is not None
    assert 0.5 < found["used_neutrality"].low < found["used_neutrality"].high < 0.72
    assert found["neutrality"].estimate > 0.95  # type: ignore[operator]  # 128 codons, few of them used


@pytest.mark.parametrize("name", ["pge", "sge", "cfggp"])
def test_the_same_seed_gives_the_same_numbers_whatever_the_number_of_threads(name: str) -> None:
    one, two = (
        json_text(locality(measured(METHODS[name](**SMALL.get(name, {})), workers=workers))) for workers in (1, 2)
    )
    assert one == two


def test_from_trees_no_share_of_valid_ones_is_told_and_nothing_is_redundant() -> None:
    found = measured(gm.GE(), "trees")
    assert found["validity"].estimate is None
    assert found.redundancy is None
    assert 5 < found.bases <= 30


def test_from_trees_a_method_that_cannot_encode_is_left_out() -> None:
    methods = {"WHGE": gm.WHGE(), "GE": gm.GE()}
    found, left_out = study(GRAMMAR, methods, PLAN, 1, "trees", Threads(), quietly)
    assert [each.label for each in found] == ["GE"]
    assert left_out == {"WHGE": "whge cannot encode programs as genotypes; use another method"}
    assert study(GRAMMAR, {"WHGE": gm.WHGE()}, PLAN, 1, "trees", Threads(), quietly)[0] == []


def test_a_method_that_can_not_work_with_the_grammar_is_left_out() -> None:
    grammar = gm.Grammar.from_text("<a> ::= x <b> | x\n<b> ::= y <a> | y <c>\n<c> ::= <a> <b> z | z")
    found, left_out = study(
        grammar, {"S": gm.StaticSGE(recursion=50), "GE": gm.GE()}, PLAN, 1, "random", Threads(), quietly
    )
    assert [each.label for each in found] == ["GE"]
    assert "recursion" in left_out["S"]


def test_a_method_that_is_never_valid_has_nothing_but_that() -> None:
    found = measured(gm.GE(codons=1), grammar=gm.Grammar.from_text("<e> ::= <v> <v>\n<v> ::= x | y"))
    assert found.bases == 0
    assert found["validity"].estimate == 0
    assert all(value.estimate is None for name, value in found.measures.items() if name != "validity")


def test_who_watches_is_told_of_every_part() -> None:
    told: list[str] = []
    study(GRAMMAR, {"A": gm.GE(), "B": gm.PGE()}, PLAN, 1, "random", Threads(), told.append)
    assert told == [f"{label}: {part}" for label in "AB" for part in PARTS]


class TestRuns:
    problem = gm.problems.load("quartic")

    def followed(self, method: MethodBase) -> list[Locality]:
        return follow(self.problem, "it", method, PLAN, 3, 1, quietly)

    def test_populations_are_looked_at_in_some_generations(self) -> None:
        found = self.followed(gm.PGE(population=60, generations=5))
        assert [each.generation for each in found] == [0, 2, 4]  # the last one in place of 50
        run = gm.evolve(self.problem, gm.PGE(population=60, generations=5), seed=3)
        assert [each.best for each in found] == run.history["best_so_far"][[0, 2, 4]].tolist()
        assert all(each["validity"].estimate is not None for each in found)
        assert all(each.source == "run" and each.redundancy is None for each in found)

    def test_learning_moves_programs_only_where_there_is_something_to_learn(self) -> None:
        moved = self.followed(gm.PGE(population=60, generations=3, learning_factor=0.5))[0]["moved_share"].estimate
        still = self.followed(gm.PGE(population=60, generations=3, learning_factor=0.0))[0]
        assert moved is not None
        assert moved > 0.1
        assert still["moved_share"].estimate == still["moved_distance"].estimate == 0
        assert self.followed(gm.GE(population=60, generations=1))[0]["moved_share"].note == "nothing is learned"
        own = self.followed(gm.CoPSGE(population=60, generations=1))[0]["moved_share"]
        assert own.note == "individuals have probabilities of their own"

    def test_the_fitness_of_neutral_neighbours_is_the_same(self) -> None:
        for each in self.followed(gm.SGE(population=60, generations=3, **LOW)):
            assert each["fitness_neutrality"].estimate >= each["text_neutrality"].estimate  # type: ignore[operator]
            assert each["fitness_distance"].estimate >= 0  # type: ignore[operator]
            assert each["output_distance"].estimate > 0  # type: ignore[operator]
            assert each.problem == "quartic"

    def test_elites_that_are_kept_as_programs_are_left_out(self) -> None:
        found = self.followed(gm.PCFGEDA(population=60, generations=3, elitism=0.5))
        assert [each.draws for each in found] == [60, 30]

    def test_a_population_without_valid_individuals_has_no_measures(self) -> None:
        grammar = gm.Grammar.from_text("<e> ::= <v> + <v>\n<v> ::= x | 1.0")
        problem = gm.problems.load("quartic", grammar)
        (found,) = follow(problem, "it", gm.GE(population=4, generations=1, codons=1), PLAN, 1, 1, quietly)
        assert (found.bases, found.generation, found.best) == (0, 0, np.inf)


def test_neutrality_on_the_grammar_of_the_paper() -> None:
    """One half of random genotypes is valid; few codons of 128 are read."""
    found = measured(gm.PGE(), grammar=gm.Grammar.from_text(GR))
    assert found["validity"].estimate == pytest.approx(0.5, abs=0.15)
    assert found["neutrality"].estimate > 0.9  # type: ignore[operator]


# Constants

TUNED = gm.Grammar.from_text("<e> ::= (<e> <o> <e>) | sin(<e>) | x | <const> | <const:-1..1>\n<o> ::= + | *", "tuned")


@pytest.mark.parametrize("source", ["random", "trees"])
@pytest.mark.parametrize("name", sorted(set(METHODS) - {"tunedtrees"}))
def test_every_method_is_measured_on_a_grammar_with_constants(name: str, source: Any) -> None:
    methods = {"it": METHODS[name](**SMALL.get(name, {}))}
    found, left_out = study(TUNED, methods, PLAN, 7, source, Threads(), quietly)
    assert (len(found), list(left_out)) == ((0, ["it"]) if (name, source) == ("whge", "trees") else (1, []))


@pytest.mark.parametrize("name", ["pge", "cfggp", "sge"])
def test_programs_with_constants_are_compared_by_what_they_do_when_these_are_tuned(name: str) -> None:
    X = np.linspace(-1, 1, 12)[:, None]
    problem = gm.Regression(X, np.exp(X[:, 0]), TUNED)
    method = METHODS[name](**SMALL.get(name, {}), population=40, generations=3)
    for found in follow(problem, name, method, PLAN, 7, 1, quietly):
        assert found["fitness_neutrality"].estimate is not None
        assert found["output_distance"].estimate is not None
