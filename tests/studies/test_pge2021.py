"""A reproduction of the paper: from runs to numbers beside the paper's, and to verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import norm

import gramarye as gm
from gramarye.comparison.report_files import tables_in
from gramarye.engine.slices import Task, advance
from gramarye.experiment.plan import Experiment, named_methods, named_problems
from gramarye.show.html.page import Section, Verdict, render
from gramarye.show.tables.table import Table
from gramarye.store import Results, Store
from gramarye.studies.pge2021.claims import CHECKS, Judged, judge
from gramarye.studies.pge2021.curves import passing_generation
from gramarye.studies.pge2021.means import compare_means, means_table, means_verdict
from gramarye.studies.pge2021.paper import (
    CLAIMS,
    FITNESS,
    METHODS,
    OUTCOMES,
    PAGIE,
    PARAMETERS,
    POST_HOC,
    PROBABILITIES,
    TEST,
)
from gramarye.studies.pge2021.parameters import compare_parameters, parameters_table, parameters_verdict
from gramarye.studies.pge2021.probabilities import probabilities_table, probabilities_verdict
from gramarye.studies.pge2021.report import grid_sections, overall
from gramarye.studies.pge2021.runs import Grid, Runs, collect, listed, shown_p, signed, worst
from gramarye.studies.pge2021.tests import Evidence, kruskal_tests, normality_table, pair_tests, pairs_verdict

GENERATIONS = 50
SETTINGS = {"PGE": gm.PGE().settings, "GE": gm.GE().settings, "SGE": gm.SGE().settings}
OPERATORS = {"+": 0.4, "-": 0.15, "*": 0.15, "/": 0.3}

# Ends (mean, deviation) near the paper's, and how the way from start to end is left behind, generation by generation.
ENDS = {
    ("PGE", "pagie"): (0.56, 0.16),
    ("GE", "pagie"): (0.68, 0.17),
    ("SGE", "pagie"): (0.59, 0.13),
    ("PGE", "boston"): (0.82, 0.12),
    ("GE", "boston"): (0.88, 0.14),
    ("SGE", "boston"): (0.78, 0.13),
}
TESTS = {"PGE": (0.84, 0.13), "GE": (0.90, 0.15), "SGE": (0.81, 0.12)}
TIME = np.arange(GENERATIONS)
SLOW = 1 - TIME / (GENERATIONS - 1)
FAST = np.exp(-TIME / 8) * SLOW
LATE = np.interp(TIME, [0, 10, 20, 30, 35, 49], [1, 0.8, 0.3, 0.08, 0.03, 0])
WAYS = {
    ("PGE", "pagie"): LATE,
    ("GE", "pagie"): SLOW,
    ("SGE", "pagie"): FAST,
    ("PGE", "boston"): SLOW,
    ("GE", "boston"): SLOW,
    ("SGE", "boston"): 0.6 * FAST + 0.4 * SLOW,
}


def spread_out(mean: float, deviation: float, runs: int) -> NDArray[np.float64]:
    """So many values with exactly this mean and standard deviation, as a normal distribution has them."""
    values = norm.ppf((np.arange(runs) + 0.5) / runs)
    return mean + deviation * values / (values.std(ddof=1) if runs > 1 else 1.0)


def history(mean: float, deviation: float, way: NDArray[np.float64], runs: int) -> NDArray[np.float64]:
    ends = spread_out(mean, deviation, runs)[:, None]
    starts = np.roll(spread_out(1.3, 0.1, runs), 7)[:, None]
    return ends + (starts - ends) * way


def cell(method: str, problem: str, runs: int = 100, **changes: Any) -> Runs:
    """Runs of one method that end as the paper says."""
    mean, deviation = changes.pop("ends", ENDS[method, problem])
    way = changes.pop("way", WAYS[method, problem])
    test_mean, test_deviation = changes.pop("tests", TESTS[method])
    tests = history(test_mean, test_deviation, way, runs)
    test = tests if problem == "boston" else None
    learned = {"<op>": OPERATORS, "<var>": PROBABILITIES if problem == "boston" else {}} if method == "PGE" else {}
    return replace(Runs(history(mean, deviation, way, runs), test, learned, SETTINGS[method]), **changes)


def grid(runs: int = 100, **changes: Mapping[str, Any]) -> dict[tuple[str, str], Runs]:
    """The paper's grid; changes are given by cell, as in `pge_pagie={"ends": (0.6, 0.1)}`."""
    return {(m, p): cell(m, p, runs, **changes.get(f"{m}_{p}".lower(), {})) for m, p in ENDS}


