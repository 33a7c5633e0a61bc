"""Settings are checked wherever they are given: to a method or to one of its parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import gramarye as gm
from gramarye.errors import SettingsError
from gramarye.selection import Tournament


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: gm.FlatReal(-3), "codons is -3: it must be an integer from 1 on"),
        (lambda: gm.FlatReal(wraps=0.5), "wraps is 0.5: it must be an integer from 0 on"),
        (lambda: gm.FlatInteger(codon_max=-1), "codon_max is -1"),
        (lambda: gm.FlatInteger(cuts="nowhere"), "cuts is 'nowhere': it must be one of 'anywhere', 'used'"),
        (lambda: gm.IntegerLists(max_depth=0), "max_depth is 0: it must be an integer from 1 on"),
        (lambda: gm.AlternatingBest(5.0), "learning_factor is 5.0: it must be a number in \\[0, 1\\]"),
        (lambda: gm.AlternatingBest(first="x"), "first is 'x': it must be one of 'overall', 'generation'"),
        (lambda: gm.AlternatingBest(remap_elites=1), "remap_elites is 1: it must be True or False"),
        (lambda: Tournament(0), "size is 0: it must be an integer from 1 on"),
    ],
)
def test_a_part_with_a_setting_out_of_its_range_is_refused(make: Callable[[], object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        make()


def test_numbers_of_numpy_become_plain_ones() -> None:
    method = gm.PGE(population=np.int64(5), mutation=np.float32(0.5), consume_single=np.True_)
    assert method == gm.PGE(population=5, mutation=0.5, consume_single=True)
    assert type(method.population) is int


def test_a_number_that_is_too_large_is_told_the_largest() -> None:
    with pytest.raises(SettingsError, match="it must be an integer from 1 to 2147483647"):
        gm.PGE(population=10**12)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"strength": "high"}, "strength is 'high': it must be a number$"),
        ({"strength": float("nan")}, "strength is nan: it must be a number$"),
        ({"places": 1.5}, "places is 1.5: it must be an integer$"),
        ({"places": True}, "places is True: it must be an integer$"),
    ],
)
def test_numbers_of_a_method_of_one_s_own_are_checked_by_their_kind(settings: dict[str, Any], message: str) -> None:
    @dataclass(frozen=True, kw_only=True)
    class Mine(gm.PGE):
        strength: float = 1.0
        places: int = 3

    assert Mine(strength=-7, places=-2).strength == -7
    with pytest.raises(SettingsError, match=message):
        Mine(**settings)
