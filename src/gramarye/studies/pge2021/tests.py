"""The paper's statistical tests on our runs, and what checks of its claims look at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from gramarye import statistics
from gramarye.show.html.page import Verdict
from gramarye.show.tables.table import Table
from gramarye.studies.pge2021.paper import ALPHA, METHODS, OUTCOMES, PAIRS, POST_HOC, Outcome, Pair, PostHoc
from gramarye.studies.pge2021.runs import CANT_BE_TOLD, ENOUGH, Grid, Kind, sample, shown_p, worst

SAME = {"agrees": "yes", "differs": "no", "unknown": CANT_BE_TOLD}


@dataclass(frozen=True)
class PairTest:
    """Two methods on one set of data: our test, and what the paper says of them."""

    outcome: Outcome
    pair: Pair
    runs: int  # of the smaller sample
    test: statistics.MannWhitney
    corrected: float | None
    effect: statistics.Interval
    printed: PostHoc

    @property
    def better(self) -> str | None:
        """The method that is better with significance, if any."""
        if self.corrected is None or self.corrected >= ALPHA or self.effect.estimate in (None, 0.5):
            return None
        return self.pair[0] if (self.effect.estimate or 0) > 0.5 else self.pair[1]

    @property
    def kind(self) -> Kind:
        """Whether the decision is the paper's."""
        if self.runs < ENOUGH:
            return "unknown"
        return "agrees" if self.better == self.printed.better else "differs"


def pair_tests(grid: Grid) -> list[PairTest]:
    """All pairs of methods that there are runs for; p is corrected within each set of data."""
    tests = []
    for outcome in OUTCOMES:
        samples = {method: sample(grid, method, outcome) for method in METHODS}
        pairs = [(a, b) for a, b in PAIRS if len(samples[a]) and len(samples[b])]
        found = [statistics.mann_whitney(samples[a], samples[b]) for a, b in pairs]
        for (a, b), test, p in zip(pairs, found, statistics.bonferroni([test.p for test in found]), strict=True):
            runs = min(len(samples[a]), len(samples[b]))
            effect = statistics.a12_interval(samples[a], samples[b])
            tests.append(PairTest(outcome, (a, b), runs, test, p, effect, POST_HOC[outcome, (a, b)]))
    return tests


def pairs_table(tests: Sequence[PairTest]) -> Table:
    """The paper's Table 3 with ours beside it."""
    return Table(
        "paper-post-hoc",
        "Mann–Whitney post-hoc tests, ours and the paper's (its Table 3)",
        {
            "Data": [t.outcome.name for t in tests],
            "Pair": [" – ".join(t.pair) for t in tests],
            "Better": [t.better or "none" for t in tests],
            "Better, paper": [t.printed.better or "none" for t in tests],
            "Same decision": [SAME[t.kind] for t in tests],
            "p corrected": [t.corrected for t in tests],
            "p": [t.test.p for t in tests],
            "p, paper": [t.printed.p for t in tests],
            "A12": [t.effect.estimate for t in tests],
            "A12 low": [t.effect.low for t in tests],
            "A12 high": [t.effect.high for t in tests],
            "U": [t.test.statistic for t in tests],
            **_notes([t.test.note for t in tests]),
        },
        {"U": ".1f", "p": "p", "p corrected": "p", "A12": ".2f", "A12 low": ".2f", "A12 high": ".2f"},
        "Two-sided tests; corrected: Bonferroni over the pairs of each set of data; a method is better if the "
        f"corrected p is below {ALPHA}. A12 is the probability that a run of the first method ends below one of the "
        "second, with its 95 % bootstrap interval. The paper prints no p for SGE – GE, and 0.00 for p < 0.005; it "
        "says that Bonferroni's correction is used, but not for how many pairs, nor whether the printed p are "
        f"corrected; 0.04 is not bold in its table. With fewer than {ENOUGH} runs nothing is told.",
    )


def pairs_verdict(tests: Sequence[PairTest]) -> Verdict:
    """All decisions in a sentence."""
    if not tests:
        return Verdict("There are no two methods with runs to compare.", "unknown")
    same = sum(t.kind == "agrees" for t in tests)
    different = [t for t in tests if t.kind == "differs"]
    unknown = sum(t.kind == "unknown" for t in tests)
    parts = [f"{same} of {len(tests)} decisions at α = {ALPHA} are the paper's"]
    parts += [f"on {t.outcome.name} {_decision(t)}" for t in different]
    parts += [f"of {unknown} it can't be told: there are too few runs"] if unknown else []
    return Verdict("; ".join(parts) + ".", worst(t.kind for t in tests))


