"""The published methods, one file each, and how they are found by name."""

from __future__ import annotations

from typing import Any

from gramarye.drawing import brief
from gramarye.errors import SettingsError, did_you_mean
from gramarye.methods.base import MethodBase
from gramarye.methods.cfggp import CFGGP
from gramarye.methods.chorus import Chorus
from gramarye.methods.combined import Method
from gramarye.methods.copsge import CoPSGE
from gramarye.methods.ge import GE
from gramarye.methods.pcfgeda import PCFGEDA
from gramarye.methods.pge import PGE
from gramarye.methods.pige import PIGE
from gramarye.methods.pmbge import PMBGE
from gramarye.methods.psge import PSGE
from gramarye.methods.sge import SGE
from gramarye.methods.staticsge import StaticSGE
from gramarye.methods.whge import WHGE

METHODS: dict[str, type[MethodBase]] = {
    method.__name__.lower(): method
    for method in (GE, PGE, SGE, StaticSGE, PSGE, CoPSGE, CFGGP, PIGE, Chorus, WHGE, PCFGEDA, PMBGE)
}

__all__ = [
    "CFGGP",
    "GE",
    "METHODS",
    "PCFGEDA",
    "PGE",
    "PIGE",
    "PMBGE",
    "PSGE",
    "SGE",
    "WHGE",
    "Chorus",
    "CoPSGE",
    "Method",
    "MethodBase",
    "StaticSGE",
    "check_method",
    "find",
]


def find(name: str) -> type[MethodBase]:
    """The method of that name, in capitals or not."""
    try:
        return METHODS[name.lower()]
    except KeyError:
        near = did_you_mean(name.lower(), METHODS) or f"; there are {', '.join(METHODS)}"
        raise SettingsError(f"no method is called {name!r}{near}") from None


def check_method(method: Any) -> MethodBase:
    """The method, if it is one; its name or its class alone is not."""
    if isinstance(method, MethodBase):
        return method
    name = method.__name__ if isinstance(method, type) else str(method)
    what = f"the class {name}" if isinstance(method, type) else f"the {type(method).__name__} {brief(name)}"
    known = METHODS.get(name.lower(), PGE)
    raise SettingsError(f"method is {what}; give a method with its settings, gm.{known.__name__}()")
