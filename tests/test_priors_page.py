"""The page on priors is what its runs make of it, and these are the runs of the plan."""

from __future__ import annotations

import re
import runpy
import shutil
import sys
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gramarye as gm

ROOT = Path(__file__).parents[1]
MAKER = runpy.run_path(str(ROOT / "tests" / "pages" / "make_priors.py"))
PLAN, EFFECTS = MAKER["PLAN"], MAKER["EFFECTS"]
TASKS: dict[str, Any] = sys.modules["priors_tasks"].TASKS
ARMS: Any = sys.modules["priors_arms"]
STUDY = runpy.run_path(str(ROOT / "docs" / "experiments" / "priors.py"))
STUDY_OF_RUNS: Any = STUDY["Study"]
ROWS = EFFECTS.read(MAKER["RUNS"])
SMALL = PLAN.Plan(("nguyen7", "koza3", "parity", "majority", "string-match"), seeds=4, training=1)


def invented(plan: Any) -> list[dict[str, str]]:
    """Runs of a plan that were never made: the oracle is better than the rest."""
    rng = np.random.default_rng(1)
    return [
        dict(zip(PLAN.KEY, key, strict=True))
        | {"error": str(rng.uniform(0, 0.5 if key[4] == "oracle" else 1.0)), "evaluations": key[2], "valid": "0.9"}
        for key in plan.keys
    ]


def test_the_page_is_what_its_runs_make_of_it() -> None:
    assert EFFECTS.is_complete(ROWS, PLAN.Plan())
    made = MAKER["page"](ROWS, PLAN.Plan())
    assert made == MAKER["PAGE"].read_text(encoding="utf-8"), "write it again: python tests/pages/make_priors.py"


def test_a_page_of_few_runs_has_all_its_tables(tmp_path: Path) -> None:
    rows = invented(SMALL)
    assert EFFECTS.is_complete(rows, SMALL)
    assert not EFFECTS.is_complete(rows[1:], SMALL)
    assert not EFFECTS.is_complete([*rows, rows[0]], SMALL)
    made = MAKER["page"](rows, SMALL)
    assert not re.findall(r"\{[a-z].*?\}", made)
    assert "| koza3 with 16 decoys | " in made
    assert re.search(r"\| string-match \|.*\| – \|", made), "no other task has its rules"
    assert "| same task | headroom | " in made
    MAKER["draw"](rows, SMALL, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"priors-tasks.svg", "priors-headroom.svg"}


def test_an_effect_compares_runs_with_the_same_seed() -> None:
    study = EFFECTS.Study(invented(SMALL), SMALL)
    setting = study.main[0]
    ours, theirs = (study.errors[setting, arm, "flat"] for arm in ("oracle", "frozen"))
    better = {seed: ours[seed] < theirs[seed] for seed in (1, 2, 3, 4)}
    assert better == {1: True, 2: True, 3: False, 4: True}, "halves differ"
    assert study.effect(setting, "oracle", ["flat"]) == 0.75
    assert study.effect(setting, "oracle", ["flat"], EFFECTS.ODD) == 0.5
    assert study.effect(setting, "oracle", ["flat"], EFFECTS.EVEN) == 1
    assert study.effect(setting, "frozen") == 0.5
    assert study.effects(study.main, "oracle").mean() > 0.6


def test_errors_that_come_from_rounding_are_alike() -> None:
    rows = [row | {"error": "1e-16" if row["arm"] == "PGE" else "3e-12"} for row in invented(SMALL)]
    study = EFFECTS.Study(rows, SMALL)
    assert set(study.effects(study.main, "PGE").tolist()) == {0.5}


