"""The one decorator of compiled code, `kernel`.

A kernel is compiled by Numba when Python first calls it, with all that it calls (linking.py), and cached on disk
(code_cache.py). Where Numba is missing or switched off (`NUMBA_DISABLE_JIT=1`), kernels run as plain Python with the
same results.
"""

from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])


def _numba() -> Any:
    """The Numba package, or None where kernels are to run as plain Python."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return None
    try:
        import numba
    except ImportError:
        warnings.warn("Numba is missing: kernels run as plain Python, with the same results, far slower", stacklevel=2)
        return None
    return numba


numba = _numba()
COMPILED = numba is not None
_OPTIONS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


if COMPILED:
    from gramarye.kernels import code_cache, linking, numba_start

    numba_start.spare_scipy()


def kernel(function: Function) -> Function:
    """Compile with Numba, without the GIL, cached on disk; or leave plain, with NumPy's warnings off."""
    if not COMPILED:
        return _plain(function)
    dispatcher: Any = numba.njit(**_OPTIONS, pipeline_class=linking.Whole)(function)
    if code_cache.can_be_kept(function):
        dispatcher._cache = code_cache.Cache(function)
    linking.called_by_kernels(dispatcher, lambda: numba.njit(**_OPTIONS)(function))
    return dispatcher


def _plain(function: Function) -> Function:
    @functools.wraps(function)
    def plain(*arguments: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*arguments)

    return plain  # type: ignore[return-value]


if COMPILED:
    from numba.core import types
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]
    def stays_apart(_context: Any) -> Any:
        """Written first in a kernel that is never copied into its callers: large ones would be compiled many times."""

        def generate(target: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
            builder.function.attributes.add("noinline")
            return target.get_dummy_value()

        return types.none(), generate

else:

    def stays_apart() -> None:
        """Nothing to do for plain Python."""
