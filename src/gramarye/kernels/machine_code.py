"""Machine code that Numba made in an earlier process, called without loading Numba.

Code on disk refers to functions of Python, which every process has, and to some of Numba's that are written in C.
These are in three small libraries that load at once; the rest of Numba takes longer to load than a run takes.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import pickle
import sys
from collections.abc import Callable
from importlib.machinery import PathFinder
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import llvmlite.binding as llvm

_OF_C = {"memcpy", "memmove", "memset", "memcmp"}
_kept: list[Any] = []  # machine code is never unloaded


class Code(NamedTuple):
    """A compiled kernel, as it is kept on disk."""

    machine_code: bytes  # an object file
    entry: str  # the function in it that Python calls
    environments: list[tuple[str, list[Any]]]  # objects that the code refers to, by the variables that hold them
    passes: int  # of the compiler


def numba_folder() -> Path:
    """Where Numba is installed."""
    spec = importlib.util.find_spec("numba")
    return Path((spec.submodule_search_locations or [])[0])  # type: ignore[union-attr]


def _library(name: str) -> ModuleType:
    """A part of Numba that is written in C."""
    full = f"numba.{name}"
    if full in sys.modules:
        return sys.modules[full]
    spec = PathFinder.find_spec(full, [str(numba_folder().joinpath(*name.split(".")[:-1]))])
    module = importlib.util.module_from_spec(spec)  # type: ignore[arg-type]
    spec.loader.exec_module(module)  # type: ignore[union-attr]
    return module


@functools.cache
def _symbols() -> dict[str, int]:
    """The addresses of Numba's functions that machine code calls, by their names there."""
    helpers = {f"numba_{name}": address for name, address in _library("_helperlib").c_helpers.items()}
    memory = _library("core.runtime._nrt_python").c_helpers
    found = helpers | {name if name[0] == "_" else f"NRT_{name}": address for name, address in memory.items()}
    if "numba.core.serialize" not in sys.modules:  # what Numba's own one would load, with all the rest
        found["numba_unpickle"] = ctypes.cast(_unpickle, ctypes.c_void_p).value or 0
    return found


# The cache is called without a step of Python's interpreter, where Ctrl-C would raise what machine code can't pass on.
@ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)  # type: ignore[untyped-decorator]
@functools.cache
def _unpickle(address: int, length: int, _hash: int) -> Any:
    return pickle.loads(ctypes.string_at(address, length))  # noqa: S301  (part of the machine code)


def is_known(symbol: str) -> bool:
    """Whether machine code that refers to this symbol can be loaded without Numba."""
    return symbol in _symbols() or symbol in _OF_C or symbol.startswith("llvm.") or hasattr(ctypes.pythonapi, symbol)


@functools.cache
def _prepared() -> Any:
    """What makes addresses of object files, after LLVM has learned about Numba's functions."""
    for name, address in _symbols().items():
        llvm.add_symbol(name, address)
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple()


def loaded(code: Code, function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that Python calls."""
    dynamic = _library("_dynfunc")
    # An engine of its own for each: names in the machine code of two processes may be the same by accident.
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _prepared().create_target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code.machine_code))
    engine.finalize_object()
    environments = []
    for variable, constants in code.environments:
        environment = dynamic.Environment(function.__globals__)
        environment.consts.extend(constants)
        environments.append(environment)
        address = engine.get_global_value_address(variable)
        if address:
            ctypes.c_void_p.from_address(address).value = id(environment)
    _kept.append((engine, environments))
    address, module = engine.get_function_address(code.entry), sys.modules[function.__module__]
    return dynamic.make_function(module, function.__name__, "", address, environments[0], (engine, *environments))
