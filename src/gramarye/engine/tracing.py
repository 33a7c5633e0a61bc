"""One genotype mapped slowly, for people: every step, as in the figures of the PGE paper."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any

import numpy as np

from gramarye.derivations import NO_VALUES, Derivation, Derivations, sentential_forms
from gramarye.derivations.constants import with_values
from gramarye.grammar import Grammar, ProbabilityValues
from gramarye.learners.alternating import AlternatingBest, raise_and_lower
from gramarye.methods import PGE, MethodBase, check_method
from gramarye.objectives.problem import check_grammar
from gramarye.representations.base import as_seed
from gramarye.representations.optional import Step, explainer
from gramarye.text import brief

# What a notebook shows: the first steps and the last ones, and a tree that can still be taken in.
FIRST_STEPS, LAST_STEPS, MOST_NODES = 80, 20, 500


@dataclass(frozen=True, repr=False)
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
        return sum(step.codons_read for step in self.steps)

    @cached_property
    def forms(self) -> tuple[str, ...]:
        """The sentential form after each step."""
        return tuple(form for _, form in sentential_forms(self.derivation, range(len(self.steps))))

    def __repr__(self) -> str:
        return (
            f"Mapping({'' if self.valid else 'invalid: '}{brief(self.derivation.form)}, {self.codons_used} codons used)"
        )

    def _repr_html_(self) -> str:
        more = max(0, len(self.steps) - FIRST_STEPS - LAST_STEPS)
        gone = range(FIRST_STEPS, FIRST_STEPS + more)
        shown = {step for step in range(len(self.steps)) if step not in gone}
        forms = sentential_forms(self.derivation, shown)
        rows = [self._row(self.steps[step], form) for step, form in forms]
        if more:
            rows.insert(FIRST_STEPS, f'<tr><td colspan="5">… {more:,} more steps</td></tr>')
        heads = "".join(f"<th>{head}</th>" for head in ("expanded", "codon", "comparison", "production", "form"))
        end = "valid" if self.valid else "invalid: non-terminals are left"
        return f"<table><tr>{heads}</tr>{''.join(rows)}</table><p>{end}</p>{self._tree()}"

    def _row(self, step: Step, form: str) -> str:
        codon = "" if step.codon is None else str(step.codon)
        production = self.derivation.grammar.productions[step.production].text
        cells = "".join(f"<td>{escape(text)}</td>" for text in (step.nonterminal, codon, step.comparison, production))
        return f"<tr>{cells}<td><code>{escape(form)}</code></td></tr>"

    def _tree(self) -> str:
        size = self.derivation.size
        if size > MOST_NODES:
            return f"<p>The tree has {size:,} nodes; <code>derivation.svg()</code> draws it all the same.</p>"
        return self.derivation.svg()


def map_genotype(
    grammar: Grammar,
    genotype: Any,
    method: MethodBase | None = None,
    probabilities: ProbabilityValues | None = None,
    seed: int = 0,
) -> Mapping:
    """Map one genotype step by step, as in the figures of the PGE paper.

    Parameters
    ----------
    grammar
        The grammar.
    genotype
        A list of numbers (GE, PGE, Chorus), a mapping from non-terminals to lists (SGE, PSGE), pairs (PIGE), a text of
        bits (WHGE), or production numbers and, for constants, their values (CFGGP): `[0, 3, 1.5, 2]`.
    method
        The method that reads it (default: `PGE()`).
    probabilities
        Those that it is read through (default: the grammar's).
    seed
        For lists that are too short, which are completed at random, and for constants that a genotype does not hold.

    Returns
    -------
    Mapping
        With `valid`, `phenotype`, `counts`, `codons_used`, `steps` and the completed `genotype`.

    Examples
    --------
    >>> import gramarye as gm
    >>> mapping = gm.map_genotype(gm.problems.load("quartic").grammar, [0, 2, 0, 0, 2, 1], gm.GE())
    >>> mapping.phenotype
    'x + 1.0'
    """
    method = PGE() if method is None else check_method(method)
    grammar = method.rewritten(check_grammar(grammar)).grammar
    representation = explainer(method.representation, method.name)
    weights = grammar.start_probabilities() if probabilities is None else grammar.check_probabilities(probabilities)
    genotypes = representation.read(grammar, genotype)
    key = as_seed(seed)
    arguments = (grammar, genotypes, np.array(weights), key)
    steps = tuple(representation.trace(*arguments))
    productions = np.array([step.production for step in steps], np.int32)
    known = [np.nan if step.value is None else step.value for step in steps]
    values = np.array(known) if grammar.has_constants else NO_VALUES
    derivations = with_values(grammar, Derivations.of(productions, values), key)
    return Mapping(method, representation.completed(*arguments), steps, Derivation.first_of(grammar, derivations))


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
