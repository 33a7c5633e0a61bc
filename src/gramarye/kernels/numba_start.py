"""Numba without what it loads for nothing."""

from __future__ import annotations

import importlib.util
import sys


def spare_scipy() -> None:
    """Let Numba look for SciPy instead of loading it, which takes longer than a run.

    It only wants to know whether matrices can be multiplied; who does so loads SciPy then.
    """
    if "numba.np.arraymath" in sys.modules:
        return
    from numba.np import linalg

    load = linalg.ensure_blas
    linalg.ensure_blas = _find_scipy
    try:
        from numba.np import arraymath
    finally:
        linalg.ensure_blas = load
    arraymath.ensure_blas = load


def _find_scipy() -> None:
    if importlib.util.find_spec("scipy") is None:
        raise ImportError("SciPy is missing")
