"""Our numbers in docs/paper.md, and README.md's sentence about them, computed from runs that were kept.

    python tests/pages/make_paper.py                      # writes them again
    python tests/pages/make_paper.py THOUSAND HUNDRED     # keeps the runs of two reproductions first

THOUSAND and HUNDRED are the folders of `gramarye reproduce --runs 1000` and `gramarye reproduce`. What is kept is in
docs/experiments/paper*.csv. In a page, each part is between `<!-- its name -->` and `<!-- end -->`.
"""

from __future__ import annotations

import csv
import re
import shutil
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np

from gramarye import statistics
from gramarye.studies.pge2021.means import MeanComparison, compare_means
from gramarye.studies.pge2021.paper import METHODS, OUTCOMES, RUNS
from gramarye.studies.pge2021.runs import Runs, sample, signed
from gramarye.studies.pge2021.tests import PairTest, kruskal_tests, pair_tests

ROOT = Path(__file__).parents[2]
EXPERIMENTS = ROOT / "docs" / "experiments"
PAGES = ("README.md", "docs/paper.md")
PART = re.compile(r"<!-- (?P<name>[a-z]+) -->(?P<line>\n?).*?<!-- end -->", re.DOTALL)


def keep(thousand: Path, hundred: Path) -> None:
    """Copy what the pages need of two reproductions."""
    with (thousand / "tables" / "runs.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with (EXPERIMENTS / "paper.csv").open("w", encoding="utf-8", newline="") as file:
        columns = ("problem", "method", "seed", "fitness", "test")
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    shutil.copy(thousand / "tables" / "paper-claims.csv", EXPERIMENTS / "paper-claims.csv")
    shutil.copy(thousand / "tables" / "paper-probabilities.csv", EXPERIMENTS / "paper-probabilities.csv")
    shutil.copy(hundred / "tables" / "paper-claims.csv", EXPERIMENTS / "paper-claims-100.csv")


def kept(name: str) -> list[dict[str, str]]:
    """The rows of a file that was kept."""
    with (EXPERIMENTS / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@cache
def grid(runs: int) -> dict[tuple[str, str], Runs]:
    """The runs with the seeds 1 to `runs`, of which only the last record was kept."""
    rows = [row for row in kept("paper") if int(row["seed"]) <= runs]
    found = {}
    for cell in dict.fromkeys((row["method"], row["problem"]) for row in rows):
        here = [row for row in rows if (row["method"], row["problem"]) == cell]
        test = np.array([[float(row["test"])] for row in here]) if here[0]["test"] else None
        found[cell] = Runs(np.array([[float(row["fitness"])] for row in here]), test)
    return found


def table(*rows: list[str]) -> str:
    """Rows, the first of them the head, as Markdown."""
    lines = [rows[0], ["---"] * len(rows[0]), *rows[1:]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def shown(mean: float | None, deviation: float | None, digits: int = 3) -> str:
    return f"{mean:.{digits}f} ± {deviation:.{digits}f}"


def p_value(p: float | None) -> str:
    return "–" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"


def means() -> str:
    """Table 2 of the paper."""
    head = ["data", "method", "1,000 runs", "median", "paper", "difference, 95 % interval", "corrected p", "verdict"]
    lines = [[*head, "seeds 1 to 100", "verdict"]]
    ours, few = compare_means(grid(1000)), compare_means(grid(RUNS))
    for mean, with_100 in zip(ours, few, strict=True):
        best = mean.ours.mean == min(each.ours.mean or np.inf for each in ours if each.outcome == mean.outcome)
        text = shown(mean.ours.mean, mean.ours.standard_deviation)
        lines.append(
            [
                *(mean.outcome.name, mean.method, f"**{text}**" if best else text, f"{mean.ours.median:.3f}"),
                *(shown(mean.printed.mean, mean.printed.deviation, 2), difference(mean), p_value(mean.corrected)),
                *(mean.kind, shown(with_100.ours.mean, with_100.ours.standard_deviation), with_100.kind),
            ]
        )
    return table(*lines)


def difference(mean: MeanComparison) -> str:
    low, high = (mean.welch.low, mean.welch.high) if mean.welch else (None, None)
    return f"{signed((mean.ours.mean or 0) - mean.printed.mean, 3)} ({signed(low or 0, 3)} to {signed(high or 0, 3)})"


def pairs() -> str:
    """Table 3 of the paper."""
    head = ["data", "pair", "A12, 95 % interval", "corrected p", "paper's p", "1,000 runs", "paper", "verdict"]
    lines = [[*head, "seeds 1 to 100", "verdict"]]
    for test, with_100 in zip(pair_tests(grid(1000)), pair_tests(grid(RUNS)), strict=True):
        size = f"{test.effect.estimate:.2f} ({test.effect.low:.2f} to {test.effect.high:.2f})"
        lines.append(
            [
                *(test.outcome.name, " – ".join(test.pair), size, p_value(test.corrected), test.printed.p or "–"),
                *(decision(test), decided(test.printed.better), test.kind, decision(with_100), with_100.kind),
            ]
        )
    return table(*lines)


def decision(test: PairTest) -> str:
    return decided(test.better)


def decided(better: str | None) -> str:
    return f"{better} better" if better else "none"


def probabilities() -> str:
    """Table 4 of the paper, our largest first."""
    rows = kept("paper-probabilities")
    return table(
        ["", *(row["Production"] for row in rows)],
        ["ours", *(f"{float(row['Probability']):.3f}" for row in rows)],
        ["paper", *(f"{float(row['Paper']):.2f}" for row in rows)],
    )


def claims() -> str:
    """What the paper's text says, checked."""
    few = {row["Claim"]: row for row in kept("paper-claims-100")}
    return table(
        ["claim", "our numbers, 1,000 runs", "verdict", "seeds 1 to 100"],
        *(
            [_code(row["Claim"].rstrip(".")), row["Numbers"], row["Verdict"], few[row["Claim"]]["Verdict"]]
            for row in kept("paper-claims")
        ),
    )


def _code(text: str) -> str:
    return re.sub(r"<\w+>", lambda name: f"`{name[0]}`", text)


def kruskal() -> str:
    """Kruskal–Wallis on each set of data, in a line."""
    tests = kruskal_tests(grid(1000))
    return "; ".join(f"{o.name} H = {t.statistic:.2f}, p {_sign(t.p)}" for o, t in tests.items()) + "."


def _sign(p: float | None) -> str:
    text = p_value(p)
    return text if text.startswith("<") else f"= {text}"


def normality() -> str:
    """How many samples are not normal, in a sentence."""
    samples = {(m, o.name): sample(grid(1000), m, o) for o in OUTCOMES for m in METHODS}
    tests = {name: statistics.shapiro(runs).p for name, runs in samples.items()}
    return f"{sum(p is not None and p < 0.05 for p in tests.values())} of {len(tests)} samples are not normal."


def headline() -> str:
    """README's sentence."""
    ours, few = compare_means(grid(1000)), compare_means(grid(RUNS))
    pge, with_100 = ours[0], few[0]
    differing = [f"{each.method} on {each.outcome.name}" for each in ours if each.kind == "differs"]
    agreeing = sum(each.kind == "agrees" for each in ours)
    return (
        f"{agreeing} of {len(ours)} mean errors over 1,000 runs agree with the paper's, {', '.join(differing)} differs:"
        f" {pge.ours.mean:.3f} ({with_100.ours.mean:.3f} over the first 100 runs, as many as in the paper)"
        f" instead of {pge.printed.mean:.2f}"
    )


PARTS: dict[str, Callable[[], str]] = {
    each.__name__: each for each in (means, pairs, probabilities, claims, kruskal, normality, headline)
}


def page(name: str) -> str:
    """A page with all of its parts written again."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return PART.sub(
        lambda part: f"<!-- {part['name']} -->{part['line']}{PARTS[part['name']]()}{part['line']}<!-- end -->", text
    )


if __name__ == "__main__":
    if len(sys.argv) == 3:
        keep(*map(Path, sys.argv[1:]))
    for each in PAGES:
        (ROOT / each).write_text(page(each), encoding="utf-8", newline="\n")
