"""Probabilities over the productions of a grammar: what is learned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gramarye.errors import did_you_mean
from gramarye.grammar.checked_probabilities import ProbabilityValues
from gramarye.grammar.contents import Floats
from gramarye.grammar.grammar import Grammar


class Probabilities(Mapping[str, Floats]):
    """The probabilities of a grammar's productions, by non-terminal: a read-only mapping.

    Parameters
    ----------
    grammar
        The grammar.
    values
        One number for each production, or a mapping from non-terminals to their rows; each row sums to 1.

    Examples
    --------
    >>> import gramarye as gm
    >>> gm.Probabilities.uniform(gm.problems.load("quartic").grammar)["<var>"]
    array([0.5, 0.5])
    """

    __slots__ = ("grammar", "values_array")

    grammar: Grammar
    values_array: Floats  # [R], read-only: all rows, one after another

    def __init__(self, grammar: Grammar, values: ProbabilityValues) -> None:
        object.__setattr__(self, "grammar", grammar)
        object.__setattr__(self, "values_array", grammar.check_probabilities(values))

    @classmethod
    def uniform(cls, grammar: Grammar) -> Probabilities:
        """Every production of a non-terminal equally likely."""
        return cls(grammar, grammar.uniform_probabilities())

    @classmethod
    def of(cls, grammar: Grammar) -> Probabilities:
        """Those that the grammar carries, or uniform ones: what a method starts from."""
        return cls(grammar, grammar.start_probabilities())

    def __getitem__(self, nonterminal: str) -> Floats:
        try:
            return self.values_array[self.grammar.spans[nonterminal]]
        except KeyError:
            near = did_you_mean(str(nonterminal), self.grammar.nonterminals)
            raise KeyError(f"{self.grammar.name} has no non-terminal {nonterminal}{near}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.grammar.nonterminals)

    def __len__(self) -> int:
        return len(self.grammar.nonterminals)

    def _content(self) -> tuple[Any, ...]:
        return self.grammar.productions, self.values_array.tobytes()

    def __eq__(self, other: object) -> bool:
        return self._content() == other._content() if isinstance(other, Probabilities) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._content())

    def __repr__(self) -> str:
        return f"Probabilities({ {name: row.tolist() for name, row in self.items()} })"

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"Probabilities can't be changed, so {name} can't be set; make new ones")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"Probabilities can't be changed, so {name} can't be deleted")

    def __reduce__(self) -> tuple[Any, ...]:
        return Probabilities, (self.grammar, self.values_array)
