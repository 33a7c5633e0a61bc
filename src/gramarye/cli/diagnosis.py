"""Why a run found no valid program, in words that help."""

from __future__ import annotations

import numpy as np

from gramarye.derivations import Derivation, Status
from gramarye.engine.setup import Setup
from gramarye.engine.state import State
from gramarye.text import counted, shown

LONGEST = 100  # characters of an example
MOST_CODONS = 10_000  # beyond, the exact chance takes too long


def why_nothing_is_valid(setup: Setup, state: State) -> str:
    """What is wrong with the last population."""
    problem, complete = setup.problem, np.flatnonzero(state.derivations.status == Status.OK)
    if len(complete) == 0:
        return _no_derivation(setup, state)
    first = setup.rewriting.translate(state.derivations.take(complete[:1]))
    example = shown(Derivation.first_of(problem.grammar, first).form)
    example = example if len(example) <= LONGEST else example[:LONGEST] + "…"
    found = f"{len(complete):,} of {len(state.derivations):,} genotypes map to a complete program, but"
    if (state.evaluation.status[complete] == Status.SYNTAX).all():
        columns = "" if problem.dataset is None else " of the columns of the data"
        return f"{found} none is {problem.noun}{columns}: {example}; correct the grammar"
    return f"{found} none has a finite fitness: {example}"


def _no_derivation(setup: Setup, state: State) -> str:
    representation, chance = setup.method.representation, ""
    limit = representation.limited_by
    if limit is None:
        return "no genotype maps to a complete program; use another grammar"
    count = getattr(representation, limit)
    share = representation.completion(setup.grammar, state.probabilities) if count <= MOST_CODONS else None
    if share is not None:
        chance = f" (with {counted(count, limit[:-1])}, the probability is {share:.2g})"
    fix = f"give more {limit} (--set {limit}=…), or use another grammar"
    return f"no genotype maps to a complete program{chance}; {fix}"
