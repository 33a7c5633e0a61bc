"""When learning a grammar helps: during a run, between runs, and from other tasks; the plan is in ../priors-plan.md.

    python docs/experiments/priors.py               # about two hours on two cores; it may be stopped, and resumes
    python docs/experiments/priors.py --minutes 55  # stops after the arm that is under way then
    python docs/experiments/priors.py --trial       # small runs of some tasks, to see that all works

It leaves a folder priors/ (or priors-trial/) with files of results, and priors.csv with a row for each run, which names
the version of the code that wrote it. Copy that to docs/experiments/priors.csv; `python tests/pages/make_priors.py`
makes the page of it. An arm whose rows are in priors.csv is not run again, whether or not its files of results are
still there.
"""

from __future__ import annotations

import argparse
import csv
import math
import subprocess
import sys
import time
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from priors_arms import LEARNERS, PARTS, REPRESENTATIONS, learned, method, oracle, transferred
from priors_effects import Row, read
from priors_plan import KEY, RESTARTS, Group, Key, Plan, Setting, key_of, relatives
from priors_tasks import TASKS, starting

import gramarye as gm
from gramarye.execution import WorkerProcesses, cores

TRAINING_SEED, SHORT_SEED = 1_001, 10_001  # of the first runs; those that are compared begin with seed 1
SHORT_RUNS, SHORT = 4, 0.1  # of restarts: how many short runs, and the share of the budget that each has
FOUND = ("error", "evaluations", "valid", "version")  # what is written down of a run
TRIAL = Plan(("nguyen7", "koza3", "planck", "parity", "majority", "fizz-buzz"), seeds=4, training=3, divisor=20)


class Runs(NamedTuple):
    """The runs of one problem, by seed."""

    errors: NDArray[np.float64]
    evaluations: NDArray[np.float64]
    invalid: NDArray[np.float64]  # how many evaluations had no fitness
    programs: list[str | None]  # the best of each run; None where it has found none
    probabilities: NDArray[np.float64]  # [R] the mean of those at the end, where a learner changes them

    @classmethod
    def of(cls, results: gm.Results, cell: Any) -> Runs:
        programs = {winner.seed: winner.found.phenotype for winner in results.winners(cell)}
        return cls(
            results.final(cell, "best_so_far"),
            results.final(cell, "evaluations"),
            results.history(cell, "invalid").sum(axis=1),
            [programs.get(seed) for seed in results.seeds(cell).tolist()],
            results.mean_probabilities(cell)[-1] if cell.wording else np.zeros(0),
        )

    def rows(self, setting: Setting, genotype: str, arm: str) -> Iterator[Row]:
        """As they are written down."""
        valid = 1 - self.invalid / self.evaluations
        for i, error in enumerate(self.errors.tolist()):
            key = *map(str, setting), genotype, arm, str(i + 1)
            found = f"{error:.9g}", str(int(self.evaluations[i])), f"{valid[i]:.4f}", version()
            yield dict(zip((*KEY, *FOUND), (*key, *found), strict=True))

    @property
    def found(self) -> list[str]:
        """The best programs of the runs that have one."""
        return [program for program in self.programs if program is not None]


@cache
def version() -> str:
    """That of the package, and the commit of its sources, if git knows it."""
    asked = ["git", "describe", "--always", "--abbrev=12", "--dirty"]
    try:
        commit = subprocess.run(asked, cwd=Path(gm.__file__).parent, capture_output=True, text=True, check=True).stdout  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        commit = ""
    return f"{gm.__version__} {commit}".strip()


@cache
def problem(setting: Setting) -> Any:
    """The problem of a task with decoys."""
    return TASKS[setting.task].make(setting.decoys)


@cache
def widest(domain: str) -> gm.Grammar:
    """The grammar with the most variables among the tasks with these rules."""
    grammars = [task.make(0).grammar for task in TASKS.values() if task.domain == domain]
    return max(grammars, key=lambda grammar: len(grammar.productions))


