"""Checks of what the paper's text says of its curves: the mean best fitness of each generation."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gramarye.statistics import describe, mann_whitney
from gramarye.studies.pge2021.paper import ALPHA, METHODS, PAGIE
from gramarye.studies.pge2021.runs import Runs, listed, shown_p, signed
from gramarye.studies.pge2021.tests import Answer, Check, Evidence, all_methods

VISIBLE = 0.01  # the last digit that the paper prints
EARLY, TURN = 10, 20  # generations at which the paper's text sees its curves turn
PASSING = (30, 40)  # "around generation 35"


def _fall(curve: NDArray[np.float64], first: int, last: int) -> float:
    """How much a curve falls for each generation, on average."""
    return float(curve[first] - curve[last]) / (last - first)


def similar_starts(evidence: Evidence) -> Answer:
    """The methods' first generations on Pagie."""
    starts = {method: describe(evidence.grid[method, "pagie"].training[:, 0]) for method in METHODS}
    means = {method: start.mean for method, start in starts.items() if start.mean is not None}
    deviations = [start.standard_deviation for start in starts.values() if start.standard_deviation is not None]
    if len(deviations) < len(METHODS):
        return None, "a method has no valid programs in generation 0"
    deviation = min(deviations)
    apart = max(means.values()) - min(means.values())
    numbers = listed([f"{m} {mean:.2f}" for m, mean in means.items()])
    return apart < deviation, f"{numbers}; apart by {apart:.2f}, smallest SD {deviation:.2f}"


def sge_slows(evidence: Evidence) -> Answer:
    """SGE before and after generation 20."""
    curve = evidence.curve("SGE", "pagie")
    early, late = _fall(curve, 0, TURN), _fall(curve, TURN, len(curve) - 1)
    return early >= 2 * late, f"{early:.4f} a generation up to {TURN}, {late:.4f} after it"


def ge_slow(problem: str) -> Callable[[Evidence], Answer]:
    """GE against SGE in the early generations, and later."""

    def decide(evidence: Evidence) -> Answer:
        ge, sge = evidence.curve("GE", problem), evidence.curve("SGE", problem)
        fall, other, later = float(ge[0] - ge[TURN]), float(sge[0] - sge[TURN]), float(ge[TURN] - ge[-1])
        p = mann_whitney(*(_falls(evidence.grid[method, problem]) for method in ("GE", "SGE"))).p
        numbers = f"GE {fall:.3f} and SGE {other:.3f} up to {TURN}, {shown_p(p)}; GE {later:.2f} more after it"
        if later < VISIBLE:
            return False, numbers
        return (None if p is None or p >= ALPHA else fall < other), numbers

    return decide


def _falls(runs: Runs) -> NDArray[np.float64]:
    """How much the best fitness of each run falls up to generation 20; runs that start with nothing valid fall most."""
    with np.errstate(invalid="ignore"):
        falls = runs.training[:, 0] - runs.training[:, TURN]
    return np.nan_to_num(falls, nan=0.0, posinf=np.inf)


def pge_as_ge(evidence: Evidence) -> Answer:
    """PGE beside GE and SGE in the early generations."""
    pge, ge, sge = (evidence.curve(method, "pagie")[: EARLY + 1] for method in METHODS)
    to_ge, to_sge = float(np.abs(pge - ge).mean()), float(np.abs(pge - sge).mean())
    return to_ge < to_sge, f"mean distance to GE {to_ge:.3f}, to SGE {to_sge:.3f}"


def pge_speeds_up(evidence: Evidence) -> Answer:
    """PGE before and after generation 10."""
    pge, ge = evidence.curve("PGE", "pagie"), evidence.curve("GE", "pagie")
    before, after, other = _fall(pge, 0, EARLY), _fall(pge, EARLY, TURN), _fall(ge, EARLY, TURN)
    numbers = f"PGE {before:.4f} a generation before, {after:.4f} after; GE {other:.4f} after"
    return after > before and after > other, numbers


