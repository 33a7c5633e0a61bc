from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gramarye.errors import DataError
from gramarye.statistics import a12, cliffs_delta, magnitude, paired_a12

INF = math.inf
values = st.integers(-5, 5).map(float) | st.floats(allow_nan=False)
samples = st.lists(values, min_size=1, max_size=12)


def test_a_sample_that_is_always_smaller_is_always_better() -> None:
    assert (a12([1, 2], [3, 4]), a12([3, 4], [1, 2])) == (1.0, 0.0)
    assert (cliffs_delta([1, 2], [3, 4]), cliffs_delta([3, 4], [1, 2])) == (1.0, -1.0)


def test_pairs_by_hand() -> None:
    # 1 < 2, 1 < 3; 2 = 2, 2 < 3; 4 loses twice: 3½ of 6.
    assert a12([1, 2, 4], [2, 3]) == 3.5 / 6
    assert cliffs_delta([1, 2, 4], [2, 3]) == pytest.approx(1 / 6)


def test_the_permeability_of_hollander_and_wolfe() -> None:
    # Hollander & Wolfe (1973), pp. 69f: in 35 of 50 pairs the first is larger, which is worse here.
    term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
    assert a12(term, [1.15, 0.88, 0.90, 0.74, 1.21]) == 15 / 50


@given(samples, samples)
def test_a12_counts_pairs(a: list[float], b: list[float]) -> None:
    won = sum((x < y) + (x == y) / 2 for x in a for y in b)
    assert a12(a, b) == won / (len(a) * len(b))


@given(samples, samples)
def test_a12_of_both_sides_sums_to_one_and_delta_changes_its_sign(a: list[float], b: list[float]) -> None:
    one, other = a12(a, b), a12(b, a)
    assert one is not None
    assert other is not None
    assert one + other == pytest.approx(1)
    assert cliffs_delta(a, b) == pytest.approx(-(cliffs_delta(b, a) or 0), abs=1e-15)
    assert magnitude(one) == magnitude(other)


@given(samples, samples)
def test_a12_is_the_share_of_u(a: list[float], b: list[float]) -> None:
    ranks = stats.rankdata([*a, *b])
    u = ranks[len(a) :].sum() - len(b) * (len(b) + 1) / 2
    assert a12(a, b) == pytest.approx(u / (len(a) * len(b)))


def test_student_s_sleep_pair_by_pair() -> None:
    # Ten patients with two drugs (Cushny & Peebles 1905): nine slept longer with the second, one equally long.
    first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
    second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]
    assert paired_a12(first, second) == 0.95
    assert paired_a12(second, first) == pytest.approx(0.05)


def test_pairs_know_what_belongs_together() -> None:
    assert paired_a12([1, 2, 3], [2, 3, 4]) == 1.0
    assert (paired_a12([1, 2, 3], [2, 3, 0]), a12([1, 2, 3], [2, 3, 0])) == (2 / 3, 4 / 9)
    assert paired_a12([INF, 1], [INF, INF]) == 0.75
    assert paired_a12([], []) is None
    with pytest.raises(DataError, match="a has 1 runs and b has 2"):
        paired_a12([1], [1, 2])


@given(samples)
def test_a_sample_is_no_better_than_itself(a: list[float]) -> None:
    assert (a12(a, a), cliffs_delta(a, a)) == (0.5, 0.0)


def test_infinities_are_tied_and_worst() -> None:
    assert a12([INF, INF], [INF]) == 0.5
    assert a12([1e308], [INF]) == 1.0


def test_without_runs_there_is_no_effect() -> None:
    for a, b in (([], [1]), ([1], []), ([], [])):
        assert (a12(a, b), cliffs_delta(a, b), magnitude(a12(a, b))) == (None, None, None)


# Vargha & Delaney (2000): 0.56, 0.64 and 0.71 begin a small, a medium and a large effect.
@pytest.mark.parametrize(
    ("share", "word"),
    [
        (0.5, "negligible"),
        (0.559, "negligible"),
        (0.56, "small"),
        (0.639, "small"),
        (0.64, "medium"),
        (0.709, "medium"),
        (0.71, "large"),
        (1.0, "large"),
    ],
)
def test_words_for_both_sides(share: float, word: str) -> None:
    assert magnitude(share) == word
    assert magnitude(1 - share) == word


@given(st.integers(1, 40), st.integers(1, 40), st.data())
def test_the_word_does_not_depend_on_the_side(m: int, n: int, data: st.DataObject) -> None:
    won = data.draw(st.integers(0, 2 * m * n)) / 2
    assert magnitude(won / (m * n)) == magnitude((m * n - won) / (m * n))


@pytest.mark.parametrize("bad", [-0.1, 1.1, math.nan])
def test_what_is_no_a12_has_no_magnitude(bad: float) -> None:
    with pytest.raises(DataError, match="it must lie between 0 and 1"):
        magnitude(bad)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ([1, math.nan], "run 2 of a is NaN: leave it out, or make it inf if the run failed"),
        ([1, None], "run 2 of a is NaN"),
        ([[1, 2]], "a has 2 dimensions: a sample is a list with one number for each run"),
        (3.0, "a has 0 dimensions"),
        (["x"], r"a is \['x'\]: it must hold numbers only"),
        ([1j], "it must hold numbers only"),
        ([[1], [1, 2]], "it must hold numbers only"),
        ([1, object()], "it must hold numbers only"),
        ([10**400], "it must hold numbers only"),
    ],
)
def test_what_is_no_sample_is_refused(bad: object, message: str) -> None:
    with pytest.raises(DataError, match=message):
        a12(bad, [1.0])  # type: ignore[arg-type]


def test_a_sample_may_be_any_array_of_numbers() -> None:
    expected = a12([1, 2, 4], [2, 3])
    assert a12(np.array([1, 2, 4], np.float32), (2, 3)) == expected
    assert a12(np.array([1, 2, 4], object), np.array([2, 3], np.uint8)) == expected
