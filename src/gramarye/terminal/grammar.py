"""A grammar: as a page a person likes to read, and as a document for programs."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from rich.console import RenderableType
from rich.text import Text

from gramarye.grammar import Grammar
from gramarye.methods import METHODS
from gramarye.terminal.parts import NONTERMINAL, heading, listing, pairs, rules_table, written
from gramarye.terminal.parts import page as page_of
from gramarye.text import counted, shown


class Completion(NamedTuple):
    """How likely a random genotype derives a whole program, by method."""

    codons: int
    chances: dict[str, float]


def completion(grammar: Grammar, codons: int) -> Completion:
    """The chances of every method for which they are known, with its own settings."""
    weights = grammar.start_probabilities()
    found = {name: kind().representation.completion(grammar, weights, codons) for name, kind in METHODS.items()}
    return Completion(codons, {name: chance for name, chance in found.items() if chance is not None})


def page(grammar: Grammar, found: Completion, railroad: Path | None = None) -> RenderableType:
    """The rules, their shape, the chance of a whole program, warnings."""
    count = f"{counted(len(grammar.nonterminals), 'rule')}, {counted(len(grammar.productions), 'production')}"
    carried = "" if grammar.probabilities is None else ", with probabilities"
    chances = [(METHODS[name].__name__, f"{chance:.4f}") for name, chance in found.chances.items()]
    parts: list[RenderableType] = [
        Text.assemble(
            (shown(grammar.name), "bold"), f": {count}{carried}; the axiom is ", _name(grammar.nonterminals[0])
        ),
        heading("Rules"),
        rules_table(grammar),
        heading("Shape"),
        _shape(grammar),
        heading(f"Probability that {found.codons:,} random codons derive a whole program"),
        pairs(chances),
    ]
    if grammar.analysis.warnings:
        parts.append(heading("Warnings"))
        parts += [Text(f"• {warning}", style="yellow") for warning in grammar.analysis.warnings]
    if railroad:
        parts += [Text(""), pairs(written({"railroad diagram": railroad}))]
    return page_of(*parts)


def _name(nonterminal: str) -> Text:
    return Text(shown(nonterminal), style=NONTERMINAL)


def _shape(grammar: Grammar) -> RenderableType:
    table = listing(["non-terminal", "productions", "least height", "recursion"], right=["productions", "least height"])
    for name, rule in grammar.rules.items():
        height = grammar.analysis.heights[name]
        table.add_row(_name(name), f"{len(rule):,}", f"{height:,}", ", ".join(_recursion(grammar, name)) or "–")
    return table


def _recursion(grammar: Grammar, name: str) -> list[str]:
    found = grammar.analysis
    kinds = {"direct": found.directly_recursive, "indirect": found.indirectly_recursive}
    return [kind for kind, names in kinds.items() if name in names]


def facts(grammar: Grammar, found: Completion) -> dict[str, Any]:
    """Everything about a grammar, for JSON."""
    values = grammar.probabilities
    return {
        "name": grammar.name,
        "axiom": grammar.nonterminals[0],
        "rules": {
            name: {
                "productions": [production.text for production in rule],
                "probabilities": None if values is None else [values[production.id] for production in rule],
                "least_height": grammar.analysis.heights[name],
                "recursion": _recursion(grammar, name),
                "reachable": name not in grammar.analysis.unreachable,
            }
            for name, rule in grammar.rules.items()
        },
        "terminals": grammar.terminals,
        "completion": {"codons": found.codons, **found.chances},
        "repeated": grammar.analysis.repeated,
        "warnings": grammar.analysis.warnings,
        "text": grammar.text,
    }
