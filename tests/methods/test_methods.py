from __future__ import annotations

import dataclasses
import json
import math
import pickle
from typing import Any

import pytest

import gramarye as gm
from gramarye.errors import SettingsError
from gramarye.methods import METHODS, PUBLISHED, MethodBase, find
from gramarye.selection import Tournament

ALL = list(METHODS.values())
FLAT: dict[str, Any] = {"codons": 128, "wraps": 0}
LEARNING: dict[str, Any] = {
    "learning_factor": 0.01, "unexpanded": "keep", "first": "overall", "generation_best": "offspring",
    "remap_elites": True, "floor": 0.0, "context": "none",
}  # fmt: skip
STRUCTURED: dict[str, Any] = {
    "max_depth": 17, "depth_rule": "height", "sigma": 0.5, "borders": "clip", "facilitated": False,
}  # fmt: skip
EDA: dict[str, Any] = {**FLAT, "consume_single": True, "selected": 0.5, "learning_rate": 1.0, "floor": 0.0}
# Settings beyond the common ones, and common ones with another value. A newer method tests its own beside itself.
OWN: dict[type[MethodBase], dict[str, Any]] = {
    gm.GE: {**FLAT, "consume_single": False, "codon_max": 255, "length": "fixed", "cuts": "anywhere"},
    gm.PGE: {**FLAT, **LEARNING, "consume_single": True, "normalise": "equal", "length": "fixed", "cuts": "anywhere"},
    gm.SGE: {"max_depth": 17, "depth_rule": "shortest"},
    gm.StaticSGE: {"recursion": 6},
    gm.PSGE: {**STRUCTURED, **LEARNING, "normalise": "divide"},
    gm.CoPSGE: {**STRUCTURED, "grammar_mutation": 0.05, "grammar_sigma": 0.5},
    gm.CFGGP: {"mutation": 0.1, "initialisation": "ramped", "max_depth": 17},
    gm.PIGE: {"pairs": 128, "wraps": 0, "insertion": "inplace", "codon_max": 255},
    gm.Chorus: {**FLAT, "number_all": False, "codon_max": 255},
    gm.WHGE: {"mutation": 0.01, "bits": 1024, "power_depth": 3},
    gm.PCFGEDA: EDA,
    gm.PMBGE: {**EDA, "context": "parent", "backoff": 0.0},
}


@pytest.mark.parametrize("method", OWN)
def test_without_arguments_a_method_is_that_of_the_paper(method: type[MethodBase]) -> None:
    common = {
        "population": 1000, "generations": 50, "elitism": 0.1, "tournament": 3, "crossover": 0.9, "mutation": 0.05,
        "initialisation": "random", "initial_depth": 6, "initial_size": 240, "unique": False,
    }  # fmt: skip
    settings = method().settings
    assert settings == common | OWN[method]
    assert method().elites == 100
    assert method().parts.selection == Tournament(3)


@pytest.mark.parametrize("method", ALL)
def test_a_method_is_found_by_its_name_in_lower_case(method: type[MethodBase]) -> None:
    assert METHODS[method().name] is method
    assert find(method.__name__) is find(method.__name__.lower()) is method
    assert method.title
    assert method.paper
    assert method.genotype
    assert method.learns


def test_an_unknown_method_names_the_nearest() -> None:
    with pytest.raises(SettingsError, match=r"no method is called 'PGEE'; did you mean pge\?"):
        find("PGEE")
    with pytest.raises(SettingsError, match=f"no method is called 'annealing'; there are {', '.join(METHODS)}"):
        find("annealing")


