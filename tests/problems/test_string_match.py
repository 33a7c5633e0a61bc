from __future__ import annotations

from typing import Any

import pytest

import gramarye as gm
from gramarye.errors import SettingsError


@pytest.mark.parametrize("target", ["Hello world!", "x", 'a "quoted" | <text>\\n {0.5} # é', "'Twas\tbrillig\n"])
def test_the_target_can_be_written_and_has_no_error(target: str) -> None:
    problem = gm.problems.load("string-match", target=target)
    program = gm.parse(problem.grammar, target).phenotype
    assert program == target
    assert problem.functions[0](program) == [0] * (len(target) + 1)


def test_errors_are_counted_per_place_and_for_the_length() -> None:
    (judge,) = gm.problems.load("string-match", target="abc").functions
    assert judge("abX") == [0, 0, 1, 0]
    assert judge("a") == [0, 1, 1, 2]
    assert judge("abcde") == [0, 0, 0, 2]
    assert judge("bc") == [1, 1, 1, 1]


def test_a_short_run_improves() -> None:
    run = gm.evolve(gm.problems.load("string-match"), gm.CFGGP(population=200, generations=20), seed=1)
    first, *_, last = run.history["best_so_far"]
    assert last < first / 2


@pytest.mark.parametrize("target", ["", 3, None])
def test_a_target_that_is_no_text_is_refused(target: Any) -> None:
    with pytest.raises(SettingsError, match=r"target is .*: it must be a text with at least one character"):
        gm.problems.load("string-match", target=target)
