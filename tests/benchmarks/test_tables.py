"""Tables of a small set of results, worked out by hand."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import product

import pytest

from benchmarks.methods import OURS
from benchmarks.results import Result
from benchmarks.tables import PARTS, Results, against, by_instance, is_tie, overview, recovery, report, rounded_error
from benchmarks.tables import settings as settings_table


def fit(
    task: str, method: str, seed: int, test: float, size: int = 5, recovered: str = "no", noise: float = 0.0
) -> Result:
    family = "table" if task == "engel" else "physics" if task.startswith("I") else "Nguyen"
    return Result(task, family, noise, method, seed, 5.0, 5.0, 0.9, test, size, recovered, f"{method} 1, numpy 2", "x0")


# R² of gramarye and DEAP: a win, a tie, a loss and a failure of the other, two seeds each
SCORES = {
    "I.1": ((0.99, 0.99), (0.90, 0.90)),
    "nguyen-1": ((0.9990, 0.9990), (0.9995, 0.9995)),
    "engel": ((0.50, 0.60), (0.70, 0.70)),
    "I.2": ((0.80, 0.80), (-math.inf, -math.inf)),
}
FITS = [
    fit(task, method, seed, SCORES[task][number][seed], size=3 + 6 * number, recovered="yes" if task == "I.1" else "no")
    for task, (number, method), seed in product(SCORES, enumerate((OURS, "DEAP")), range(2))
]


def rows(table: str) -> dict[str, list[str]]:
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]
    return {line[0]: line[1:] for line in lines}


def test_wins_ties_and_losses_are_counted_by_median_r2_and_sizes_where_it_ties() -> None:
    won, _, effect, sizes, smaller = rows(against(Results(FITS)))["DEAP"]
    assert won == "2 : 1 : 1"
    assert sizes == "3 against 9"
    assert smaller == "1 : 0"
    assert effect == "0.50"  # 1, 0, 0 and 1: R² in steps of 0.001 makes 0.9995 the better one


@pytest.mark.parametrize(
    ("first", "second", "tie"),
    [(0.999, 1.0, True), (0.5, 0.5005, True), (0.5, 0.502, False), (-math.inf, -math.inf, True), (0, -math.inf, False)],
)
def test_a_difference_of_a_thousandth_is_a_tie(first: float, second: float, tie: bool) -> None:
    assert is_tie(first, second) is tie
    assert is_tie(second, first) is tie


def test_errors_are_rounded_and_failures_are_the_worst() -> None:
    assert rounded_error(0.99996) == 0
    assert rounded_error(0.5) == pytest.approx(0.5)
    assert rounded_error(-math.inf) == math.inf


def test_the_overview_has_medians_ranks_sizes_and_failures() -> None:
    made = rows(overview(Results(FITS)))
    assert made[OURS] == ["0.8950", "0", "1.50", "3", "5.00 (5.00)", "0"]
    assert made["DEAP"][0] == "0.8000"
    assert made["DEAP"][1] == "1"
    assert made["DEAP"][-1] == "2"


def test_recovery_is_counted_by_family_and_noise() -> None:
    noisy = [
        fit("I.1", method, seed, 0.99, noise=0.01, recovered="time limit")
        for method in (OURS, "DEAP")
        for seed in range(2)
    ]
    made = rows(recovery(Results([*FITS, *noisy])))
    assert made[OURS] == ["50 %", "0 %", "0 %", "0", "2"]
    assert "others, noise" not in recovery(Results([*FITS, *noisy])), "there are no fits of this kind"
    by_sign = [replace(each, recovered="by sign") for each in noisy]
    assert rows(recovery(Results([*FITS, *by_sign])))[OURS] == ["50 %", "100 %", "0 %", "2", "0"]


def test_a_method_without_formulas_is_not_in_the_table_of_recovery() -> None:
    boosted = [fit(task, "gradient boosting", seed, 0.9, recovered="") for task in SCORES for seed in range(2)]
    made = rows(recovery(Results([*FITS, *boosted])))
    assert set(made) == {OURS, "DEAP"}


def test_rows_that_not_all_methods_have_are_left_out() -> None:
    results = Results([*FITS, fit("I.3", OURS, 0, 0.1), fit("I.1", OURS, 7, 0.1)])
    assert results.left_out == 2
    assert ("I.3", 0.0) not in results.instances
    assert rows(overview(results)) == rows(overview(Results(FITS)))
    assert report([*FITS, fit("I.3", OURS, 0, 0.1)]).endswith("Fits left out because not all methods have them: 1.")


def test_the_order_of_the_fits_changes_nothing() -> None:
    backwards = Results(FITS[::-1])
    assert rows(overview(backwards)) == rows(overview(Results(FITS)))
    assert rows(against(backwards)) == rows(against(Results(FITS)))


def test_each_instance_has_r2_size_and_recoveries() -> None:
    assert rows(by_instance(Results(FITS)))["I.1"] == ["0.9900 / 3 (2)", "0.9000 / 9 (2)"]
    assert rows(by_instance(Results(FITS)))["I.2"][1] == "– / 9"


def test_settings_name_versions() -> None:
    assert rows(settings_table(Results(FITS)))["DEAP"][0] == "DEAP 1"


def test_the_report_has_all_parts_and_says_so_if_there_is_nothing() -> None:
    assert all(f"{name}\n\n" in report(FITS) for name in PARTS)
    assert report([]) == "There is no instance that all methods have been fitted to."
