"""One learner of each kind, for tests of what all have in common."""

from __future__ import annotations

from dataclasses import MISSING
from typing import Any

import gramarye as gm
from gramarye.learners import LEARNERS, Learner
from gramarye.settings import describe


def made(kind: type[Learner], **settings: Any) -> Learner:
    """A learner of this kind; one that needs another learner gets PGE's."""
    needed = {each.name: gm.learners.AlternatingBest() for each in describe(kind) if each.default is MISSING}
    return kind(**needed, **settings)


MEMBERS = [made(kind) for kind in LEARNERS.values()]
