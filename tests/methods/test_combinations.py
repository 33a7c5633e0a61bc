"""Every representation with every learner: a combination either runs or says in one line what doesn't go together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gramarye as gm
from gramarye.derivations.recursion_free import without_recursion
from gramarye.derivations.rewriting import Rewriting
from gramarye.errors import SettingsError
from gramarye.learners.base import Context, Learner
from gramarye.representations import Representation
from tests.learners.members import MEMBERS

QUARTIC = gm.problems.load("quartic")
SMALL: dict[str, Any] = {"population": 30, "generations": 4}
SIZES = {"codons": 48, "recursion": 2, "pairs": 48, "bits": 128}  # smaller than they are by default
KINDS: list[Any] = [*gm.representations.REPRESENTATIONS.values()]
REPRESENTATIONS: list[Representation[Any]] = [
    kind(**{name: size for name, size in SIZES.items() if name in kind.__dataclass_fields__}) for kind in KINDS
]
CONTEXTS: tuple[Context, ...] = ("none", "parent", "slot")
STRONG: list[Learner] = [  # a few generations are enough to see that they learn
    learner
    for context in CONTEXTS
    for learner in (
        gm.learners.AlternatingBest(0.5, context=context),
        gm.learners.Frequencies(context=context, backoff=1.0, floor=0.05),
        gm.learners.RankWeighted(context=context, floor=0.05),
        gm.learners.EntropyBounded(gm.learners.AlternatingBest(0.5, context=context), 0.2),
    )
]


def named(part: Any) -> str:
    context = getattr(part, "context", getattr(getattr(part, "inner", None), "context", None))
    return type(part).__name__ + (f"-{context}" if context else "")


@pytest.mark.parametrize("learner", [*MEMBERS, *STRONG], ids=named)
@pytest.mark.parametrize("representation", REPRESENTATIONS, ids=named)
def test_a_combination_runs_or_says_what_does_not_go_together(
    representation: Representation[Any], learner: Learner
) -> None:
    carried = representation.reads == "own"
    if learner.learns and representation.reads != (
        "own" if isinstance(learner, gm.learners.OwnProbabilities) else "shared"
    ):
        parts = f"{type(representation).__name__} and {type(learner).__name__}"
        why = "(has|does not use) .*; use NoLearning.*, or (FlatReal.*, RealLists.* or Trees|RealListsWithProb).*"
        what = f"{parts} don't go together: {type(representation).__name__} {why}"
        with pytest.raises(SettingsError, match=rf"\A{what}\Z"):
            gm.Method(representation=representation, learner=learner)
        return
    for samples in (False, True):
        method = gm.Method(**SMALL, representation=representation, learner=learner, samples=samples)
        run = gm.evolve(QUARTIC, method, seed=1)
        assert np.isfinite(run.best.fitness)
        assert run.best.derivation.grammar is QUARTIC.grammar
        assert run.best.derivation.complete
        assert (run.setup.probabilities != run.probabilities[-1]).any() == (learner.wording is not None) or carried


@pytest.mark.parametrize("samples", [False, True])
@pytest.mark.parametrize("representation", [gm.representations.FlatReal(48), gm.representations.RealLists()], ids=named)
def test_what_is_learned_changes_what_is_found(representation: Representation[Any], samples: bool) -> None:
    """PGE's learner on structured genotypes, an EDA's with crossover, parent-annotated probabilities under PGE."""
    parts: dict[str, Any] = {**SMALL, "representation": representation, "samples": samples}
    still = gm.evolve(QUARTIC, gm.Method(**parts), seed=1)
    for learner in STRONG:
        run = gm.evolve(QUARTIC, gm.Method(**parts, learner=learner), seed=1)
        assert run.history["mean"].tolist() != still.history["mean"].tolist(), learner


class Finite(gm.representations.RealLists):  # type: ignore[misc]
    """Lists of reals for a grammar without recursion."""

    def rewritten(self, grammar: gm.Grammar) -> Rewriting:
        return without_recursion(grammar, 1)


def test_two_rewritings_go_together() -> None:
    """A representation removes recursion, then contexts are told apart: a list for each context of each level."""
    method = gm.Method(representation=Finite(), learner=gm.learners.AlternatingBest(context="parent"), **SMALL)
    own = method.rewritten(QUARTIC.grammar).grammar
    assert any("_0." in name for name in own.nonterminals)
    run = gm.evolve(QUARTIC, method, seed=1)
    assert set(run.best.genotype) == set(own.nonterminals)
    assert (run.probabilities[0] != run.probabilities[-1]).any()
    assert run.best.derivation.grammar is QUARTIC.grammar
