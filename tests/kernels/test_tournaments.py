from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.kernels import tournaments
from tests import twins

SEEDS = st.integers(0, 2**64 - 1)
FITNESS = st.lists(st.sampled_from([0.0, 1.0, 2.5, np.inf]), min_size=1, max_size=12)


@given(FITNESS, st.integers(0, 8), st.integers(1, 5), st.sampled_from([0.0, 0.5, 0.9, 1.0]), SEEDS, st.integers(0, 99))
def test_tournaments_and_coins_equal_their_twin(
    fitness: list[float], n: int, size: int, crossover: float, seed: int, generation: int
) -> None:
    mothers, fathers = tournaments.tournaments(np.array(fitness), n, size, np.uint64(seed), generation)
    crossed = tournaments.coins(n, crossover, np.uint64(seed), generation)
    pairs = twins.tournament_pairs(fitness, n, size, crossover, seed, generation)
    assert list(zip(mothers.tolist(), np.where(crossed, fathers, -1).tolist(), strict=True)) == pairs


@given(FITNESS, st.integers(1, 4), SEEDS)
def test_the_first_drawn_of_equals_wins(fitness: list[float], size: int, seed: int) -> None:
    equal = np.zeros(len(fitness))
    winner, _ = tournaments.tournament_winner(equal, size, np.uint64(seed))
    first, _ = tournaments.tournament_winner(equal, 1, np.uint64(seed))
    assert winner == first


def test_an_invalid_individual_loses_to_a_valid_one() -> None:
    fitness = np.array([np.inf, 3.0])
    mothers, _ = tournaments.tournaments(fitness, 200, 30, np.uint64(1), 0)
    assert (mothers == 1).all()  # a tournament of 30 misses it once in 10⁹


def test_the_share_of_children_with_two_parents_is_the_crossover_probability() -> None:
    n = 4000
    share = tournaments.coins(n, 0.9, np.uint64(3), 7).mean()
    assert abs(share - 0.9) < 4 * np.sqrt(0.9 * 0.1 / n)


@pytest.mark.compiled
def test_the_best_wins_as_often_as_it_is_drawn_at_all() -> None:
    n, size, people = 4000, 3, 10
    mothers, _ = tournaments.tournaments(np.arange(float(people)), n, size, np.uint64(5), 1)
    expected = 1 - (1 - 1 / people) ** size  # with replacement
    assert abs((mothers == 0).mean() - expected) < 4 * np.sqrt(expected * (1 - expected) / n)
