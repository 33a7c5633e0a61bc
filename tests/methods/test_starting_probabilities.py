"""What each method makes of a grammar that carries probabilities, such as a prior."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import gramarye as gm
from gramarye.engine.loop import start
from gramarye.engine.setup import Setup
from gramarye.methods import METHODS, MethodBase

QUARTIC = gm.problems.load("quartic").grammar
PRIOR = QUARTIC.with_probabilities({"<op>": [0.5, 0.0, 0.5, 0.0], "<var>": [0.9, 0.1]})
FORBIDDEN = [QUARTIC.spans["<op>"].start + 1, QUARTIC.spans["<op>"].start + 3]
BY_THEMSELVES = ["cfggp", "copsge", "pcfgeda", "pge", "pmbge", "psge", "sge", "tunedtrees"]
FROM_TREES = ["chorus", "ge", "pige", "staticsge"]
LEARNERS: list[gm.learners.Learner] = [gm.learners.Bayesian(), gm.learners.PolicyGradient()]


def used(method: MethodBase) -> np.ndarray:
    """How often the first population uses each production of the problem's grammar."""
    setup = Setup(gm.problems.load("quartic", PRIOR), method, 1)
    derivations = setup.rewriting.translate(start(setup).derivations)
    return np.bincount(derivations.productions, minlength=len(PRIOR.productions))


def test_every_method_is_named_here() -> None:
    assert {*BY_THEMSELVES, *FROM_TREES, "whge"} == set(METHODS)


@pytest.mark.parametrize("name", BY_THEMSELVES)
def test_the_first_population_follows_them(name: str) -> None:
    counts = used(METHODS[name](population=300))
    assert counts[FORBIDDEN].sum() == 0
    var = counts[PRIOR.spans["<var>"]]
    assert var[0] / var.sum() > 0.8


@pytest.mark.parametrize("name", FROM_TREES)
def test_codons_that_no_probability_reads_follow_them_in_trees(name: str) -> None:
    assert used(METHODS[name](population=300))[FORBIDDEN].sum() > 0
    assert used(METHODS[name](population=300, initialisation="grow"))[FORBIDDEN].sum() == 0


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize(
    "representation",
    [gm.representations.FlatReal, gm.representations.RealLists, gm.representations.Trees],
)
def test_learners_start_from_them_with_every_genotype(
    learner: gm.learners.Learner, representation: Callable[[], gm.representations.Trees]
) -> None:
    method = gm.Method(representation=representation(), learner=learner, population=60, generations=5)
    run = gm.evolve(gm.problems.load("quartic", PRIOR), method, seed=1)
    assert run.probabilities[0].tolist() == PRIOR.start_probabilities().tolist()
    assert (run.probabilities[-1] != run.probabilities[0]).any()
    assert run.probabilities[:, FORBIDDEN].max() == 0