def test_the_plan_says_what_is_run() -> None:
    plan, page = PLAN.Plan(), (ROOT / "docs" / "priors-plan.md").read_text(encoding="utf-8")
    main = [setting for group in plan.groups if group.name.startswith("tasks") for setting in group.settings]
    assert f"{len(list(plan.keys)):,} runs" in page
    related = sum(bool(PLAN.relatives(setting.task, plan.tasks)) for setting in main)
    assert f"n = {len(main)} ({related} for *other tasks*)" in page
    assert f"{plan.seeds} seeds, 1 to {plan.seeds}" in page
    assert all(task in page for task in TASKS)
    assert all(f"| {arm} | " in page for arm in (*ARMS.LEARNERS, *PLAN.PRIORS, PLAN.RESTARTS))
    assert all(f"*{arm}*" in page for arm in PLAN.CONTROLS)
    assert f"**{', '.join(MAKER['CONTRASTS'])}**" in page
    assert all(f"| {arm} | {value} |" in page for arm, (_, value) in MAKER["PILOT"].items())
    assert all(f"{margin}" in page for margin in MAKER["MARGINS"])


def cells(table: str, name: str) -> list[str]:
    """The row of a table that begins with a name."""
    row = next(line for line in table.splitlines() if line.startswith(f"| {name} | "))
    return row.strip("| ").split(" | ")


def test_the_first_paragraph_says_what_the_tables_say() -> None:
    study, page = EFFECTS.Study(ROWS, PLAN.Plan()), MAKER["PAGE"].read_text(encoding="utf-8")
    answer = page.split("\n\n")[1]
    table = MAKER["contrasts"](study)
    verdicts = {arm: cells(table, arm)[-1] for arm in MAKER["CONTRASTS"]}
    assert verdicts == {
        "PGE": "no effect",
        "Bayesian": "undecided",
        "policy gradient": "worse",
        "same task": "better",
        "other tasks": "better",
    }
    for arm in ("same task", "other tasks"):
        _, tasks, mean, above, _, p, *_ = cells(table, arm)
        assert f"{mean}, above 0.5 on {above}" in answer.replace(
            " (mean over tasks and its 90 % interval; ties count half)", ""
        )
        assert above.endswith(f" of {tasks}")
        assert p == "&lt;0.001"
    assert "Both differences have p &lt; 0.001" in answer
    assert cells(table, "PGE")[6] == "&lt;0.001"
    assert f"policy gradient is worse than no learning ({cells(table, 'policy gradient')[2]}, p = 0.020)" in answer
    assert cells(table, "policy gradient")[5] == "0.020"
    assert study.line("same task").terms["log2(1 + decoys)"].p < 0.001
    assert study.line("same task").terms["headroom"].high < 0
    for one in ("koza3", "pagie"):
        others = PLAN.Plan(tuple(task for task in TASKS if task != one))
        without = EFFECTS.Study([row for row in ROWS if row["task"] != one], others).line("same task").terms["headroom"]
        assert without.low < 0 < without.high
    budget = study.line("same task").terms["log10(budget / 50,000)"]
    assert budget.low < 0 < budget.high


@pytest.mark.parametrize("page", ["README.md", "docs/paper.md"])
def test_the_same_headline_is_on_other_pages(page: str) -> None:
    headline = MAKER["headline"](EFFECTS.Study(ROWS, PLAN.Plan()))
    assert headline in (ROOT / page).read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_small_study_has_the_runs_of_its_plan_and_resumes_to_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = PLAN.Plan(("koza3", "planck", "string-match"), seeds=1, training=2, divisor=50)
    STUDY["main"](plan, tmp_path, 0)
    assert "arms to go; run the same command again to resume" in capsys.readouterr().out
    assert EFFECTS.read(tmp_path / "priors.csv") == []
    STUDY["main"](plan, tmp_path)
    rows = EFFECTS.read(tmp_path / "priors.csv")
    assert EFFECTS.is_complete(rows, plan)
    assert {row["version"] for row in rows} == {STUDY["version"]()}
    assert all(0.8 * int(row["budget"]) <= int(row["evaluations"]) <= int(row["budget"]) for row in rows)
    shutil.rmtree(tmp_path / "flat")
    STUDY["write"](tmp_path / "priors.csv", [row for row in rows if row["arm"] != "same task" or row["decoys"] != "4"])
    STUDY["main"](plan, tmp_path)
    assert EFFECTS.read(tmp_path / "priors.csv") == rows
    assert not (tmp_path / "flat" / "controls").exists()