def judged(found: Grid) -> dict[str, Judged]:
    return dict(zip(CLAIMS, judge(Evidence.of(found)), strict=True))


def column(table: Table, name: str, **where: str) -> Any:
    """The value of a column in the only row that has these values."""
    rows = [
        row
        for row in range(len(table.columns[name]))
        if all(table.columns[key][row] == value for key, value in where.items())
    ]
    (row,) = rows
    return table.columns[name][row]


def the_table(sections: list[Section], name: str) -> Table:
    return next(table for table in tables_in(sections) if table.name == name)


def the_verdict(sections: list[Section]) -> Verdict:
    return next(part for part in sections[0].parts if isinstance(part, Verdict))


class TestThePaper:
    def test_it_has_a_mean_for_each_method_and_outcome(self) -> None:
        assert set(FITNESS) == {(outcome, method) for outcome in OUTCOMES for method in METHODS}
        assert len(POST_HOC) == 9

    def test_its_probabilities_are_those_of_the_features_and_add_up_to_a_little_more_than_one(self) -> None:
        productions = gm.problems.load("boston").grammar.rules["<var>"]
        assert set(PROBABILITIES) == {production.text for production in productions}
        assert sum(PROBABILITIES.values()) == pytest.approx(1.01)

    def test_its_parameters_are_the_defaults_of_the_methods(self) -> None:
        for parameter in PARAMETERS:
            for method in parameter.methods:
                assert SETTINGS[method][parameter.setting] == parameter.value, parameter.name

    def test_every_claim_has_a_check(self) -> None:
        assert set(CHECKS) == set(CLAIMS)


