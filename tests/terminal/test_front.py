"""The front of a run, on a terminal."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console, Group

import gramarye as gm
from gramarye.terminal.front import MOST, front_part, shown_places


@given(st.integers(1, 60).flatmap(lambda count: st.tuples(st.just(count), st.integers(0, count - 1))))
def test_the_first_the_last_and_the_picked_one_are_always_shown(given: tuple[int, int]) -> None:
    count, picked = given
    places = shown_places(count, picked)
    assert places == sorted(set(places))
    assert {0, picked, count - 1} <= set(places)
    assert len(places) == min(count, MOST)


@pytest.fixture(scope="module")
def run() -> gm.Run:
    """Many sizes, of which a small one is worth it."""
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 10, (60, 1))
    y = 20 * np.exp(-0.4 * x[:, 0]) + 3 + rng.normal(0, 0.1, 60)
    grammar = gm.Grammar.from_text("<e> ::= <e> + <e> | <e> * <e> | exp(<e>) | x | <const>")
    return gm.evolve(gm.Regression(x, y, grammar, test_rows=20), gm.TunedTrees(max_evaluations=20_000), seed=4)


def shown(run: gm.Run, width: int, colour: bool) -> str:
    system: Any = "standard" if colour else None
    console = Console(file=io.StringIO(), width=width, force_terminal=colour, color_system=system, highlight=False)
    console.print(Group(*front_part(run)), crop=False)
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_the_picked_one_is_marked_in_text_and_in_colour(run: gm.Run) -> None:
    (row,) = [line for line in shown(run, 100, colour=False).splitlines() if line.startswith("* ") and "0." in line]
    assert row.split()[1] == str(run.picked.nodes)
    (row,) = [line for line in shown(run, 100, colour=True).splitlines() if f"{run.picked.nodes}\x1b" in line]
    assert "\x1b[1;32m" in row


@pytest.mark.parametrize("width", [60, 80, 120])
def test_formulas_are_cut_to_the_screen_and_numbers_never(run: gm.Run, width: int) -> None:
    page = shown(run, width, colour=False).partition("Picked program")[0]
    assert max(len(line.rstrip()) for line in page.splitlines()) <= width
    assert f"{run.front[-1].fitness:.4g}" in page
    assert "…" in page
    more = len(run.front) - MOST
    assert more > 0
    assert f"{more} more not shown, --json lists them all" in " ".join(page.split())


def test_the_picked_program_is_written_out_unless_it_is_the_best(run: gm.Run) -> None:
    assert run.picked.formula != run.best.formula
    assert f"\nPicked program\n{run.picked.formula}\n" in shown(run, 80, colour=False)
    simple = gm.evolve(gm.problems.load("quartic"), gm.TunedTrees(target=1e-12), seed=1)
    assert simple.picked.formula == simple.best.formula
    assert "Picked program" not in shown(simple, 80, colour=False)
