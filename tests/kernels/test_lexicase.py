from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gramarye.kernels import lexicase
from gramarye.selection.lexicase import chosen
from tests import twins

SEEDS = st.integers(0, 2**64 - 1)
ERRORS = st.integers(1, 5).flatmap(
    lambda cases: st.lists(
        st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=cases, max_size=cases), min_size=1, max_size=8
    )
)


@given(ERRORS, st.sampled_from([0.0, 0.5, 2.0]), st.integers(0, 6), SEEDS, st.integers(0, 99))
def test_lexicase_equals_its_twin(
    errors: list[list[float]], tolerance: float, n: int, seed: int, generation: int
) -> None:
    allowed = np.full(len(errors[0]), tolerance)
    everyone = np.arange(len(errors))
    mothers, fathers = chosen(everyone, np.array(errors), allowed, n, np.uint64(seed), generation)
    pairs = twins.lexicase_parents(errors, allowed.tolist(), n, seed, generation)
    assert list(zip(mothers.tolist(), fathers.tolist(), strict=True)) == pairs


@given(st.integers(1, 30), st.data(), SEEDS)
def test_a_sample_of_cases_holds_each_once_in_order(cases: int, data: st.DataObject, seed: int) -> None:
    n = data.draw(st.integers(0, cases))
    found = lexicase.sample_cases(cases, n, np.uint64(seed)).tolist()
    assert found == sorted(set(found))
    assert len(found) == n
    assert set(found) <= set(range(cases))


def test_every_case_is_drawn_as_often_as_the_others() -> None:
    counts = np.zeros(10)
    for seed in range(2000):
        counts[lexicase.sample_cases(10, 3, np.uint64(seed))] += 1
    assert np.abs(counts / 2000 - 0.3).max() < 4 * np.sqrt(0.3 * 0.7 / 2000)
