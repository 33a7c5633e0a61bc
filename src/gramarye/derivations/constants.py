"""Where the constants of derivations begin, before they are tuned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from gramarye import kernels
from gramarye.derivations.derivation import Derivations
from gramarye.grammar import Grammar


def with_values(
    grammar: Grammar, derivations: Derivations, seed: np.uint64, generation: int | None = None, first: int = 0
) -> Derivations:
    """Derivations whose constants are all drawn: those that are missing or NaN.

    In a generation, each individual draws its own, the first of them being individual number `first`; without one, a
    derivation always begins with the same numbers.
    """
    if not grammar.has_constants:
        return derivations
    missing = np.full(len(derivations.productions), np.nan)
    values = derivations.values.copy() if len(derivations.values) else missing
    shared = generation is None
    kernels.constants.draw_values(
        derivations.productions, derivations.offsets, grammar.constants, grammar.bounds, values,
        shared, seed, generation or 0, first,
    )  # fmt: skip
    return replace(derivations, values=values)
