"""A method = representation + learner + selection + replacement + settings: the interface, and what all share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple

from gramarye.derivations.rewriting import Rewriting
from gramarye.errors import SettingsError
from gramarye.grammar import Grammar
from gramarye.learners.base import Learner
from gramarye.objectives.problem import Tuning
from gramarye.populations.history import LEARNED, LIMITS, Wording
from gramarye.replacement import Elitism, Replacement
from gramarye.representations.base import Representation
from gramarye.selection import SELECTIONS, Selection, Tournament, text_of
from gramarye.selection import find as find_selection
from gramarye.settings import INT_MAX, HasSettings, as_in, setting
from gramarye.text import counted

Initialisation = Literal["random", "grow", "full", "ramped", "pi-grow", "ptc2"]
# Left out where nobody has changed them.
_SAYING_NOTHING = ("tuning_iterations", "restart_after", "short_runs", "short_generations", *LIMITS[1:])
NO_PARENTS = "has no effect: offspring have no parents"


class Parts(NamedTuple):
    """What a method is made of."""

    representation: Representation[Any]
    learner: Learner
    selection: Selection
    replacement: Replacement


@dataclass(frozen=True, kw_only=True)
class MethodBase(HasSettings, ABC):
    """The settings that every method has; the values are those of the PGE paper."""

    population: int = setting(1000, low=1, high=INT_MAX, doc="number of individuals")
    generations: int = setting(50, low=1, high=INT_MAX, doc="number of populations evaluated, including the first")
    elitism: float = as_in(Elitism, "elitism")
    selection: str | Selection = setting(
        "tournament", names=SELECTIONS, doc="how parents are chosen: a name, or a selection with its settings"
    )
    tournament: int = as_in(Tournament, "size")
    crossover: float = setting(0.9, low=0, high=1, doc="crossover probability per child")
    mutation: float = setting(0.05, low=0, high=1, doc="probability that a codon is replaced by a random one")
    initialisation: Initialisation = setting(
        "random", doc="how the initial genotypes are made: at random, or from trees drawn this way"
    )
    initial_depth: int = setting(6, low=1, high=2**20, doc="depth limit of the initial trees")
    initial_size: int = setting(240, low=1, high=2**24, doc="expansions of the largest tree that ptc2 draws")
    unique: bool = setting(False, doc="whether the initial programs are all different")
    tuning_iterations: int = setting(
        8, low=0, high=1000, doc="steps by which the constants of a grammar are tuned at each evaluation"
    )
    restart_after: int | None = setting(
        None, low=1, high=INT_MAX, doc="generations without a gain of 1 % after which a fresh population starts"
    )
    short_runs: int = setting(
        0, low=0, high=INT_MAX, doc="short runs before a long one that starts from what their best programs teach"
    )
    short_generations: int = setting(5, low=1, high=INT_MAX, doc="generations of each short run")
    max_evaluations: int | None = setting(
        None,
        low=1,
        high=2**53,
        doc="evaluations after which a run stops: of individuals, or passes over the data where constants are tuned",
    )
    max_time: float | None = setting(
        None, low=0, high=1e9, doc="seconds after which a run stops, checked between generations"
    )
    target: float | None = setting(None, low=-(2**52), high=2**52, doc="fitness at which a run stops")

    title: ClassVar[str]
    paper: ClassVar[str]
    genotype: ClassVar[str]
    learns: ClassVar[str]
    stops_when_exact: ClassVar[bool] = False  # whether a run ends where only rounding is left of the error
    published: ClassVar[bool] = True  # in a paper, so that studies of the published methods are about it, too

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "__repr__" not in cls.__dict__:
            cls.__repr__ = MethodBase.__repr__  # type: ignore[method-assign]  # or @dataclass would write another one

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.selection, str):
            check_part("selection", self.selection, Selection, 'gm.selection.Lexicase(), or its name, "lexicase"')
        if isinstance(chosen := self._selection(), Tournament) and self.selection != "tournament":
            self._check_unused("tournament", "selection", text_of(chosen))
            object.__setattr__(self, "selection", "tournament")  # one way to say it: the size is a setting of its own
            object.__setattr__(self, "tournament", chosen.size)
        if self.selection != "tournament":
            self._check_unused("tournament", "selection", text_of(self.parts.selection))
            if self.samples:
                raise SettingsError(
                    f"selection is {text_of(self.parts.selection)!r}: {self.name} draws offspring from the grammar, "
                    "without parents; leave selection out"
                )
        if self.elites >= self.population:
            kept = self.parts.replacement
            what = f"elitism is {self.elitism}" if kept == Elitism(self.elitism) else f"replacement is {kept}"
            raise SettingsError(
                f"{what}: {counted(self.elites, 'elite')} would leave no room for offspring in a population of "
                f"{self.population}"
            )
        self._check_short_runs()

    def _check_short_runs(self) -> None:
        """A SettingsError where short runs would teach nothing, or nobody."""
        if self.short_runs == 0:
            self._check_unused("short_generations", "short_runs", 0)
            return
        what, spent = f"short_runs is {self.short_runs}", self.short_runs * self.short_generations
        if self.restart_after is not None:
            raise SettingsError(f"{what} and restart_after is {self.restart_after}: leave one of them out")
        if not self.uses_probabilities:
            raise SettingsError(
                f"{what}: {self.name} does not use probabilities, which are what short runs teach; leave short_runs out"
            )
        if spent >= self.generations:
            raise SettingsError(
                f"{what}: with {counted(self.short_generations, 'generation')} each, they leave none of "
                f"{counted(self.generations, 'generation')} for the long run; raise generations above {spent}"
            )
        least = spent * (self.population - self.elites)
        if self.max_evaluations is not None and least >= self.max_evaluations:
            raise SettingsError(
                f"{what}: they take at least {least:,} evaluations, and leave none of max_evaluations, "
                f"{self.max_evaluations:,}, for the long run; raise it, or lower short_generations or population"
            )

    @property
    def wording(self) -> Wording | None:
        """What the probabilities that a run records are called; None where they never change."""
        return LEARNED if self.learner.wording is None and self.short_runs else self.learner.wording

    @property
    def uses_probabilities(self) -> bool:
        """Whether mappings or the first population depend on the probabilities of the grammar."""
        read = self.representation.reads != "no" or self.representation.grows_by_probabilities
        return read or self.initialisation != "random"

    @classmethod
    def default(cls, name: str) -> Any:
        """The default of a setting."""
        return next(field.default for field in fields(cls) if field.name == name)

    def _check_unused(self, name: str, other: str, value: Any) -> None:
        """A SettingsError where a setting was given that another one makes useless."""
        if getattr(self, name) != self.default(name):
            raise _unused(name, getattr(self, name), other, value)

    @property
    @abstractmethod
    def representation(self) -> Representation[Any]:
        """What an individual is."""

    @property
    @abstractmethod
    def learner(self) -> Learner:
        """What is learned."""

    @cached_property
    def parts(self) -> Parts:
        """Its four parts, as its settings say."""
        return Parts(self.representation, self.learner, self._selection(), self._replacement())

    def _selection(self) -> Selection:
        if self.selection == "tournament":
            return Tournament(self.tournament)
        return find_selection(self.selection) if isinstance(self.selection, str) else self.selection

    def _replacement(self) -> Replacement:
        return Elitism(self.elitism)

    @property
    def tuning(self) -> Tuning:
        """How programs are fitted to data, where an objective can."""
        return Tuning(iterations=self.tuning_iterations)

    @property
    def samples(self) -> bool:
        """Whether offspring are drawn anew in each generation, instead of being varied from parents."""
        return False

    def rewritten(self, grammar: Grammar) -> Rewriting:
        """The grammar that genotypes are read through and that probabilities belong to."""
        first = self.representation.rewritten(grammar)
        return self.learner.rewritten(first.grammar).after(first)

    @property
    def name(self) -> str:
        """What the command line calls it."""
        return type(self).__name__.lower()

    @property
    def elites(self) -> int:
        """How many individuals of a population are kept unchanged."""
        return self.parts.replacement.keeps(self.population)

    @property
    def settings(self) -> dict[str, Any]:
        """Every setting by name."""
        names = [field.name for field in fields(self) if field.name not in self._unused]
        chosen = {"selection": text_of(self.parts.selection)}
        return {name: chosen.get(name, getattr(self, name)) for name in names}

    @property
    def _unused(self) -> set[str]:
        """Fields that say nothing, for another one says it."""
        selection = "selection" if isinstance(self.parts.selection, Tournament) else "tournament"
        off = (
            name for name in _SAYING_NOTHING if getattr(self, name) == self.default(name) == MethodBase.default(name)
        )
        return {selection, *off}

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        return f"{type(self).__qualname__}({settings})"


def build(kind: type[MethodBase], given: Mapping[str, Any]) -> MethodBase:
    """A method with settings that were given by name; one that has no effect is a SettingsError."""
    method = kind(**given)
    if "tournament" in given and not isinstance(method.parts.selection, Tournament):
        raise _unused("tournament", given["tournament"], "selection", text_of(method.parts.selection))
    return method


def _unused(name: str, value: Any, other: str, chosen: Any) -> SettingsError:
    return SettingsError(f"{name} is {value!r}: it has no effect, because {other} is {chosen!r}; leave {name} out")


def check_part(name: str, part: Any, kind: type[Any], example: str) -> None:
    """A SettingsError where a part of a method is something else, such as its class."""
    if not isinstance(part, kind):
        what = f"the class {part.__name__}" if isinstance(part, type) else repr(part)
        raise SettingsError(f"{name} is {what}: give one with its settings, such as {example}")
