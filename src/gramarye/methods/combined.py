"""A method of one's own, from parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gramarye.learners.base import Learner
from gramarye.learners.nothing import NoLearning
from gramarye.methods.base import MethodBase
from gramarye.representations.base import Representation
from gramarye.representations.flat import FlatReal

_REALS = FlatReal()
_NOTHING = NoLearning()


@dataclass(frozen=True, kw_only=True)
class Method(MethodBase):
    """Any representation with any learner: `Method(representation=FlatReal(64), learner=AlternatingBest(0.02))`.

    With `samples`, offspring are drawn anew in each generation, without crossover and mutation.
    """

    representation: Representation = _REALS
    learner: Learner = _NOTHING
    samples: bool = False

    title: ClassVar[str] = "a method made of parts"
    paper: ClassVar[str] = "–"
    genotype: ClassVar[str] = "that of its representation"
    learns: ClassVar[str] = "what its learner does"
