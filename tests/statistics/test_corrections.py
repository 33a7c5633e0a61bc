from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.errors import DataError
from gramarye.statistics import bonferroni, holm

probabilities = st.floats(0, 1)


def closed(ps: list[float]) -> list[float]:
    """Holm's correction from its definition: the largest Bonferroni p of all the sets of tests that one is in."""
    tests = range(len(ps))
    sets = [chosen for size in range(1, len(ps) + 1) for chosen in itertools.combinations(tests, size)]
    return [max(min(1.0, len(s) * min(ps[i] for i in s)) for s in sets if test in s) for test in tests]


def test_holm_decides_as_in_the_example_of_demsar() -> None:
    # Demšar (2006), section 3.2.2: p against C4.5; 0.016 < 0.017 and 0.019 < 0.025 are significant, 0.607 is not.
    assert holm([0.607, 0.019, 0.016]) == pytest.approx([0.607, 0.048, 0.048])


def test_bonferroni_multiplies_and_ends_at_one() -> None:
    assert bonferroni([0.01, 0.5, 0.2]) == pytest.approx([0.03, 1.0, 0.6])


@given(st.lists(probabilities, max_size=6))
def test_holm_is_the_closed_test_of_bonferroni(ps: list[float]) -> None:
    assert holm(ps) == pytest.approx(closed(ps))


@given(st.lists(probabilities, max_size=20))
def test_holm_lies_between_p_and_bonferroni_and_keeps_the_order(ps: list[float]) -> None:
    stepwise = [p for p in holm(ps) if p is not None]
    at_once = [p for p in bonferroni(ps) if p is not None]
    assert len(stepwise) == len(at_once) == len(ps)
    assert all(p <= h <= b <= 1 for p, h, b in zip(ps, stepwise, at_once, strict=True))
    for (p, corrected), (other, other_corrected) in itertools.combinations(zip(ps, stepwise, strict=True), 2):
        if p <= other:
            assert corrected <= other_corrected
        else:
            assert corrected >= other_corrected


@given(st.lists(probabilities | st.none(), max_size=10))
def test_a_test_that_was_not_made_does_not_count(ps: list[float | None]) -> None:
    for correct in (bonferroni, holm):
        corrected = correct(ps)
        assert [p is None for p in corrected] == [p is None for p in ps]
        assert [p for p in corrected if p is not None] == correct([p for p in ps if p is not None])


@pytest.mark.parametrize("correct", [bonferroni, holm])
@pytest.mark.parametrize("bad", [-0.1, 1.1, math.nan, "0.5"])
def test_what_is_no_probability_is_refused(correct: type[object], bad: float) -> None:
    with pytest.raises(DataError, match=f"p 2 of 2 is {bad!r}: it must lie between 0 and 1, or be None"):
        correct([0.5, bad])  # type: ignore[call-arg]
