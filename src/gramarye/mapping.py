"""One genotype mapped slowly, for people: every step, as in the figures of the PGE paper."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

import numpy as np

from gramarye.derivation import Derivation
from gramarye.grammar import Grammar, ProbabilityValues
from gramarye.learners.alternating import AlternatingBest, raise_and_lower
from gramarye.methods.base import MethodBase
from gramarye.methods.pge import PGE
from gramarye.representations.base import Step, as_seed


@dataclass(frozen=True)
class Mapping:
    """How a genotype became a program, or how far it came."""

    method: MethodBase
    genotype: Any  # with what was drawn where its lists were too short
    steps: tuple[Step, ...]
    derivation: Derivation

    @property
    def valid(self) -> bool:
        """Whether the genotype derives a program."""
        return self.derivation.complete

    @property
    def phenotype(self) -> str | None:
        """The program, or None where the genotype is invalid."""
        return self.derivation.phenotype

    @property
    def counts(self) -> dict[str, list[int]]:
        """How often each production was used, by non-terminal."""
        return self.derivation.counts

    @property
    def codons_used(self) -> int:
        """How many codons were read, those read again after a wrap included."""
        return sum(step.codon is not None for step in self.steps)

    @cached_property
    def forms(self) -> tuple[str, ...]:
        """The sentential form after each step."""
        grammar, productions = self.derivation.grammar, self.derivation.productions
        return tuple(Derivation(grammar, productions[: n + 1]).form for n in range(len(self.steps)))

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(step.nonterminal)}</td><td>{'' if step.codon is None else step.codon}</td>"
            f"<td>{escape(step.comparison)}</td><td>{escape(self.derivation.grammar.productions[step.production].text)}"
            f"</td><td><code>{escape(form)}</code></td></tr>"
            for step, form in zip(self.steps, self.forms, strict=True)
        )
        heads = "".join(f"<th>{head}</th>" for head in ("expanded", "codon", "comparison", "production", "form"))
        end = "valid" if self.valid else "invalid: non-terminals are left"
        return f"<table><tr>{heads}</tr>{rows}</table><p>{end}</p>{self.derivation.svg()}"


def map_genotype(
    grammar: Grammar,
    genotype: Any,
    method: MethodBase | None = None,
    probabilities: ProbabilityValues | None = None,
    seed: int = 0,
) -> Mapping:
    """Map one genotype step by step; PGE where no method is given.

    Probabilities are those given, or the grammar's own, or uniform. Lists that are too short are filled from `seed`.
    """
    method = method or PGE()
    representation = method.representation
    weights = grammar.start_probabilities() if probabilities is None else grammar.check_probabilities(probabilities)
    genotypes = representation.read(grammar, genotype)
    key = as_seed(seed)
    steps = tuple(representation.trace(grammar, genotypes, np.array(weights), key))
    productions = np.array([step.production for step in steps], np.int32)
    completed = representation.completed(grammar, genotypes, key)
    return Mapping(method, completed, steps, Derivation(grammar, productions))


@dataclass(frozen=True)
class Lesson:
    """What one non-terminal learns from an individual: the paper's update, number by number."""

    nonterminal: str
    counts: list[int]
    old: list[float]
    raised: list[float]  # after raising what was used and lowering what was not
    new: list[float]

    @property
    def total(self) -> float:
        """The sum of the raised and lowered values."""
        return sum(self.raised)

    @property
    def excess(self) -> float:
        """What the sum is above 1, or below it."""
        return self.total - 1


def lessons(mapping: Mapping, learner: AlternatingBest, probabilities: ProbabilityValues | None = None) -> list[Lesson]:
    """What every non-terminal learns from a mapped individual."""
    grammar = mapping.derivation.grammar
    weights = grammar.start_probabilities() if probabilities is None else grammar.check_probabilities(probabilities)
    found = []
    for name, span in grammar.spans.items():
        old, counts = weights[span].tolist(), mapping.counts[name]
        used = sum(counts) > 0 or learner.unexpanded == "decay"
        raised = raise_and_lower(old, counts, learner.learning_factor) if used else old
        found.append(Lesson(name, counts, old, raised, learner.update_row(old, counts)))
    return found
