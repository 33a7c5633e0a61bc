"""Friedman's test and Nemenyi's critical difference, against Hollander & Wolfe and against Demšar."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.errors import DataError, SettingsError
from gramarye.statistics import friedman, nemenyi

INF = math.inf

# Hollander & Wolfe (1973), p. 140: seconds that 22 players took to round first base in three ways.
ROUNDING_FIRST_BASE = """
    5.40 5.50 5.55  5.85 5.70 5.75  5.20 5.60 5.50  5.55 5.50 5.40  5.90 5.85 5.70  5.45 5.55 5.60
    5.40 5.40 5.35  5.45 5.50 5.35  5.25 5.15 5.00  5.85 5.80 5.70  5.25 5.20 5.10  5.65 5.55 5.45
    5.60 5.35 5.45  5.05 5.00 4.95  5.50 5.50 5.40  5.45 5.55 5.50  5.55 5.55 5.35  5.45 5.50 5.55
    5.50 5.45 5.25  5.65 5.60 5.40  5.70 5.65 5.55  6.30 6.30 6.25
"""

# Demšar (2006), Statistical Comparisons of Classifiers over Multiple Data Sets, table 6: the ranks of four classifiers
# on 14 data sets.
DEMSAR = np.array(
    [
        [4, 3, 2, 1],
        [1, 2, 3, 4],
        [4, 1, 2, 3],
        [4, 1, 3, 2],
        [4, 2, 3, 1],
        [1, 2.5, 4, 2.5],
        [3, 2, 4, 1],
        [2.5, 2.5, 4, 1],
        [4, 3, 2, 1],
        [2.5, 2.5, 2.5, 2.5],
        [4, 2.5, 1, 2.5],
        [3, 2, 4, 1],
        [4, 1, 2, 3],
        [3, 1, 4, 2],
    ]
)

matrices = st.tuples(st.integers(2, 8), st.integers(3, 5)).flatmap(
    lambda shape: st.lists(
        st.lists(st.integers(-4, 4).map(float) | st.just(INF), min_size=shape[1], max_size=shape[1]),
        min_size=shape[0],
        max_size=shape[0],
    )
)


class TestFriedman:
    def test_rounding_first_base(self) -> None:
        # The statistic and p also in R's friedman.test.
        result = friedman(np.array(ROUNDING_FIRST_BASE.split(), float).reshape(22, 3))
        assert result.statistic == pytest.approx(11.1429, abs=5e-5)
        assert result.p == pytest.approx(0.003805, abs=5e-7)
        assert (result.degrees_of_freedom, result.note) == (2, "")

    def test_the_four_classifiers_of_demsar(self) -> None:
        result = friedman(DEMSAR)
        assert result.mean_ranks == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)
        # He prints 9.28, without a correction for the ties: one row of four equal ranks and three with a pair.
        ties = 1 - ((4**3 - 4) + 3 * (2**3 - 2)) / (14 * (4**3 - 4))
        assert result.statistic is not None
        assert result.statistic * ties == pytest.approx(9.28, abs=5e-3)
        assert result.degrees_of_freedom == 3

    @given(matrices)
    def test_only_the_order_within_each_problem_counts(self, matrix: list[list[float]]) -> None:
        changed = [[1e9 if x == INF else scale * x**3 for x in row] for scale, row in enumerate(matrix, 1)]
        plain, other = friedman(matrix), friedman(changed)
        assert (plain.statistic, plain.p, plain.mean_ranks) == (other.statistic, other.p, other.mean_ranks)

    @given(matrices)
    def test_mean_ranks_have_the_mean_of_all_ranks_and_p_is_a_probability(self, matrix: list[list[float]]) -> None:
        result = friedman(matrix)
        assert np.mean(result.mean_ranks) == pytest.approx((len(matrix[0]) + 1) / 2)
        assert result.p is not None
        assert 0 <= result.p <= 1

    def test_the_smallest_value_has_rank_one(self) -> None:
        assert friedman([[0.1, 0.3, INF], [1.0, 2.0, 3.0]]).mean_ranks == (1.0, 2.0, 3.0)

    @pytest.mark.parametrize(
        ("matrix", "p", "ranks", "note"),
        [
            (np.empty((0, 3)), None, (), "no problems: no test"),
            ([[1, 2, 3]], None, (1, 2, 3), "one problem: no test"),
            ([[1, 1, 1], [2, 2, 2]], 1.0, (2, 2, 2), "the methods have the same value on every problem"),
            ([[1, 2], [1, 2]], None, (1, 2), "two methods: no test, use wilcoxon"),
            ([[INF, 1, INF]], None, (2.5, 1, 2.5), "infinite values (2) are tied as the worst; one problem: no test"),
            ([[1, 2, 3], [1, 2, 3]], math.exp(-2), (1, 2, 3), "2 problems: p is approximate up to 10"),
        ],
    )
    def test_degenerate_matrices(self, matrix: object, p: float | None, ranks: tuple[float, ...], note: str) -> None:
        result = friedman(matrix)  # type: ignore[arg-type]
        assert result.p == (p if p is None else pytest.approx(p))
        assert (result.mean_ranks, result.note) == (ranks, note)

    @pytest.mark.parametrize(
        ("matrix", "message"),
        [
            ([1, 2, 3], "the matrix has 1 dimensions: give one row for each problem"),
            ([[1], [2]], "the matrix has 1 methods: at least two are needed"),
            ([[1, 2, 3], [1, math.nan, 3]], "problem 2, method 2 is NaN: leave the problem out"),
            ([[1, 2, 3], [1, 2]], "the matrix is .*: it must hold numbers only"),
        ],
    )
    def test_a_matrix_that_is_none_is_refused(self, matrix: list[object], message: str) -> None:
        with pytest.raises(DataError, match=message):
            friedman(matrix)  # type: ignore[arg-type]


class TestNemenyi:
    # Demšar (2006), table 5(a), rounded there from printed tables: q for 2 to 10 classifiers.
    @pytest.mark.parametrize(
        ("alpha", "table"),
        [
            (0.05, [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]),
            (0.10, [1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920]),
        ],
    )
    def test_the_critical_values_of_demsar(self, alpha: float, table: list[float]) -> None:
        found = [nemenyi(k, 6, alpha) / math.sqrt(k * (k + 1) / 36) for k in range(2, 11)]
        assert found == pytest.approx(table, abs=1.1e-3)

    def test_the_critical_difference_of_demsar(self) -> None:
        assert nemenyi(4, 14) == pytest.approx(1.25, abs=5e-3)
        assert nemenyi(4, 14, alpha=0.10) == pytest.approx(1.12, abs=5e-3)

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ((1, 5), "methods is 1: it must be an integer, 2 or more"),
            ((2.5, 5), "methods is 2.5: it must be an integer"),
            ((3, 0), "problems is 0: it must be an integer, 1 or more"),
            ((3, 5, 0), "alpha is 0: it must lie between 0 and 1"),
            ((3, 5, 5), "alpha is 5: it must lie between 0 and 1"),
            ((3, 5, "5 %"), "alpha is '5 %': it must lie between 0 and 1"),
        ],
    )
    def test_settings_out_of_range_are_refused(self, arguments: tuple[int, ...], message: str) -> None:
        with pytest.raises(SettingsError, match=message):
            nemenyi(*arguments)
