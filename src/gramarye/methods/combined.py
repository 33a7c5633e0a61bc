"""A method of your own, from parts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from gramarye.errors import SettingsError
from gramarye.learners.base import Learner
from gramarye.learners.nothing import NoLearning, OwnProbabilities
from gramarye.methods.base import MethodBase, check_part
from gramarye.replacement import Replacement
from gramarye.representations.base import Representation
from gramarye.representations.flat import FlatReal
from gramarye.settings import setting

_REALS = FlatReal()
_NOTHING = NoLearning()
_READ = {
    "shared": "has the same probabilities for all individuals",
    "own": "has separate probabilities for each individual",
    "no": "does not use probabilities",
}
_READERS = {"shared": "FlatReal(), RealLists() or Trees()", "own": "RealListsWithProbabilities()"}


@dataclass(frozen=True, kw_only=True)
class Method(MethodBase):
    """Any parts together: `Method(representation=FlatReal(64), learner=AlternatingBest(0.02), selection="lexicase")`.

    A `replacement` takes the place of elitism.
    With `samples`, offspring are drawn anew in each generation, without crossover and mutation.
    """

    representation: Representation[Any] = setting(_REALS, doc="what an individual is")
    learner: Learner = setting(_NOTHING, doc="what is learned about the grammar")
    replacement: Replacement | None = setting(None, doc="who lives on; None: the best, as elitism says")
    samples: bool = setting(
        False, doc="whether offspring are drawn from the learned probabilities instead of bred from parents"
    )

    title: ClassVar[str] = "a method made of parts"
    paper: ClassVar[str] = "–"
    genotype: ClassVar[str] = "that of its representation"
    learns: ClassVar[str] = "what its learner does"

    def __post_init__(self) -> None:
        check_part("representation", self.representation, Representation, "gm.representations.FlatReal(64)")
        check_part("learner", self.learner, Learner, "gm.learners.AlternatingBest(0.02)")
        if self.replacement is not None:
            check_part("replacement", self.replacement, Replacement, "gm.replacement.Elitism(0.1)")
            self._check_unused("elitism", "replacement", repr(self.replacement))
        super().__post_init__()
        wanted = "own" if isinstance(self.learner, OwnProbabilities) else "shared"
        if self.learner.learns and self.representation.reads != wanted:
            name = type(self.representation).__name__
            what = f"{name} and {type(self.learner).__name__} don't go together"
            why = f"{name} {_READ[self.representation.reads]}"
            raise SettingsError(f"{what}: {why}; use NoLearning(), or {_READERS[wanted]}")

    @property
    def _unused(self) -> set[str]:
        return super()._unused | {"replacement" if self.replacement is None else "elitism"}

    def _replacement(self) -> Replacement:
        return super()._replacement() if self.replacement is None else self.replacement
