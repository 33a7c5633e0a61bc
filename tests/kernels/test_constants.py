from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.derivations import Derivations
from gramarye.derivations.constants import with_values
from gramarye.derivations.random_trees import random_trees
from gramarye.grammar import Grammar
from gramarye.kernels import codes, constants, real_lists
from tests import twins

GRAMMAR = Grammar.from_text("<e> ::= <e> + <e> | x | <const> | <const:-2..3>")
FREE, BOUNDED = (GRAMMAR.spans[name].start for name in ("<const>", "<const:-2..3>"))
SEEDS = st.integers(0, 2**64 - 1)

Rows = list[list[float]]


def drawn(productions: list[int], values: list[float], state: int) -> list[float]:
    """The twin: two words of a stream for each constant that is missing, 0 at all other steps."""
    found = []
    for q, value in zip(productions, values, strict=True):
        if q not in (FREE, BOUNDED) or not math.isnan(value):
            found.append(value if q in (FREE, BOUNDED) else 0.0)
            continue
        normal = float(real_lists.normals(np.array([state], np.uint64))[0])
        share = twins.Draws(state).unit()
        state = (state + 2 * twins.GOLDEN) & twins.MASK
        found.append(normal if q == FREE else min(max((1.0 - share) * -2.0 + share * 3.0, -2.0), 3.0))
    return found


def trees(seed: int, n: int = 6) -> Derivations:
    return random_trees(GRAMMAR, "grow", np.arange(n), np.uint64(seed), depth=5)


def rows(derivations: Derivations) -> Rows:
    return [derivations.take(np.array([i])).values.tolist() for i in range(len(derivations))]


@given(SEEDS, st.booleans(), st.integers(0, 50), st.integers(0, 9), st.data())
def test_values_equal_their_twin_and_only_missing_ones_are_drawn(
    seed: int, shared: bool, generation: int, first: int, data: st.DataObject
) -> None:
    derivations = trees(seed)
    numbers = st.floats(allow_nan=False) | st.just(math.nan)
    count = len(derivations.productions)
    given_ = Derivations(
        derivations.productions,
        derivations.offsets,
        derivations.status,
        np.array(data.draw(st.lists(numbers, min_size=count, max_size=count))),
    )
    values = given_.values.copy()
    constants.draw_values(
        given_.productions, given_.offsets, GRAMMAR.constants, GRAMMAR.bounds, values,
        shared, np.uint64(seed), generation, first,
    )  # fmt: skip
    expected = []
    for i, row in enumerate(rows(given_)):
        state = twins.stream(seed, generation, codes.CONSTANT, 0 if shared else first + i)
        expected += drawn(given_[i].tolist(), row, state)
    assert values.tolist() == expected


@given(SEEDS)
def test_in_a_generation_an_individual_draws_the_same_alone_as_in_any_batch(seed: int) -> None:
    derivations, key = trees(seed), np.uint64(seed)
    whole = rows(with_values(GRAMMAR, derivations, key, 3, 10))
    parts = [with_values(GRAMMAR, derivations.take(np.array([i])), key, 3, 10 + i) for i in range(len(derivations))]
    assert whole == [part.values.tolist() for part in parts]


@given(SEEDS)
def test_without_a_generation_the_same_derivation_begins_with_the_same_numbers_wherever_it_is(seed: int) -> None:
    derivations, key = trees(seed), np.uint64(seed)
    order = np.arange(len(derivations))[::-1].copy()
    assert rows(with_values(GRAMMAR, derivations, key))[::-1] == rows(
        with_values(GRAMMAR, derivations.take(order), key)
    )


@pytest.mark.compiled
def test_numbers_are_standard_normal_without_bounds_and_uniform_within_them() -> None:
    n = 4000
    both = Derivations(
        np.array([0, 2, FREE, 3, BOUNDED] * n, np.int32), np.arange(0, 5 * n + 1, 5), np.zeros(n, np.int8)
    )
    values = with_values(GRAMMAR, both, np.uint64(1), 0).values.reshape(n, 5)
    assert not values[:, [0, 1, 3]].any()
    free, bounded = values[:, 2], values[:, 4]
    assert (abs(free.mean()), abs(free.std() - 1)) < (4 / math.sqrt(n), 0.1)
    assert abs(bounded.mean() - 0.5) < 4 * 5 / math.sqrt(12 * n)
    assert -2 <= bounded.min() < -1.9
    assert 2.9 < bounded.max() <= 3


def test_the_widest_bounds_do_not_overflow() -> None:
    grammar = Grammar.from_text("<s> ::= <const:-1e308..1e308>")
    many = Derivations(np.array([0, 1] * 500, np.int32), np.arange(0, 1001, 2), np.zeros(500, np.int8))
    values = with_values(grammar, many, np.uint64(1), 0).values[1::2]
    assert np.isfinite(values).all()
    assert values.min() < -9e307
    assert values.max() > 9e307


def test_a_grammar_without_constants_has_no_values() -> None:
    grammar = Grammar.from_text("<s> ::= <s> + <s> | x")
    derivations = random_trees(grammar, "grow", np.arange(3), np.uint64(1))
    assert with_values(grammar, derivations, np.uint64(1)) is derivations
    assert len(derivations.values) == 0
