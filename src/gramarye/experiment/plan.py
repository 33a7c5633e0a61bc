"""What an experiment is: methods × problems × seeds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, TypeVar

import numpy as np

from gramarye.engine.first_population import check_start
from gramarye.engine.setup import Setup, check_problem
from gramarye.errors import SettingsError
from gramarye.methods import MethodBase, check_method
from gramarye.objectives.problem import Problem
from gramarye.records.document import plain
from gramarye.representations.base import as_seed
from gramarye.store import Cell
from gramarye.text import brief

Part = TypeVar("Part", MethodBase, Problem)

MOST_RUNS = 10_000_000
MOST_METHODS = 1_000
RESERVED = ("problem", "method", "setting")
LARGEST_SEED = 2**62  # SQLite's integers have a sign


@dataclass(frozen=True)
class Experiment:
    """A grid: every method runs on every problem, once with each of the seeds from `seed` on.

    Methods and problems are known by name; the same seed means the same rows for testing, whatever the method.
    """

    methods: Mapping[str, MethodBase]
    problems: Mapping[str, Problem]
    runs: int = 30
    seed: int = 1
    name: str = "comparison"
    paper: bool = False  # whether it is the paper's, whose report shows the paper's numbers beside it
    created: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))

    def __post_init__(self) -> None:
        for what, given in (("method", self.methods), ("problem", self.problems)):
            if not given:
                raise SettingsError(f"there is no {what} to compare: give one at least")
        check_count(len(self.methods))
        for label in RESERVED:
            if label in self.methods:
                raise SettingsError(f"a method can't be called {label!r}, as a column of the tables is; rename it")
        whole = isinstance(self.runs, int | np.integer) and not isinstance(self.runs, bool)
        if not whole or not 1 <= self.runs <= MOST_RUNS:
            raise SettingsError(f"runs is {self.runs!r}: it must be an integer from 1 to {MOST_RUNS:,}")
        as_seed(self.seed)
        for name in ("runs", "seed"):  # NumPy's integers become Python's, which JSON knows
            object.__setattr__(self, name, int(getattr(self, name)))
        if self.seed + self.runs > LARGEST_SEED:
            raise SettingsError(f"seed is {self.seed}: of an experiment, it must be from 0 to 2**62")
        for method, problem in self.grid:
            self._check_cell(method, problem)

    def _check_cell(self, label: str, name: str) -> None:
        """An error before the first run, and not in the middle of the night."""
        try:
            check_start(self._setup(label, name))
        except SettingsError as error:
            raise SettingsError(f"{label} on {name}: {error}") from None

    @property
    def seeds(self) -> range:
        """The seeds of its runs."""
        return range(self.seed, self.seed + self.runs)

    @property
    def grid(self) -> list[tuple[str, str]]:
        """Names of method and problem, cell by cell."""
        return [(method, problem) for problem in self.problems for method in self.methods]

    @property
    def facts(self) -> dict[str, Any]:
        """What a file of results notes of it."""
        return {name: getattr(self, name) for name in ("name", "paper", "seed", "runs", "created")}

    def cells(self) -> list[Cell]:
        """The grid as a file of results knows it."""
        return [self._cell(method, problem) for method, problem in self.grid]

    def _setup(self, label: str, name: str) -> Setup:
        return Setup(self.problems[name], self.methods[label], self.seed)

    def _cell(self, label: str, name: str) -> Cell:
        setup = self._setup(label, name)
        method, problem = setup.method, setup.problem
        return Cell(
            method=label,
            problem=name,
            kind=method.name,
            settings={key: plain(value) for key, value in method.settings.items()},
            facts={
                "description": problem.description,
                "direction": problem.direction,
                **{key: plain(v) for key, v in problem.summary.items()},
                "recorded": None if (wording := method.wording) is None else wording._asdict(),
                **({} if setup.rewriting.same else {"problem_grammar": problem.grammar.text}),
            },
            grammar=setup.grammar.text,
            generations=method.generations,
            learns=method.learner.learns,
            identity=setup.identity,
        )


def check_count(methods: int) -> None:
    """An error where there are more methods than anyone compares."""
    if methods > MOST_METHODS:
        raise SettingsError(f"there are {methods:,} methods to compare, at most {MOST_METHODS:,} can be; choose fewer")


def named_methods(methods: Sequence[MethodBase] | Mapping[str, MethodBase]) -> dict[str, MethodBase]:
    """Methods by name: those that were given, or PGE, GE …, with the settings that tell two of a kind apart."""
    if isinstance(methods, Mapping):
        return _by_text({label: check_method(method) for label, method in methods.items()}, "methods")
    checked = [check_method(method) for method in _several(methods, "methods")]
    kinds = Counter(type(method).__name__ for method in checked)
    for place, method in enumerate(checked):
        if method in checked[:place]:
            raise SettingsError(f"two methods are the same, {brief(repr(method))}; leave one out")
    varied = {kind: _varied([method for method in checked if type(method) is kind]) for kind in set(map(type, checked))}
    labels = [_label(method, varied[type(method)], kinds[type(method).__name__] > 1) for method in checked]
    same = Counter(labels)
    for place, label in reversed(list(enumerate(labels))):
        if same[label] > 1:
            labels[place] = f"{label} {labels[: place + 1].count(label)}"
    return dict(zip(labels, checked, strict=True))


def _varied(methods: Sequence[MethodBase]) -> set[str]:
    """The settings that are not the same in all of these methods."""
    first, *others = [method.settings for method in methods]
    return {key for other in others for key in {**first, **other} if other.get(key) != first.get(key)}


def _label(method: MethodBase, varied: set[str], shared: bool) -> str:
    name = type(method).__name__
    if not shared:
        return name
    own = {key: value for key, value in method.settings.items() if key in varied}
    # a part of a method, which is written out with all of its settings, is told by its kind alone
    texts = (f"{key}={value}" if plain(value) is value else type(value).__name__ for key, value in own.items())
    return " ".join([name, *texts])


def named_problems(problems: Sequence[Problem] | Mapping[str, Problem]) -> dict[str, Problem]:
    """Problems by name: those that were given, or their own."""
    if isinstance(problems, Mapping):
        return _by_text({name: check_problem(problem) for name, problem in problems.items()}, "problems")
    checked = [check_problem(problem) for problem in _several(problems, "problems")]
    names = [str(problem.name) for problem in checked]
    _check_unique(names, "problems have the same name", 'name them: name="…"')
    return dict(zip(names, checked, strict=True))


def _by_text(given: Mapping[Any, Part], what: str) -> dict[str, Part]:
    """The same by names that are text, as a file of results knows them."""
    _check_unique([str(name) for name in given], f"{what} have the same name", "rename one")
    return {str(name): part for name, part in given.items()}


def _several(given: Any, what: str) -> Sequence[Any]:
    if isinstance(given, Sequence) and not isinstance(given, str):
        return given
    raise SettingsError(f"{what} is {brief(repr(given))}: give a list of them, or a mapping from names to them")


def _check_unique(names: Sequence[str], what: str, fix: str) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise SettingsError(f"{count} {what}, {name!r}; {fix}")


def with_evaluations(method: MethodBase, evaluations: int) -> MethodBase:
    """The method with as many generations as fit into a budget of evaluations.

    Where constants are tuned, an individual costs several evaluations: then a run ends with the first generation that
    has used the budget up.
    """
    if isinstance(evaluations, bool) or not isinstance(evaluations, int) or evaluations < method.population:
        raise SettingsError(
            f"evaluations is {evaluations!r}: it must be an integer that is enough for the first population, "
            f"{method.population}"
        )
    # elites that are not mapped again are not evaluated again
    each = method.population - (0 if method.learner.remap_elites else method.elites)
    generations = 1 + (evaluations - method.population) // each
    return replace(method, generations=generations, max_evaluations=evaluations)