class TestMeans:
    def test_runs_that_end_as_the_paper_s_agree(self) -> None:
        means = compare_means(grid())
        assert [c.kind for c in means] == ["agrees"] * 9
        assert column(means_table(means), "Difference", Data="Pagie", Method="PGE") == pytest.approx(0, abs=1e-12)
        verdict = means_verdict(means)
        assert verdict.kind == "agrees"
        assert verdict.text.startswith("9 of 9 means agree")

    def test_a_mean_that_differs_is_told_with_its_interval(self) -> None:
        means = compare_means(grid(pge_pagie={"ends": (0.65, 0.13)}))
        first = means[0]
        assert (first.outcome, first.method, first.kind) == (PAGIE, "PGE", "differs")
        # Welch by hand: the standard error is √(0.13²/100 + 0.16²/100) = 0.0206, t of 190 degrees of freedom 1.97
        assert first.verdict[1] == "differs by +0.09"
        assert first.corrected == pytest.approx(9 * first.welch.p)  # type: ignore[union-attr, operator]
        assert "8 of 9 means agree" in means_verdict(means).text
        told = "PGE on Pagie differs: 0.65 instead of 0.56, by +0.05 to +0.13 with 95 % confidence"
        assert told in means_verdict(means).text

    def test_bold_is_the_lowest_mean_of_each_outcome(self) -> None:
        table = means_table(compare_means(grid()))
        bold = {(table.columns["Data"][row], table.columns["Method"][row]) for _, row in table.emphasised}
        assert bold == {("Pagie", "PGE"), ("Boston training", "SGE"), ("Boston test", "SGE")}

    def test_nothing_is_told_from_few_runs_however_small_p_is(self) -> None:
        means = compare_means(grid(5, ge_pagie={"ends": (5.0, 0.1)}))
        assert means[1].corrected < 0.001  # type: ignore[operator]
        assert {c.verdict for c in means} == {("unknown", "too few runs: 5, 30 are needed")}
        assert means_verdict(means).text.startswith("Of none of the means it can be told")

    def test_some_means_may_be_of_too_few_runs(self) -> None:
        few = {key: runs for key, runs in grid(5).items() if key[0] == "GE"}
        assert "nothing can be told of GE on Pagie, GE on Boston" in means_verdict(compare_means(grid() | few)).text

    def test_one_run_has_no_test(self) -> None:
        means = compare_means(grid(1))
        assert {c.verdict[1] for c in means} == {"too few runs: 1, 30 are needed"}
        assert means_verdict(means).kind == "unknown"
        assert column(means_table(means), "SD", Data="Pagie", Method="GE") is None

    def test_errors_whose_squares_overflow_have_no_test(self) -> None:
        found = grid()
        found["GE", "pagie"] = replace(found["GE", "pagie"], training=np.full((100, GENERATIONS), 1e300))
        huge = compare_means(found)[1]
        assert huge.verdict == ("unknown", "can't be told: no test is possible")

    def test_infinite_test_errors_are_left_out_of_the_mean_and_counted(self) -> None:
        found = grid()
        tests = found["GE", "boston"].test.copy()  # type: ignore[union-attr]
        tests[:3, -1] = np.inf, np.nan, np.inf
        found["GE", "boston"] = replace(found["GE", "boston"], test=tests)
        table = means_table(compare_means(found))
        assert column(table, "Finite", Data="Boston test", Method="GE") == 97
        assert column(table, "Runs", Data="Boston test", Method="GE") == 100
        assert column(table, "Mean", Data="Boston test", Method="GE") == pytest.approx(tests[3:, -1].mean())
        assert "Infinite errors" in table.note

    def test_a_mean_ruined_by_one_formula_is_no_agreement(self) -> None:
        found = grid()
        tests = found["GE", "boston"].test.copy()  # type: ignore[union-attr]
        tests[0, -1] = 1e6
        found["GE", "boston"] = replace(found["GE", "boston"], test=tests)
        means = compare_means(found)
        ruined = next(c for c in means if (c.outcome, c.method) == (TEST, "GE"))
        assert ruined.ruined
        assert ruined.verdict[1] == "can't be told: a few huge errors ruin the mean, see the median"
        assert "nothing can be told of GE on Boston test" in means_verdict(means).text
        assert column(means_table(means), "Median", Data="Boston test", Method="GE") == pytest.approx(0.9, abs=0.01)
        assert means_table(means).formats["Mean"] == ".3g"

    def test_without_test_rows_there_are_no_test_errors(self) -> None:
        found = {key: replace(runs, test=None) for key, runs in grid().items()}
        assert TEST not in {c.outcome for c in compare_means(found)}
        assert judged(found)["generalisation"].numbers == "no rows were kept for testing"

    def test_where_no_error_is_finite_there_is_no_mean(self) -> None:
        found = grid()
        found["GE", "boston"] = replace(found["GE", "boston"], test=np.full((100, GENERATIONS), np.inf))
        (nothing,) = (c for c in compare_means(found) if (c.outcome, c.method) == (TEST, "GE"))
        assert nothing.verdict == ("unknown", "can't be told: no finite error")
        assert column(means_table([nothing]), "Difference", Method="GE") is None
        assert not means_table([nothing]).emphasised