WRONG = [
    ("population", 0, "population is 0: it must be an integer ≥ 1"),
    ("population", 10.0, "population is 10.0: it must be an integer ≥ 1"),
    ("population", True, "population is True: it must be an integer ≥ 1"),
    ("population", "10", "population is '10': it must be an integer ≥ 1"),
    ("generations", 0, "generations is 0: it must be an integer ≥ 1"),
    ("tournament", 0, "tournament is 0: it must be an integer ≥ 1"),
    ("crossover", 1.1, r"crossover is 1.1: it must be a number in \[0, 1\]"),
    ("crossover", math.nan, r"crossover is nan: it must be a number in \[0, 1\]"),
    ("mutation", -0.1, r"mutation is -0.1: it must be a number in \[0, 1\]"),
    ("mutation", "high", r"mutation is 'high': it must be a number in \[0, 1\]"),
    ("mutation", None, r"mutation is None: it must be a number in \[0, 1\]"),
    ("elitism", -1, "elitism is -1: it must be a number ≥ 0"),
    ("elitism", 1000, "elitism is 1000: 1,000 elites would leave no room for offspring in a population of 1000"),
    ("elitism", 2000, "elitism is 2000: 2,000 elites would leave no room"),
    (
        "initialisation",
        "warm",
        "initialisation is 'warm': it must be one of 'random', 'grow', 'full', 'ramped', 'pi-grow'",
    ),
    ("initial_depth", 0, "initial_depth is 0: it must be an integer ≥ 1"),
    ("initial_size", 2.5, "initial_size is 2.5: it must be an integer ≥ 1"),
    ("unique", "no", "unique is 'no': it must be True or False"),
]
WRONG_FLAT = [
    ("codons", 0, "codons is 0: it must be an integer ≥ 1"),
    ("wraps", -1, "wraps is -1: it must be an integer ≥ 0"),
    ("consume_single", 1, "consume_single is 1: it must be True or False"),
]
WRONG_LENGTH = [
    ("length", "long", "length is 'long': it must be one of 'fixed', 'variable'"),
    ("cuts", "", "cuts is '': it must be one of 'anywhere', 'used'"),
]
WRONG_PGE = [
    ("learning_factor", 1.01, r"learning_factor is 1.01: it must be a number in \[0, 1\]"),
    ("learning_factor", -0.01, r"learning_factor is -0.01: it must be a number in \[0, 1\]"),
    ("floor", 2, r"floor is 2: it must be a number in \[0, 1\]"),
    ("unexpanded", "drop", "unexpanded is 'drop': it must be one of 'keep', 'decay'"),
    ("normalise", "softmax", "normalise is 'softmax': it must be one of 'equal', 'divide'"),
    ("first", "last", "first is 'last': it must be one of 'overall', 'generation'"),
    ("generation_best", "none", "generation_best is 'none': it must be one of 'offspring', 'all'"),
    ("remap_elites", "yes", "remap_elites is 'yes': it must be True or False"),
]
WRONG_DEPTH = [
    ("max_depth", 2.5, "max_depth is 2.5: it must be an integer ≥ 1"),
    ("depth_rule", "none", "depth_rule is 'none': it must be one of 'height', 'shortest', 'nonrecursive'"),
]
WRONG_REAL_LISTS = [
    ("sigma", -0.5, "sigma is -0.5: it must be a number ≥ 0"),
    ("borders", "open", "borders is 'open': it must be one of 'clip', 'reflect'"),
    ("facilitated", 1, "facilitated is 1: it must be True or False"),
]
WRONG_EDA = [
    ("selected", 1.5, r"selected is 1.5: it must be a number in \[0, 1\]"),
    ("learning_rate", -1, r"learning_rate is -1: it must be a number in \[0, 1\]"),
    ("floor", 2, r"floor is 2: it must be a number in \[0, 1\]"),
]
CASES = [
    *[(method, *wrong) for method in ALL for wrong in WRONG if (method, wrong[0]) != (gm.TunedTrees, "elitism")],
    (gm.TunedTrees, "elitism", 0.2, r"elitism is 0.2: it has no effect, because replacement is 'Fronts\(\)'"),
    *[(method, *wrong) for method in (gm.PGE, gm.GE, gm.PCFGEDA, gm.PMBGE) for wrong in WRONG_FLAT],
    *[(method, *wrong) for method in (gm.PGE, gm.GE) for wrong in WRONG_LENGTH],
    *[(method, *wrong) for method in (gm.PGE, gm.PSGE) for wrong in WRONG_PGE],
    *[(method, *wrong) for method in (gm.SGE, gm.PSGE, gm.CoPSGE) for wrong in WRONG_DEPTH],
    *[(method, *wrong) for method in (gm.PSGE, gm.CoPSGE) for wrong in WRONG_REAL_LISTS],
    *[(method, *wrong) for method in (gm.PCFGEDA, gm.PMBGE) for wrong in WRONG_EDA],
    *[
        (method, "codon_max", -1, "codon_max is -1: it must be an integer ≥ 0")
        for method in (gm.GE, gm.Chorus, gm.PIGE)
    ],
    (gm.StaticSGE, "recursion", -1, "recursion is -1: it must be an integer from 0 to 100"),
    (gm.CoPSGE, "grammar_mutation", 2, r"grammar_mutation is 2: it must be a number in \[0, 1\]"),
    (gm.CoPSGE, "grammar_sigma", -1, "grammar_sigma is -1: it must be a number ≥ 0"),
    (gm.CFGGP, "max_depth", 0, "max_depth is 0: it must be an integer ≥ 1"),
    (gm.PIGE, "pairs", 0, "pairs is 0: it must be an integer ≥ 1"),
    (gm.PIGE, "insertion", "middle", "insertion is 'middle': it must be one of 'inplace', 'start', 'end'"),
    (gm.Chorus, "number_all", 0, "number_all is 0: it must be True or False"),
    (gm.WHGE, "bits", 0, "bits is 0: it must be an integer ≥ 1"),
    (gm.WHGE, "power_depth", 65, "power_depth is 65: it must be an integer from 0 to 64"),
    (gm.PMBGE, "context", "none", "context is 'none': it must be one of 'parent', 'slot'"),
    (gm.PMBGE, "backoff", -1, "backoff is -1: it must be a number ≥ 0"),
]


