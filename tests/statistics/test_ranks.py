"""Tests on ranks, against textbooks, against all permutations, and against SciPy's own choice of a distribution."""

from __future__ import annotations

import itertools
import math
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from gramarye.errors import DataError
from gramarye.statistics import kruskal, mann_whitney, wilcoxon

INF = math.inf
values = st.integers(-6, 6).map(float) | st.floats(-1e3, 1e3).map(lambda x: round(x, 3)) | st.just(INF)
samples = st.lists(values, min_size=2, max_size=12)


def squeezed(sample: list[float]) -> list[float]:
    """A strictly growing transformation that keeps infinity the largest."""
    return [1e12 if x == INF else x**3 + x for x in sample]


class TestKruskal:
    def test_the_mucociliary_efficiency_of_hollander_and_wolfe(self) -> None:
        # Hollander & Wolfe (1973), Nonparametric Statistical Methods, pp. 115-120; H and p also in R's kruskal.test.
        result = kruskal(
            {
                "normal": [2.9, 3.0, 2.5, 2.6, 3.2],
                "obstructed": [3.8, 2.7, 4.0, 2.4],
                "asbestosis": [2.8, 3.4, 3.7, 2.2, 2.0],
            }
        )
        assert result.statistic == pytest.approx(0.7714, abs=5e-5)
        assert result.p == pytest.approx(0.68, abs=5e-4)
        assert result.degrees_of_freedom == 2
        assert result.note == "fewer than 5 runs in a sample: p is approximate"

    def test_ties_by_hand(self) -> None:
        # Ranks 1½ 1½ 3½ 5 6 | 3½ 7½ 7½ 9 10: H = 12/(10·11) · (17.5²/5 + 37.5²/5) − 3·11, through 1 − 3·6/990 for ties.
        result = kruskal([[1, 1, 2, 3, 4], [2, 5, 5, 6, 7]])
        expected = (12 / 110 * (17.5**2 / 5 + 37.5**2 / 5) - 33) / (1 - 18 / 990)
        assert result.statistic == pytest.approx(expected, rel=1e-12)
        assert result.p == pytest.approx(math.erfc(math.sqrt(expected / 2)), rel=1e-9)  # χ² with one degree of freedom
        assert not result.note

    @given(st.lists(samples, min_size=2, max_size=4))
    def test_only_the_order_of_the_values_counts(self, groups: list[list[float]]) -> None:
        plain, changed = kruskal(groups), kruskal([squeezed(group) for group in groups])
        assert (plain.statistic, plain.p) == (changed.statistic, changed.p)

    @given(st.lists(samples, min_size=2, max_size=4), st.randoms())
    def test_the_order_of_the_samples_does_not_count(self, groups: list[list[float]], random: Random) -> None:
        shuffled = list(groups)
        random.shuffle(shuffled)
        assert kruskal(groups).p == pytest.approx(kruskal(shuffled).p)

    @given(st.lists(st.lists(values, max_size=4), min_size=2, max_size=4))
    def test_p_is_a_probability_or_none_with_a_reason(self, groups: list[list[float]]) -> None:
        result = kruskal(groups)
        assert result.note if result.p is None else 0 <= result.p <= 1

    def test_samples_may_differ_in_size_and_be_rows_of_an_array(self) -> None:
        assert kruskal([range(5), range(3, 12)]).p == pytest.approx(stats.kruskal(range(5), range(3, 12)).pvalue)
        rows: Any = np.arange(12.0).reshape(2, 6)
        assert kruskal(rows).p == kruskal([range(6), range(6, 12)]).p

    def test_an_empty_sample_is_left_out(self) -> None:
        full = {"ge": range(5), "pge": range(3, 9)}
        result = kruskal({**full, "sge": []})
        assert result.note == "no runs in 'sge': left out"
        assert (result.p, result.degrees_of_freedom) == (kruskal(full).p, 1)

    @pytest.mark.parametrize(
        ("groups", "p", "freedom", "note"),
        [
            ([[], []], None, 0, "no runs in sample 1, sample 2: left out; fewer than two samples with runs: no test"),
            ([[1, 2], []], None, 0, "no runs in sample 2: left out; fewer than two samples with runs: no test"),
            ([[1], [2], [3]], None, 2, "one run each: no test"),
            ([[4, 4], [4], [4]], 1.0, 2, "all values are the same"),
            ([[INF, INF], [INF]], 1.0, 1, "all values are the same; infinite values (3) are tied as the worst"),
        ],
    )
    def test_where_nothing_can_be_tested_it_is_said(
        self, groups: list[list[float]], p: float | None, freedom: int, note: str
    ) -> None:
        result = kruskal(groups)
        assert (result.p, result.degrees_of_freedom, result.note) == (p, freedom, note)

    def test_infinities_of_both_signs_are_counted(self) -> None:
        result = kruskal([[-INF, *range(5)], [INF, INF, *range(5, 9)]])
        assert result.note == "infinite values (2) are tied as the worst; values of -inf (1) are tied as the best"

    @pytest.mark.parametrize(("groups", "count"), [({}, "no"), ({"ge": [1, 2]}, "1"), ([[1, 2]], "1")])
    def test_one_sample_is_no_comparison(self, groups: dict[str, list[float]], count: str) -> None:
        with pytest.raises(DataError, match=f"there is {count} sample: at least two are needed"):
            kruskal(groups)

    def test_nan_is_refused_by_the_name_of_its_sample(self) -> None:
        with pytest.raises(DataError, match="run 3 of 'pge' is NaN: leave it out"):
            kruskal({"ge": [1, 2], "pge": [1, 2, math.nan]})
        with pytest.raises(DataError, match="run 1 of sample 2 is NaN"):
            kruskal([[1, 2], [math.nan]])