def by_hand(plan: Any, error: Callable[[Any, str, str, int], float]) -> Any:
    """A study whose errors are a function of setting, arm, genotype and seed."""
    rows = []
    for key in plan.keys:
        task, decoys, budget, genotype, arm, seed = key
        value = error(PLAN.Setting(task, int(decoys), int(budget)), arm, genotype, int(seed))
        rows.append(dict(zip(PLAN.KEY, key, strict=True)) | {"error": str(value), "evaluations": "1", "valid": "0.9"})
    return EFFECTS.Study(rows, plan)


def won(wins: float, seed: int, seeds: int) -> float:
    """An error against 1 of frozen runs, of an arm that wins a share of its runs, odd and even seeds alike."""
    return 0.5 if (seed - 1) // 2 < round(wins * seeds / 2, 6) else 2.0


@pytest.mark.parametrize("order", [*permutations((0.4875, 0.5, 0.5125)), *permutations((0.3875, 0.5125, 0.6))])
def test_effects_whose_mean_is_one_half_are_one_half(order: tuple[float, ...]) -> None:
    plan = PLAN.Plan(("koza3",), seeds=40)
    share = dict(zip(PLAN.REPRESENTATIONS, order, strict=True))

    def error(_setting: Any, arm: str, genotype: str, seed: int) -> float:
        place = 40 * share[genotype] - seed + 0.5  # of a win, above one half; of a tie
        return 1.0 if arm == "frozen" or abs(place) < 0.1 else 0.5 if place > 0 else 2.0

    study = by_hand(plan, error)
    assert study.effect(study.main[0], "PGE") == 0.5


def test_effects_equally_far_from_one_half_are_tied() -> None:
    steps = np.array([15, 8, 4, -4, -3, -11, -10, -12, -7, 14, 8, 17, 4, 7, 19, 11, 8, 5, 5, 17, -4, 14, 9, -12])
    line = MAKER["_contrasts"]([np.round(0.5 + steps / 240, 12)] * 5).splitlines()[2]
    assert f"| {(steps > 0).sum()} of 24 | {gm.statistics.wilcoxon(steps, np.zeros(24)).p:.3f} |" in line
    twins = (np.round((120 + steps - 1) / 240, 12) + np.round((120 + steps + 1) / 240, 12)) / 2
    assert MAKER["_contrasts"]([twins] * 5).splitlines()[2] == line


def test_the_order_of_rows_does_not_matter() -> None:
    rows = invented(SMALL)
    assert MAKER["page"](rows[::-1], SMALL) == MAKER["page"](rows, SMALL)


def test_a_verdict_says_what_both_tests_say() -> None:
    verdict = MAKER["verdict"]
    assert verdict(3.0, 0.04, 0.06) == "better"
    assert verdict(-3.0, 0.04, 0.06) == "worse"
    assert verdict(3.0, 0.04, 0.04) == "better, but within the margins"
    assert verdict(3.0, 0.06, 0.04) == "no effect"
    assert verdict(3.0, 0.05, 0.05) == "undecided"
    assert verdict(0.0, None, None) == "undecided"


def test_the_direction_of_a_difference_is_that_of_its_ranks() -> None:
    effects = np.array([0.55] * 23 + [0.0, 0.0])  # their mean is 0.506
    assert MAKER["rank_sum"](effects - 0.5) > 0
    few_large = np.array([*np.linspace(0.40, 0.49, 40), 1.0, 1.0, 1.0, 1.0, 1.0])
    assert few_large.mean() > 0.5
    assert MAKER["rank_sum"](few_large - 0.5) < 0
    assert MAKER["_contrasts"]([few_large] * 5).splitlines()[2].endswith("| worse |")


