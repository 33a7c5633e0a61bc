"""The smaller grammar that is left without productions that are seldom chosen."""

from __future__ import annotations

from collections.abc import Sequence

from gramarye.grammar.arrays import GrammarArrays, heights, rows
from gramarye.grammar.contents import Contents
from gramarye.grammar.rules import ProductionText, Rule


def pruned(contents: Contents, probabilities: Sequence[float], minimum: float) -> list[Rule]:
    """The rules that are left, with the probabilities of what stays divided by their sum."""
    stay = _kept(contents.arrays, probabilities, minimum)
    rules = []
    for name, span in contents.spans.items():
        row = [q for q in range(span.start, span.stop) if q in stay]
        total = sum(stay[q] for q in row)
        productions = [ProductionText(contents.productions[q].symbols, stay[q] / total) for q in row]
        if row and name not in contents.constant_names:
            rules.append(Rule(name, tuple(productions)))
    return rules


def _kept(arrays: GrammarArrays, probabilities: Sequence[float], minimum: float) -> dict[int, float]:
    """The productions that stay, by number, with their probabilities before they are divided by their sum.

    A rule keeps its most probable productions if all are below the minimum. Where a rule would never end in text, the
    production by which it ends soonest stays too, with the minimum as its probability if it has less.
    """
    left, kids = arrays.left.tolist(), list(rows(arrays))
    count = len(arrays.nt_height)
    most = [max(p for p, a in zip(probabilities, left, strict=True) if a == b) for b in range(count)]
    stay = {q: p for q, p in enumerate(probabilities) if p >= min(minimum, most[left[q]])}
    while True:
        reached = _reached(left, kids, stay)
        chosen = [q for q in sorted(stay) if left[q] in reached]
        _, ends = heights([left[q] for q in chosen], [kids[q] for q in chosen], count)
        endless = [a for a in reached if ends[a] < 0]
        if not endless:
            return {q: stay[q] for q in chosen}
        for a in endless:
            ways = [q for q, b in enumerate(left) if a == b and arrays.height[q] == arrays.nt_height[a]]
            best = max(ways, key=lambda q: probabilities[q])
            stay[best] = max(probabilities[best], minimum)


def _reached(left: Sequence[int], kids: Sequence[Sequence[int]], stay: dict[int, float]) -> list[int]:
    """The non-terminals that the axiom leads to."""
    below: dict[int, list[int]] = {}
    for q in stay:
        below.setdefault(left[q], []).extend(kids[q])
    found, agenda = {0}, [0]
    while agenda:
        new = set(below[agenda.pop()]) - found
        found |= new
        agenda += sorted(new)
    return sorted(found)