class TestMannWhitney:
    def test_the_permeability_of_hollander_and_wolfe(self) -> None:
        # Hollander & Wolfe (1973), pp. 69f: W = 35 and a one-sided p of 0.1272, also in R's wilcox.test.
        term = [0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46]
        weeks = [1.15, 0.88, 0.90, 0.74, 1.21]
        result = mann_whitney(term, weeks)
        assert result.statistic == 35
        assert result.p == pytest.approx(2 * 0.1272, abs=1e-4)
        assert (result.distribution, result.note) == ("exact", "")

    @pytest.mark.parametrize(("m", "n"), [(1, 4), (3, 3), (4, 5), (2, 7)])
    def test_small_samples_without_ties_against_all_splits(self, m: int, n: int) -> None:
        pooled = np.random.default_rng(m * n).permutation(m + n)
        far = [
            abs(sum(chosen) - m * (m + n - 1) / 2) >= abs(pooled[:m].sum() - m * (m + n - 1) / 2)
            for chosen in itertools.combinations(range(m + n), m)
        ]
        result = mann_whitney(pooled[:m], pooled[m:])
        assert result.p == pytest.approx(np.mean(far))
        assert result.distribution == "exact"

    def test_ties_by_hand(self) -> None:
        # U = 0, mean 4.5, variance 9/12 · (7 − 2·(27 − 3)/30), and a continuity correction of one half.
        result = mann_whitney([1, 1, 1], [2, 2, 2])
        z = (4.5 - 0.5) / math.sqrt(9 / 12 * (7 - 48 / 30))
        assert result.statistic == 0
        assert result.p == pytest.approx(math.erfc(z / math.sqrt(2)))
        assert (result.distribution, result.note) == ("asymptotic", "ties among few runs: p is approximate")

    @given(st.lists(values, min_size=1, max_size=12), st.lists(values, min_size=2, max_size=12))
    def test_the_distribution_is_the_one_that_scipy_chooses(self, a: list[float], b: list[float]) -> None:
        result = mann_whitney(a, b)
        if "the same" in result.note:
            assert (result.statistic, result.p) == (len(a) * len(b) / 2, 1)
        else:
            chosen = stats.mannwhitneyu(squeezed(a), squeezed(b), method="auto")
            assert (result.statistic, result.p) == (chosen.statistic, chosen.pvalue)

    @given(samples, samples)
    def test_only_the_order_of_the_values_counts(self, a: list[float], b: list[float]) -> None:
        plain, changed = mann_whitney(a, b), mann_whitney(squeezed(a), squeezed(b))
        assert (plain.statistic, plain.p, plain.distribution) == (changed.statistic, changed.p, changed.distribution)

    @given(samples, samples)
    def test_both_sides_give_the_same_p(self, a: list[float], b: list[float]) -> None:
        one, other = mann_whitney(a, b), mann_whitney(b, a)
        assert one.statistic is not None
        assert one.statistic == len(a) * len(b) - (other.statistic or 0)
        assert one.p == pytest.approx(other.p)

    def test_many_runs_are_asymptotic_without_a_note(self) -> None:
        result = mann_whitney(range(9), range(9, 18))
        assert (result.distribution, result.note) == ("asymptotic", "")

    def test_so_few_runs_that_nothing_can_be_found_are_noted(self) -> None:
        assert mann_whitney([1, 2, 3], [4, 5, 6]).note == "so few runs can't give p below 0.1"
        assert not mann_whitney([1, 2, 3, 4], [5, 6, 7, 8]).note

    @pytest.mark.parametrize(
        ("a", "b", "p", "note"),
        [
            ([], [1, 2], None, "no runs in a: no test"),
            ([1, 2], [], None, "no runs in b: no test"),
            ([], [], None, "no runs in a: no test"),
            ([1], [2], None, "one run each: no test"),
            ([3, 3], [3], 1.0, "all values are the same"),
            ([INF, INF], [INF], 1.0, "all values are the same; infinite values (3) are tied as the worst"),
            ([1], [2, 3], 2 / 3, "so few runs can't give p below 0.67"),
        ],
    )
    def test_degenerate_samples(self, a: list[float], b: list[float], p: float | None, note: str) -> None:
        result = mann_whitney(a, b)
        assert result.p == (p if p is None else pytest.approx(p))
        assert result.note == note

    def test_nan_is_refused(self) -> None:
        with pytest.raises(DataError, match="run 2 of b is NaN"):
            mann_whitney([1, 2], [1, math.nan])


