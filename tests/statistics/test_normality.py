"""Welch's test and that of Shapiro and Wilk, against NIST, Student's own data and the original paper."""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gramarye.errors import DataError, MissingExtraError, SettingsError
from gramarye.statistics import describe, kruskal, shapiro, welch

# Student (1908), The Probable Error of a Mean: hours of sleep gained with two drugs; "sleep" in R.
SLEEP = (
    [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0],
    [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4],
)


class TestWelch:
    def test_the_cars_of_nist(self) -> None:
        # NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.5.3, AUTO83B.DAT with unequal variances.
        result = welch(20.14458, 6.41470, 249, 30.48101, 6.10771, 79)
        assert result.statistic == pytest.approx(-12.94627, abs=1e-5)
        assert result.degrees_of_freedom == pytest.approx(136.8750, abs=1e-4)
        assert result.note == ""

    def test_the_sleep_of_student(self) -> None:
        # R: t.test(extra ~ group, data = sleep) gives t = -1.8608, df = 17.776, p = 0.07939, -3.3654832 to 0.2054832.
        first, second = (describe(sample) for sample in SLEEP)
        assert first.standard_deviation is not None
        assert second.standard_deviation is not None
        result = welch(0.75, first.standard_deviation, 10, 2.33, second.standard_deviation, 10)
        assert result.statistic == pytest.approx(-1.8608, abs=5e-5)
        assert result.degrees_of_freedom == pytest.approx(17.776, abs=5e-4)
        assert result.p == pytest.approx(0.07939, abs=5e-6)
        assert result.difference == pytest.approx(-1.58)
        assert [result.low, result.high] == pytest.approx([-3.3654832, 0.2054832], abs=5e-8)

    @given(st.lists(st.floats(-99, 99), min_size=2, max_size=9), st.lists(st.floats(-99, 99), min_size=2, max_size=9))
    def test_it_equals_the_test_on_the_values(self, a: list[float], b: list[float]) -> None:
        if min(np.ptp(a), np.ptp(b)) < 1e-3:  # SciPy warns of lost digits there
            return
        (m, s), (n, t) = ((float(np.mean(x)), float(np.std(x, ddof=1))) for x in (a, b))
        result = welch(m, s, len(a), n, t, len(b), confidence=0.9)
        values = stats.ttest_ind(a, b, equal_var=False)
        interval = values.confidence_interval(0.9)
        assert result.statistic == pytest.approx(values.statistic, abs=1e-9)
        assert (result.p, result.degrees_of_freedom) == (pytest.approx(values.pvalue), pytest.approx(values.df))
        assert [result.low, result.high] == pytest.approx([interval.low, interval.high], abs=1e-7)

    @given(st.floats(-9, 9), st.floats(0.1, 9), st.integers(2, 99), st.floats(-9, 9), st.floats(0.1, 9))
    def test_both_sides_give_the_same_answer(self, m1: float, s1: float, n: int, m2: float, s2: float) -> None:
        one, other = welch(m1, s1, n, m2, s2, 30), welch(m2, s2, 30, m1, s1, n)
        assert one.p == pytest.approx(other.p)
        assert one.difference == -other.difference
        assert [one.low, one.high] == pytest.approx([-(other.high or 0), -(other.low or 0)])

    def test_one_deviation_may_be_zero(self) -> None:
        result = welch(1.0, 0.5, 10, 2.0, 0.0, 30)
        assert result.degrees_of_freedom == pytest.approx(9)
        assert result.statistic == pytest.approx(-1 / (0.5 / math.sqrt(10)))

    @pytest.mark.parametrize("scale", [1e-200, 1e200])
    def test_the_scale_does_not_count(self, scale: float) -> None:
        plain, other = welch(5, 2, 10, 6, 1, 9), welch(5 * scale, 2 * scale, 10, 6 * scale, scale, 9)
        assert (other.statistic, other.p) == (pytest.approx(plain.statistic), pytest.approx(plain.p))
        assert other.low == pytest.approx((plain.low or 0) * scale)

    def test_a_difference_far_beyond_the_deviations_is_certain(self) -> None:
        result = welch(1e299, 5e-324, 2, -1e299, 0, 2)
        assert (result.statistic, result.p, result.low, result.high) == (math.inf, 0.0, 2e299, 2e299)

    @pytest.mark.parametrize(
        ("arguments", "note"),
        [
            ((1, 0.1, 1, 3, 0.2, 30), "one run: no test"),
            ((1, 0.1, 30, 3, 0.2, 1), "one run: no test"),
            ((1, 0, 30, 3, 0, 30), "both deviations are 0: no test"),
        ],
    )
    def test_where_no_test_is_possible_the_difference_remains(self, arguments: Any, note: str) -> None:
        result = welch(*arguments)
        assert (result.difference, result.note) == (-2.0, note)
        assert (result.statistic, result.p, result.degrees_of_freedom, result.low, result.high) == (None,) * 5

    @pytest.mark.parametrize(
        ("name", "bad", "error", "message"),
        [
            ("mean1", math.nan, DataError, "mean1 is nan: it must be a number between"),
            ("mean2", -math.inf, DataError, "mean2 is -inf: it must be a number between"),
            ("mean2", "0.5", DataError, "mean2 is '0.5': it must be a number between"),
            ("sd1", -1.0, DataError, "sd1 is -1.0: it must be a number between 0 and"),
            ("sd2", math.nan, DataError, "sd2 is nan: it must be a number between 0 and"),
            ("sd2", None, DataError, "sd2 is None: it must be a number between 0 and"),
            ("n1", 0, SettingsError, "n1 is 0: it must be an integer, 1 or more"),
            ("n2", 30.0, SettingsError, "n2 is 30.0: it must be an integer, 1 or more"),
            ("confidence", 1, SettingsError, "confidence is 1: it must lie between 0 and 1"),
        ],
    )
    def test_what_is_no_result_of_runs_is_refused(
        self, name: str, bad: Any, error: type[Exception], message: str
    ) -> None:
        good: dict[str, Any] = {"mean1": 1, "sd1": 1, "n1": 30, "mean2": 1, "sd2": 1, "n2": 30}
        with pytest.raises(error, match=message):
            welch(**{**good, name: bad})


