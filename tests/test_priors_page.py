"""The page on priors is what its runs make of it, and these are the runs of the plan."""

from __future__ import annotations

import re
import runpy
import shutil
import sys
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
    if not EFFECTS.is_complete(ROWS, PLAN.Plan()):
        assert not MAKER["PAGE"].exists(), "the page has no results"
        pytest.skip(f"{len(ROWS)} of {len(list(PLAN.Plan().keys))} runs of the study have been made")
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
    assert study.effect(setting, "oracle", ["flat"]) == np.mean(np.less(ours, theirs))
    assert study.effect(setting, "oracle", ["flat"], EFFECTS.ODD) == np.mean(np.less(ours[::2], theirs[::2]))
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
    assert f"n = {len(main)} ({sum(setting.has_relatives for setting in main)} for *other tasks*)" in page
    assert f"{plan.seeds} seeds, 1 to {plan.seeds}" in page
    assert all(task in page for task in TASKS)
    assert all(f"| {arm} | " in page for arm in (*ARMS.LEARNERS, *PLAN.PRIORS, PLAN.RESTARTS))
    assert all(f"*{arm}*" in page for arm in PLAN.CONTROLS)
    assert f"**{', '.join(MAKER['CONTRASTS'])}**" in page
    assert all(f"| {arm} | {value} |" in page for arm, (_, value) in MAKER["PILOT"].items())
    assert all(f"{margin}" in page for margin in MAKER["MARGINS"])


@pytest.mark.slow
def test_a_small_study_has_the_runs_of_its_plan_and_resumes_to_the_same(tmp_path: Path) -> None:
    study = runpy.run_path(str(ROOT / "docs" / "experiments" / "priors.py"))
    plan = PLAN.Plan(("koza3", "planck", "string-match"), seeds=1, training=2, divisor=50)
    study["main"](plan, tmp_path)
    rows = EFFECTS.read(tmp_path / "priors.csv")
    assert EFFECTS.is_complete(rows, plan)
    assert all(0.8 * int(row["budget"]) <= int(row["evaluations"]) <= int(row["budget"]) for row in rows)
    shutil.rmtree(tmp_path / "flat")
    study["write"](tmp_path / "priors.csv", [row for row in rows if row["arm"] != "same task" or row["decoys"] != "4"])
    study["main"](plan, tmp_path)
    assert EFFECTS.read(tmp_path / "priors.csv") == rows
    assert not (tmp_path / "flat" / "controls").exists()


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
