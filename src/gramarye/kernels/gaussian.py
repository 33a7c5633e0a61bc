"""Normal random numbers that have the same bits on every machine."""

from __future__ import annotations

import math

import numpy as np

from gramarye.kernels.compiler import kernel, stays_apart
from gramarye.kernels.random import advance, unit
from gramarye.kernels.vectormath import cos, log

_TURN = 2.0 * math.pi


@kernel
def normals(states: np.ndarray) -> np.ndarray:
    """A number of the standard normal distribution for each state, from its next two draws (Box and Muller 1958)."""
    stays_apart()
    n = len(states)
    share, angle = np.empty(n), np.empty(n)
    for i in range(n):
        first = advance(states[i])
        share[i] = 1.0 - unit(first)  # in (0, 1], where the logarithm is finite
        angle[i] = _TURN * unit(advance(first))
    logarithm, cosine = np.empty(n), np.empty(n)
    log(logarithm, share)
    cos(cosine, angle)
    for i in range(n):
        share[i] = np.sqrt(-2.0 * logarithm[i]) * cosine[i]
    return share