def passing_generation(curve: NDArray[np.float64], other: NDArray[np.float64]) -> int | None:
    """The generation from which on a curve stays below another one; None where it ends above."""
    above = np.flatnonzero(~(curve < other))
    first = int(above[-1]) + 1 if len(above) else 0
    return first if first < len(curve) else None


def pge_passes_sge(evidence: Evidence) -> Answer:
    """When PGE becomes better than SGE, for good."""
    pge, sge = evidence.curve("PGE", "pagie"), evidence.curve("SGE", "pagie")
    generation = passing_generation(pge, sge)
    end = f"at the end PGE {pge[-1]:.2f}, SGE {sge[-1]:.2f}"
    if generation is None:
        return False, f"never; {end}"
    return PASSING[0] <= generation <= PASSING[1], f"from generation {generation} on; {end}"


def pge_lowest(evidence: Evidence) -> Answer:
    """The order of the methods on Pagie."""
    means = {method: float(evidence.curve(method, "pagie")[-1]) for method in METHODS}
    lowest = min(means, key=lambda method: means[method])
    numbers = listed([f"{method} {mean:.3f}" for method, mean in means.items()])
    beaten = any(test.better == lowest for test in evidence.pairs if test.outcome == PAGIE and "PGE" in test.pair)
    return (True if lowest == "PGE" else False if beaten else None), numbers


def sge_falls_throughout(evidence: Evidence) -> Answer:
    """SGE's mean every ten generations."""
    curve = evidence.curve("SGE", "boston")
    marks = [*range(0, len(curve) - 1, 10), len(curve) - 1]
    falls = -np.diff(curve[marks])
    numbers = f"{signed(-float(falls[0]), 3)} in generations 0 to {marks[1]}, then " + ", ".join(
        signed(-fall, 3) for fall in falls[1:].tolist()
    )
    return bool((falls >= VISIBLE).all() and falls[0] == falls.max()), numbers


_UNTIL_TURN = TURN + 2  # populations, so that a generation comes after it
_GE_SLOW = (
    f"Up to generation {TURN} GE's mean falls less than SGE's, and from there to the end by another {VISIBLE} or more. "
    f"Where the falls of their runs don't differ (Mann–Whitney, p of {ALPHA} or more) it can't be told."
)

CHECKS = {
    "similar-starts": Check(
        "The means of generation 0 lie closer together than the smallest standard deviation of the three methods.",
        all_methods("pagie"),
        similar_starts,
    ),
    "sge-slows": Check(
        f"SGE's mean falls at least twice as fast up to generation {TURN} as from there to the end.",
        (("SGE", "pagie"),),
        sge_slows,
        _UNTIL_TURN,
    ),
    "ge-slow-pagie": Check(_GE_SLOW, (("GE", "pagie"), ("SGE", "pagie")), ge_slow("pagie"), _UNTIL_TURN),
    "pge-as-ge": Check(
        f"Up to generation {EARLY} PGE's mean is on average nearer to GE's than to SGE's.",
        all_methods("pagie"),
        pge_as_ge,
        EARLY + 1,
    ),
    "pge-speeds-up": Check(
        f"PGE's mean falls faster from generation {EARLY} to {TURN} than before, and faster than GE's there.",
        (("PGE", "pagie"), ("GE", "pagie")),
        pge_speeds_up,
        TURN + 1,
    ),
    "pge-passes-sge": Check(
        f"The generation from which on PGE's mean stays below SGE's lies between {PASSING[0]} and {PASSING[1]}.",
        (("PGE", "pagie"), ("SGE", "pagie")),
        pge_passes_sge,
        PASSING[1] + 1,
    ),
    "pge-lowest": Check(
        "PGE has the lowest mean. If another method has, the claim fails only if PGE is worse with significance.",
        all_methods("pagie"),
        pge_lowest,
    ),
    "sge-falls-throughout": Check(
        f"SGE's mean falls by {VISIBLE} or more in every ten generations, and most in the first ten.",
        (("SGE", "boston"),),
        sge_falls_throughout,
        TURN + 1,
    ),
    "ge-slow-boston": Check(_GE_SLOW, (("GE", "boston"), ("SGE", "boston")), ge_slow("boston"), _UNTIL_TURN),
}