@dataclass(frozen=True)
class Study:
    """All runs of one genotype: those that are missing are made, in files of a folder."""

    plan: Plan
    folder: Path
    genotype: str
    executor: WorkerProcesses
    training: dict[Setting, Runs] = field(default_factory=dict)  # of the groups so far

    def rows(self, group: Group, arm: str) -> list[Row]:
        """The rows of one arm."""
        if missing := [setting for setting in group.settings if setting not in self.training]:
            self.training.update(self._trained(group.name, "frozen", missing))
        found = self._restarted(group) if arm == RESTARTS else self._arm(group, arm)
        return [row for setting, runs in found.items() for row in runs.rows(setting, self.genotype, arm)]

    def _trained(self, group: str, learner: str, settings: Sequence[Setting]) -> dict[Setting, Runs]:
        """Runs to learn from."""
        seeds = range(TRAINING_SEED, TRAINING_SEED + self.plan.training)
        return self._runs(f"{group}/training {learner}", learner, {each: problem(each) for each in settings}, seeds)

    def _arm(self, group: Group, arm: str) -> dict[Setting, Runs]:
        """The runs of one arm; tasks without relatives are left out where a prior comes from other tasks."""
        seeds, part = range(1, group.seeds + 1), f"{group.name}/{arm}"
        if arm in LEARNERS:
            return self._runs(part, arm, {setting: problem(setting) for setting in group.settings}, seeds)
        priors = self._priors(group, arm)
        started = {setting: starting(problem(setting), prior) for setting, prior in priors.items()}
        return self._runs(part, "frozen", started, seeds) if started else {}

    def _priors(self, group: Group, arm: str) -> dict[Setting, gm.Grammar]:
        """The grammars that an arm starts from."""
        grammars = {setting: problem(setting).grammar for setting in group.settings}
        if arm == "oracle":
            return {setting: oracle(grammar, TASKS[setting.task].solution) for setting, grammar in grammars.items()}
        if arm == "other tasks":
            return {each: self._from_others(each) for each in group.made(arm)}
        if arm == "mean grammar":
            trained = self._trained(group.name, "PGE", group.settings)
            return {each: grammars[each].with_probabilities(runs.probabilities) for each, runs in trained.items()}
        own = {each: learned(grammar, self.training[each].found) for each, grammar in grammars.items()}
        return own if arm == "same task" else {each: PARTS[arm](grammars[each], prior) for each, prior in own.items()}

    def _from_others(self, setting: Setting) -> gm.Grammar:
        """What tasks of other families teach that have the same rules and no decoys."""
        names = relatives(setting.task, self.plan.tasks)
        others = {name: self.training[Setting(name, 0, setting.budget)].found for name in names}
        return transferred(problem(setting).grammar, widest(TASKS[setting.task].domain), others)

    def _restarted(self, group: Group) -> dict[Setting, Runs]:
        """Some short runs, then one with the rest of the budget that starts from a prior of their best programs."""
        plain = {setting: problem(setting) for setting in group.settings}
        seeds = range(SHORT_SEED, SHORT_SEED + SHORT_RUNS * group.seeds)
        budget = group.settings[0].budget
        short = self._runs(f"{group.name}/{RESTARTS}/short", "frozen", plain, seeds, round(SHORT * budget))
        (spent,) = {SHORT_RUNS * int(count) for runs in short.values() for count in runs.evaluations}  # all the same
        parts: dict[Setting, list[Runs]] = {setting: [] for setting in group.settings}
        for seed in range(1, group.seeds + 1):
            mine = slice(SHORT_RUNS * (seed - 1), SHORT_RUNS * seed)
            started = {}
            for setting, runs in short.items():
                programs = [program for program in runs.programs[mine] if program is not None]
                started[setting] = starting(plain[setting], learned(plain[setting].grammar, programs))
            part = f"{group.name}/{RESTARTS}/{seed}"
            for setting, run in self._runs(part, "frozen", started, range(seed, seed + 1), budget - spent).items():
                parts[setting].append(_together(short[setting], mine, run))
        return {setting: _joined(runs) for setting, runs in parts.items()}

    def _runs(
        self, part: str, learner: str, problems: Mapping[Setting, Any], seeds: range, evaluations: int | None = None
    ) -> dict[Setting, Runs]:
        """The runs of some problems, with all of their budget or so many evaluations; populations are the same."""
        budget = next(iter(problems)).budget
        file = self.folder / self.genotype / f"{part}.db"
        file.parent.mkdir(parents=True, exist_ok=True)
        comparison = gm.compare(
            {learner: method(self.genotype, learner, budget)},
            {setting.label: each for setting, each in problems.items()},
            len(seeds),
            seed=seeds.start,
            evaluations=evaluations or budget,
            executor=self.executor,
            store=file,
            name=f"{self.genotype}, {part}",
        )
        with comparison.results as results:
            if results.failures:
                raise RuntimeError(f"{file}: {results.failures[0]}")
            cells = {cell.problem: cell for cell in results.cells}
            return {setting: Runs.of(results, cells[setting.label]) for setting in problems}


