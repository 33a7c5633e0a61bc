"""The one decorator of compiled code, `kernel`.

A kernel is compiled by Numba when Python first calls it with arguments of some types (linking.py), and kept on disk
(code_cache.py). Later processes call that machine code without loading Numba, which takes longer than a run
(machine_code.py). Where Numba is missing or switched off (`NUMBA_DISABLE_JIT=1`), kernels run as plain Python with
the same results.
"""

from __future__ import annotations

import functools
import importlib.util
import inspect
import os
import threading
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from gramarye.kernels.argument_types import kind_of, name_of
from gramarye.kernels.compiler_hooks import when_compiling

Function = TypeVar("Function", bound=Callable[..., Any])


def _has_numba() -> bool:
    """Whether kernels are compiled, or run as plain Python."""
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        return False
    if importlib.util.find_spec("numba") is None:
        warnings.warn("Numba is missing: kernels run as plain Python, with the same results, far slower", stacklevel=2)
        return False
    return True


COMPILED = _has_numba()
_lock = threading.RLock()


class Kernel:
    """A compiled function: machine code for each combination of argument types that it was called with."""

    def __init__(self, function: Callable[..., Any]) -> None:
        functools.update_wrapper(self, function)
        self.py_func = function
        self._signature = inspect.signature(function)
        self._ready: dict[tuple[Any, ...], Callable[..., Any]] = {}

    def __call__(self, *arguments: Any, **named: Any) -> Any:
        """Call the machine code for these arguments."""
        if named or len(arguments) != len(self._signature.parameters):
            bound = self._signature.bind(*arguments, **named)
            bound.apply_defaults()
            arguments = bound.args
        kinds = tuple(map(kind_of, arguments))
        ready = self._ready.get(kinds) or self._prepare(kinds, arguments)
        return ready(*arguments)

    def _prepare(self, kinds: tuple[Any, ...], arguments: tuple[Any, ...]) -> Callable[..., Any]:
        """Load machine code or make it."""
        from gramarye.kernels import code_cache

        with _lock:
            if kinds not in self._ready:
                name = name_of(kinds)
                if name is None:  # of arguments that only Numba can tell apart
                    return self.dispatcher
                found = code_cache.load(self.py_func, name)
                self._ready[kinds] = found or self._compile(name, arguments)
            return self._ready[kinds]

    def _compile(self, name: str, arguments: tuple[Any, ...]) -> Callable[..., Any]:
        from gramarye.kernels import code_cache, linking

        ready, code = linking.compiled(self.py_func, arguments)
        if code is not None:
            code_cache.save(self.py_func, name, code)
        return ready

    @functools.cached_property
    def dispatcher(self) -> Any:
        """The kernel as Numba knows it: what other kernels call."""
        from gramarye.kernels import linking

        return linking.dispatcher(self.py_func)

    @property
    def _numba_type_(self) -> Any:
        """What compiled code finds under the kernel's name; Numba asks for it."""
        return self.dispatcher._numba_type_

    def __reduce__(self) -> str:
        """Found again by its name in another process."""
        return self.__qualname__  # type: ignore[attr-defined]


def kernel(function: Function) -> Function:
    """Compile with Numba, without the GIL, cached on disk; or leave plain, with NumPy's warnings off."""
    return Kernel(function) if COMPILED else _plain(function)  # type: ignore[return-value]


def _plain(function: Function) -> Function:
    @functools.wraps(function)
    def plain(*arguments: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*arguments)

    return plain  # type: ignore[return-value]


def stays_apart() -> None:
    """Written first in a kernel that is never copied into its callers: large ones would be compiled many times."""


@when_compiling
def _never_inline() -> None:
    from numba.core import types
    from numba.extending import lower_builtin, type_callable

    @type_callable(stays_apart)  # type: ignore[untyped-decorator]
    def _type(_context: Any) -> Any:
        return lambda: types.none

    @lower_builtin(stays_apart)  # type: ignore[untyped-decorator]
    def _generate(target: Any, builder: Any, _signature: Any, _arguments: Any) -> Any:
        builder.function.attributes.add("noinline")
        return target.get_dummy_value()
