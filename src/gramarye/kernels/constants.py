"""The numbers that grammars leave to the search: drawn here, tuned by a language."""

from __future__ import annotations

import numpy as np

from gramarye.kernels.codes import CONSTANT
from gramarye.kernels.compiler import kernel
from gramarye.kernels.random import advance, stream, unit
from gramarye.kernels.real_lists import normals


@kernel
def draw_values(
    productions: np.ndarray,  # [total]
    offsets: np.ndarray,  # [N+1]
    constants: np.ndarray,  # [R] which productions are constants
    bounds: np.ndarray,  # [R, 2]
    values: np.ndarray,  # [total], NaN where one is to be drawn; in place
    shared: bool,  # whether the first, second … constant of all individuals begins alike
    seed: np.uint64,
    generation: int,
    first: int,  # number of the first individual
) -> None:
    """Draw constants: within their bounds any number alike, without bounds from the standard normal distribution."""
    places, states = np.empty(len(productions), np.int64), np.empty(len(productions), np.uint64)
    hits = 0
    for i in range(len(offsets) - 1):
        state = stream(seed, generation, CONSTANT, 0 if shared else first + i)
        for step in range(offsets[i], offsets[i + 1]):
            if not constants[productions[step]]:
                values[step] = 0.0
            elif values[step] != values[step]:
                places[hits] = step
                states[hits] = state
                hits += 1
                state = advance(advance(state))  # the two draws of a normal number
    drawn = normals(states[:hits])
    for h in range(hits):
        low, high = bounds[productions[places[h]], 0], bounds[productions[places[h]], 1]
        values[places[h]] = drawn[h]
        if high < np.inf:
            share = unit(advance(states[h]))
            values[places[h]] = min(max((1.0 - share) * low + share * high, low), high)  # no difference can overflow
