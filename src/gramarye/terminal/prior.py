"""A prior: the probabilities of each rule before and after learning."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.text import Text

from gramarye.grammar import Grammar
from gramarye.terminal.parts import old_and_new


def page(before: Grammar, prior: Grammar, source: str) -> RenderableType:
    """Every rule that leaves a choice; both grammars have the same rules."""
    old, new = before.start_probabilities(), prior.start_probabilities()
    rows = [
        (name, old[span].tolist(), new[span].tolist())
        for name, span in prior.spans.items()
        if span.stop - span.start > 1
    ]
    head = Text.assemble(("Prior", "bold"), f" for {prior.name}, learned from {source}\n")
    return Group(head, old_and_new(prior, rows, ("before", "prior")))