def _decision(test: PairTest) -> str:
    worse = test.pair[1] if test.better == test.pair[0] else test.pair[0]
    ours = (
        f"{test.better} is better than {worse}"
        if test.better
        else f"no difference of {' and '.join(test.pair)} is found"
    )
    theirs = f"{test.printed.better} is better" if test.printed.better else "they don't differ"
    return f"{ours} ({shown_p(test.corrected)}, uncorrected {shown_p(test.test.p)}), in the paper {theirs}"


def kruskal_tests(grid: Grid) -> dict[Outcome, statistics.Kruskal]:
    """Kruskal–Wallis for each set of data that has runs."""
    tests = {}
    for outcome in OUTCOMES:
        samples = {method: sample(grid, method, outcome) for method in METHODS}
        if any(map(len, samples.values())):
            tests[outcome] = statistics.kruskal(samples)
    return tests


def kruskal_table(tests: Mapping[Outcome, statistics.Kruskal]) -> Table:
    """Kruskal–Wallis, of which the paper prints no number."""
    return Table(
        "paper-kruskal-wallis",
        "Kruskal–Wallis tests of all methods",
        {
            "Data": [outcome.name for outcome in tests],
            "H": [test.statistic for test in tests.values()],
            "Degrees of freedom": [test.degrees_of_freedom for test in tests.values()],
            "p": [test.p for test in tests.values()],
            **_notes([test.note for test in tests.values()]),
        },
        {"H": ".2f", "p": "p"},
        "The paper prints no number; it says that there are meaningful differences.",
    )


def normality_table(grid: Grid) -> Table:
    """Shapiro–Wilk for each sample: a reason to use tests on ranks."""
    rows = [(o, m, statistics.shapiro(runs)) for o in OUTCOMES for m in METHODS if len(runs := sample(grid, m, o))]
    return Table(
        "paper-normality",
        "Shapiro–Wilk tests of normality",
        {
            "Data": [outcome.name for outcome, _, _ in rows],
            "Method": [method for _, method, _ in rows],
            "W": [test.statistic for _, _, test in rows],
            "p": [test.p for _, _, test in rows],
            **_notes([test.note for _, _, test in rows]),
        },
        {"W": ".3f", "p": "p"},
        "A small p says that the sample is not normal. The paper uses tests on ranks because its results follow no "
        f"known distribution. Here {_not_normal([test.p for _, _, test in rows])}.",
    )


def _notes(notes: list[str]) -> dict[str, list[str | None]]:
    """A column of notes, where there are any."""
    return {"Note": [note or None for note in notes]} if any(notes) else {}


def _not_normal(ps: Sequence[float | None]) -> str:
    tested = [p for p in ps if p is not None]
    if not tested:
        return "no sample is large enough to tell"
    below = sum(p < ALPHA for p in tested)
    return f"{below} of {len(tested)} samples are not normal at α = {ALPHA}, uncorrected"


@dataclass(frozen=True)
class Evidence:
    """What checks look at: the runs, and the tests that were made on them."""

    grid: Grid
    kruskals: Mapping[Outcome, statistics.Kruskal]
    pairs: Sequence[PairTest]

    @classmethod
    def of(cls, grid: Grid) -> Evidence:
        """The runs with the paper's tests made on them."""
        return cls(grid, kruskal_tests(grid), pair_tests(grid))

    def curve(self, method: str, problem: str) -> NDArray[np.float64]:
        """The mean best fitness of each generation."""
        return self.grid[method, problem].mean_curve()


Answer: TypeAlias = tuple[bool | None, str]  # whether a claim holds, None for a near thing; and numbers that decide


@dataclass(frozen=True)
class Check:
    """How a claim is decided: in a sentence, from which cells and how many generations, and by which function."""

    criterion: str
    needs: tuple[tuple[str, str], ...]
    decide: Callable[[Evidence], Answer]
    generations: int = 1


def all_methods(problem: str) -> tuple[tuple[str, str], ...]:
    """The cells of all methods on a problem."""
    return tuple((method, problem) for method in METHODS)
