"""What runs are recognised by when they are resumed: the same values, data and functions."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import textwrap
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

_PLAIN = (type(None), bool, int, float, complex, str, bytes)


class UnrecognisableError(Exception):
    """Something that can't be recognised in another process, and why."""


def digest(value: Any) -> str:
    """A short text that differs if the value does."""
    content = value if isinstance(value, bytes) else repr(value).encode("utf-8", "surrogatepass")
    return hashlib.sha256(content).hexdigest()[:16]


def function_identity(function: Callable[..., Any]) -> str:
    """Module, name and source of a function, its defaults and the values it closes over; else `UnrecognisableError`.

    Functions that it calls and values at the top of its module are not part of it.
    """
    return f"{_name(function)} ({digest(_Descriptions().of(function, 'it'))})"


def difference(theirs: str, ours: str, ignored: str | None = None) -> str | None:
    """The first thing that is not the same in two identities, which are JSON, in words; None where nothing is."""
    before, now = json.loads(theirs), json.loads(ours)
    for name in {**now, **before}:
        if before.get(name) != now.get(name) and name != ignored:
            return f"{name} was {before.get(name, 'not recorded')} and is now {now.get(name, 'not given')}"
    return None


def _name(function: Any) -> str:
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{getattr(named, '__module__', None) or 'builtins'}.{named.__qualname__}"


class _Descriptions:
    """Values as nested tuples of plain ones that differ where the values do."""

    def __init__(self) -> None:
        self._inside: set[int] = set()  # what is being described: a function may close over itself

    def of(self, value: Any, where: str) -> Any:
        """The description of one value; `where` is what an error calls the place that holds it."""
        if isinstance(value, _PLAIN):
            return value
        if isinstance(value, np.generic | np.ndarray) and not value.dtype.hasobject:
            return "array", str(value.dtype), value.shape, digest(value.tobytes())
        if id(value) in self._inside:
            return "itself"
        self._inside.add(id(value))
        try:
            return type(value).__name__, *self._parts(value, where)
        finally:
            self._inside.discard(id(value))

    def _parts(self, value: Any, where: str) -> tuple[Any, ...]:
        if isinstance(value, list | tuple):
            return tuple(self.of(each, where) for each in value)
        if isinstance(value, set | frozenset):
            return tuple(sorted(repr(self.of(each, where)) for each in value))
        if isinstance(value, Mapping):
            return tuple((self.of(key, where), self.of(each, where)) for key, each in value.items())
        if isinstance(value, types.ModuleType):
            return (value.__name__,)
        if isinstance(value, type):
            return _name(value), _source(value)
        if isinstance(value, functools.partial):
            return tuple(self.of(part, where) for part in (value.func, value.args, value.keywords))
        if isinstance(value, types.FunctionType):
            return self._function(value)
        inner = getattr(value, "__wrapped__", getattr(value, "py_func", None))  # of functools.lru_cache, of Numba
        if callable(value) and callable(inner):
            return (self.of(inner, where),)
        owner = getattr(value, "__self__", None)
        if callable(value) and not isinstance(owner, types.ModuleType | None):  # the method of an object
            return self.of(getattr(value, "__func__", value.__name__), where), self.of(owner, where)
        if callable(value) and hasattr(value, "__qualname__"):  # compiled
            return (_name(value),)
        if hasattr(value, "__dict__") and all(map(_source, type(value).__mro__[:-1])):  # nothing is hidden in C
            return self.of(type(value), where), self.of(vars(value), f"the {type(value).__name__} object")
        raise UnrecognisableError(f"{where} holds an object of type {type(value).__name__}")

    def _function(self, function: types.FunctionType) -> tuple[Any, ...]:
        closed = inspect.getclosurevars(function).nonlocals if function.__closure__ else {}
        name = function.__qualname__
        return (
            _name(function),
            _source(function),
            self.of((function.__defaults__, function.__kwdefaults__), f"a default of {name}"),
            *((key, self.of(value, f"{key!r} in {name}")) for key, value in closed.items()),
        )


def _source(value: types.FunctionType | type) -> Any:
    """Its text; where no source is kept, the code of a function and nothing of a class."""
    try:
        text = textwrap.dedent(inspect.getsource(value))
    except (OSError, TypeError):
        return None if isinstance(value, type) else _code(value.__code__)
    if isinstance(value, types.FunctionType) and value.__name__ == "<lambda>":
        return _lambda(value) or _code(value.__code__)  # the text is that of whole lines, with more than one on them
    return text


def _lambda(function: types.FunctionType) -> Any:
    """The arguments of a lambda and the text of its body; None where its place in the line is not known."""
    code = function.__code__
    places = [(a, b, c, d) for a, b, c, d in code.co_positions() if a and b and d]  # the first has no width
    if not places:
        return None
    (first, start), (last, end) = min((a, c) for a, _, c, _ in places), max((b, d) for _, b, _, d in places)
    body = [line.encode() for line in inspect.findsource(function)[0][first - 1 : last]]  # columns count bytes
    body[-1] = body[-1][:end]
    body[0] = body[0][start:]
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount], b"".join(body)


def _code(code: types.CodeType) -> Any:
    constants = [
        _code(each) if isinstance(each, types.CodeType) else _Descriptions().of(each, "it")
        for each in code.co_consts
        if each is not Ellipsis
    ]
    return code.co_code, code.co_names, code.co_varnames, constants
