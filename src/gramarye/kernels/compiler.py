"""The one decorator of compiled code, `kernel`, and where its machine code is kept.

A kernel is compiled by Numba and cached on disk in a folder named after a hash of *all* kernel sources: Numba
itself looks only at the file of the outermost function, so an edited helper would leave stale code behind. Where
Numba is missing or switched off (`NUMBA_DISABLE_JIT=1`), kernels run as plain Python with the same results.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import os
import sys
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
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


@functools.cache
def source_hash() -> str:
    """A hash of the sources of every kernel, and of what they share: what the cache folder is named after."""
    digest = hashlib.sha256()
    package = Path(__file__).parents[1]
    layout = package / "grammar" / "arrays.py"  # of grammars, which is compiled in as well
    for path in (*sorted(package.glob("**/kernels/*.py")), layout):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@functools.cache
def cache_folder() -> Path | None:
    """Where machine code is kept, or None where nothing is writable (kernels are then compiled in each process)."""
    folder = _cache_root() / "gramarye" / "kernels" / source_hash()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return None
    return folder


def _cache_root() -> Path:
    if "GRAMARYE_CACHE" in os.environ:
        return Path(os.environ["GRAMARYE_CACHE"])
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", "~")).expanduser()
    if sys.platform == "darwin":
        return Path("~/Library/Caches").expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser()


if COMPILED:
    from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

    class _Locator(_CacheLocator):  # type: ignore[misc]  # Numba ships no types
        """Keeps the machine code of a kernel in `cache_folder()`."""

        def __init__(self, function: Callable[..., Any], path: str) -> None:
            self._stamp = hashlib.sha256(Path(path).read_bytes()).hexdigest()  # a third party's kernel file
            self._line = function.__code__.co_firstlineno
            self._module = function.__module__

        def get_cache_path(self) -> str:
            return str(cache_folder())

        def get_source_stamp(self) -> str:
            return self._stamp

        def get_disambiguator(self) -> str:
            return f"{self._module}-{self._line}"

        @classmethod
        def from_function(cls, function: Callable[..., Any], path: str) -> _Locator:
            return cls(function, path)

    class _Cached(CompileResultCacheImpl):  # type: ignore[misc]
        _locator_classes = [_Locator]  # noqa: RUF012  (Numba's own attribute)

    class _Cache(FunctionCache):  # type: ignore[misc]
        _impl_class = _Cached


def kernel(function: Function) -> Function:
    """Compile with Numba, without the GIL, cached on disk; or leave plain, with NumPy's warnings off."""
    if not COMPILED:
        return _plain(function)
    dispatcher: Any = numba.njit(**_OPTIONS)(function)
    if cache_folder() is not None and Path(inspect.getfile(function)).exists():
        dispatcher._cache = _Cache(function)
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
