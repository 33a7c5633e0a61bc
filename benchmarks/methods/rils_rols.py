"""RILS-ROLS: iterated local search and ordinary least squares (Kartelj and Djukanović 2023), in C++.

It can't be interrupted, and its limit is one of wall time, in whole seconds. Here, a small library that is loaded first
gives it the processor time in place of the system clock.
"""

from __future__ import annotations

import ctypes
import functools
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.methods.fitting import Budget, Fit, Floats, Method, nodes

SOURCE = Path(__file__).with_name("processor_clock.c")
PENALTY, MAX_COMPLEXITY = 0.001, 50  # its defaults


def fit(X: Floats, y: Floats, seed: int, seconds: float) -> Fit:
    """Its search without the wrapper of its regressor, which leaves a thread behind that simplifies."""
    clock = processor_clock()
    import rils_rols_cpp

    rows, columns = X.shape
    # It stops when the whole seconds that have passed are more than its limit.
    search = rils_rols_cpp.rils_rols(
        False, 10**9, max(round(seconds) - 1, 0), PENALTY, MAX_COMPLEXITY, 1.0, False, seed
    )
    budget = Budget(seconds)
    search.fit(np.ascontiguousarray(X).reshape(-1, 1), y, rows, columns)
    spent = budget.spent
    if not ctypes.c_int.in_dll(clock, "calls").value:
        raise RuntimeError("rils_rols_cpp was loaded before processor_clock.c: it was stopped by wall time")
    formula = search.get_model_string().replace("^", "**")

    def predict(X: Floats) -> Floats:
        return np.asarray(search.predict(np.ascontiguousarray(X).reshape(-1, 1), *X.shape), np.float64)

    return Fit(spent, predict, formula, nodes(formula))


@functools.cache
def processor_clock() -> ctypes.CDLL:
    """The library, compiled once in each process and loaded where C++ looks before its own clock."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "processor_clock.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-o", str(library), str(SOURCE)], check=True)
        return ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)


METHOD = Method(
    fit,
    "rils-rols",
    f"defaults (complexity_penalty {PENALTY}, max_complexity {MAX_COMPLEXITY}, all rows), no limit of fit calls",
    "its own limit, with a clock that returns processor time; precise to an evaluation, for limits in whole seconds",
)
