"""The hierarchical Dirichlet against a plain twin that iterates its three levels until nothing changes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gramarye as gm
from gramarye.errors import SettingsError
from gramarye.learners.dirichlet import STRENGTHS, likeliest_strength, posterior, shares_of
from tests.grammars import G1

GRAMMAR = gm.Grammar.from_text(G1, "G1")
BASE = np.array(GRAMMAR.with_probabilities({"<op>": [0.5, 0.3, 0.2]}).start_probabilities())
PROGRAMS = ["x", "1.0", "x * x", "x + x - 1.0", "1.0 * 1.0 * x", "x - x"]
TASKS = st.lists(st.lists(st.sampled_from(PROGRAMS), min_size=1, max_size=4), min_size=1, max_size=4)


def shares(programs: list[str]) -> np.ndarray:
    return shares_of(GRAMMAR, [gm.parse(GRAMMAR, program) for program in programs])


def twin(tasks: list[list[str]], strength: float) -> list[float]:
    """Posterior means of tasks around the family, and of the family around the base, again and again."""
    found = BASE.tolist()
    for name, span in GRAMMAR.spans.items():
        counts = [[gm.parse(GRAMMAR, program).counts[name] for program in programs] for programs in tasks]
        used = [[row for row in rows if sum(row)] for rows in counts]
        used = [rows for rows in used if rows]
        if not used:
            continue
        base = p = BASE[span].tolist()
        before = [np.inf] * len(p)
        while max(abs(a - b) for a, b in zip(p, before, strict=True)) > 1e-14:
            before, levels = p, []
            for rows in used:
                total = [sum(row[i] / sum(row) for row in rows) for i in range(len(p))]
                levels.append([(strength * a + x) / (strength + len(rows)) for a, x in zip(p, total, strict=True)])
            p = [(strength * b + sum(q[i] for q in levels)) / (strength + len(levels)) for i, b in enumerate(base)]
        found[span] = p
    return [float(p) for p in found]


@given(TASKS, st.sampled_from([0.5, 1.0, 4.0]))
def test_the_closed_form_is_what_the_levels_converge_to(tasks: list[list[str]], strength: float) -> None:
    found = posterior(GRAMMAR, BASE, [shares(programs) for programs in tasks], strength)
    assert found.tolist() == pytest.approx(twin(tasks, strength), abs=1e-9)


def test_shares_do_not_depend_on_the_size_of_a_program() -> None:
    small, large = shares(["x + x", "x + x + x + x"])
    op = GRAMMAR.spans["<op>"]
    assert small[op].tolist() == large[op].tolist() == [1.0, 0.0, 0.0]


def test_a_worked_example() -> None:
    """One task with one program, x: its weight is 1/2 against the base's 1, so p(x) = (0.5 + 0.5) / 1.5."""
    found = posterior(GRAMMAR, BASE, [shares(["x"])], 1.0)
    assert found[GRAMMAR.spans["<var>"]].tolist() == pytest.approx([2 / 3, 1 / 3])
    assert found[GRAMMAR.spans["<op>"]].tolist() == BASE[GRAMMAR.spans["<op>"]].tolist()  # which is not used


def test_many_programs_of_one_task_do_not_outweigh_one_of_each_of_many_tasks() -> None:
    others = [shares(["1.0"]) for _ in range(10)]
    found = posterior(GRAMMAR, BASE, [shares(["x"] * 10), *others], 1.0)
    assert found[GRAMMAR.spans["<var>"]][0] < 0.25
    endless = posterior(GRAMMAR, BASE, [shares(["x"] * 500)], 1.0)
    assert endless[GRAMMAR.spans["<var>"]][0] < 0.75  # a single task counts no more than the base


@given(TASKS, st.floats(1e-6, 1e6))
def test_every_production_that_the_base_allows_stays_possible(tasks: list[list[str]], strength: float) -> None:
    assert posterior(GRAMMAR, BASE, [shares(programs) for programs in tasks], strength).min() > 0


def test_tasks_that_agree_are_trusted_and_tasks_that_differ_are_not() -> None:
    alike = likeliest_strength(GRAMMAR, BASE, [shares(["x * x"]) for _ in range(5)])
    opposed = likeliest_strength(GRAMMAR, BASE, [shares([each]) for each in ("x + x", "1.0 - 1.0", "x * x")])
    assert alike == STRENGTHS[0]
    assert opposed == STRENGTHS[-1]


def test_of_a_single_task_programs_predict_each_other() -> None:
    assert likeliest_strength(GRAMMAR, BASE, [shares(["x * x"] * 5)]) == STRENGTHS[0]
    with pytest.raises(SettingsError, match="'auto', which needs at least two programs; give a number, such as 1"):
        likeliest_strength(GRAMMAR, BASE, [shares(["x * x"])])
