"""A grammar: its rules, its shape, and the chance of a whole program."""

from __future__ import annotations

from typing import Any

from gramarye.grammar import Grammar
from gramarye.methods import METHODS
from gramarye.records.document import head


def completion(grammar: Grammar, codons: int) -> dict[str, float]:
    """How likely that many random codons derive a whole program: by method, where it is known."""
    weights = grammar.start_probabilities()
    found = {name: kind().representation.completion(grammar, weights, codons) for name, kind in METHODS.items()}
    return {name: chance for name, chance in found.items() if chance is not None}


def document(grammar: Grammar, codons: int) -> dict[str, Any]:
    """Everything about a grammar."""
    values = grammar.probabilities
    return {
        **head("grammar", version=1),
        "name": grammar.name,
        "dialect": grammar.dialect,
        "axiom": grammar.nonterminals[0],
        "rules": {
            name: {
                "productions": [production.text for production in rule],
                "probabilities": None if values is None else [values[production.id] for production in rule],
                "least_height": grammar.analysis.heights[name],
                "recursion": grammar.analysis.recursion(name),
                "reachable": name not in grammar.analysis.unreachable,
            }
            for name, rule in grammar.rules.items()
        },
        "terminals": grammar.terminals,
        "completion": {"codons": codons, **completion(grammar, codons)},
        "repeated": grammar.analysis.repeated,
        "warnings": grammar.analysis.warnings,
        "text": grammar.text,
    }