def test_effects_that_are_all_one_half_are_no_effect() -> None:
    table = MAKER["_contrasts"]([np.full(24, 0.5), *[np.full(24, 0.9)] * 4]).splitlines()
    assert table[2].endswith("| 1.000 | 1.000 | &lt;0.001 | no effect |")
    assert table[3].endswith("| 1.000 | better |")


def test_the_contrasts_are_corrected_for_being_five() -> None:
    alike, differing = np.linspace(0.45, 0.56, 24), np.linspace(0.474, 0.55, 24)
    rows = [line.split(" | ") for line in MAKER["_contrasts"]([alike] * 4 + [differing]).splitlines()[2:]]
    p = gm.statistics.wilcoxon(differing - 0.5, np.zeros(24)).p
    assert p is not None
    assert 0.01 < p < 0.05
    assert rows[4][4] == f"{p:.3f}"
    assert rows[4][5] == f"{5 * p:.3f}"
    q = gm.statistics.equivalence(differing, (0.44, 0.56)).p
    assert q is not None
    assert MAKER["p_text"](5 * q) == rows[4][6]


def test_a_result_of_the_pilot_is_compared_with_the_interval_now() -> None:
    plan = PLAN.Plan(tuple(PLAN.WITH_DECOYS), seeds=8)
    wins = {"PGE": 0.5, "placebo": 0.0, "oracle": 1.0}

    def error(setting: Any, arm: str, genotype: str, seed: int) -> float:
        if arm not in wins or genotype == "trees":  # the pilot had none
            return 1.0
        varied = 0.25 * (len(setting.task) % 3 - 1)
        return won(np.clip(wins[arm] + varied, 0, 1), seed, 8)

    rows = {line.split(" | ")[1]: line.split(" | ")[-1] for line in MAKER["pilot"](by_hand(plan, error)).splitlines()}
    assert rows["PGE"].startswith("confirmed")
    assert rows["placebo"].startswith("lower")
    assert rows["oracle"].startswith("higher")


def test_the_line_is_on_headroom_decoys_and_the_logarithm_of_the_budget() -> None:
    plan = PLAN.Plan(tuple(PLAN.WITH_DECOYS), seeds=40)

    def oracle(setting: Any) -> float:
        return (0.7 if len(setting.task) % 2 else 0.9) + (0.1 if setting.decoys == 4 else 0)

    def error(setting: Any, arm: str, _genotype: str, seed: int) -> float:
        seeds = 20 if setting.budget == 500_000 else 40
        if arm == "oracle":
            return won(oracle(setting), seed, seeds)
        if arm == "same task" and seed % 2:  # even seeds are not looked at
            wins = 0.5 + 0.5 * (oracle(setting) - 0.5) - 0.1 * np.log10(setting.budget / 50_000)
            return won(wins, seed, seeds)
        return 1.0

    study = by_hand(plan, error)
    terms = study.line("same task").terms
    assert list(terms) == ["intercept", "headroom", "log2(1 + decoys)", "log10(budget / 50,000)"]
    assert terms["headroom"].estimate == pytest.approx(0.5, abs=1e-9)
    assert terms["log2(1 + decoys)"].estimate == pytest.approx(0, abs=1e-9)
    assert terms["log10(budget / 50,000)"].estimate == pytest.approx(-0.1, abs=1e-9)
    assert study.reliability() == pytest.approx(1)
    assert len(study.regressed) == 36  # of this plan: 12 tasks and 24 controls
    table = MAKER["regressions"](study)
    assert f"| same task | headroom, divided by its reliability | {terms['headroom'].estimate:.3f} | " in table


def test_headroom_that_halves_do_not_share_is_unreliable() -> None:
    plan = PLAN.Plan(tuple(PLAN.WITH_DECOYS), seeds=4)

    def error(setting: Any, arm: str, _genotype: str, seed: int) -> float:
        high = len(setting.task) % 2 == seed % 2
        return 1.0 if arm != "oracle" else 0.5 if high else 2.0

    assert by_hand(plan, error).reliability() == pytest.approx(-1)
    assert "headroom, divided by its reliability | – |" in MAKER["regressions"](by_hand(plan, error))


