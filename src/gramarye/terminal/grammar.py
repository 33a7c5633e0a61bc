"""A grammar: its rules, its shape, and what may be wrong with it."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from gramarye.grammar import Grammar
from gramarye.methods import METHODS
from gramarye.records.grammar import completion
from gramarye.terminal.parts import MOST_RULES, NONTERMINAL, heading, listing, more, pairs, rules_table
from gramarye.text import counted, shown


def page(grammar: Grammar, codons: int, railroad: Path | None = None) -> RenderableType:
    """The rules, their shape, the chance of a whole program, warnings."""
    count = f"{counted(len(grammar.nonterminals), 'rule')}, {counted(len(grammar.productions), 'production')}"
    carried = "" if grammar.probabilities is None else ", with probabilities"
    chances = [(METHODS[name].__name__, f"{chance:.4f}") for name, chance in completion(grammar, codons).items()]
    parts: list[RenderableType] = [
        Text.assemble(
            (shown(grammar.name), "bold"), f": {count}{carried}; the axiom is ", _name(grammar.nonterminals[0])
        ),
        heading("Rules"),
        rules_table(grammar),
        heading("Shape"),
        _shape(grammar),
        heading(f"Probability that {codons:,} random codons derive a whole program"),
        pairs(chances),
    ]
    warnings = grammar.analysis.warnings
    if warnings:
        parts.append(heading("Warnings"))
        parts += [Text(f"• {warning}", style="yellow") for warning in warnings[:MOST_RULES]]
        parts += more(len(warnings), "warning")
    if railroad:
        parts += [Text(""), pairs([("railroad diagram", railroad)])]
    return Group(*parts)


def _name(nonterminal: str) -> Text:
    return Text(shown(nonterminal), style=NONTERMINAL)


def _shape(grammar: Grammar) -> RenderableType:
    table = listing(["non-terminal", "productions", "least height", "recursion"], right=["productions", "least height"])
    for name, rule in islice(grammar.rules.items(), MOST_RULES):
        height = grammar.analysis.heights[name]
        table.add_row(_name(name), f"{len(rule):,}", f"{height:,}", ", ".join(grammar.analysis.recursion(name)) or "–")
    return Group(table, *more(len(grammar.rules), "rule"))
