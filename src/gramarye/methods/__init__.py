"""The published methods, one file each, and how they are found by name."""

from __future__ import annotations

from gramarye.errors import SettingsError, did_you_mean
from gramarye.methods.base import MethodBase
from gramarye.methods.combined import Method
from gramarye.methods.ge import GE
from gramarye.methods.pge import PGE
from gramarye.methods.sge import SGE

METHODS: dict[str, type[MethodBase]] = {method.__name__.lower(): method for method in (PGE, GE, SGE)}

__all__ = ["GE", "METHODS", "PGE", "SGE", "Method", "MethodBase", "find"]


def find(name: str) -> type[MethodBase]:
    """The method of that name, in capitals or not."""
    try:
        return METHODS[name.lower()]
    except KeyError:
        near = did_you_mean(name.lower(), METHODS) or f"; there are {', '.join(METHODS)}"
        raise SettingsError(f"no method is called {name!r}{near}") from None