@pytest.mark.parametrize(("method", "name", "value", "message"), CASES)
def test_a_setting_out_of_its_range_is_refused(method: type[MethodBase], name: str, value: Any, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        method(**{name: value})


@pytest.mark.parametrize("method", ALL)
def test_an_unknown_setting_is_refused(method: type[MethodBase]) -> None:
    with pytest.raises(SettingsError, match=f"{method.__name__} has no setting 'temperature'; the settings are popul"):
        method(temperature=1)  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("population", "elitism", "elites"),
    [
        (1000, 0.1, 100), (100, 0.29, 29), (9, 0.1, 0), (10, 0.1, 1), (19, 0.1, 1), (10, 0, 0), (10, 0.99, 9),
        (10, 1, 1), (10, 9, 9), (1, 0.5, 0), (1000, 0.999, 999),
    ],
)  # fmt: skip
def test_elitism_below_one_is_a_share_and_from_there_on_a_count(population: int, elitism: float, elites: int) -> None:
    assert gm.GE(population=population, elitism=elitism).elites == elites


def test_settings_reach_the_parts() -> None:
    pge = gm.PGE(
        codons=7, wraps=2, consume_single=False, length="variable", cuts="used", learning_factor=0.5,
        unexpanded="decay", normalise="divide", first="generation", generation_best="all", remap_elites=False,
        floor=0.25, tournament=5,
    )  # fmt: skip
    assert pge.representation == gm.representations.FlatReal(7, 2, False, "variable", "used")
    assert pge.learner == gm.learners.AlternatingBest(0.5, "decay", "divide", "generation", "all", 0.25, False)
    assert pge.parts.selection == Tournament(5)
    ge = gm.GE(codons=7, wraps=2, consume_single=True, codon_max=9, length="variable", cuts="used")
    assert ge.representation == gm.representations.FlatInteger(7, 2, True, "variable", "used", 9)
    assert ge.learner == gm.learners.NoLearning()
    assert gm.SGE(initial_depth=2, max_depth=3, depth_rule="height").representation == gm.representations.IntegerLists(
        2, 3, "height"
    )


def test_a_method_of_parts_names_its_parts() -> None:
    method = gm.Method(
        representation=gm.representations.RealLists(3), learner=gm.learners.AlternatingBest(0.02), population=50
    )
    assert method.name == "method"
    assert method.settings["representation"] == gm.representations.RealLists(3)
    assert method.learner.learns
    assert gm.Method(representation=gm.representations.FlatReal(5)).learner == gm.learners.NoLearning()
    with pytest.raises(SettingsError, match="population is 0"):
        gm.Method(representation=gm.representations.FlatReal(5), population=0)


def test_a_method_is_immutable_and_equal_by_its_settings() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        gm.PGE().population = 5  # type: ignore[misc]
    assert gm.PGE(population=5) == gm.PGE(population=5) != gm.PGE(population=6)


@pytest.mark.parametrize("selection", [Tournament(7), "tournament,size=7"])
def test_a_tournament_given_as_a_selection_is_the_setting_of_that_name(selection: Any) -> None:
    method = gm.GE(selection=selection)
    assert method == gm.GE(tournament=7)
    assert method.settings["tournament"] == 7
    with pytest.raises(SettingsError, match="tournament is 5: it has no effect, because selection is"):
        gm.GE(selection=selection, tournament=5)


def test_the_method_of_this_package_is_none_of_the_published_ones() -> None:
    assert set(METHODS) - set(PUBLISHED) == {"tunedtrees"}
    assert len(PUBLISHED) == 12


def test_what_a_method_changes_by_default_is_among_its_settings() -> None:
    assert gm.TunedTrees().settings.items() >= {"max_evaluations": 200_000, "max_size": 40}.items()
    assert "max_evaluations" not in gm.GE().settings
    assert gm.TunedTrees(max_evaluations=None).settings["max_evaluations"] is None
    assert eval(f"gm.{gm.TunedTrees(target=0.5)!r}") == gm.TunedTrees(target=0.5)


UNLIMITED = 2**31 - 1


@pytest.mark.parametrize(
    ("given", "generations", "evaluations"),
    [
        ({}, 1000, 200_000),
        ({"generations": 7}, 7, 200_000),
        ({"max_time": 60}, UNLIMITED, None),
        ({"max_time": 60, "generations": 1000}, 1000, None),
        ({"max_time": 60, "max_evaluations": 200_000}, UNLIMITED, 200_000),
        ({"max_time": 60, "max_evaluations": 200_000, "generations": 1000}, 1000, 200_000),
        ({"max_evaluations": 10**6}, UNLIMITED, 10**6),
        ({"max_evaluations": None}, 1000, None),
        ({"target": 0.1}, 1000, 200_000),
    ],
)
def test_limits_that_are_given_lift_the_defaults_of_tuned_trees(
    given: dict[str, Any], generations: int, evaluations: int | None
) -> None:
    method = gm.TunedTrees(**given)
    assert (method.generations, method.max_evaluations) == (generations, evaluations)
    for again in (eval(f"gm.{method!r}"), pickle.loads(pickle.dumps(method)), gm.TunedTrees(**method.settings)):
        assert again == method
        assert repr(again) == repr(method)
    assert json.loads(json.dumps(method.settings)) == method.settings
    assert dataclasses.replace(gm.TunedTrees(), **given) == method