class TestShapiro:
    def test_the_weights_of_shapiro_and_wilk(self) -> None:
        # Shapiro & Wilk (1965), An analysis of variance test for normality, the weights of 11 men: W = 0.79,
        # below the 1 % point of 0.792 in their table 6.
        result = shapiro([148, 154, 158, 160, 161, 162, 166, 170, 182, 195, 236])
        assert result.statistic == pytest.approx(0.79, abs=5e-3)
        assert result.p is not None
        assert 0.001 < result.p < 0.01
        assert result.note == ""

    @pytest.mark.parametrize("scale", [1e-300, 1e-25, 1e300, -1.0])
    def test_neither_scale_nor_sign_count(self, scale: float) -> None:
        sample = np.random.default_rng(2).normal(size=20)
        plain, other = shapiro(sample), shapiro(sample * scale)
        assert (other.statistic, other.p) == (pytest.approx(plain.statistic), pytest.approx(plain.p))

    @given(st.lists(st.floats(allow_nan=False), max_size=12))
    def test_whatever_the_sample_there_is_an_answer_or_a_reason(self, sample: list[float]) -> None:
        result = shapiro(sample)
        if result.p is None:
            assert "no test" in result.note
        else:
            assert 0 <= result.p <= 1
            assert 0 < (result.statistic or 0) <= 1

    @pytest.mark.parametrize(
        ("sample", "note"),
        [
            ([], "fewer than three values (0): no test"),
            ([1, 2], "fewer than three values (2): no test"),
            ([7, 7, 7, 7], "all values are the same: no test"),
            (range(5001), "more than 5000 values: no test, p would be unreliable"),
            (
                [1, 2, math.inf],
                "infinite values (1 of 3) are left out of the test; fewer than three values (2): no test",
            ),
        ],
    )
    def test_where_no_test_is_possible_it_is_said(self, sample: list[float], note: str) -> None:
        result = shapiro(sample)
        assert (result.statistic, result.p, result.note) == (None, None, note)

    def test_infinite_values_are_left_out(self) -> None:
        sample = [1.0, 2.0, 4.0, 9.0]
        result = shapiro([*sample, math.inf])
        assert (result.statistic, result.p) == (shapiro(sample).statistic, shapiro(sample).p)
        assert result.note == "infinite values (1 of 5) are left out of the test"


def test_without_scipy_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.stats", None)
    with pytest.raises(MissingExtraError, match=r"SciPy is not installed: pip install 'gramarye\[report\]'"):
        kruskal([[1, 2, 3], [4, 5, 6]])
