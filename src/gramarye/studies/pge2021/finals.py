"""Checks of what the paper's text says of final errors and of what PGE has learned."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from gramarye.studies.pge2021.paper import ALPHA, METHODS, TEST, Pair
from gramarye.studies.pge2021.probabilities import learned, ordered
from gramarye.studies.pge2021.runs import listed, sample, shown_p
from gramarye.studies.pge2021.tests import Answer, Check, Evidence, all_methods


def differences(evidence: Evidence) -> Answer:
    """Kruskal–Wallis on all data."""
    tests = evidence.kruskals
    numbers = "; ".join(f"{outcome.name} {shown_p(test.p)}" for outcome, test in tests.items())
    return all(test.p is not None and test.p < ALPHA for test in tests.values()), numbers


def decided(pair: Pair, better: str | None) -> Callable[[Evidence], Answer]:
    """Two methods on all data: whether one of them is better, or none."""

    def decide(evidence: Evidence) -> Answer:
        tests = [test for test in evidence.pairs if test.pair == pair]
        found = [f"{t.outcome.name} {shown_p(t.corrected)}{f', {t.better} better' if t.better else ''}" for t in tests]
        return all(test.better == better for test in tests), "; ".join(found)

    return decide


def generalisation(evidence: Evidence) -> Answer:
    """The medians of the test errors."""
    errors = {method: sample(evidence.grid, method, TEST) for method in METHODS}
    if not all(map(len, errors.values())):
        return None, "no rows were kept for testing"
    medians = {method: float(np.median(values)) for method, values in errors.items()}
    numbers = listed([f"{method} {median:.2f}" for method, median in medians.items()])
    return max(medians["PGE"], medians["SGE"]) < medians["GE"], numbers


def most_probable(problem: str, rule: str, holds: Callable[[list[str]], bool]) -> Callable[[Evidence], Answer]:
    """What PGE has learned of a rule: a question about the order of its productions, the most probable first."""

    def decide(evidence: Evidence) -> Answer:
        probabilities = learned(evidence.grid, problem, rule)
        order = ordered(probabilities)
        if not order:
            return None, f"nothing was learned of {rule}"
        return holds(order), ", ".join(f"{production} {probabilities[production]:.2f}" for production in order[:4])

    return decide


_EVERYTHING = all_methods("pagie") + all_methods("boston")
_BETTER = f"{{}} is better than GE on all three sets of data, with a corrected p below {ALPHA} (Mann–Whitney)."


def _cells(*methods: str) -> tuple[tuple[str, str], ...]:
    return tuple(cell for cell in _EVERYTHING if cell[0] in methods)


CHECKS = {
    "differences": Check(f"p is below {ALPHA} on all three sets of data.", _EVERYTHING, differences),
    "pge-beats-ge": Check(_BETTER.format("PGE"), _cells("PGE", "GE"), decided(("PGE", "GE"), "PGE")),
    "sge-beats-ge": Check(_BETTER.format("SGE"), _cells("SGE", "GE"), decided(("SGE", "GE"), "SGE")),
    "pge-like-sge": Check(
        f"No corrected p of PGE against SGE is below {ALPHA} (Mann–Whitney).",
        _cells("PGE", "SGE"),
        decided(("PGE", "SGE"), None),
    ),
    "generalisation": Check(
        "The median test errors of PGE and of SGE are both below that of GE.", all_methods("boston"), generalisation
    ),
    "operators": Check(
        "+ and / have the two largest mean probabilities at the end.",
        (("PGE", "pagie"),),
        most_probable("pagie", "<op>", lambda order: set(order[:2]) == {"+", "/"}),
    ),
    "ptratio-first": Check(
        "It has the largest mean probability at the end.",
        (("PGE", "boston"),),
        most_probable("boston", "<var>", lambda order: order[0] == "PTRATIO"),
    ),
    "rm-third": Check(
        "It has one of the three largest mean probabilities at the end.",
        (("PGE", "boston"),),
        most_probable("boston", "<var>", lambda order: "RM" in order[:3]),
    ),
}
