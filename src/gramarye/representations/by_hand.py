"""What representations that explain their mappings share: genotypes given by the user, checked and mapped slowly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramarye.errors import GenotypeError
from gramarye.grammar import Grammar
from gramarye.representations.base import Floats, G, Seed
from gramarye.representations.optional import Explains, Step
from gramarye.settings import INT_MAX
from gramarye.text import cut


def as_given(self: Explains[G], grammar: Grammar, genotypes: G, probabilities: Floats, seed: Seed) -> Any:  # noqa: ARG001
    """`completed` of a representation whose mappings draw nothing."""
    return self.show(grammar, genotypes, 0)


def leftmost(grammar: Grammar, expand: Callable[[str], Step | None]) -> Iterator[Step]:
    """The steps of a leftmost derivation, for as long as there is one for the next non-terminal."""
    pending = [grammar.nonterminals[0]]
    while pending:
        step = expand(pending.pop())
        if step is None:
            return
        yield step
        symbols = grammar.productions[step.production].symbols
        pending.extend(s.text for s in reversed(symbols) if s.kind == "nonterminal")


def is_list(value: Any) -> bool:
    """Whether something given by the user is a list."""
    return isinstance(value, Sequence | np.ndarray) and not isinstance(value, str)


def is_integer(value: Any) -> bool:
    """Whether something given by the user is an integer, of any size."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def integer_array(values: list[Any]) -> NDArray[Any]:
    """Integers given by the user, as kernels take them; too large ones as objects, which only a trace reads."""
    exact = np.array(values, object)
    return exact.astype(np.int32) if exact.size == 0 or exact.max() <= INT_MAX else exact


def is_number(value: Any) -> bool:
    """Whether something given by the user is a real number."""
    return is_integer(value) or isinstance(value, float | np.floating)


def no_genotype(shows_genotype_as: str, given: Any) -> GenotypeError:
    """The error for what is no genotype at all."""
    return GenotypeError(f"a genotype is {shows_genotype_as}, not {cut(repr(given))}")