class TestTests:
    def test_decisions_are_the_paper_s_where_runs_end_as_its_do(self) -> None:
        tests = pair_tests(grid())
        assert [t.kind for t in tests] == ["agrees"] * 9
        assert pairs_verdict(tests).text == "9 of 9 decisions at α = 0.05 are the paper's."

    def test_p_is_corrected_for_three_pairs(self) -> None:
        for test in pair_tests(grid()):
            assert test.corrected == pytest.approx(min(1, 3 * test.test.p))  # type: ignore[operator]

    def test_a_decision_that_differs_is_told_with_both_sides(self) -> None:
        tests = pair_tests(grid(pge_pagie={"ends": (0.7, 0.13)}))
        text = pairs_verdict(tests).text
        assert text.startswith("7 of 9 decisions")
        assert "no difference of PGE and GE is found (p = 1.000, uncorrected p = 0." in text
        assert "SGE is better than PGE (p < 0.001, uncorrected p < 0.001), in the paper they don't differ" in text

    def test_significance_in_the_other_direction_is_no_agreement(self) -> None:
        (test,) = (
            t
            for t in pair_tests(grid(pge_pagie={"ends": (1.0, 0.1)}))
            if t.pair == ("PGE", "GE") and t.outcome == PAGIE
        )
        assert (test.better, test.kind) == ("GE", "differs")
        assert "GE is better than PGE" in pairs_verdict([test]).text

    def test_methods_that_end_alike_to_the_last_bit_don_t_differ(self) -> None:
        tests = pair_tests({key: cell(*key, ends=(0.5, 0.0), tests=(0.5, 0.0)) for key in ENDS})
        assert {t.better for t in tests} == {None}

    def test_few_runs_leave_decisions_open(self) -> None:
        tests = pair_tests(grid(3))
        assert {t.kind for t in tests} == {"unknown"}
        assert "of 9 it can't be told: there are too few runs" in pairs_verdict(tests).text

    def test_few_runs_leave_even_clear_decisions_open(self) -> None:
        tests = pair_tests(grid(10, ge_pagie={"ends": (5.0, 0.1)}))
        assert tests[0].better == "PGE"
        assert {t.kind for t in tests} == {"unknown"}

    def test_one_method_alone_has_no_pairs(self) -> None:
        alone = {key: runs for key, runs in grid().items() if key[0] == "PGE"}
        assert pair_tests(alone) == []
        assert pairs_verdict([]).kind == "unknown"
        assert {test.p for test in kruskal_tests(alone).values()} == {None}

    def test_samples_are_tested_for_normality(self) -> None:
        assert "Here 0 of 9 samples are not normal" in normality_table(grid()).note
        assert "no sample is large enough" in normality_table(grid(2)).note


