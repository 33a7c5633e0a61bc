"""How a genotype became a program, and what was learned from it, as in the figures of the PGE paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from gramarye.derivations import Derivation, sentential_forms
from gramarye.engine.tracing import Lesson, Mapping
from gramarye.grammar import Grammar
from gramarye.learners.alternating import AlternatingBest
from gramarye.terminal.parts import MOST_PRODUCTIONS, NONTERMINAL, form, heading, listing, old_and_new, pairs, program
from gramarye.text import counted, shown

MOST_STEPS, FIRST, LAST = 200, 100, 20  # of more steps than the most, the first and the last are shown
MOST_NODES = 2_000  # of a tree that is shown: a line is as long as its node is deep
BEFORE, AFTER = 24, 46  # characters of a sentential form around the non-terminal that is next


def page(
    mapping: Mapping, learner: AlternatingBest | None, learned: Sequence[Lesson] | None, svg: Path | None = None
) -> RenderableType:
    """Every step, the result, the tree, the counts; then what was learned, if anything was."""
    head = Text.assemble((type(mapping.method).__name__, "bold"), " maps a genotype, step by step")
    parts: list[RenderableType] = [head, Text(""), Steps(mapping), *_result(mapping, svg)]
    parts += [heading("Derivation tree"), _tree(mapping.derivation)]
    if learner is None:
        parts += [heading("How often productions were used (all others: not at all)"), _counts(mapping)]
    elif learned is None:
        parts.append(heading("An invalid individual teaches nothing: the probabilities stay as they are"))
    else:
        parts += _learning(mapping.derivation.grammar, learner, learned)
    return Group(*parts)


@dataclass(frozen=True)
class Steps:
    """The steps of a mapping with the sentential form beside each, below it, or as running text: nothing is cut."""

    mapping: Mapping

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Choose the layout by the width."""
        rows = self._rows()
        wide, narrow = _table(rows, beside=True), _table(rows, beside=False)
        if _fits(wide, console, options):
            yield wide
            return
        if _fits(narrow, console, options):
            heads, rule, *lines = console.render_lines(narrow, options, pad=False)
            yield from (*heads, Segment.line(), *rule, Segment.line())
        else:
            lines = [list(console.render(Text("  ").join(filter(None, row[:-1])), options))[:-1] for row in rows]
        for line, row in zip(lines, rows, strict=True):
            yield from (*line, Segment.line())
            yield Padding(row[-1], (0, 0, 0, 7))

    def _rows(self) -> list[list[Text]]:
        """The cells of every step that is shown; the form is the last one."""
        count = len(self.mapping.steps)
        left_out = range(FIRST, count - LAST) if count > MOST_STEPS else range(0)
        shown_steps = {step for step in range(count) if step not in left_out}
        derivation = self.mapping.derivation
        forms = sentential_forms(derivation, shown_steps)
        rows = [self._row(step, text) for step, text in forms]
        if left_out:
            more = Text(f"… {len(left_out):,} more steps", style="dim")
            rows.insert(FIRST, [Text("…"), *[Text("")] * 4, more])
        return rows

    def _row(self, k: int, text: str) -> list[Text]:
        step, grammar = self.mapping.steps[k], self.mapping.derivation.grammar
        return [
            Text(str(k + 1)),
            Text(shown(step.nonterminal), style=NONTERMINAL),
            Text(_codon(step.codon)),
            Text(step.comparison),
            form(grammar.productions[step.production].text or '""'),
            form(clipped(text, grammar.nonterminals)),
        ]


def _table(rows: list[list[Text]], beside: bool) -> Table:
    heads = ["step", "expanded", "codon", "comparison", "production", *(["form"] if beside else [])]
    table = listing(heads, right=["step", "codon"])
    for column in table.columns:
        column.no_wrap = True  # one line for each step
    for row in rows:
        table.add_row(*row[: len(heads)])
    return table


def _fits(table: Table, console: Console, options: ConsoleOptions) -> bool:
    return Measurement.get(console, options.update(max_width=100_000), table).maximum <= options.max_width


def _codon(codon: float | None) -> str:
    return "–" if codon is None else f"{codon:.6g}" if codon % 1 else str(codon)


def clipped(text: str, nonterminals: Sequence[str]) -> str:
    """A sentential form without what is far from its leftmost non-terminal; the program is shown in full below."""
    places = [place for name in nonterminals if (place := text.find(name)) >= 0]
    here = min(places, default=max(len(text) - AFTER, 0))
    begin, end = max(here - BEFORE, 0), here + AFTER
    return ("…" if begin else "") + text[begin:end] + ("…" if end < len(text) else "")


