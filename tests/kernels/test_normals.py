from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gramarye.kernels import real_lists
from tests import twins

WORDS = st.integers(0, 2**64 - 1)


def drawn(states: list[int]) -> list[float]:
    values: list[float] = real_lists.normals(np.array(states, np.uint64)).tolist()
    return values


@given(st.lists(WORDS, max_size=9))
def test_numbers_are_those_of_box_and_muller(states: list[int]) -> None:
    for state, value in zip(states, drawn(states), strict=True):
        draws = twins.Draws(state)
        radius = math.sqrt(-2 * math.log(1 - draws.unit()))
        assert math.isclose(value, radius * math.cos(2 * math.pi * draws.unit()), rel_tol=1e-12, abs_tol=1e-14)


@given(st.lists(WORDS, max_size=9))
def test_a_number_depends_on_its_state_alone(states: list[int]) -> None:
    assert drawn(states) == [drawn([state])[0] for state in states]


def test_numbers_have_the_same_bits_everywhere() -> None:
    assert [value.hex() for value in drawn([0, 1, 2**63, 12345, 2**64 - 1])] == [
        "-0x1.e247d108691cfp+0",
        "-0x1.18b7c84d5c3b6p-5",
        "0x1.6a14b8612559ep-4",
        "0x1.32920fea3c8c4p-3",
        "0x1.ce90bb8312786p+0",
    ]


def test_they_are_distributed_normally() -> None:
    n = 4000
    values = np.array(drawn([twins.scramble(state) for state in range(n)]))
    assert abs(values.mean()) < 4 / math.sqrt(n)
    assert abs((values**2).mean() - 1) < 4 * math.sqrt(2 / n)
    for border in (-2.0, -1.0, -0.3, 0.0, 0.5, 1.5):
        share = (1 + math.erf(border / math.sqrt(2))) / 2
        assert abs((values < border).mean() - share) < 4 * math.sqrt(share * (1 - share) / n)


def test_a_draw_of_zero_gives_a_finite_number() -> None:
    """The first draw of 0 leaves the logarithm of 1, and the largest one is still less than 1."""
    zero = next(state for state in (-twins.GOLDEN % 2**64,) if twins.unit(twins.Draws(state).word()) == 0)
    assert drawn([zero]) == [0.0]
