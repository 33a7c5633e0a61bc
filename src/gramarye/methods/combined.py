"""A method of one's own, from parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from gramarye.errors import SettingsError
from gramarye.learners.base import Learner
from gramarye.learners.nothing import NoLearning
from gramarye.learners.own import OwnProbabilities
from gramarye.methods.base import MethodBase
from gramarye.representations.base import Representation
from gramarye.representations.flat import FlatReal

_REALS = FlatReal()
_NOTHING = NoLearning()
_READ = {"shared": "common", "own": "their own", "no": "no"}
_READERS = {"shared": "FlatReal(), RealLists()", "own": "RealListsWithProbabilities()"}


@dataclass(frozen=True, kw_only=True)
class Method(MethodBase):
    """Any representation with any learner: `Method(representation=FlatReal(64), learner=AlternatingBest(0.02))`.

    With `samples`, offspring are drawn anew in each generation, without crossover and mutation.
    """

    representation: Representation = _REALS
    learner: Learner = _NOTHING
    samples: bool = False

    _examples: ClassVar[dict[str, str]] = {"representation": "gm.FlatReal(64)", "learner": "gm.AlternatingBest(0.02)"}

    title: ClassVar[str] = "a method made of parts"
    paper: ClassVar[str] = "–"
    genotype: ClassVar[str] = "that of its representation"
    learns: ClassVar[str] = "what its learner does"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, kind in (("representation", Representation), ("learner", Learner)):
            part = getattr(self, name)
            if not isinstance(part, kind):
                what = f"the class {part.__name__}" if isinstance(part, type) else repr(part)
                raise SettingsError(f"{name} is {what}: give one with its settings, such as {self._examples[name]}")
        wanted = "own" if isinstance(self.learner, OwnProbabilities) else "shared"
        if self.learner.learns and self.representation.reads != wanted:
            what = f"{type(self.representation).__name__} and {type(self.learner).__name__} don't go together"
            why = f"genotypes are read through {_READ[self.representation.reads]} probabilities"
            raise SettingsError(f"{what}: {why}; take NoLearning() or {_READERS[wanted]}")
