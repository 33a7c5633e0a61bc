"""How a genotype became a program, and what was learned from it, as in the figures of the PGE paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from gramarye.drawing import shown
from gramarye.learners.alternating import AlternatingBest
from gramarye.mapping import Lesson, Mapping
from gramarye.report.terminal.parts import NONTERMINAL, form, heading, listing, pairs, program, written
from gramarye.report.terminal.parts import page as page_of

BEFORE, AFTER = 24, 46  # characters of a sentential form around the non-terminal that is next


def page(
    mapping: Mapping, learner: AlternatingBest | None, learned: Sequence[Lesson] | None, svg: Path | None = None
) -> RenderableType:
    """Every step, the result, the tree, the counts; then what was learned, if anything was."""
    head = Text.assemble((mapping.method.name.upper(), "bold"), " maps a genotype, step by step")
    parts: list[RenderableType] = [head, Text(""), Steps(mapping), *_result(mapping, svg)]
    parts += [heading("Derivation tree"), Text(str(mapping.derivation), no_wrap=True, overflow="ignore")]
    if learner is None:
        parts += [heading("How often each production was used"), _counts(mapping)]
    elif learned is None:
        parts.append(heading("An invalid individual teaches nothing: the probabilities stay as they are"))
    else:
        parts.append(heading(f"What the grammar learns, by a learning factor of {learner.learning_factor:g}"))
        grammar = mapping.derivation.grammar
        for lesson in learned:
            parts += _lesson(lesson, learner, [p.text for p in grammar.rules[lesson.nonterminal]])
    return page_of(*parts)


@dataclass(frozen=True)
class Steps:
    """The steps of a mapping, with the sentential form beside each, or below it where the terminal is narrow."""

    mapping: Mapping

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Choose the layout by the width."""
        wide = self._table(beside=True)
        if Measurement.get(console, options.update(max_width=1000), wide).maximum <= options.max_width:
            yield wide
            return
        heads, rule, *rows = console.render_lines(self._table(beside=False), options, pad=False)
        yield from (*heads, Segment.line(), *rule, Segment.line())
        for row, text in zip(rows, self._forms(), strict=True):
            yield from (*row, Segment.line())
            yield Padding(text, (0, 0, 0, 7))

    def _forms(self) -> list[Text]:
        names = self.mapping.derivation.grammar.nonterminals
        return [form(clipped(text, names)) for text in self.mapping.forms]

    def _table(self, beside: bool) -> Table:
        productions = self.mapping.derivation.grammar.productions
        heads = ["step", "expanded", "codon", "comparison", "production", *(["form"] if beside else [])]
        table = listing(heads, right=["step", "codon"])
        for column in table.columns:
            column.no_wrap = True  # one line for each step
        for k, (step, text) in enumerate(zip(self.mapping.steps, self._forms(), strict=True), start=1):
            name = Text(shown(step.nonterminal), style=NONTERMINAL)
            cells: list[RenderableType] = [
                str(k),
                name,
                _codon(step.codon),
                step.comparison,
                form(productions[step.production].text or '""'),
            ]
            table.add_row(*cells, *([text] if beside else []))
        return table


def _codon(codon: float | None) -> str:
    return "–" if codon is None else f"{codon:.6g}" if codon % 1 else str(codon)


def clipped(text: str, nonterminals: Sequence[str]) -> str:
    """A sentential form without what is far from its leftmost non-terminal; the program is shown in full below."""
    places = [place for name in nonterminals if (place := text.find(name)) >= 0]
    here = min(places, default=max(len(text) - AFTER, 0))
    begin, end = max(here - BEFORE, 0), here + AFTER
    return ("…" if begin else "") + text[begin:end] + ("…" if end < len(text) else "")


def _result(mapping: Mapping, svg: Path | None) -> list[RenderableType]:
    derivation = mapping.derivation
    if mapping.phenotype is None:
        result: list[RenderableType] = [
            heading("Invalid"),
            Text(f"no codons are left after {mapping.codons_used}, but non-terminals are: {shown(derivation.form)}"),
        ]
    else:
        result = [heading("Program"), program(mapping.phenotype)]
    rows: list[tuple[str, RenderableType]] = [
        ("codons used", str(mapping.codons_used)),
        ("tree", f"{derivation.size} nodes, depth {derivation.depth}"),
    ]
    if any(step.filled for step in mapping.steps):
        rows.append(("completed", str(mapping.genotype)))
    return [*result, Text(""), pairs([*rows, *(written({"drawn into": svg}) if svg else [])])]


def _counts(mapping: Mapping) -> RenderableType:
    table = listing(["non-terminal", "production", "used"], right=["used"])
    for name, rule in mapping.derivation.grammar.rules.items():
        for k, (production, count) in enumerate(zip(rule, mapping.counts[name], strict=True)):
            head = Text(shown(name) if k == 0 else "", style=NONTERMINAL)
            table.add_row(head, form(production.text or '""'), str(count))
    return table


def _lesson(lesson: Lesson, learner: AlternatingBest, texts: Sequence[str]) -> list[RenderableType]:
    """One non-terminal: how each probability is raised or lowered, and how the sum is restored."""
    name = Text(shown(lesson.nonterminal), style=NONTERMINAL)
    if sum(lesson.counts) == 0 and learner.unexpanded == "keep":
        return [Text(""), Text.assemble(name, " was not used: its probabilities stay as they are")]
    if len(texts) == 1:
        return [Text(""), Text.assemble(name, " has one production, which keeps its probability of 1")]
    table = listing(["production", "used", "old", "raised or lowered", "new"], right=["used", "old", "new"])
    for k, text in enumerate(texts):
        change = _change(lesson, k, learner.learning_factor)
        table.add_row(form(text or '""'), str(lesson.counts[k]), f"{lesson.old[k]:.5f}", change, f"{lesson.new[k]:.5f}")
    return [Text(""), name, table, Text(_balance(lesson, learner))]


def _change(lesson: Lesson, k: int, factor: float) -> str:
    old, raised, count = lesson.old[k], lesson.raised[k], lesson.counts[k]
    if count == 0:
        return f"{old:.5f} − {factor:g}·{old:.5f} = {raised:.5f}"
    limit = " (at most 1)" if old + factor * count / sum(lesson.counts) > 1 else ""
    return f"{old:.5f} + {factor:g}·{count}/{sum(lesson.counts)} = {raised:.5f}{limit}"


def _balance(lesson: Lesson, learner: AlternatingBest) -> str:
    """How the sum is brought back to 1, in words."""
    total = f"sum {lesson.total:.5f}, excess {lesson.excess:+.5f}"
    if learner.normalise == "divide":
        how = "every value is divided by the sum"
    else:
        share = lesson.excess / len(lesson.new)
        sign = "−" if share >= 0 else "+"
        how = f"every value {sign} {abs(share):.5f}"
        if min(lesson.raised) < share:
            how = "equal shares are taken from all that stay above 0"
    mixed = f", then {learner.floor:g} of a uniform distribution is mixed in" if learner.floor > 0 else ""
    return f"{total}: {how}{mixed}"


def facts(mapping: Mapping, learned: Sequence[Lesson] | None) -> dict[str, Any]:
    """A mapping, for JSON."""
    derivation = mapping.derivation
    grammar = derivation.grammar
    document: dict[str, Any] = {
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
            for step, text in zip(mapping.steps, mapping.forms, strict=True)
        ],
        "counts": mapping.counts,
    }
    if learned is not None:
        document["lessons"] = {
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
        document["grammar"] = grammar.with_probabilities({lesson.nonterminal: lesson.new for lesson in learned}).text
    return document