def test_a_task_whose_frozen_runs_end_alike_has_ties() -> None:
    plan = PLAN.Plan(("koza3",), seeds=4)
    study = by_hand(plan, lambda setting, _arm, _genotype, seed: 1.0 if setting.decoys == 0 or seed < 3 else seed)
    assert study.ties(study.main[0]) == 1
    assert study.ties(study.main[1]) == pytest.approx(1 / 6)


def test_effects_among_decoys_and_with_restarts_are_shown_by_genotype() -> None:
    plan = PLAN.Plan(tuple(PLAN.WITH_DECOYS), seeds=2)

    def error(setting: Any, arm: str, genotype: str, _seed: int) -> float:
        wins = arm == "restarts" and genotype == "flat" and (setting.decoys == 16 or setting.budget == 5_000)
        return 0.5 if wins else 1.0

    study = by_hand(plan, error)
    assert cells(MAKER["irrelevant"](study), "restarts") == ["restarts", "0.50", "0.67", "1.00", "0.50", "0.50"]
    table = MAKER["restarts"](study)
    assert cells(table, "5,000 evaluations")[1:] == ["0.67", "1.00", "0.50", "0.50"]
    assert cells(table, "50,000 evaluations")[1:] == ["0.50"] * 4
    assert cells(table, "50,000 evaluations, 16 decoys")[1:] == ["0.67", "1.00", "0.50", "0.50"]
    a12 = MAKER["a12"]
    assert a12(study, "restarts; flat; 16 decoys") == "1.00"
    assert a12(study, "restarts; 5,000 evaluations") == "0.67"
    assert a12(study, "restarts; flat").startswith("0.75")  # half of the tasks have decoys


def test_flat_genotypes_are_shown_alone_in_the_controls() -> None:
    plan = PLAN.Plan(tuple(PLAN.WITH_DECOYS), seeds=2)

    def error(_setting: Any, arm: str, genotype: str, _seed: int) -> float:
        return 0.5 if arm == "matched completion" and genotype == "flat" else 1.0

    table = MAKER["controls"](by_hand(plan, error))
    column = table.splitlines()[0].split(" | ").index("matched completion")
    alone = next(line for line in table.splitlines() if "mean, flat alone" in line)
    assert alone.split(" | ")[column] == "1.00"
    assert next(line for line in table.splitlines() if "| mean |" in line).split(" | ")[column] == "0.67"


class Recorded(STUDY_OF_RUNS):  # type: ignore[misc]
    """A study whose runs are invented: those of each call are kept."""

    def __init__(self, plan: Any) -> None:
        super().__init__(plan, Path(), "flat", None)
        object.__setattr__(self, "calls", [])

    def _runs(
        self, part: str, learner: str, problems: Any, seeds: range, evaluations: int | None = None
    ) -> dict[Any, Any]:
        self.calls.append((part, learner, dict(problems), seeds, evaluations))
        n, program = len(seeds), "x0 * x0"
        spent = (evaluations or 1_000) - 5.0  # whole generations leave something
        return {
            setting: STUDY["Runs"](
                np.array(seeds, float), np.full(n, spent), np.full(n, 1.0), [f"{program} * 1.0"] * n, np.zeros(0)
            )
            for setting in problems
        }


def runs(*programs: str) -> Any:
    """Runs that ended with these programs."""
    n = len(programs)
    return STUDY["Runs"](np.ones(n), np.ones(n), np.zeros(n), list(programs), np.zeros(0))


