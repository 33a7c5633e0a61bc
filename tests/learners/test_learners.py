"""What all learners have in common: a new one is tested by being listed in `LEARNERS`."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gramarye as gm
from gramarye.derivations import Derivations
from gramarye.errors import SettingsError
from gramarye.learners import (
    LEARNERS,
    AlternatingBest,
    Bayesian,
    EntropyBounded,
    Frequencies,
    Learner,
    PolicyGradient,
    RankWeighted,
)
from gramarye.learners.base import Context
from gramarye.learners.counts import best_valid
from gramarye.populations.population import Population
from tests.grammars import G1, grammars
from tests.learners.members import MEMBERS

GRAMMAR = gm.Grammar.from_text(G1, "G1")
CONTEXTS: list[Context] = ["none", "parent", "slot"]
VARIANTS: list[Learner] = [
    *MEMBERS,
    AlternatingBest(0.3, "decay", "divide", floor=0.1, context="parent"),
    Frequencies(0.2, 0.5, 0.1, "parent", per_individual=True, backoff=3),
    Frequencies(0.3, floor=0.02, context="slot", backoff=0.5),
    RankWeighted(0.4, 0.7, 0.1, "parent", per_individual=True),
    EntropyBounded(Frequencies(context="slot"), 0.5),
    Bayesian(0.5, 0.3, 5.0, context="parent"),
    PolicyGradient(0.5, 2.0, 0.1, context="slot"),
]


def population(grammar: gm.Grammar, fitness: list[float], seed: int) -> Population:
    """Random derivations with a given fitness; those that were not finished are invalid."""
    reals = gm.representations.FlatReal(24)
    genotypes = reals.initial(grammar, len(fitness), np.uint64(seed))
    start = np.array(grammar.start_probabilities())
    _, derivations = reals.map(grammar, genotypes, start, np.uint64(seed), 0, 0)
    values = np.where(derivations.status == 0, fitness, np.inf)
    return Population.of(derivations, values, generation=seed % 2)


@pytest.mark.parametrize("learner", VARIANTS, ids=repr)
@given(grammars(), st.lists(st.sampled_from([0.0, 1.0, 2.5, math.inf]), min_size=1, max_size=9), st.integers(0, 999))
def test_probabilities_stay_probabilities(
    learner: Learner, grammar: gm.Grammar, fitness: list[float], seed: int
) -> None:
    rewritten = learner.rewritten(grammar).grammar
    before = rewritten.start_probabilities()
    for generation in range(3):
        given_values = before.copy()
        after = learner.update(rewritten, before, population(rewritten, fitness, seed + generation))
        assert before.tobytes() == given_values.tobytes()
        assert after.shape == before.shape
        assert (after >= 0).all()
        for span in rewritten.spans.values():
            assert math.fsum(after[span]) == pytest.approx(1, abs=1e-12)
        assert learner.learns or after is before
        before = after


@pytest.mark.parametrize("learner", VARIANTS, ids=repr)
def test_a_population_without_a_valid_individual_teaches_nothing(learner: Learner) -> None:
    rewritten = learner.rewritten(GRAMMAR).grammar
    before = np.array(rewritten.start_probabilities())
    nobody = population(rewritten, [math.inf] * 3, 1)
    assert learner.update(rewritten, before, nobody).tolist() == before.tolist()


@pytest.mark.parametrize("learner", VARIANTS, ids=repr)
def test_a_learner_is_a_value_that_travels(learner: Learner) -> None:
    assert pickle.loads(pickle.dumps(learner)) == learner
    assert eval(repr(learner), vars(gm.learners)) == learner
    assert isinstance(learner.remap_elites, bool)


def test_the_list_names_every_learner() -> None:
    ours = {kind.__name__: kind for kind in Learner.__subclasses__() if kind.__module__.startswith("gramarye.")}
    assert ours == LEARNERS


@pytest.mark.parametrize("kind", [AlternatingBest, Frequencies, RankWeighted, Bayesian, PolicyGradient])
@pytest.mark.parametrize("context", CONTEXTS)
def test_contexts_are_those_of_the_rewritten_grammar(kind: type[Learner], context: Context) -> None:
    names = kind(context=context).rewritten(GRAMMAR).grammar.nonterminals
    assert len(names) == {"none": 4, "parent": 5, "slot": 6}[context]
    with pytest.raises(SettingsError, match="context is 'sibling': it must be one of 'none', 'parent', 'slot'"):
        kind(context="sibling")


@pytest.mark.parametrize(
    ("fitness", "share", "chosen"),
    [
        ([3.0, 1.0, 2.0, 4.0], 0.5, [1, 2]),
        ([3.0, 1.0, 2.0], 0.5, [1, 2]),  # rounded up
        ([1.0, 0.0, 1.0, 1.0], 0.75, [1, 0, 2]),  # ties keep their order
        ([math.inf, 2.0, math.nan, 1.0], 1.0, [3, 1]),
        ([math.inf, math.nan], 1.0, []),
        ([2.0, 1.0], 0.0, [1]),
        ([], 0.5, []),
        ([float(i) for i in range(100)], 0.07, [0, 1, 2, 3, 4, 5, 6]),
    ],
)
def test_the_best_share_of_a_population(fitness: list[float], share: float, chosen: list[int]) -> None:
    assert best_valid(np.array(fitness), share).tolist() == chosen


def test_derivations_may_be_empty() -> None:
    empty = Derivations(np.zeros(0, np.int32), np.zeros(2, np.int64), np.ones(1, np.int8))
    before = np.array(GRAMMAR.start_probabilities())
    for learner in MEMBERS:
        made = Population.of(empty, np.full(1, np.inf))
        assert learner.update(GRAMMAR, before, made).tolist() == before.tolist()
