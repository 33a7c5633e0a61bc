"""What the size of a formula costs when one is picked."""

from __future__ import annotations

import math

import numpy as np
import pytest

import gramarye as gm
from gramarye.objectives.worth import price


def test_a_node_has_about_the_same_price_however_many_rows_there_are() -> None:
    assert price(np.arange(5), 10**9) == pytest.approx(3.5 * np.arange(5))
    assert price(10, 100) == pytest.approx(30 - 200 * math.log(0.975))


def test_nodes_are_dearer_where_rows_are_few() -> None:
    each = [float(price(20, rows)) / 20 for rows in (1000, 100, 20, 6)]
    assert each == sorted(each)
    assert each[-1] > 4


def test_a_formula_that_could_fit_any_target_is_never_worth_its_size() -> None:
    assert price([39, 40, 41], 10).tolist() == [pytest.approx(39 * 3 - 20 * math.log(0.025)), math.inf, math.inf]


def test_noise_in_few_rows_does_not_pay_for_nodes() -> None:
    """Each formula of this front is as much better than smaller ones as if every node were a quarter of a parameter."""
    x = np.arange(12.0)[:, None]
    grammar = gm.Grammar.from_text("<e> ::= <e> + <e> | x | <const>")
    problem = gm.Regression(x, np.sin(7 * x[:, 0]), grammar)
    nodes = np.array([1, 10, 20, 30, 47])
    errors = np.sqrt(1 - nodes / 48)
    assert int(np.argmin(problem.cost(errors, nodes))) == 0
