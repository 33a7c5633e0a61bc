"""How the runs of priors.py are judged: effects on tasks, as ../priors-plan.md has them."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from priors_arms import REPRESENTATIONS
from priors_plan import Plan, Setting, key_of
from priors_tasks import FORMULAS, TASKS

from gramarye import statistics

Row = Mapping[str, str]

SOLVED = 1e-9  # errors below come from rounding, and are alike
BASE = "frozen"
CONTRASTS = ("PGE", "Bayesian", "policy gradient", "same task", "other tasks")  # each against frozen
ODD, EVEN = (1,), (0,)  # seeds by what is left of them after division by two
DIGITS = 12  # of an effect: the mean of shares is exact to more, and one half is one half


def read(path: Path) -> list[Row]:
    """The runs that were kept; none where there is no file."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def is_complete(rows: Iterable[Row], plan: Plan) -> bool:
    """Whether the runs are those of a plan, each of them once."""
    made, wanted = [key_of(row) for row in rows], set(plan.keys)
    return len(made) == len(wanted) and set(made) == wanted


class Study:
    """The runs of a plan, as effects: A12 of an arm against frozen probabilities, run by run with the same seed."""

    def __init__(self, rows: Sequence[Row], plan: Plan) -> None:
        self.plan = plan
        self.errors: dict[tuple[Setting, str, str], dict[int, float]] = {}  # by seed
        self.valid: dict[tuple[Setting, str, str], list[float]] = {}
        for row in rows:
            key = Setting(row["task"], int(row["decoys"]), int(row["budget"])), row["arm"], row["genotype"]
            error = float(row["error"])
            self.errors.setdefault(key, {})[int(row["seed"])] = 0.0 if error < SOLVED else error
            self.valid.setdefault(key, []).append(float(row["valid"]))

    @property
    def main(self) -> list[Setting]:
        """The tasks of the study."""
        return [setting for group in self.plan.groups if group.name.startswith("tasks") for setting in group.settings]

    @property
    def controlled(self) -> list[Setting]:
        """The tasks of the controls."""
        return self.of("controls")

    def of(self, group: str) -> list[Setting]:
        """The settings of a group."""
        return [setting for each in self.plan.groups if each.name == group for setting in each.settings]

    def effect(
        self, setting: Setting, arm: str, genotypes: Sequence[str] = (), parity: Sequence[int] = (*ODD, *EVEN)
    ) -> float | None:
        """The mean over genotypes; None where the arm was not run."""
        found = []
        for genotype in genotypes or REPRESENTATIONS:
            if (setting, arm, genotype) not in self.errors:
                return None
            ours, theirs = (self.errors[setting, each, genotype] for each in (arm, BASE))
            seeds = [seed for seed in ours if seed % 2 in parity]
            found.append(statistics.paired_a12([ours[seed] for seed in seeds], [theirs[seed] for seed in seeds]))
        return round(float(np.mean(found)), DIGITS)

    def effects(self, settings: Sequence[Setting], arm: str, genotypes: Sequence[str] = ()) -> NDArray[np.float64]:
        """Of the tasks on which the arm was run."""
        found = (self.effect(setting, arm, genotypes) for setting in settings)
        return np.array([each for each in found if each is not None])

    def twins(self, arm: str) -> NDArray[np.float64]:
        """The effects of an arm, those of a formula and its twin with decoys averaged."""
        names = dict.fromkeys(setting.task for setting in self.main)
        found = (self.effects([each for each in self.main if each.task == name], arm) for name in names)
        return np.array([float(each.mean()) for each in found if len(each)])

    def valid_share(self, settings: Sequence[Setting], arm: str, genotypes: Sequence[str] = ()) -> float:
        """How many of the individuals that an arm evaluated had a fitness."""
        keys = [(each, arm, genotype) for each in settings for genotype in genotypes or REPRESENTATIONS]
        return float(np.mean([np.mean(self.valid[key]) for key in keys if key in self.valid]))

    def ties(self, setting: Setting) -> float:
        """The share of pairs of frozen runs that end with the same error: how little a task tells."""
        found = []
        for genotype in REPRESENTATIONS:
            pairs = combinations(self.errors[setting, BASE, genotype].values(), 2)
            found.append(np.mean([first == second for first, second in pairs]))
        return float(np.mean(found))

    @property
    def regressed(self) -> list[Setting]:
        """All formulas, with all numbers of decoys and all budgets."""
        settings = [each for each in self.main if TASKS[each.task].domain == FORMULAS]
        return settings + [each for group in ("decoys", "small-budget", "large-budget") for each in self.of(group)]

    def reliability(self) -> float | None:
        """How headroom by odd seeds correlates with headroom by even seeds; None where one does not vary."""
        odd, even = ([self.effect(each, "oracle", parity=half) for each in self.regressed] for half in (ODD, EVEN))
        return float(np.corrcoef(odd, even)[0, 1]) if np.ptp(odd) and np.ptp(even) else None

    def line(self, arm: str) -> statistics.LinearRegression:
        """The effect of an arm by odd seeds, on headroom by even seeds, decoys and budget; of formulas only."""
        settings = self.regressed
        middle = self.controlled[0].budget
        columns = {
            "headroom": [self.effect(each, "oracle", parity=EVEN) - 0.5 for each in settings],
            "log2(1 + decoys)": [math.log2(1 + each.decoys) for each in settings],
            f"log10(budget / {middle:,})": [math.log10(each.budget / middle) for each in settings],
        }
        return statistics.linear_regression([self.effect(each, arm, parity=ODD) - 0.5 for each in settings], columns)
