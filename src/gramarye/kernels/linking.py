"""How kernels become machine code: a kernel that Python calls is optimised once, with all that it calls.

Numba by itself makes machine code of every function on its own, and optimises what a function calls again in each of
its callers. Here, whatever is compiled on behalf of a kernel is only linked into it. (Functions that users compile
themselves are not concerned.) For that, some of Numba's methods are replaced while a kernel is compiled; a version of
Numba that lacks them compiles in its own way, which takes longer.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
from numba import _dynfunc
from numba.core import codegen, event, registry
from numba.core.compiler import Compiler
from numba.core.types import unliteral  # type: ignore[attr-defined]

from gramarye.kernels.compiler_hooks import extend_numba, watches
from gramarye.kernels.machine_code import Code, is_known
from gramarye.kernels.numba_start import spare_scipy

spare_scipy()

_OPTIONS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


class _Part(codegen.JITCodeLibrary):  # type: ignore[misc]  # Numba ships no types
    """Code that is linked into other code; it becomes machine code of its own only if somebody asks for its address.

    Its functions are simplified one by one, as Numba does: references that are counted in vain are found only there.
    """

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


def _replaced(target: Any) -> list[tuple[Any, str, Any]]:
    return [
        (target.codegen(), "_library_class", _Part),
        (target, "get_executable", _nothing_to_execute),
        (target, "create_cpython_wrapper", _no_wrapper),
        (target, "create_cfunc_wrapper", _no_wrapper),
    ]


@contextmanager
def _in_parts(target: Any) -> Iterator[None]:
    """Compile to parts. Numba's lock is held, so that nobody else compiles at the same time."""
    changes = _replaced(target)
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
            library = codegen.JITCodeLibrary(target.codegen(), "kernel")
            library.enable_object_caching()
        self._target = target
        super().__init__(typing, target, library, *rest)

    def compile_extra(self, function: Callable[..., Any]) -> Any:
        with _in_parts(self._target):
            return super().compile_extra(function)


def dispatcher(function: Callable[..., Any]) -> Any:
    """A kernel as Numba knows it: what other kernels call, and functions that users compile."""
    extend_numba()
    made: Any = numba.njit(**_OPTIONS)(function)
    get_call_template = made.get_call_template
    # The type of 3 is that of any integer: otherwise there would be a copy of the function for each constant.
    made.get_call_template = lambda arguments, named: get_call_template(tuple(map(unliteral, arguments)), named)
    return made


class _Passes(event.Listener):  # type: ignore[misc]
    """Counts the passes of the compiler, and tells those who watch when one begins."""

    count = 0

    def on_start(self, _event: Any) -> None:
        self.count += 1
        for watch in watches:
            watch()

    def on_end(self, _event: Any) -> None: ...


def compiled(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[Callable[..., Any], Code | None]:
    """A kernel that Python calls with arguments of these types, and what to keep of it on disk."""
    extend_numba()
    pipeline = {"pipeline_class": Whole} if can_link() else {}
    whole: Any = numba.njit(**_OPTIONS, **pipeline)(function)
    types = tuple(map(numba.typeof, arguments))
    passes = _Passes()
    with _without_garbage_collection(), event.install_listener("numba:run_pass", passes):
        whole.compile(types)
    result = whole.overloads[types]
    return result.entry_point, _to_keep(result, passes.count) if pipeline else None


def can_link() -> bool:
    """Whether this version of Numba has all that is replaced here."""
    library = ("_optimize_final_module", "_finalize_final_module", "_finalize_dynamic_globals")
    target = getattr(registry, "cpu_target", None)
    return (
        target is not None
        and all(hasattr(codegen.JITCodeLibrary, name) for name in library)
        and all(hasattr(owner, name) for owner, name, _ in _replaced(target.target_context))
    )


def _to_keep(result: Any, passes: int) -> Code | None:
    """What is kept on disk; None where the machine code is of use to this process only."""
    library, main = result.library, result.fndesc
    declared = [function.name for function in library._final_module.functions if function.is_declaration]
    if library.has_dynamic_globals or result.reload_init or not all(map(is_known, declared)):
        return None
    others = [other for other in result._find_referenced_environments() if other is not result.environment]
    environments = [(main.env_name, result.environment), *((other.env_name, other) for other in others)]
    kept = [(name, list(environment.consts)) for name, environment in environments]
    return Code(library._get_compiled_object(), main.llvm_cpython_wrapper_name, kept, passes)
