"""How kernels become machine code: a kernel that Python calls is optimised once, with all that it calls.

Numba by itself makes machine code of every function on its own, and optimises what a function calls again in each of
its callers. Here, whatever is compiled on behalf of a kernel is only linked into it. (Nothing else in Numba changes:
functions that users compile themselves are not concerned.)
"""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba import _dynfunc
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.types import unliteral  # type: ignore[attr-defined]


class _Part(JITCodeLibrary):  # type: ignore[misc]  # Numba ships no types
    """Code that is linked into other code; it becomes machine code of its own only if somebody asks for its address."""

    _alone = False

    def _optimize_final_module(self) -> None:
        if self._alone:
            super()._optimize_final_module()

    def _finalize_final_module(self) -> None:
        if self._alone:
            super()._finalize_final_module()
            return
        self._finalize_dynamic_globals()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        if not self._alone:
            self._alone = True
            self._dynamic_globals.clear()  # they are looked for again
            self._optimize_final_module()
            self._finalize_final_module()
        address: int = super().get_pointer_to_function(name)
        return address


def _nothing_to_execute(library: Any, described: Any, environment: Any) -> Any:
    """What stands for a function that only compiled code calls."""
    library._ensure_finalized()
    name = described.qualname.rpartition(".")[2]
    return _dynfunc.make_function(described.lookup_module(), name, "", 0, environment, (library,))


def _no_wrapper(*_arguments: Any, **_settings: Any) -> None: ...


@contextmanager
def _in_parts(target: Any) -> Iterator[None]:
    """Compile to parts. Numba's lock is held, so that nobody else compiles at the same time."""
    changes = (
        (target.codegen(), "_library_class", _Part),
        (target, "get_executable", _nothing_to_execute),
        (target, "create_cpython_wrapper", _no_wrapper),
    )
    for owner, name, value in changes:
        setattr(owner, name, value)
    try:
        yield
    finally:
        for owner, name, _ in changes:
            delattr(owner, name)  # that of the class counts again


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """The compiler makes many objects and keeps most: looking through them time and again finds little."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


class Whole(Compiler):  # type: ignore[misc]
    """Compiles a kernel that Python calls, with all that it calls."""

    def __init__(self, typing: Any, target: Any, library: Any, *rest: Any) -> None:
        if library is None:
            library = JITCodeLibrary(target.codegen(), "kernel")
            library.enable_object_caching()
        self._target = target
        super().__init__(typing, target, library, *rest)

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        with _without_garbage_collection(), _in_parts(self._target):
            return super().compile_extra(function)


def called_by_kernels(dispatcher: Any, make_twin: Callable[[], Any]) -> None:
    """Let kernels call the twin of a kernel, which has no way in from Python and is not kept on disk.

    It is made when something is compiled that calls it: most runs find all machine code ready.
    """
    twin = functools.cache(make_twin)

    def get_call_template(arguments: Any, by_name: Any) -> Any:
        # The type of 3 is that of any integer: otherwise there would be a copy of the function for each constant.
        return twin().get_call_template(tuple(map(unliteral, arguments)), by_name)

    dispatcher.get_call_template = get_call_template
    dispatcher.get_overload = lambda signature: twin().get_overload(signature)
