"""What the pages share: texts, numbers, tables, the rules of a grammar."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from gramarye.grammar import Grammar
from gramarye.text import counted, printable, shown

NONTERMINAL = "cyan"
HEADING = "bold"
BAR_WIDTH = 16
MOST_PRODUCTIONS = 40  # of one rule on a page: GE_RANGE may write a million
MOST_RULES = 500  # on a page: Rich takes a millisecond for each row, and nobody reads on
_EIGHTHS = " ▏▎▍▌▋▊▉"


def heading(text: str) -> Text:
    """What stands above a part of a page."""
    return Text.assemble("\n", (text, HEADING))


def program(text: str) -> Text:
    """A program as it is: never wrapped, so that it can be copied."""
    return Text(printable(text), no_wrap=True, overflow="ignore", style="bold green")


def form(text: str) -> Text:
    """A text with its non-terminals in colour."""
    found = Text(shown(text), overflow="fold")
    found.highlight_regex(re.compile(r"<[^<>]+>"), NONTERMINAL)
    return found


def bar(share: float, width: int = BAR_WIDTH) -> Text:
    """A share of 1 as a bar."""
    eighths = round(8 * width * min(max(share, 0.0), 1.0))
    return Text(("█" * (eighths // 8) + _EIGHTHS[eighths % 8]).strip(), style="blue")


def pairs(rows: Iterable[tuple[str, RenderableType | Path]] | Iterable[tuple[str, str]]) -> RenderableType:
    """Names and values, side by side; also files that were written."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, str(value) if isinstance(value, Path) else value)
    return table


def listing(heads: Sequence[str], right: Sequence[str] = ()) -> Table:
    """An empty table with a line below its heads."""
    from rich import box

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), pad_edge=False, show_edge=False, header_style=HEADING)
    for head in heads:
        table.add_column(head, justify="right" if head in right else "left", overflow="fold")
    return table


def rules_table(grammar: Grammar) -> RenderableType:
    """The rules, and their probabilities with bars where the grammar carries some."""
    values = grammar.probabilities
    table = Table.grid(padding=(0, 1))
    table.add_column(style=NONTERMINAL, no_wrap=True)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    table.add_column(justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    for name, rule in islice(grammar.rules.items(), MOST_RULES):
        for k, production in enumerate(rule[:MOST_PRODUCTIONS]):
            row: list[RenderableType] = [shown(name) if k == 0 else "", "::=" if k == 0 else "  |"]
            row.append(form(production.text or '""'))
            if values is not None:
                row += [f"{values[production.id]:.4f}", bar(float(values[production.id]))]
            table.add_row(*row)
        if len(rule) > MOST_PRODUCTIONS:
            table.add_row("", "  |", Text(f"… and {len(rule) - MOST_PRODUCTIONS:,} more", style="dim"))
    return Group(table, *more(len(grammar.rules), "rule"))


def more(count: int, what: str) -> list[Text]:
    """A line for those that a page leaves out, if there are any."""
    left = count - MOST_RULES
    return [Text(f"… and {counted(left, f'more {what}')}", style="dim")] if left > 0 else []


def old_and_new(
    grammar: Grammar, rows: Iterable[tuple[str, Sequence[float], Sequence[float]]], heads: tuple[str, str]
) -> RenderableType:
    """Probabilities of some rules before and after, one production on each line."""
    table = listing(["rule", "production", *heads], right=heads)
    for nonterminal, old, new in rows:
        rule = grammar.rules[nonterminal]
        for k, production in enumerate(rule[:MOST_PRODUCTIONS]):
            name = Text(shown(nonterminal) if k == 0 else "", style=NONTERMINAL)
            table.add_row(name, form(production.text or '""'), f"{old[k]:.6f}", f"{new[k]:.6f}")
        if len(rule) > MOST_PRODUCTIONS:
            table.add_row("", Text(f"… {len(rule) - MOST_PRODUCTIONS:,} more", style="dim"))
    return table
