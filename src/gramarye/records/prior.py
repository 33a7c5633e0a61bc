"""A prior: what it was learned from, and the probabilities of each rule before and after."""

from __future__ import annotations

from typing import Any

from gramarye.grammar import Grammar
from gramarye.records.document import head


def document(before: Grammar, prior: Grammar, learned: dict[str, Any]) -> dict[str, Any]:
    """Everything about a prior; both grammars have the same rules."""
    old, new = before.start_probabilities(), prior.start_probabilities()
    return {
        **head("prior", version=1),
        "name": prior.name,
        **learned,
        "rules": {
            name: {
                "productions": [production.text for production in prior.rules[name]],
                "before": old[span],
                "prior": new[span],
            }
            for name, span in prior.spans.items()
        },
        "text": prior.text,
    }
