"""PGE's learner: the productions of the best individuals become more probable.

Mégane, Lourenço, Machado. Probabilistic Grammatical Evolution. EuroGP 2021. doi 10.1007/978-3-030-72812-0_13
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from gramarye.errors import GrammarError, did_you_mean
from gramarye.grammar import Grammar
from gramarye.learners.base import CONTEXT, FLOOR, REMAP_ELITES, Context, Learner
from gramarye.populations.population import Population
from gramarye.settings import setting

Unexpanded = Literal["keep", "decay"]
Normalise = Literal["equal", "divide"]

_PRINTED = 0.02  # how far a row printed with two digits may be from a sum of 1: .33, .33, .33


@dataclass(frozen=True)
class AlternatingBest(Learner):
    """Learns in turn from the best individual of the run and from the best of the generation."""

    learning_factor: float = setting(0.01, low=0, high=1, doc="how strongly one individual changes the probabilities")
    unexpanded: Unexpanded = setting(  # "decay" is Alg. 2 to the letter
        "keep", doc="what happens to the probabilities of rules that the best individual does not use"
    )
    normalise: Normalise = setting(  # "equal" is Alg. 2
        "equal", doc="how probabilities are made to sum to 1: by equal shares, or divided by their sum"
    )
    first: Literal["overall", "generation"] = setting(
        "overall", doc="which individual is learned from first: the best of the run or the best of the generation"
    )
    generation_best: Literal["offspring", "all"] = setting(
        "offspring", doc="who can be the best of a generation: offspring only, or elites too"
    )
    floor: float = setting(0.0, low=0, high=1, doc=FLOOR)
    remap_elites: bool = setting(True, doc=REMAP_ELITES)
    context: Context = setting("none", doc=CONTEXT)

    learns: ClassVar[bool] = True

    def update(
        self, grammar: Grammar, probabilities: NDArray[np.float64], population: Population
    ) -> NDArray[np.float64]:
        overall = (population.generation % 2 == 0) == (self.first == "overall")
        newest = population.best_of_offspring if self.generation_best == "offspring" else population.best_of_generation
        best = population.best_of_run if overall else newest
        if not best.valid:
            return probabilities
        counts = np.bincount(best.productions, minlength=len(probabilities))
        updated = np.empty(len(probabilities))
        for span in grammar.spans.values():
            updated[span] = self.update_row(probabilities[span].tolist(), counts[span].tolist())
        return updated

    def update_row(self, row: Sequence[float], counts: Sequence[int]) -> list[float]:
        """One non-terminal: raise what was used, lower what was not, restore the sum."""
        if sum(counts) == 0 and self.unexpanded == "keep":
            return list(row)
        raised = raise_and_lower(row, counts, self.learning_factor)
        new = spread(raised) if self.normalise == "equal" else divided(raised, row)
        if self.floor > 0:
            new = [(1 - self.floor) * p + self.floor / len(new) for p in new]
        return new


def divided(raised: Sequence[float], row: Sequence[float]) -> list[float]:
    """The same proportions with a sum of 1; where nothing is left, those of before, which is their limit."""
    total = math.fsum(raised)
    return [r / total for r in raised] if total > 0 else list(row)


def raise_and_lower(row: Sequence[float], counts: Sequence[int], learning_factor: float) -> list[float]:
    """Alg. 2, lines 4 to 8: what one non-terminal's probabilities become before their sum is restored."""
    total = sum(counts)
    return [
        min(p + learning_factor * c / total, 1.0) if c > 0 else p - learning_factor * p
        for p, c in zip(row, counts, strict=True)
    ]


def spread(raised: Sequence[float]) -> list[float]:
    """Alg. 2, lines 10 to 15: equal shares until the sum is 1, none below 0.

    The paper repeats "subtract, clamp"; its limit is the Euclidean projection on the simplex, computed here at once.
    (Duchi et al. 2008.)
    """
    excess = math.fsum(raised) - 1.0
    if excess <= 0:
        return [r - excess / len(raised) for r in raised]
    largest = sorted(raised, reverse=True)
    total = 0.0
    for k, value in enumerate(largest, start=1):
        total += value
        share = (total - 1.0) / k
        if k == len(largest) or largest[k] <= share:
            break
    return [max(r - share, 0.0) for r in raised]


def update_probabilities(
    probabilities: Mapping[str, Sequence[float]],
    counts: Mapping[str, Sequence[int]],
    learning_factor: float,
    *,
    unexpanded: Unexpanded = "keep",
    normalise: Normalise = "equal",
    floor: float = 0.0,
) -> dict[str, list[float]]:
    """Probabilities after one update of PGE (Alg. 2).

    Parameters
    ----------
    probabilities
        For each non-terminal the probabilities of its productions.
    counts
        How often the best individual used each production.
    learning_factor
        How much a production that was used gains.
    unexpanded, normalise, floor
        As in `gramarye.learners.AlternatingBest`.

    Returns
    -------
    dict
        The new probabilities.

    Examples
    --------
    >>> import gramarye as gm
    >>> gm.update_probabilities({"<var>": [0.5, 0.5]}, {"<var>": [2, 0]}, learning_factor=0.01)
    {'<var>': [0.5075000000000001, 0.49250000000000005]}
    """
    learner = AlternatingBest(learning_factor, unexpanded, normalise, floor=floor)
    for name in counts:
        if name not in probabilities:
            raise GrammarError(f"counts for {name}, which has no probabilities{did_you_mean(name, probabilities)}")
    rows = {name: [float(p) for p in row] for name, row in probabilities.items()}
    used = {name: list(counts.get(name, [0] * len(row))) for name, row in rows.items()}
    for name, row in rows.items():
        _check_row(name, row, used[name])
    return {name: learner.update_row(row, [int(count) for count in used[name]]) for name, row in rows.items()}


def _check_row(name: str, row: Sequence[float], counts: Sequence[int]) -> None:
    if not all(0 <= p <= 1 for p in row) or abs(math.fsum(row) - 1) > _PRINTED:
        raise GrammarError(f"the probabilities of {name} are {row}: they must lie in [0, 1] and sum to 1")
    if len(counts) != len(row):
        raise GrammarError(f"{name} has {len(row)} productions, but {len(counts)} counts")
    if not all(isinstance(c, int | np.integer) and c >= 0 for c in counts):
        raise GrammarError(f"the counts of {name} are {counts}: they must be integers ≥ 0")
