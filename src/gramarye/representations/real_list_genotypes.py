"""The genotypes of structured representations of reals: their layout, and how people write and see them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.errors import GenotypeError
from gramarye.grammar import Grammar
from gramarye.representations.base import Floats, Genotypes
from gramarye.representations.by_hand import is_list, is_number
from gramarye.representations.optional import Step
from gramarye.representations.structured import DepthRule, check_names, rule_at, starts


@dataclass(frozen=True)
class RealListGenotypes(Genotypes):
    """The lists of all individuals one after another, and what each individual carries besides."""

    values: Floats  # [total]
    start: NDArray[np.int64]  # [N*K+1] where list a of individual i begins: start[i*K+a]
    used: NDArray[np.int32]  # [N, K] codons that the last mapping read; of a child, those that its parents had read
    drift: Floats  # [N, K] how far mutation rates have moved from the common one
    probabilities: Floats  # [N, R] each individual's own; [N, 0] where they are not

    @classmethod
    def of_lists(cls, grammar: Grammar, values: Floats, start: NDArray[np.int64]) -> Self:
        """Lists of which nothing was read yet."""
        k = len(grammar.nonterminals)
        n = (len(start) - 1) // k
        return cls(values, start, np.zeros((n, k), np.int32), np.zeros((n, k)), np.zeros((n, 0)))

    def __len__(self) -> int:
        return len(self.used)

    def read_through(self, probabilities: Floats) -> Floats:
        """What individuals are read through: [N, R] their own probabilities, or [1, R] those that all share."""
        return self.probabilities if self.probabilities.shape[1] else np.array(probabilities)[None]

    def take(self, individuals: NDArray[np.int64]) -> Self:
        parents = np.repeat(individuals[:, None], self.used.shape[1], axis=1)
        values, start = kernels.real_variation.gather_lists(self.values, self.start, parents)
        return replace(
            self,
            values=values,
            start=start,
            used=self.used[individuals],
            drift=self.drift[individuals],
            probabilities=self.probabilities[individuals],
        )

    @classmethod
    def join(cls, parts: list[Self]) -> Self:
        if len(parts) == 1:
            return parts[0]
        start = starts(np.concatenate([np.diff(part.start) for part in parts]))
        names = ("values", "used", "drift", "probabilities")
        return cls(start=start, **{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


def read_lists(grammar: Grammar, genotype: Any, shows_genotype_as: str) -> RealListGenotypes:
    """Lists given by hand as a population of one."""
    check_names(grammar, genotype, shows_genotype_as)
    rows = [_read_list(name, genotype.get(name, ())) for name in grammar.nonterminals]
    values = np.array([codon for row in rows for codon in row], np.float64)
    return RealListGenotypes.of_lists(grammar, values, starts([len(row) for row in rows]))


def _read_list(name: str, row: Any) -> list[float]:
    if not is_list(row):
        raise GenotypeError(f"the codons of {name} are a list of numbers in [0, 1], not {row!r}")
    for position, codon in enumerate(row):
        if not is_number(codon) or not 0 <= codon <= 1:
            raise GenotypeError(f"codon {position} of {name} is {codon!r}: it must be a number in [0, 1]")
    return [float(codon) for codon in row]


def trace_lists(
    grammar: Grammar,
    given: RealListGenotypes,  # as they were written
    mapped: RealListGenotypes,  # with what was drawn
    productions: NDArray[np.int32],
    probabilities: Floats,
    max_depth: int,
    depth_rule: DepthRule,
) -> Iterator[Step]:
    """How the first individual became its derivation."""
    lengths = np.diff(given.start)
    row = mapped.read_through(probabilities)[0]
    seen = [0] * len(lengths)
    levels = [0]
    for number, q in enumerate(productions.tolist()):
        a = int(grammar.arrays.left[q])
        level = levels.pop()
        codon, filled = float(mapped.values[mapped.start[a] + seen[a]]), bool(seen[a] >= lengths[a])
        seen[a] += 1
        limit, rule = rule_at(number, max_depth, depth_rule)
        why = _why(grammar, row, level, limit, rule, codon, q) + (", drawn" if filled else "")
        yield Step(grammar.nonterminals[a], codon, why, q, filled)
        kids = grammar.arrays.kid_start[q + 1] - grammar.arrays.kid_start[q]
        levels += [level + 1] * int(kids)


def _why(grammar: Grammar, row: Floats, level: int, limit: int, rule: int, codon: float, q: int) -> str:
    """The comparison by which a codon chose a production, in words."""
    a = int(grammar.arrays.left[q])
    span = grammar.spans[grammar.nonterminals[a]]
    weights = np.empty(span.stop - span.start)
    limited = kernels.real_lists.weigh(grammar.arrays, row, a, level, limit, rule, weights)
    total = below = 0.0
    for weight in weights[: q - span.start + 1].tolist():
        below, total = total, total + weight
    end = (", near the depth limit" if limit >= 0 else ", at the step limit") if limited else ""
    if codon >= total:
        return f"{codon:.4g} ≥ {total:.4g}: the last possible one{end}"
    return f"{f'{below:.4g} ≤ ' if below > 0 else ''}{codon:.4g} < {total:.4g}{end}"
