from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from gramarye.errors import DataError
from gramarye.statistics import linear_regression

# Employment in the United States, 1947 to 1962: J. W. Longley (1967), An Appraisal of Least Squares Programs for the
# Electronic Computer from the Point of View of the User, Journal of the American Statistical Association 62.
LONGLEY = """
60323 83.0 234289 2356 1590 107608 1947
61122 88.5 259426 2325 1456 108632 1948
60171 88.2 258054 3682 1616 109773 1949
61187 89.5 284599 3351 1650 110929 1950
63221 96.2 328975 2099 3099 112075 1951
63639 98.1 346999 1932 3594 113270 1952
64989 99.0 365385 1870 3547 115094 1953
63761 100.0 363112 3578 3350 116219 1954
66019 101.2 397469 2904 3048 117388 1955
67857 104.6 419180 2822 2857 118734 1956
68169 108.4 442769 2936 2798 120445 1957
66513 110.8 444546 4681 2637 121950 1958
68655 112.6 482704 3813 2552 123366 1959
69564 114.2 502601 3931 2514 125368 1960
69331 115.7 518173 4806 2572 127852 1961
70551 116.9 554894 4007 2827 130081 1962
"""
# Certified values of NIST's Statistical Reference Datasets: coefficients and their standard deviations.
CERTIFIED = {
    "intercept": (-3482258.63459582, 890420.383607373),
    "x1": (15.0618722713733, 84.9149257747669),
    "x2": (-0.358191792925910e-01, 0.334910077722432e-01),
    "x3": (-2.02022980381683, 0.488399681651699),
    "x4": (-1.03322686717359, 0.214274163161675),
    "x5": (-0.511041056535807e-01, 0.226073200069370),
    "x6": (1829.15146461355, 455.478499142212),
}


def test_longley_s_data_have_nist_s_certified_values() -> None:
    y, *columns = np.array([line.split() for line in LONGLEY.split("\n")[1:-1]], float).T
    found = linear_regression(y, {f"x{i}": column for i, column in enumerate(columns, 1)})
    assert list(found.terms) == list(CERTIFIED)
    for name, (estimate, error) in CERTIFIED.items():
        assert found.terms[name].estimate == pytest.approx(estimate, rel=1e-7)
        assert found.terms[name].error == pytest.approx(error, rel=1e-7)
    assert found.residual_deviation == pytest.approx(304.854073561965, rel=1e-9)
    assert found.r_squared == pytest.approx(0.995479004577296, rel=1e-9)
    assert found.degrees_of_freedom == 9


def test_a_line_is_that_of_scipy() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=20)
    y = 1 + 0.5 * x + rng.normal(size=20)
    ours, theirs = linear_regression(y, {"x": x}), stats.linregress(x, y)
    slope, intercept = ours.terms["x"], ours.terms["intercept"]
    assert (slope.estimate, intercept.estimate) == pytest.approx((theirs.slope, theirs.intercept))
    assert (slope.error, intercept.error) == pytest.approx((theirs.stderr, theirs.intercept_stderr))
    assert slope.p == pytest.approx(theirs.pvalue)
    half = stats.t.ppf(0.975, 18) * theirs.stderr
    assert (slope.low, slope.high) == pytest.approx((theirs.slope - half, theirs.slope + half))


def test_without_columns_there_is_the_mean_with_its_error() -> None:
    found = linear_regression([1.0, 2.0, 4.0], {})
    term = found.terms["intercept"]
    assert term.estimate == pytest.approx(7 / 3)
    assert term.error == pytest.approx(stats.sem([1, 2, 4]))
    assert term.p == pytest.approx(stats.ttest_1samp([1, 2, 4], 0).pvalue)
    assert found.r_squared == pytest.approx(0)


def test_values_that_are_all_the_same_have_no_share_that_is_explained() -> None:
    assert linear_regression([2.0, 2.0, 2.0, 2.0], {"x": [1, 2, 3, 5]}).r_squared is None


@pytest.mark.parametrize(
    ("values", "columns", "message"),
    [
        ([1, 2], {"x": [1, 2]}, "2 values are too few for 2 terms: give 3 or more"),
        ([1, 2, 3], {"x": [1, 2]}, "the column 'x' has 2 values, but there are 3"),
        ([1, 2, 4], {"x": [1, 1, 1]}, "the column 'x' follows from the others, or is constant"),
        ([1, 2, 4], {"x": [0, 0, 0]}, "the column 'x' follows from the others, or is constant"),
        ([1, 2, 4, 4], {"x": [1, 2, 3, 5], "y": [3, 5, 7, 11]}, "the column 'y' follows from the others"),
        ([1, 2, math.inf], {}, "the values are not all finite"),
        ([1, 2, 3], {"intercept": [1, 2, 3]}, "a column is called 'intercept'"),
    ],
)
def test_what_cannot_be_fitted_is_refused(values: list[float], columns: dict[str, list[float]], message: str) -> None:
    with pytest.raises(DataError, match=message.replace("?", r"\?")):
        linear_regression(values, columns)


def test_columns_have_names() -> None:
    with pytest.raises(DataError, match="columns are of type list: give a mapping from their names to their values"):
        linear_regression([1, 2, 3, 4], [[1, 2, 3, 5]])  # type: ignore[arg-type]
