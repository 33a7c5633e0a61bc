"""The methods, one file each, and how they are found by name: those of papers, then that of this package.

A new one is listed here, in one line, and nowhere else.
"""

from gramarye import errors, text
from gramarye.methods.base import MethodBase as MethodBase
from gramarye.methods.combined import Method as Method

# In the order in which they are listed everywhere.
# isort: off
from gramarye.methods.ge import GE as GE
from gramarye.methods.pge import PGE as PGE
from gramarye.methods.sge import SGE as SGE
from gramarye.methods.staticsge import StaticSGE as StaticSGE
from gramarye.methods.psge import PSGE as PSGE
from gramarye.methods.copsge import CoPSGE as CoPSGE
from gramarye.methods.cfggp import CFGGP as CFGGP
from gramarye.methods.pige import PIGE as PIGE
from gramarye.methods.chorus import Chorus as Chorus
from gramarye.methods.whge import WHGE as WHGE
from gramarye.methods.pcfgeda import PCFGEDA as PCFGEDA
from gramarye.methods.pmbge import PMBGE as PMBGE
from gramarye.methods.tunedtrees import TunedTrees as TunedTrees
# isort: on

METHODS: dict[str, type[MethodBase]] = {
    name.lower(): kind
    for name, kind in globals().items()
    if isinstance(kind, type) and issubclass(kind, MethodBase) and kind not in (MethodBase, Method)
}
# Those of papers, which studies of methods are about.
PUBLISHED: dict[str, type[MethodBase]] = {name: kind for name, kind in METHODS.items() if kind.published}


def find(name: str) -> type[MethodBase]:
    """The method of that name, in capitals or not."""
    try:
        return METHODS[name.lower()]
    except KeyError:
        near = errors.did_you_mean(name.lower(), METHODS) or f"; there are {', '.join(METHODS)}"
        raise errors.SettingsError(f"no method is called {name!r}{near}") from None


def check_method(method: object) -> MethodBase:
    """The method, if it is one; its name or its class alone is not."""
    if isinstance(method, MethodBase):
        return method
    name = method.__name__ if isinstance(method, type) else str(method)
    what = f"the class {name}" if isinstance(method, type) else f"the {type(method).__name__} {text.brief(name)}"
    known = METHODS.get(name.lower(), PGE)
    raise errors.SettingsError(f"method is {what}; give a method with its settings, gm.{known.__name__}()")
