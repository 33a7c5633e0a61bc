from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gramarye.derivations import Derivations, Status
from gramarye.kernels import fronts
from gramarye.populations.evaluation import Evaluation
from gramarye.replacement import Fronts

ERRORS = st.sampled_from([0.0, 1e-320, 0.125, 0.25, 0.5, 1.0, 3.0, math.inf])
POPULATIONS = st.lists(st.tuples(ERRORS, st.integers(1, 6)), min_size=1, max_size=25).map(
    lambda found: [(error, size if error < math.inf else size % 3) for error, size in found]
)

Individuals = list[tuple[float, int]]  # errors and sizes


# The twins: by the definitions


def dominates(individuals: Individuals, i: int, j: int) -> bool:
    """Whether i is as good as j in both and better in one; of equals, the earlier one dominates."""
    (error, size), (other_error, other_size) = individuals[i], individuals[j]
    if math.inf in (error, other_error):
        return error < other_error
    if (error, size) == (other_error, other_size):
        return i < j
    return error <= other_error and size <= other_size


def front_numbers(individuals: Individuals) -> list[int]:
    """Peel front after front off."""
    left, found, front = set(range(len(individuals))), [0] * len(individuals), 0
    while left:
        best = {j for j in left if not any(dominates(individuals, i, j) for i in left)}
        for j in best:
            found[j] = front
        left -= best
        front += 1
    return found


def crowding(individuals: Individuals, numbers: list[int]) -> list[float]:
    """The sum over objectives of how far the neighbours are apart, beside the whole front; ends are infinite."""
    apart = [math.inf] * len(individuals)
    for front in set(numbers):
        members = [i for i in range(len(individuals)) if numbers[i] == front]
        members.sort(key=lambda i: (individuals[i][1], individuals[i][0], i))
        first, last = members[0], members[-1]
        for before, i, after in zip(members, members[1:], members[2:], strict=False):
            width = individuals[last][1] - individuals[first][1]
            apart[i] = (individuals[after][1] - individuals[before][1]) / width if width > 0 else 0.0
            if individuals[i][0] < math.inf:
                height = individuals[first][0] - individuals[last][0]
                apart[i] += (individuals[before][0] - individuals[after][0]) / height
    return apart


def ordered(individuals: Individuals) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    errors, sizes = np.array(individuals).T.copy()
    return errors, sizes, np.lexsort([errors, sizes, errors == np.inf])


@given(POPULATIONS)
def test_fronts_are_peeled_off_one_after_another(individuals: Individuals) -> None:
    errors, _, order = ordered(individuals)
    assert fronts.front_numbers(errors, order).tolist() == front_numbers(individuals)


@given(POPULATIONS)
def test_crowding_is_how_far_the_neighbours_in_a_front_are_apart(individuals: Individuals) -> None:
    errors, sizes, order = ordered(individuals)
    numbers = front_numbers(individuals)
    found = fronts.crowding(errors, sizes, np.array(numbers), order)
    assert found.tolist() == crowding(individuals, numbers)


def evaluated(individuals: Individuals) -> Evaluation:
    errors, sizes, _ = ordered(individuals)
    n = len(errors)
    nothing = Derivations(np.zeros(0, np.int32), np.zeros(n + 1, np.int64), np.zeros(n, np.int8))
    status = np.where(np.isfinite(errors), Status.OK, Status.NOT_FINITE).astype(np.int8)
    return Evaluation(nothing, errors, status, sizes.astype(np.int64))


@given(POPULATIONS)
def test_ranks_are_by_front_then_by_crowding_then_by_number(individuals: Individuals) -> None:
    numbers = front_numbers(individuals)
    logarithms = [(math.log(max(error, 1e-300)) if error < math.inf else error, size) for error, size in individuals]
    apart = [round(each, 9) if each < math.inf else each for each in crowding(logarithms, numbers)]
    ranks = Fronts().rank(evaluated(individuals))
    assert sorted(ranks.tolist()) == list(range(len(individuals)))
    found = [(numbers[i], -apart[i]) for i in np.argsort(ranks).tolist()]
    assert found == sorted(found)
    ends = [i for i in np.argsort(ranks).tolist() if apart[i] == math.inf]
    assert ends == sorted(ends, key=lambda i: (numbers[i], i))


def test_a_program_that_fails_is_behind_all_others_however_small_it_is() -> None:
    ranks = Fronts().rank(evaluated([(math.inf, 0), (0.5, 3), (math.inf, 1), (0.9, 30), (0.2, 7)]))
    assert np.argsort(ranks).tolist()[-2:] == [0, 2]
    assert ranks[3] == 2


def test_nobody_dominates_those_that_trade_error_for_size() -> None:
    errors, _, order = ordered([(0.9, 1), (0.5, 2), (0.1, 9), (0.5, 3), (0.1, 9)])
    assert fronts.front_numbers(errors, order).tolist() == [0, 0, 0, 1, 1]
