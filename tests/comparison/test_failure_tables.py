from __future__ import annotations

import math
import os
from pathlib import Path

import pytest

import gramarye as gm

GRAMMAR = gm.Grammar.from_text("<e> ::= <e> + <e> | x | 1 | 1/0 | crash | nan\n")
METHODS = [gm.GE(population=20, generations=3), gm.PGE(population=20, generations=4)]


def dangerous(text: str) -> float:
    if "crash" in text:
        os._exit(3)
    return float(abs(eval(text, {"x": 3, "nan": math.nan}) - 17))


@pytest.mark.slow
def test_a_report_shows_how_many_evaluations_failed_and_how(tmp_path: Path) -> None:
    problem = gm.Objective(dangerous, GRAMMAR, name="dangerous")
    comparison = gm.compare(METHODS, [problem, gm.problems.load("quartic")], runs=2, workers=2)
    table = comparison.failures
    assert table is not None
    assert list(table.columns["method"]) == ["GE", "PGE"]
    for row, method in enumerate(METHODS):
        runs = [gm.Evolution(problem, method, seed, workers=1) for seed in (1, 2)]
        wanted = dict.fromkeys(("not finite", "timeout", "memory", "crash", "exception"), 0)
        for run in runs:
            with run:
                for _ in run:
                    pass
            for failure in run.failures:
                wanted[failure.words] += failure.individuals
        assert {name: table.columns[name][row] for name in wanted} == wanted
    assert "Evaluations that failed" in comparison.write(tmp_path).read_text(encoding="utf-8")


def test_where_none_failed_there_is_no_table() -> None:
    comparison = gm.compare(METHODS, [gm.problems.load("quartic")], runs=1, workers=1)
    assert comparison.failures is None
    assert "failed-evaluations" not in [table.name for table in comparison.tables]
