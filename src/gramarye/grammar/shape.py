"""What follows from a grammar's shape: heights, recursion, and what is probably a mistake in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from types import MappingProxyType

from gramarye.grammar.arrays import GrammarArrays, rows
from gramarye.grammar.remarks import Remarks
from gramarye.grammar.rules import Rule
from gramarye.grammar.writing import format_production


@dataclass(frozen=True)
class Analysis:
    """What follows from a grammar's shape; non-terminals are named with their brackets."""

    heights: Mapping[str, int]  # least height of a tree under each non-terminal
    directly_recursive: tuple[str, ...]  # some production has its own left side on the right
    indirectly_recursive: tuple[str, ...]  # derives itself by way of another non-terminal
    unreachable: tuple[str, ...]  # no derivation from the axiom ever meets it
    repeated: tuple[tuple[str, str], ...]  # (non-terminal, text of a production it has more than once)
    warnings: tuple[str, ...]  # ready sentences

    def recursion(self, name: str) -> list[str]:
        """How a non-terminal is recursive: "direct", "indirect", both, or not at all."""
        return [kind for kind, names in self._recursive.items() if name in names]

    @cached_property
    def _recursive(self) -> dict[str, frozenset[str]]:
        return {"direct": frozenset(self.directly_recursive), "indirect": frozenset(self.indirectly_recursive)}


def analyse(rules: Sequence[Rule], arrays: GrammarArrays, remarks: Remarks) -> Analysis:
    """Everything there is to say about some checked rules, and about the text that they were read from."""
    names = [rule.name for rule in rules]
    graph = _graph(arrays)
    cycles = _cycles(graph)
    direct = {int(arrays.left[q]) for q in arrays.direct.nonzero()[0]}
    reached = set(next(_walks(graph, [0])))
    unreachable = tuple(name for a, name in enumerate(names) if a not in reached)
    repeated = tuple(
        (rule.name, format_production(symbols))
        for rule in rules
        for symbols, times in Counter(production.symbols for production in rule.productions).items()
        if times > 1
    )
    ranges = [
        (rule.name, symbol.text)
        for rule in rules
        for production in rule.productions
        for symbol in production.symbols
        if symbol.kind == "range"
    ]
    return Analysis(
        heights=MappingProxyType(dict(zip(names, arrays.nt_height.tolist(), strict=True))),
        directly_recursive=tuple(name for a, name in enumerate(names) if a in direct),
        indirectly_recursive=tuple(name for a, name in enumerate(names) if a in cycles),
        unreachable=unreachable,
        repeated=repeated,
        warnings=_warnings(names[0], unreachable, repeated, ranges, remarks),
    )


def _warnings(
    axiom: str,
    unreachable: Sequence[str],
    repeated: Sequence[tuple[str, str]],
    ranges: Sequence[tuple[str, str]],
    remarks: Remarks,
) -> tuple[str, ...]:
    """What is probably a mistake, by lines where the grammar was read from a text."""
    end = f"is never reached from {axiom}; use it in a production, or remove it"
    twice = "more than once, so it is chosen more often than the others; remove one, or give probabilities instead"
    later = "depends on a table, and counts as one production until it is resolved"
    found = [
        *((remarks.lines.get(name, 0), f"{name} {end}") for name in unreachable),
        *((remarks.lines.get(name, 0), f"{name} has the production {p} {twice}") for name, p in repeated),
        *((remarks.lines.get(name, 0), f"{range_} in {name} {later}") for name, range_ in ranges),
        *remarks.found,
    ]
    found.sort(key=lambda remark: remark[0])
    return tuple(f"line {line}: {what}" if line else what for line, what in found)


def _graph(arrays: GrammarArrays) -> list[list[int]]:
    """The non-terminals that each one leads to in one step."""
    graph: list[dict[int, None]] = [{} for _ in arrays.nt_height]
    for a, row in zip(arrays.left.tolist(), rows(arrays), strict=True):
        graph[a].update(dict.fromkeys(row))
    return [list(edges) for edges in graph]


def _walks(graph: Sequence[Sequence[int]], roots: Iterable[int]) -> Iterator[list[int]]:
    """What each root leads to and none before it, children before their parents (no recursion: chains may be long)."""
    seen: set[int] = set()
    for root in roots:
        walk: list[int] = []
        stack = [root]
        while stack:
            node = stack.pop()
            if node < 0:  # all below it is done
                walk.append(~node)
            elif node not in seen:
                seen.add(node)
                stack += [~node, *graph[node]]
        yield walk


def _cycles(graph: Sequence[Sequence[int]]) -> set[int]:
    """Nodes on a cycle of at least two (Kosaraju's algorithm)."""
    back: list[list[int]] = [[] for _ in graph]
    for a, edges in enumerate(graph):
        for b in edges:
            back[b].append(a)
    order = list(chain.from_iterable(_walks(graph, range(len(graph)))))
    components = _walks(back, reversed(order))
    return {node for component in components if len(component) > 1 for node in component}
