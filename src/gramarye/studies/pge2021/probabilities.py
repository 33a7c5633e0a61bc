"""What PGE learns of <var> on Boston beside the paper's Table 4."""

from __future__ import annotations

from collections.abc import Mapping

from gramarye.show.html.page import Verdict
from gramarye.show.tables.table import Table
from gramarye.statistics.samples import load_scipy
from gramarye.studies.pge2021.paper import PROBABILITIES
from gramarye.studies.pge2021.runs import ENOUGH, Grid, signed

ALIKE = 0.8  # a rank correlation from which on two orders are called the same


def learned(grid: Grid, problem: str, rule: str) -> Mapping[str, float]:
    """The mean final probabilities of a rule that PGE has learned; nothing where there are none."""
    runs = grid.get(("PGE", problem))
    return {} if runs is None else runs.learned.get(rule, {})


def ordered(probabilities: Mapping[str, float]) -> list[str]:
    """The productions, the most probable first; those alike in the order of the grammar."""
    return sorted(probabilities, key=lambda production: -probabilities[production])


def probabilities_table(ours: Mapping[str, float]) -> Table:
    """The paper's Table 4 with ours beside it."""
    rows = ordered(ours)
    printed = [PROBABILITIES.get(name) for name in rows]
    return Table(
        "paper-probabilities",
        "Final probabilities of <var> on Boston, ours and the paper's (its Table 4)",
        {
            "Production": rows,
            "Rank": list(range(1, len(rows) + 1)),
            "Probability": [ours[name] for name in rows],
            "Paper": printed,
            "Rank, paper": [None if p is None else 1 + sum(q > p for q in PROBABILITIES.values()) for p in printed],
            "Difference": [None if p is None else ours[name] - p for name, p in zip(rows, printed, strict=True)],
        },
        {"Probability": ".3f", "Paper": ".2f", "Difference": "+.3f"},
        "Means over the runs, in the last generation. The paper prints RADIUS where the data have INDUS; its "
        "probabilities are rounded and add up to 1.01. Equal ones share a rank.",
    )


def probabilities_verdict(ours: Mapping[str, float], runs: int) -> Verdict:
    """How near ours are, in a sentence."""
    shared = [name for name in PROBABILITIES if name in ours]
    if len(shared) < len(PROBABILITIES):
        return Verdict("PGE has no runs on Boston with the paper's features.", "unknown")
    if len({ours[name] for name in shared}) == 1:
        return Verdict(
            "PGE has learned nothing of <var>: all its productions are as probable as at the start.", "differs"
        )
    result = load_scipy().spearmanr([ours[name] for name in shared], [PROBABILITIES[name] for name in shared])
    correlation = float(result.statistic)
    largest = max(shared, key=lambda name: abs(ours[name] - PROBABILITIES[name]))
    text = (
        "The rank correlation (Spearman) of our probabilities of <var> with the paper's is "
        f"{f'{correlation:.2f}'.replace('-', '−')}; the largest difference is "
        f"{signed(ours[largest] - PROBABILITIES[largest])}, {largest} with {ours[largest]:.2f} instead of "
        f"{PROBABILITIES[largest]:.2f}. A correlation of {ALIKE} or more is taken as the same order."
    )
    if runs < ENOUGH:
        return Verdict(f"{text} That is of {runs} runs, fewer than {ENOUGH}.", "unknown")
    return Verdict(text, "agrees" if correlation >= ALIKE else "differs")
