from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.kernels import random
from tests import twins

WORDS = st.integers(0, 2**64 - 1)
KEYS = st.integers(0, 2**31)


def drawn(state: int, n: int) -> list[int]:
    """The first numbers of a stream."""
    word, found = np.uint64(state), []
    for _ in range(n):
        word = np.uint64(random.advance(word))  # Numba hands back a plain int
        found.append(int(random.scramble(word)))
    return found


def test_the_stream_of_seed_0_is_the_published_one() -> None:
    assert drawn(0, 3) == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


def test_the_stream_of_seed_1234567_is_the_published_one() -> None:
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert drawn(1234567, 4) == published


@given(WORDS)
def test_a_stream_equals_its_twin(state: int) -> None:
    draws = twins.Draws(state)
    assert drawn(state, 5) == [draws.word() for _ in range(5)]


@given(WORDS, KEYS, KEYS, KEYS)
def test_the_stream_of_a_purpose_equals_its_twin(seed: int, generation: int, purpose: int, individual: int) -> None:
    state = random.stream(np.uint64(seed), generation, purpose, individual)
    assert int(state) == twins.stream(seed, generation, purpose, individual)


@given(WORDS)
def test_a_unit_is_at_least_0_and_less_than_1(state: int) -> None:
    value = random.unit(np.uint64(state))
    assert 0 <= value < 1
    assert value == twins.unit(twins.scramble(state))


@given(WORDS, st.integers(1, 2**32 - 1))
def test_a_number_below_n_is_less_than_n(state: int, n: int) -> None:
    value = random.below(np.uint64(state), n)
    assert 0 <= value < n
    assert value == twins.below(twins.scramble(state), n)


def unscrambled(z: int) -> int:
    """The word that `scramble` turns into this one: each of its steps has an inverse."""
    z = _unshifted(z, 31)
    z = _unshifted(z * pow(0x94D049BB133111EB, -1, 2**64) % 2**64, 27)
    return _unshifted(z * pow(0xBF58476D1CE4E5B9, -1, 2**64) % 2**64, 30)


def _unshifted(z: int, shift: int) -> int:
    found = z
    for _ in range(64 // shift):
        found = z ^ (found >> shift)
    return found


@given(WORDS)
def test_scrambling_is_a_bijection(word: int) -> None:
    assert unscrambled(int(random.scramble(np.uint64(word)))) == word


def test_the_largest_word_is_still_less_than_1_and_less_than_n() -> None:
    state = np.uint64(unscrambled(2**64 - 1))
    assert random.unit(state) == 1 - 2**-53
    assert random.below(state, 2**32 - 1) == 2**32 - 2
    assert random.below(state, 1) == 0


@given(WORDS, st.integers(0, 40))
def test_a_permutation_holds_every_number_once(seed: int, n: int) -> None:
    order = random.permutation(np.uint64(seed), n).tolist()
    assert sorted(order) == list(range(n))
    assert order == twins.permutation(seed, n)


def test_all_permutations_of_three_occur_about_equally_often() -> None:
    found = [tuple(random.permutation(np.uint64(seed), 3).tolist()) for seed in range(600)]
    counts = [found.count(order) for order in itertools.permutations(range(3))]
    assert min(counts) > 70  # 100 expected, with a standard deviation of 9
    assert max(counts) < 130


def test_no_two_purposes_share_a_stream() -> None:
    keys = itertools.product((0, 1, 2**63), range(4), range(4), range(8))
    states = [int(random.stream(np.uint64(seed), *rest)) for seed, *rest in keys]
    assert len(set(states)) == len(states)


@pytest.mark.parametrize("axis", ["seed", "generation", "purpose", "individual"])
def test_neighbouring_streams_are_not_correlated(axis: str) -> None:
    n = 2000
    keys = dict.fromkeys(("seed", "generation", "purpose", "individual"), 1)
    units = []
    for k in range(n):
        keys[axis] = k
        state = random.stream(np.uint64(keys["seed"]), keys["generation"], keys["purpose"], keys["individual"])
        units.append(random.unit(np.uint64(random.advance(np.uint64(state)))))
    values = np.array(units)
    assert abs(values.mean() - 0.5) < 4 * np.sqrt(1 / 12 / n)
    assert abs(np.corrcoef(values[:-1], values[1:])[0, 1]) < 4 / np.sqrt(n)


def test_successive_bits_are_fair() -> None:
    words = np.array(drawn(42, 1000), np.uint64)
    ones = [int((words >> np.uint64(bit) & np.uint64(1)).sum()) for bit in range(64)]
    assert min(ones) > 500 - 5 * np.sqrt(250)
    assert max(ones) < 500 + 5 * np.sqrt(250)