def _together(short: Runs, mine: slice, long: Runs) -> Runs:
    """The runs of one seed as one: the best of their errors, and all of their evaluations."""
    return Runs(
        np.array([min(short.errors[mine].min(), long.errors[0])]),
        short.evaluations[mine].sum() + long.evaluations,
        short.invalid[mine].sum() + long.invalid,
        long.programs,
        long.probabilities,
    )


def _joined(parts: Sequence[Runs]) -> Runs:
    """Runs of one seed each as runs of all."""
    errors, evaluations, invalid = (np.concatenate([part[i] for part in parts]) for i in range(3))
    return Runs(errors, evaluations, invalid, [part.programs[0] for part in parts], np.zeros(0))


def main(plan: Plan, folder: Path, minutes: float = math.inf) -> None:
    """Make all runs that are missing, and write them down arm by arm, the most important group first."""
    file, began = folder / "priors.csv", time.monotonic()
    made = {key_of(row): row for row in read(file)}
    folder.mkdir(parents=True, exist_ok=True)
    waiting = missing(plan, made)
    with WorkerProcesses(cores()) as executor:
        studies = {genotype: Study(plan, folder, genotype, executor) for genotype in REPRESENTATIONS}
        for number, (group, genotype, arm) in enumerate(waiting):
            passed = (time.monotonic() - began) / 60
            left = f"{len(waiting) - number} of {len(waiting)} arms to go"
            if passed >= minutes:
                print(f"stopped after {passed:.0f} minutes, {left}; run the same command again to resume")
                break
            print(f"{passed:.0f} minutes, {left}: {group.name}, {genotype}, {arm}", flush=True)
            made |= {key_of(row): row for row in studies[genotype].rows(group, arm)}
            write(file, [made[key] for key in plan.keys if key in made])
    print(f"{len(made)} runs: {file}")


def missing(plan: Plan, done: Container[Key]) -> list[tuple[Group, str, str]]:
    """The arms that have not been made as a whole, in the order in which they are."""
    return [
        (group, genotype, arm)
        for group in plan.groups
        for genotype in REPRESENTATIONS
        for arm in group.arms
        if any(key not in done for key in group.keys(genotype, arm))
    ]


def write(file: Path, rows: Sequence[Row]) -> None:
    """Replace a file of runs; it is whole at any time."""
    new = file.with_suffix(".new")
    with new.open("w", encoding="utf-8", newline="") as opened:
        writer = csv.DictWriter(opened, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    new.replace(file)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Make the runs of ../priors-plan.md; it may be stopped, and resumes.")
    parser.add_argument("--trial", action="store_true", help="small runs of some tasks, to see that all works")
    parser.add_argument("--minutes", type=float, default=math.inf, help="start no arm after that (default: no limit)")
    given = parser.parse_args()
    try:
        main(TRIAL if given.trial else Plan(), Path("priors-trial" if given.trial else "priors"), given.minutes)
    except KeyboardInterrupt:
        sys.exit("stopped; run the same command again to resume")
