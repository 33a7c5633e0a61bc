"""Evolved Python, run with the names that a problem gives it and none besides.

This keeps accidents away (a program that opens a file, say). It does not protect against someone who means harm: Python
has ways around any such list of names.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from gramarye.errors import SettingsError


def compile_python(
    program: str, names: Mapping[str, Any] | None = None, builtin_names: Iterable[str] = ()
) -> Callable[..., dict[str, Any]]:
    """A function that runs a Python program, each time in a namespace of its own.

    The program knows no builtins but those that are named. This limits accidents; it is not a security boundary.

    Parameters
    ----------
    program
        Statements of Python.
    names
        What the program may use, by name: helper functions, modules.
    builtin_names
        Builtins that it may use, such as `("range", "len")`.

    Returns
    -------
    function
        Takes the program's inputs by name and returns all names that exist when it has ended, except `names`. It raises
        what the program raises; `compile_python` itself raises `SyntaxError`.

    Examples
    --------
    >>> from gramarye.execution import compile_python
    >>> run = compile_python("total = sum(range(n))", builtin_names=("sum", "range"))
    >>> run(n=4)["total"]
    6
    """
    allowed = {name: _builtin(name) for name in builtin_names}
    code = compile(program, "<evolved program>", "exec")
    given = dict(names or {})

    def run(**inputs: Any) -> dict[str, Any]:
        space = {**given, **inputs, "__builtins__": dict(allowed)}
        exec(code, space)  # noqa: S102, what it is for
        return {name: value for name, value in space.items() if name != "__builtins__" and name not in given}

    return run


def _builtin(name: str) -> Any:
    if not hasattr(builtins, name):
        raise SettingsError(f"builtin_names has {name!r}: Python has no such builtin")
    return getattr(builtins, name)