def test_priors_from_other_tasks_are_of_other_families_in_the_plan_with_the_same_rules() -> None:
    plan = PLAN.Plan(("koza2", "koza3", "planck", "pagie", "parity"), seeds=1)
    study = Recorded(plan)
    settings = {each.task: each for each in plan.groups[0].settings if each.decoys == 0}
    programs = {"koza2": "sin(x0)", "koza3": "sin(x0)", "planck": "x0 + x0", "pagie": "x0 - x0", "parity": "(1 - x0)"}
    study.training.update({settings[name]: runs(program) for name, program in programs.items()})
    study.training.update({each: runs("cos(x0)") for each in plan.groups[0].settings if each.decoys})
    found = gm.Probabilities.of(study._from_others(settings["koza3"]))
    assert found["<op>"].tolist() == pytest.approx([0.375, 0.375, 0.125, 0.125])  # planck's + and pagie's -
    assert len(set(found["<pre_op>"].tolist())) == 1, "its own family's sin and the decoys' cos are left out"
    assert PLAN.relatives("koza3", plan.tasks) == ["planck", "pagie"]
    assert PLAN.relatives("parity", plan.tasks) == []
    assert [each.task for each in plan.groups[0].made("other tasks") if each.task == "parity"] == []


def test_a_plan_of_one_family_has_no_priors_from_other_tasks() -> None:
    plan = PLAN.Plan(("koza2", "koza3"), seeds=1)
    assert all(key[4] != "other tasks" for key in plan.keys)
    assert Recorded(plan).rows(plan.groups[0], "other tasks") == []


def test_runs_to_learn_from_are_none_of_those_that_are_compared() -> None:
    plan = PLAN.Plan(("koza3",), seeds=40)
    study = Recorded(plan)
    study.rows(plan.groups[0], "same task")
    training, compared = study.calls
    assert training[3] == range(1_001, 1_011)
    assert compared[3] == range(1, 41)


def test_restarts_have_their_own_short_runs_and_the_rest_of_the_budget() -> None:
    plan = PLAN.Plan(("koza3",), seeds=3)
    study, group = Recorded(plan), plan.groups[0]
    rows = [row for row in study.rows(group, "restarts") if row["decoys"] == "0"]
    short, *long = [call for call in study.calls if "restarts" in call[0]]
    assert short[3:] == (range(10_001, 10_013), 5_000)
    assert [call[3:] for call in long] == [(range(seed, seed + 1), 50_000 - 4 * 4_995) for seed in (1, 2, 3)]
    for _, learner, problems, *_ in long:
        assert learner == "frozen"
        assert all(gm.Probabilities.of(each.grammar)["<op>"][2] > 0.25 for each in problems.values())
    assert [row["error"] for row in rows] == ["1", "2", "3"]  # those of the long runs, here
    assert {row["evaluations"] for row in rows} == {str(50_000 - 5)}


def test_each_restart_starts_from_the_programs_of_its_own_short_runs() -> None:
    class Differing(Recorded):
        def _runs(self, part: str, *others: Any) -> dict[Any, Any]:
            made = super()._runs(part, *others)
            if part.endswith("short"):
                programs = [f"x0 {operator} x0" for operator in "+-*" for _ in range(4)]
                made = {setting: each._replace(programs=programs) for setting, each in made.items()}
            return made

    plan = PLAN.Plan(("koza3",), seeds=3)
    study = Differing(plan)
    study._restarted(plan.groups[0])
    likeliest = [
        int(gm.Probabilities.of(next(iter(problems.values())).grammar)["<op>"].argmax())
        for _, _, problems, _, _ in study.calls[1:]
    ]
    assert likeliest == [0, 1, 2]


def test_the_best_of_short_and_long_runs_counts_with_all_evaluations() -> None:
    short = STUDY["Runs"](np.array([4.0, 3.0, 2.0, 1.0]), np.array([1.0, 2.0, 3.0, 4.0]), np.ones(4), ["x0"] * 4, None)
    long = STUDY["Runs"](np.array([2.5]), np.array([10.0]), np.array([5.0]), ["x0"], np.zeros(0))
    together = STUDY["_together"](short, slice(0, 2), long)
    assert (together.errors.item(), together.evaluations.item(), together.invalid.item()) == (2.5, 13.0, 7.0)
    assert STUDY["_together"](short, slice(2, 4), long).errors.item() == 1.0


