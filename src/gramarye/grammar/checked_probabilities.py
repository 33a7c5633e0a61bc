"""Probabilities that somebody gives for a grammar, checked: those of each rule add up to 1."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from gramarye.errors import GrammarError, did_you_mean
from gramarye.grammar.bnf import SUM_TOLERANCE
from gramarye.grammar.contents import Contents, Floats

ProbabilityValues: TypeAlias = ArrayLike | Mapping[str, ArrayLike]


def checked(values: ProbabilityValues, contents: Contents, name: str, before: Floats) -> Floats:
    """Values for all productions as a read-only array [R]; a GrammarError where they are no probabilities.

    Non-terminals that a mapping leaves out keep what they had before.
    """
    if isinstance(values, Mapping):
        values = _from_mapping(values, contents, name, before)
    array = _numbers(values, len(contents.productions), f"{name}: the probabilities")
    for nonterminal, span in contents.spans.items():
        total = 0.0
        for value in array[span].tolist():
            if not value >= 0:
                raise GrammarError(f"{name}: a probability of {nonterminal} is {value!r}; give numbers from 0 to 1")
            total += value
        if not abs(total - 1) <= SUM_TOLERANCE:
            what = f"the probabilities of {nonterminal} add up to {total!r}, not to 1"
            raise GrammarError(f"{name}: {what}; divide them by their sum")
    array[contents.constants] = 1.0  # exactly: these are not written into its text
    array.setflags(write=False)
    return array


def _from_mapping(values: Mapping[str, ArrayLike], contents: Contents, name: str, before: Floats) -> Floats:
    array = before.copy()
    for nonterminal, row in values.items():
        if nonterminal not in contents.spans:
            known = contents.nonterminals
            near = did_you_mean(str(nonterminal), known) or f"; it has {', '.join(known)}"
            raise GrammarError(f"{name}: probabilities for {nonterminal!r}, which it does not define{near}")
        span = contents.spans[nonterminal]
        array[span] = _numbers(row, span.stop - span.start, f"{name}: the probabilities of {nonterminal}")
    return array


def _numbers(values: Any, count: int, what: str) -> Floats:
    """A fresh array of so many numbers."""
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise GrammarError(f"{what} are not numbers ({error}); give {count}, one for each production") from None
    if array.shape != (count,):
        raise GrammarError(f"{what} have the shape {array.shape}; give {count} numbers, one for each production")
    return array + 0.0  # no negative zeros: equal grammars have equal bits
