"""A mapping: every step from a genotype to a program, and what a grammar learns from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gramarye.engine.tracing import Lesson, Mapping
from gramarye.records.document import head

MOST_FORMS = 2_000  # steps with a form: a form is as long as the steps before it are many


def document(mapping: Mapping, learned: Sequence[Lesson] | None) -> dict[str, Any]:
    """Everything about a mapping, and what was learned from it if anything was."""
    derivation = mapping.derivation
    grammar = derivation.grammar
    count = len(mapping.steps)
    forms = mapping.forms if count <= MOST_FORMS else (None,) * count
    found: dict[str, Any] = {
        **head("mapping", version=1),
        "method": mapping.method.name,
        "settings": mapping.method.settings,
        "genotype": mapping.genotype,
        "valid": mapping.valid,
        "phenotype": mapping.phenotype,
        "form": derivation.form,
        "codons_used": mapping.codons_used,
        "size": derivation.size,
        "depth": derivation.depth,
        "steps": [
            {
                "nonterminal": step.nonterminal,
                "codon": step.codon,
                "comparison": step.comparison,
                "production": grammar.productions[step.production].text,
                "production_id": step.production,
                "filled": step.filled,
                "form": text,
            }
            for step, text in zip(mapping.steps, forms, strict=True)
        ],
        "counts": mapping.counts,
    }
    if learned is not None:
        found["lessons"] = {
            lesson.nonterminal: {
                "counts": lesson.counts,
                "old": lesson.old,
                "raised": lesson.raised,
                "sum": lesson.total,
                "excess": lesson.excess,
                "new": lesson.new,
            }
            for lesson in learned
        }
        found["grammar"] = grammar.with_probabilities({lesson.nonterminal: lesson.new for lesson in learned}).text
    return found
