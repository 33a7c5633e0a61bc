"""What a grammar learns from one individual, number by number: the paper's update."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from gramarye.engine.tracing import Lesson
from gramarye.grammar import Grammar
from gramarye.learners.alternating import AlternatingBest
from gramarye.terminal.parts import MOST_PRODUCTIONS, NONTERMINAL, form, heading, listing
from gramarye.text import shown


def learning(grammar: Grammar, learner: AlternatingBest, learned: Sequence[Lesson]) -> list[RenderableType]:
    """The update of every rule, then the old grammar and the new one side by side."""
    parts: list[RenderableType] = [
        heading(f"What the grammar learns, by a learning factor of {learner.learning_factor:g}")
    ]
    for lesson in learned:
        parts += _lesson(lesson, learner, [p.text for p in grammar.rules[lesson.nonterminal]])
    return [*parts, heading("The old grammar and the new one"), _old_and_new(grammar, learned)]


def _old_and_new(grammar: Grammar, learned: Sequence[Lesson]) -> RenderableType:
    table = listing(["rule", "production", "old", "new"], right=["old", "new"])
    for lesson in learned:
        rule = grammar.rules[lesson.nonterminal]
        for k, production in enumerate(rule[:MOST_PRODUCTIONS]):
            name = Text(shown(lesson.nonterminal) if k == 0 else "", style=NONTERMINAL)
            table.add_row(name, form(production.text or '""'), f"{lesson.old[k]:.6f}", f"{lesson.new[k]:.6f}")
        if len(rule) > MOST_PRODUCTIONS:
            table.add_row("", Text(f"… {len(rule) - MOST_PRODUCTIONS:,} more", style="dim"))
    return table


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