class TestClaims:
    def test_all_hold_where_runs_go_as_the_paper_says(self) -> None:
        assert {name: row.kind for name, row in judged(grid()).items()} == dict.fromkeys(CLAIMS, "agrees")

    @pytest.mark.parametrize(
        ("name", "changes"),
        [
            ("similar-starts", {"sge_pagie": {"way": FAST + 0.5}}),
            ("sge-slows", {"sge_pagie": {"way": SLOW}}),
            ("ge-slow-pagie", {"ge_pagie": {"way": np.exp(-TIME / 2) + SLOW / 10, "ends": (0.3, 0.1)}}),
            ("ge-slow-pagie", {"ge_pagie": {"way": np.maximum(SLOW, 0.6)}}),
            ("ge-slow-boston", {"ge_boston": {"way": np.maximum(SLOW, 0.6)}}),
            ("pge-as-ge", {"pge_pagie": {"way": FAST}}),
            ("pge-speeds-up", {"pge_pagie": {"way": FAST}}),
            ("pge-passes-sge", {"pge_pagie": {"way": FAST}}),
            ("pge-passes-sge", {"pge_pagie": {"ends": (0.65, 0.16)}}),
            ("pge-lowest", {"pge_pagie": {"ends": (0.75, 0.16)}}),
            ("differences", {f"{m}_pagie".lower(): {"ends": (0.6, 0.1)} for m in METHODS}),
            ("pge-beats-ge", {"pge_boston": {"ends": (0.88, 0.1)}}),
            ("sge-beats-ge", {"sge_pagie": {"ends": (0.66, 0.1)}}),
            ("pge-like-sge", {"pge_pagie": {"ends": (0.65, 0.13)}}),
            ("sge-falls-throughout", {"sge_boston": {"way": FAST}}),
            ("generalisation", {"pge_boston": {"tests": (0.95, 0.1)}}),
            ("operators", {"pge_pagie": {"learned": {"<op>": {"+": 0.4, "-": 0.3, "*": 0.2, "/": 0.1}}}}),
            ("ptratio-first", {"pge_boston": {"learned": {"<var>": {"RM": 0.6, "PTRATIO": 0.4}}}}),
            ("rm-third", {"pge_boston": {"learned": {"<var>": {**PROBABILITIES, "RM": 0.0}}}}),
        ],
    )
    def test_each_fails_where_runs_go_another_way(self, name: str, changes: dict[str, Any]) -> None:
        assert judged(grid(**changes))[name].kind == "differs"

    @pytest.mark.parametrize(
        ("name", "changes"),
        [
            ("ge-slow-pagie", {"sge_pagie": {"ends": ENDS["GE", "pagie"], "way": SLOW}}),
            ("pge-lowest", {"pge_pagie": {"ends": (0.595, 0.13)}}),
        ],
    )
    def test_a_near_thing_is_not_decided(self, name: str, changes: dict[str, Any]) -> None:
        assert judged(grid(**changes))[name].kind == "unknown"

    def test_methods_that_start_with_nothing_have_no_start_to_compare(self) -> None:
        found = grid()
        training = found["GE", "pagie"].training.copy()
        training[:, 0] = np.inf
        found["GE", "pagie"] = replace(found["GE", "pagie"], training=training)
        assert judged(found)["similar-starts"].kind == "unknown"

    def test_where_nothing_is_learned_nothing_is_most_probable(self) -> None:
        found = {key: replace(runs, learned={}) for key, runs in grid().items()}
        assert judged(found)["operators"].numbers == "nothing was learned of <op>"

    def test_with_few_runs_nothing_is_told(self) -> None:
        rows = judged(grid(29)).values()
        assert {row.kind for row in rows} == {"unknown"}
        assert {row.numbers for row in rows} == {"29 runs, 30 are needed"}

    def test_what_is_missing_is_named(self) -> None:
        found = grid()
        del found["SGE", "pagie"]
        rows = judged(found)
        assert rows["pge-passes-sge"].numbers == "no runs of SGE on pagie"
        assert rows["operators"].kind == "agrees"

    def test_short_runs_can_not_pass_at_generation_35(self) -> None:
        found = {key: replace(runs, training=runs.training[:, :20]) for key, runs in grid().items()}
        row = judged(found)["pge-passes-sge"]
        assert (row.kind, row.numbers) == ("unknown", "20 generations, 41 are needed")

    @pytest.mark.parametrize(
        ("curve", "other", "generation"),
        [
            ([3, 2, 1], [2, 2, 2], 2),
            ([1, 1, 1], [2, 2, 2], 0),
            ([1, 3, 1], [2, 2, 2], 2),
            ([3, 3, 2], [2, 2, 2], None),
            ([np.nan, 1, 1], [2, 2, 2], 1),
        ],
    )
    def test_passing_is_for_good(self, curve: list[float], other: list[float], generation: int | None) -> None:
        assert passing_generation(np.array(curve, float), np.array(other, float)) == generation


class TestProbabilities:
    def test_the_paper_s_own_agree(self) -> None:
        verdict = probabilities_verdict(PROBABILITIES, 100)
        assert verdict.kind == "agrees"
        assert "with the paper's is 1.00" in verdict.text

    def test_another_order_differs(self) -> None:
        turned = dict(zip(PROBABILITIES, sorted(PROBABILITIES.values()), strict=True))
        verdict = probabilities_verdict(turned, 100)
        assert verdict.kind == "differs"
        assert "with the paper's is −0." in verdict.text
        assert "the largest difference is −0.19, PTRATIO with 0.04 instead of 0.23" in verdict.text

    def test_few_runs_are_told(self) -> None:
        assert probabilities_verdict(PROBABILITIES, 3).kind == "unknown"

    def test_other_features_can_not_be_compared(self) -> None:
        assert probabilities_verdict({"x": 1.0}, 100).kind == "unknown"
        table = probabilities_table({"x": 1.0})
        assert table.columns["Paper"] == table.columns["Rank, paper"] == table.columns["Difference"] == (None,)

    def test_a_grammar_that_never_changed_has_learned_nothing(self) -> None:
        assert "has learned nothing" in probabilities_verdict(dict.fromkeys(PROBABILITIES, 1 / 14), 100).text

    def test_ranks_are_shared_by_equal_ones(self) -> None:
        table = probabilities_table(PROBABILITIES)
        assert table.columns["Rank, paper"] == (1, 2, 3, 4, 5, 6, 7, 7, 7, 10, 10, 10, 10, 10)