class TestWilcoxon:
    def test_the_depression_scores_of_hollander_and_wolfe(self) -> None:
        # Hollander & Wolfe (1973), pp. 27-33: V = 40 of 45 and a one-sided p of 0.01953, also in R's wilcox.test.
        first = [1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30]
        second = [0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29]
        result = wilcoxon(first, second)
        assert result.statistic == 45 - 40
        assert result.p == pytest.approx(2 * 0.01953, abs=1e-5)
        assert (result.distribution, result.pairs, result.note) == ("exact", 9, "")

    @given(st.lists(st.integers(-5, 5), min_size=2, max_size=9))
    def test_few_pairs_against_all_signs(self, differences: list[int]) -> None:
        kept = np.array([d for d in differences if d])
        result = wilcoxon(differences, [0] * len(differences))
        assert result.pairs == len(kept)
        assert result.distribution == "exact"
        if not len(kept):
            assert (result.p, result.note) == (1.0, "all differences are zero")
            return
        sizes = np.abs(kept)
        ranks = np.array([(sizes < s).sum() + ((sizes == s).sum() + 1) / 2 for s in sizes])
        sums = np.array([ranks[list(signs)].sum() for signs in itertools.product([False, True], repeat=len(kept))])
        positive = ranks[kept > 0].sum()
        tails = (sums <= positive).mean(), (sums >= positive).mean()
        assert result.p == pytest.approx(min(1.0, 2 * min(tails)))
        assert result.statistic == min(positive, ranks.sum() - positive)

    @pytest.mark.parametrize(
        ("differences", "distribution"),
        [
            ([i * (-1) ** (i // 3) for i in range(1, 51)], "exact"),
            ([i * (-1) ** (i // 3) for i in range(1, 52)], "asymptotic"),
            ([1, 1, 2, -2, 3, 4, -5, 6, 7, 8, 9, 10, 11], "exact"),
            ([1, 1, 2, -2, 3, 4, -5, 6, 7, 8, 9, 10, 11, 12], "asymptotic"),
        ],
    )
    def test_the_distribution_is_the_one_that_scipy_chooses(self, differences: list[int], distribution: str) -> None:
        result, chosen = wilcoxon(differences, [0] * len(differences)), stats.wilcoxon(differences)
        assert (result.statistic, result.distribution) == (chosen.statistic, distribution)
        assert result.p == pytest.approx(chosen.pvalue, rel=1e-12)

    @given(st.lists(st.tuples(values, values), min_size=2, max_size=20))
    def test_both_sides_give_the_same_answer(self, pairs: list[tuple[float, float]]) -> None:
        a, b = zip(*pairs, strict=True)
        one, other = wilcoxon(a, b), wilcoxon(b, a)
        assert one.p is not None
        assert 0 < one.p <= 1
        assert (one.statistic, one.pairs, one.note) == (other.statistic, other.pairs, other.note)
        assert one.p == pytest.approx(other.p)

    def test_infinities_are_tied_and_differ_most_from_the_rest(self) -> None:
        a, b = [INF, INF, 1, 2, 3, 4, 5, 6, 7], [INF, 0, 2, 4, 6, 8, 10, 12, INF]
        result = wilcoxon(a, b)  # ranks 7½ and −7½ for the infinite differences, −1 to −6 for the others
        assert (result.statistic, result.pairs) == (7.5, 8)
        assert "infinite values (4) are tied as the worst" in result.note
        assert "pairs without a difference (1 of 9) are left out" in result.note

    def test_a_difference_too_large_for_a_number_is_the_largest(self) -> None:
        result = wilcoxon([1.5e308, 1, 2], [-1.5e308, 2, 0])
        assert (result.statistic, result.note) == (1.0, "so few runs can't give p below 0.25")

    @pytest.mark.parametrize(
        ("a", "b", "p", "note"),
        [
            ([], [], None, "no runs: no test"),
            ([1], [2], None, "one pair: no test"),
            ([INF], [INF], None, "infinite values (2) are tied as the worst; one pair: no test"),
            ([1, 2], [1, 2], 1.0, "all differences are zero"),
            ([INF, 2], [INF, 2], 1.0, "all differences are zero; infinite values (2) are tied as the worst"),
        ],
    )
    def test_degenerate_samples(self, a: list[float], b: list[float], p: float | None, note: str) -> None:
        result = wilcoxon(a, b)
        assert (result.p, result.note) == (p, note)

    def test_pairs_need_two_values(self) -> None:
        with pytest.raises(DataError, match="a has 2 runs and b has 3: paired samples must have the same length"):
            wilcoxon([1, 2], [1, 2, 3])