def _tree(derivation: Derivation) -> Text:
    if derivation.size > MOST_NODES:
        return Text(f"It has {derivation.size:,} nodes, too many to be shown here; --svg FILE draws them.", style="dim")
    return Text(str(derivation), no_wrap=True, overflow="ignore")


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
        ("tree", f"{counted(derivation.size, 'node')}, depth {derivation.depth}"),
    ]
    if any(step.filled for step in mapping.steps):
        rows.append(("completed", str(mapping.genotype)))
    return [*result, Text(""), pairs([*rows, *([("drawn into", svg)] if svg else [])])]


def _counts(mapping: Mapping) -> RenderableType:
    table = listing(["non-terminal", "production", "used"], right=["used"])
    for name, rule in mapping.derivation.grammar.rules.items():
        used = [(production, count) for production, count in zip(rule, mapping.counts[name], strict=True) if count]
        for k, (production, count) in enumerate(used):
            head = Text(shown(name) if k == 0 else "", style=NONTERMINAL)
            table.add_row(head, form(production.text or '""'), str(count))
    return table


def _learning(grammar: Grammar, learner: AlternatingBest, learned: Sequence[Lesson]) -> list[RenderableType]:
    """The update of every rule, then the old grammar and the new one side by side."""
    parts: list[RenderableType] = [
        heading(f"What the grammar learns, by a learning factor of {learner.learning_factor:g}")
    ]
    for lesson in learned:
        parts += _lesson(lesson, learner, [p.text for p in grammar.rules[lesson.nonterminal]])
    rows = [(lesson.nonterminal, lesson.old, lesson.new) for lesson in learned]
    return [*parts, heading("The old grammar and the new one"), old_and_new(grammar, rows, ("old", "new"))]


def _lesson(lesson: Lesson, learner: AlternatingBest, texts: Sequence[str]) -> list[RenderableType]:
    """One non-terminal: how each probability is raised or lowered, and how the sum is restored."""
    name = Text(shown(lesson.nonterminal), style=NONTERMINAL)
    if sum(lesson.counts) == 0 and learner.unexpanded == "keep":
        return [Text(""), Text.assemble(name, " was not used: its probabilities stay as they are")]
    if len(texts) == 1:
        return [Text(""), Text.assemble(name, " has one production, which keeps its probability of 1")]
    table = listing(["production", "used", "old", "raised or lowered", "new"], right=["used", "old", "new"])
    rows = [k for k, count in enumerate(lesson.counts) if count or len(texts) <= MOST_PRODUCTIONS]
    for k in rows:
        change = _change(lesson, k, learner.learning_factor)
        cells = (str(lesson.counts[k]), f"{lesson.old[k]:.6f}", change, f"{lesson.new[k]:.6f}")
        table.add_row(form(texts[k] or '""'), *cells)
    if len(rows) < len(texts):
        table.add_row(Text(f"… {len(texts) - len(rows):,} more", style="dim"), "0")
    return [Text(""), name, table, Text(_balance(lesson, learner))]


def _change(lesson: Lesson, k: int, factor: float) -> str:
    old, raised, count = lesson.old[k], lesson.raised[k], lesson.counts[k]
    if count == 0:
        return f"{old:.6f} − {factor:g}·{old:.6f} = {raised:.6f}"
    limit = " (at most 1)" if old + factor * count / sum(lesson.counts) > 1 else ""
    return f"{old:.6f} + {factor:g}·{count}/{sum(lesson.counts)} = {raised:.6f}{limit}"


def _balance(lesson: Lesson, learner: AlternatingBest) -> str:
    """How the sum is brought back to 1, in words."""
    total = f"sum {lesson.total:.6f}, excess {lesson.excess:+.6f}"
    if learner.normalise == "divide":
        how = "every value is divided by the sum"
    else:
        share = lesson.excess / len(lesson.new)
        sign = "−" if share >= 0 else "+"
        how = f"every value {sign} {abs(share):.6f}"
        if min(lesson.raised) < share:
            how = "equal shares are taken from all that stay above 0"
    mixed = f", then {learner.floor:g} of a uniform distribution is mixed in" if learner.floor > 0 else ""
    return f"{total}: {how}{mixed}"
