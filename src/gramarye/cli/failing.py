"""Why a run found no valid program, in words that help."""

from __future__ import annotations

import numpy as np

from gramarye.derivation import Derivation, Derivations, Status
from gramarye.drawing import shown
from gramarye.methods.base import MethodBase
from gramarye.objectives.base import Problem
from gramarye.objectives.regression import Regression
from gramarye.report.terminal.parts import counted
from gramarye.state import State

LONGEST = 100  # characters of an example
MOST_CODONS = 10_000  # beyond, the exact chance takes too long


def why_nothing_is_valid(state: State, problem: Problem, method: MethodBase) -> str:
    """What is wrong with the last population, which is derived once more."""
    derivations = method.rewritten(problem.grammar).translate(state.derivations)
    whole = np.flatnonzero(derivations.status == Status.OK)
    if len(whole) == 0:
        return _no_derivation(state, problem, method)
    example = shown(Derivation(problem.grammar, derivations[whole[0]]).form)
    example = example if len(example) <= LONGEST else example[:LONGEST] + "…"
    found = f"{len(whole):,} of {len(derivations):,} genotypes derive a whole text, but"
    if _all_misspelt(problem, derivations, whole):
        return f"{found} none is an arithmetic expression: {example}; correct the grammar"
    return f"{found} none has a finite fitness: {example}"


def _all_misspelt(problem: Problem, derivations: Derivations, whole: np.ndarray) -> bool:
    if not isinstance(problem, Regression):
        return False
    return bool((problem.language.programs(derivations).status[whole] == Status.SYNTAX).all())


def _no_derivation(state: State, problem: Problem, method: MethodBase) -> str:
    limit, chance = method.representation.limited_by, ""
    if limit is None:
        return "no genotype derives a whole program; give another grammar"
    count = getattr(method.representation, limit)
    if count <= MOST_CODONS:
        grammar = method.rewritten(problem.grammar).grammar
        share = method.representation.completion(grammar, state.probabilities)
        if share is not None:
            chance = f" (of {counted(count, limit[:-1])}, its probability to do so is {share:.2g})"
    return f"no genotype derives a whole program{chance}; give more {limit} (--set {limit}=…), or another grammar"