class TestParameters:
    def test_the_paper_s_settings_are_said_to_be_so(self) -> None:
        rows = compare_parameters(grid())
        assert parameters_verdict(rows).kind == "agrees"
        assert set(parameters_table(rows).columns["Verdict"]) == {"as in the paper"}

    def test_a_deviation_is_said_with_its_methods(self) -> None:
        found = grid()
        for key, runs in found.items():
            changed = {"population": 500} if key[0] != "SGE" else {"population": 300}
            found[key] = replace(runs, settings={**runs.settings, **changed, "elitism": 5})
        rows = compare_parameters(found)
        verdict = parameters_verdict(rows)
        assert verdict.kind == "differs"
        assert "population: 500 instead of 1000 in PGE and GE and 300 instead of 1000 in SGE" in verdict.text
        assert "elitism: 5 instead of 10 %" in verdict.text

    def test_values_that_differ_between_problems_are_all_shown(self) -> None:
        found = grid()
        found["PGE", "boston"] = cell("PGE", "boston", 7)
        table = parameters_table(compare_parameters(found))
        assert column(table, "PGE", Setting="runs") == "100, 7"

    def test_a_method_without_runs_has_no_values(self) -> None:
        found = {key: runs for key, runs in grid().items() if key[0] == "GE"}
        table = parameters_table(compare_parameters(found))
        assert column(table, "PGE", Setting="population") is None
        assert column(table, "Verdict", Setting="population") == "as in the paper"


class TestSections:
    def test_all_agree_where_runs_are_the_paper_s(self) -> None:
        verdict = the_verdict(grid_sections(grid()))
        assert verdict.kind == "agrees"
        assert verdict.text.startswith("The paper is reproduced: on Pagie 3 of 3 means and 3 of 3 decisions agree")
        assert verdict.text.endswith("17 of 17 claims hold.")

    def test_what_is_known_of_pge_on_pagie_is_told_where_it_differs(self) -> None:
        same, different = grid_sections(grid()), grid_sections(grid(pge_pagie={"ends": (0.65, 0.13)}))
        assert not any("150 times" in str(part) for part in same[-1].parts)
        assert any("150 times" in str(part) for part in different[-1].parts)
        assert the_verdict(different).text.startswith("The paper is reproduced in part")

    def test_some_runs_missing_leave_some_things_open(self) -> None:
        found = {key: runs for key, runs in grid().items() if key != ("SGE", "boston")}
        sections = grid_sections(found)
        assert the_verdict(sections).kind == "unknown"
        assert the_verdict(sections).text.startswith("Nothing contradicts the paper so far")
        assert "Left out, for there are no runs yet: SGE on boston." in str(sections[0].parts[1])
        assert "on Boston test 2 of 2 means and 1 of 1 decisions agree" in the_verdict(sections).text

    def test_one_problem_is_a_part_of_the_paper_too(self) -> None:
        sections = grid_sections({key: runs for key, runs in grid().items() if key[1] == "pagie"})
        assert "Boston" not in the_verdict(sections).text
        assert "paper-learned" not in {section.anchor for section in sections}

    def test_one_cell_alone_has_no_table_of_pairs(self) -> None:
        sections = grid_sections({("PGE", "pagie"): cell("PGE", "pagie")})
        assert "paper-post-hoc" not in {table.name for table in tables_in(sections)}

    def test_numbers_of_runs_that_differ_are_a_range(self) -> None:
        sections = grid_sections(grid() | {("PGE", "pagie"): cell("PGE", "pagie", 40)})
        assert sections[0].parts[1] == "Runs of each method on each problem: 40 to 100; in the paper: 100."

    @pytest.mark.parametrize("runs", [1, 2, 3, 10, 30])
    def test_any_number_of_runs_makes_a_page(self, runs: int) -> None:
        sections = grid_sections(grid(runs))
        assert len(list(tables_in(sections))) == 7
        assert 'id="table-paper-claims"' in render("title", [], sections)

    def test_the_same_runs_make_the_same_sections(self) -> None:
        assert grid_sections(grid(5)) == grid_sections(grid(5))

    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        """Two runs of each cell but one, as the paper's experiment plans them, with small populations."""
        small: dict[str, Any] = {"population": 30, "generations": 3}
        methods = named_methods([gm.PGE(**small), gm.GE(**small), gm.SGE(**small)])
        plan = Experiment(methods, named_problems([gm.problems.load("pagie"), gm.problems.load("boston")]), runs=2)
        path = tmp_path / "results.db"
        with Store(path) as store:
            store.plan(plan.facts, plan.cells(), plan.seeds)
            for run in store.pending():
                method, problem = plan.grid[run.cell]
                if (method, problem) != ("GE", "pagie"):
                    task = Task(plan.problems[problem], plan.methods[method], run.seed, store.state(run.id), 1e9)
                    store.save(run.id, advance(task))
        return path

    def test_a_file_that_is_partly_done_is_reported_as_far_as_it_goes(self, file: Path) -> None:
        with Results.open(file) as results:
            sections = grid_sections(collect(results))
        assert "Left out, for there are no runs yet: GE on pagie." in str(sections[0].parts[1])
        means = the_table(sections, "paper-mean-best-fitness")
        assert len(means.columns["Data"]) == 8
        assert set(means.columns["Runs"]) == {2}
        parameters = the_table(sections, "paper-parameters")
        assert column(parameters, "Verdict", Setting="population") == "30 instead of 1000"
        learned = the_table(sections, "paper-probabilities")
        assert sum(learned.columns["Probability"]) == pytest.approx(1)  # type: ignore[arg-type]

    def test_a_file_without_runs_says_so(self, tmp_path: Path) -> None:
        plan = Experiment(named_methods([gm.PGE()]), named_problems([gm.problems.load("quartic")]), runs=1)
        with Store(tmp_path / "results.db") as store:
            store.plan(plan.facts, plan.cells(), plan.seeds)
        with Results.open(tmp_path / "results.db") as results:
            (section,) = grid_sections(collect(results))
        assert the_verdict([section]).text == "No run of the paper's methods on its problems is done yet."


