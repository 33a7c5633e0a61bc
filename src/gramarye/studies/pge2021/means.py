"""Mean best fitness beside the paper's Table 2."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from gramarye.show.html.page import Verdict
from gramarye.show.tables.table import Table
from gramarye.statistics import Description, Welch, bonferroni, describe, welch
from gramarye.statistics.normality import LARGEST
from gramarye.studies.pge2021.paper import ALPHA, FITNESS, METHODS, OUTCOMES, RUNS, Fitness, Outcome
from gramarye.studies.pge2021.runs import CANT_BE_TOLD, ENOUGH, Grid, Kind, listed, sample, signed, worst

MOST_NAMED = 3  # in a sentence
HUGE = 1000  # from here on means are shown with an exponent


@dataclass(frozen=True)
class MeanComparison:
    """Our mean best fitness of one method on one set of data, beside the paper's."""

    outcome: Outcome
    method: str
    ours: Description
    printed: Fitness
    welch: Welch | None
    corrected: float | None

    @property
    def ruined(self) -> bool:
        """Whether the mean lies above three quarters of the runs: a few huge errors make it, not the method."""
        mean, quartile = self.ours.mean, self.ours.upper_quartile
        return mean is None or (quartile is not None and mean > quartile)

    @property
    def finite(self) -> int:
        """How many runs the mean is of."""
        return self.ours.n - self.ours.not_finite

    @property
    def kind(self) -> Kind:
        """Whether it agrees with the paper's."""
        return self.verdict[0]

    @property
    def verdict(self) -> tuple[Kind, str]:
        """Whether it agrees with the paper's, and that as the table prints it."""
        if self.ours.mean is None:
            return "unknown", f"{CANT_BE_TOLD}: no finite error"
        if self.finite < ENOUGH:
            return "unknown", f"too few runs: {self.finite}, {ENOUGH} are needed"
        if self.ruined:
            return "unknown", f"{CANT_BE_TOLD}: a few huge errors ruin the mean, see the median"
        if self.corrected is None:
            return "unknown", f"{CANT_BE_TOLD}: no test is possible"
        if self.corrected >= ALPHA:
            return "agrees", "agrees"
        return "differs", f"differs by {signed(self.ours.mean - self.printed.mean)}"


def compare_means(grid: Grid) -> list[MeanComparison]:
    """Each mean that there are runs for beside the paper's; p is corrected for their number."""
    cells = [(o, m, describe(runs)) for o in OUTCOMES for m in METHODS if len(runs := sample(grid, m, o))]
    tests = [_welch(ours, FITNESS[outcome, method]) for outcome, method, ours in cells]
    corrected = bonferroni([None if test is None else test.p for test in tests])
    return [
        MeanComparison(outcome, method, ours, FITNESS[outcome, method], test, p)
        for (outcome, method, ours), test, p in zip(cells, tests, corrected, strict=True)
    ]


def _welch(ours: Description, printed: Fitness) -> Welch | None:
    mean, deviation = ours.mean, ours.standard_deviation
    if mean is None or deviation is None or max(mean, deviation) >= LARGEST:
        return None
    return welch(mean, deviation, ours.n - ours.not_finite, printed.mean, printed.deviation, RUNS)


def means_table(means: Sequence[MeanComparison]) -> Table:
    """The paper's Table 2 with ours beside it."""
    finite = [c.finite for c in means]
    left_out = any(c.ours.not_finite for c in means)
    note = (
        "Mean and SD (n − 1) of the error RRSE of the best formula. p: Welch's test of our mean against the paper's "
        f"mean, SD and {RUNS} runs; corrected: Bonferroni over the {len(means)} means. A mean agrees if no "
        f"difference is found: its corrected p is at least {ALPHA}. With fewer than {ENOUGH} runs nothing is told. "
        "Low and high: the 95 % interval, not corrected, of ours minus the paper's, which is rounded to two digits."
    )
    infinite = " Infinite errors, of formulas that have no value on a test row, are left out of mean and SD."
    number = "f" if max(c.ours.mean or 0 for c in means) < HUGE else "g"
    return Table(
        "paper-mean-best-fitness",
        "Mean best fitness, ours and the paper's (its Table 2)",
        {
            "Data": [c.outcome.name for c in means],
            "Method": [c.method for c in means],
            "Mean": [c.ours.mean for c in means],
            "SD": [c.ours.standard_deviation for c in means],
            "Median": [c.ours.median for c in means],
            "Paper": [f"{c.printed.mean:.2f}±{c.printed.deviation:.2f}" for c in means],
            "Verdict": [c.verdict[1] for c in means],
            "Difference": [None if c.ours.mean is None else c.ours.mean - c.printed.mean for c in means],
            "Low": [None if c.welch is None else c.welch.low for c in means],
            "High": [None if c.welch is None else c.welch.high for c in means],
            "p": [None if c.welch is None else c.welch.p for c in means],
            "p corrected": [c.corrected for c in means],
            "Runs": [c.ours.n for c in means],
            **({"Finite": finite} if left_out else {}),
        },
        dict.fromkeys(("Mean", "SD", "Median"), f".3{number}")
        | dict.fromkeys(("Difference", "Low", "High"), f"+.3{number}")
        | {"p": "p", "p corrected": "p"},
        note + (infinite if left_out else ""),
        frozenset(("Mean", row) for row in _best_rows(means)),
    )


def _best_rows(means: Sequence[MeanComparison]) -> list[int]:
    """The row with the lowest mean for each outcome, as the paper's bold ones."""
    best = []
    for outcome in OUTCOMES:
        rows = [(c.ours.mean, row) for row, c in enumerate(means) if c.outcome == outcome and c.ours.mean is not None]
        best += [min(rows)[1]] if rows else []
    return best


def means_verdict(means: Sequence[MeanComparison]) -> Verdict:
    """All means in a sentence or two."""
    if all(c.kind == "unknown" for c in means):
        return Verdict("Of none of the means it can be told whether it is the paper's.", "unknown")
    by_kind: dict[Kind, list[MeanComparison]] = {kind: [] for kind in ("agrees", "differs", "unknown")}
    for comparison in means:
        by_kind[comparison.kind].append(comparison)
    parts = [f"{len(by_kind['agrees'])} of {len(means)} means agree with the paper's"]
    parts += [f"{_named(c)} differs: {_difference(c)}" for c in by_kind["differs"]]
    if by_kind["unknown"]:
        few = len(by_kind["unknown"]) <= MOST_NAMED
        which = listed([_named(c) for c in by_kind["unknown"]]) if few else f"{len(by_kind['unknown'])} others"
        parts.append(f"nothing can be told of {which}")
    # On which side ours lie: differences too small for a test may still have one sign.
    below = sum(c.ours.mean is not None and c.ours.mean < c.printed.mean for c in means)
    text = f"{'; '.join(parts)}. Ours is the lower one in {below} of {len(means)}."
    return Verdict(text, worst(c.kind for c in means))


def _difference(c: MeanComparison) -> str:
    ends = (c.welch.low, c.welch.high) if c.welch else ()
    interval = " to ".join(signed(end) for end in ends if end is not None)
    return f"{c.ours.mean:.2f} instead of {c.printed.mean:.2f}, by {interval} with 95 % confidence"


def _named(comparison: MeanComparison) -> str:
    return f"{comparison.method} on {comparison.outcome.name}"