def test_the_oracle_is_half_uniform_and_half_the_solution() -> None:
    grammar = TASKS["koza3"].make(0).grammar
    found = gm.Probabilities.of(ARMS.oracle(grammar, "x0 + x0"))
    assert found["<op>"].tolist() == pytest.approx([0.625, 0.125, 0.125, 0.125])
    assert found["<pre_op>"].tolist() == [0.2] * 5


def test_the_most_important_group_is_made_first_for_all_genotypes() -> None:
    order = STUDY["missing"](PLAN.Plan(), ())
    groups = [(group.name, genotype) for group, genotype, _ in order]
    assert list(dict.fromkeys(groups))[:4] == [
        *(("tasks-50000", genotype) for genotype in ("flat", "lists", "trees")),
        ("tasks-5000", "flat"),
    ]


@pytest.mark.parametrize("task", TASKS)
def test_the_solution_of_a_task_has_no_error(task: str) -> None:
    problem = TASKS[task].make(0)
    program = gm.parse(problem.grammar, TASKS[task].solution)
    if isinstance(problem, gm.Objective):
        assert not any(problem.functions[0](program.phenotype))
    else:
        found = problem.predict(program, None, problem.dataset.columns.T)
        np.testing.assert_allclose(found, problem.dataset.target, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("task", PLAN.WITH_DECOYS)
def test_decoys_change_nothing_else(task: str) -> None:
    plain, few, many = (TASKS[task].make(count).dataset for count in (0, 4, 64))
    np.testing.assert_array_equal(plain.target, many.target)
    np.testing.assert_array_equal(plain.columns, many.columns[: len(plain.columns)])
    np.testing.assert_array_equal(few.columns, many.columns[: len(few.columns)])


def test_controls_are_parts_of_a_prior_or_match_it() -> None:
    grammar = TASKS["koza3"].make(0).grammar
    prior = ARMS.learned(grammar, ["x0 * x0", "sin(x0) * x0"])
    rows = {arm: gm.Probabilities.of(make(grammar, prior)) for arm, make in ARMS.PARTS.items()}
    learned, uniform = gm.Probabilities.of(prior), gm.Probabilities.uniform(grammar)
    for name in grammar.nonterminals:
        recursive, others = (learned, uniform) if name == "<expr>" else (uniform, learned)
        np.testing.assert_array_equal(rows["recursive rows"][name], recursive[name])
        np.testing.assert_array_equal(rows["other rows"][name], others[name])
    matched = ARMS.matched(grammar, prior)
    assert matched.completion_probability(128) == pytest.approx(prior.completion_probability(128), abs=1e-9)
    np.testing.assert_array_equal(gm.Probabilities.of(matched)["<op>"], uniform["<op>"])


def test_variables_are_not_transferred() -> None:
    grammar = TASKS["koza3"].make(4).grammar
    programs = {"pagie": ["inv(x1) + x1"], "nguyen9": ["sin(x0)"]}
    found = gm.Probabilities.of(ARMS.transferred(grammar, TASKS["pagie"].make(0).grammar, programs))
    assert len(set(found["<var>"].tolist())) == 1
    assert found["<op>"][0] > 0.25


@pytest.mark.parametrize("genotype", PLAN.REPRESENTATIONS)
def test_the_placebo_learns_from_someone_else(genotype: str) -> None:
    problem = TASKS["koza3"].make(0)
    placebo, again, pge = (
        gm.evolve(problem, ARMS.method(genotype, learner, 1_000), seed=1) for learner in ("placebo", "placebo", "PGE")
    )
    np.testing.assert_array_equal(placebo.probabilities, again.probabilities)
    assert (placebo.probabilities[1] != pge.probabilities[1]).any()
    np.testing.assert_allclose([row.sum() for row in gm.Probabilities.of(placebo.grammar).values()], 1)