class TestWords:
    @pytest.mark.parametrize(("value", "text"), [(0.05, "+0.05"), (-0.05, "−0.05"), (-0.001, "0.00"), (0.004, "0.00")])
    def test_differences_carry_a_sign_unless_they_vanish(self, value: float, text: str) -> None:
        assert signed(value) == text

    @pytest.mark.parametrize(("p", "text"), [(None, "no test"), (0.0001, "p < 0.001"), (0.04, "p = 0.040")])
    def test_p_is_shown_as_papers_do(self, p: float | None, text: str) -> None:
        assert shown_p(p) == text

    @pytest.mark.parametrize(
        ("words", "text"), [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")]
    )
    def test_lists_end_with_and(self, words: list[str], text: str) -> None:
        assert listed(words) == text

    @given(st.lists(st.sampled_from(["agrees", "differs", "unknown"])))
    def test_one_difference_is_enough_and_one_doubt_next(self, kinds: list[Any]) -> None:
        order = ["agrees", "unknown", "differs"]
        assert worst(kinds) == max(kinds, key=order.index, default="unknown")

    def test_an_overall_verdict_of_doubts_only_is_a_doubt(self) -> None:
        evidence = Evidence.of(grid(3))
        verdict = overall(compare_means(evidence.grid), evidence.pairs, judge(evidence))
        assert (verdict.kind, verdict.text[:16]) == ("unknown", "With so few runs")


def test_a_curve_is_the_mean_of_the_runs_that_have_something() -> None:
    runs = Runs(np.array([[np.inf, 2.0, 1.0], [np.inf, np.inf, 3.0]]))
    np.testing.assert_array_equal(runs.mean_curve(), [np.nan, 2.0, 2.0])
    assert (len(runs), runs.generations) == (2, 3)
