"""What priors.py runs: tasks, decoys, budgets, arms and seeds, as ../priors-plan.md has them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from priors_arms import LEARNERS, PARTS, REPRESENTATIONS
from priors_tasks import TASKS, WITH_DECOYS

PRIORS = ("same task", "other tasks", "oracle")  # arms that start from a prior and keep it
CONTROLS = ("mean grammar", *PARTS)
FEW = ("frozen", "PGE", "same task", "oracle")
RESTARTS = "restarts"
Key = tuple[str, ...]  # which run it is, as its row says
KEY = ("task", "decoys", "budget", "genotype", "arm", "seed")


class Setting(NamedTuple):
    """A task with some decoys and a budget of evaluations."""

    task: str
    decoys: int
    budget: int

    @property
    def label(self) -> str:
        return f"{self.task} with {self.decoys} decoys" if self.decoys else self.task


class Group(NamedTuple):
    """Settings with the same budget, the arms that are compared in them, and how many seeds each has."""

    name: str
    settings: Sequence[Setting]
    arms: Sequence[str]
    seeds: int
    tasks: Sequence[str]  # of the plan

    def made(self, arm: str) -> list[Setting]:
        """Where an arm is run; tasks without relatives are left out where a prior comes from other tasks."""
        return [each for each in self.settings if arm != "other tasks" or relatives(each.task, self.tasks)]

    def keys(self, genotype: str, arm: str) -> Iterator[Key]:
        """The runs of one arm."""
        for setting in self.made(arm):
            yield from ((*map(str, setting), genotype, arm, str(seed)) for seed in range(1, self.seeds + 1))


@dataclass(frozen=True)
class Plan:
    """How much is run."""

    tasks: Sequence[str] = tuple(TASKS)
    seeds: int = 40
    training: int = 10  # runs that a prior is learned from
    divisor: int = 1  # of all budgets

    @property
    def groups(self) -> list[Group]:
        """All that is compared, the most important first; controls come after the tasks whose runs they learn from."""
        main = [*self._settings(self.tasks), *self._controlled(16)]
        arms = (*LEARNERS, *PRIORS, RESTARTS)
        budgets = sorted({setting.budget for setting in main}, reverse=True)
        return [
            *(self._group(f"tasks-{budget}", _with(budget, main), arms) for budget in budgets),
            self._group("controls", self._controlled(0), CONTROLS),
            self._group("decoys", [*self._controlled(4), *self._controlled(64)], FEW),
            self._group("small-budget", self._controlled(0, 0.1), (*FEW, RESTARTS)),
            self._group("large-budget", self._controlled(0, 10), (*FEW, RESTARTS), share=0.5),
        ]

    @property
    def keys(self) -> Iterator[Key]:
        """All runs that are compared."""
        for group in self.groups:
            for arm in group.arms:
                for genotype in REPRESENTATIONS:
                    yield from group.keys(genotype, arm)

    def _group(self, name: str, settings: Sequence[Setting], arms: Sequence[str], share: float = 1) -> Group:
        return Group(name, settings, arms, math.ceil(share * self.seeds), self.tasks)

    def _settings(self, tasks: Sequence[str], decoys: int = 0, factor: float = 1) -> list[Setting]:
        return [Setting(task, decoys, round(TASKS[task].evaluations * factor) // self.divisor) for task in tasks]

    def _controlled(self, decoys: int, factor: float = 1) -> list[Setting]:
        return self._settings([task for task in WITH_DECOYS if task in self.tasks], decoys, factor)


def relatives(task: str, tasks: Sequence[str]) -> list[str]:
    """The tasks that a prior for one is learned from: those of other families that have the same rules."""
    mine = TASKS[task]
    return [name for name in tasks if TASKS[name].domain == mine.domain and TASKS[name].family != mine.family]


def _with(budget: int, settings: Sequence[Setting]) -> list[Setting]:
    return [setting for setting in settings if setting.budget == budget]


def key_of(row: Mapping[str, str]) -> Key:
    """Which run a row belongs to."""
    return tuple(row[name] for name in KEY)
