from __future__ import annotations

import io
import itertools
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console, Group, RenderableType

import gramarye as gm
from gramarye.engine.stopping import Limit
from gramarye.terminal import live
from gramarye.terminal.live import Clock, line, picture, watching
from gramarye.terminal.mapping import Steps, clipped
from gramarye.terminal.parts import bar, form, program
from gramarye.terminal.run import title
from gramarye.terminal.screen import Screen
from gramarye.text import counted, large, measure_name, number, printable


def rendered(page: RenderableType, width: int = 80) -> str:
    console = Console(file=io.StringIO(), width=width, markup=False, emoji=False, highlight=False)
    console.print(Group(page), crop=False)
    return console.file.getvalue()  # type: ignore[attr-defined]


def generations(count: int = 3, **settings: Any) -> list[gm.Generation]:
    method = gm.PGE(population=20, generations=count, **settings)
    return list(gm.Evolution(gm.problems.load("quartic"), method, seed=1))


def of(generation: gm.Generation, generations: int) -> Limit:
    """How far a generation has come on its way."""
    return Limit("generations", generation.index + 1, generations)


@pytest.mark.parametrize(
    ("value", "text"),
    [(812, "812"), (45_300, "45,300"), (12_345_678, "12.3 million"), (4e9, "4.0 billion"), (7.5e12, "7.5 trillion")],
)
def test_large_numbers_are_short(value: float, text: str) -> None:
    assert large(value) == text


def test_numbers_that_are_not_finite_are_a_dash() -> None:
    assert [number(value) for value in (np.inf, np.nan, 0.123456)] == ["–", "–", "0.1235"]


@given(st.floats(0, 1))
def test_a_bar_is_as_long_as_its_share(share: float) -> None:
    assert abs(len(bar(share, 16)) - 16 * share) < 1.1


def test_error_measures_have_names() -> None:
    assert [measure_name(error) for error in ("rrse", "1-r2", "fitness")] == ["RRSE", "1 − R²", "fitness"]


def test_a_program_is_never_wrapped_and_can_not_command_the_terminal() -> None:
    text = "x + " * 60 + "\x1b[31m"
    assert rendered(program(text)) == "x + " * 60 + "\\x1b[31m\n"
    assert printable("def f():\n\treturn 1") == "def f():\n\treturn 1"


def test_nonterminals_are_coloured() -> None:
    assert [span.style for span in form("x <op> <expr>").spans] == ["cyan", "cyan"]


class TestForms:
    names = ("<expr>", "<op>")

    def test_a_short_form_is_whole(self) -> None:
        assert clipped("x + <expr> <op> <expr>", self.names) == "x + <expr> <op> <expr>"

    def test_what_is_far_from_the_next_nonterminal_is_left_out(self) -> None:
        short = clipped("x + " * 50 + "<expr>" + " <op> <expr>" * 50, self.names)
        assert short.startswith("…x + ")
        assert "+ <expr> <op>" in short
        assert short.endswith("…")
        assert len(short) <= 72

    def test_of_a_finished_form_the_end_is_shown(self) -> None:
        assert clipped("x + " * 50 + "last", self.names).endswith("x + last")


class TestClock:
    def test_rate_and_time_left_are_measured_from_the_end_of_the_first_generation(self) -> None:
        ticks = itertools.count(100.0, 2.0)
        clock = Clock(lambda: next(ticks))
        first, second, third = (clock.progress(generation, of(generation, 3)) for generation in generations())
        assert (first.rate, first.remaining) == (None, None)
        assert (second.rate, second.remaining) == (20 / 2, pytest.approx(2.0))
        assert (third.rate, third.remaining) == (40 / 4, 0.0)

    def test_the_time_left_is_that_of_the_nearest_limit(self) -> None:
        ticks = itertools.count(100.0, 2.0)
        clock = Clock(lambda: next(ticks))
        first, second = generations(2)
        clock.progress(first, Limit("max_evaluations", 100, 1000))
        assert clock.progress(second, Limit("max_time", 60.0, 100.0)).remaining == pytest.approx(2 * 0.4 / 0.5)

    def test_without_progress_there_is_no_time_left(self) -> None:
        ticks = itertools.count(100.0, 2.0)
        clock = Clock(lambda: next(ticks))
        progress = [clock.progress(generation, Limit("generations", 1, 1000)) for generation in generations(2)]
        assert progress[1].remaining is None

    def test_a_clock_that_stands_still_gives_no_rate(self) -> None:
        clock = Clock(lambda: 5.0)
        assert [clock.progress(generation, of(generation, 3)).rate for generation in generations()] == [None] * 3


class TestPicture:
    @pytest.mark.parametrize("width", [40, 80, 120])
    def test_it_fits_the_terminal(self, width: int) -> None:
        ticks = itertools.count(0.0, 1800.0)
        clock = Clock(lambda: next(ticks))
        progress = [clock.progress(generation, of(generation, 30)) for generation in generations(30)][3]
        page = rendered(picture(progress, title("pge", "quartic", 1), "RRSE", width), width)
        assert len(page.splitlines()) == 7
        assert max(len(row.rstrip()) for row in page.splitlines()) <= width
        assert "4/30" in page
        assert "13:00:00" in page
        assert "best RRSE" in page

    def test_a_run_may_have_no_valid_program_yet(self) -> None:
        hopeless = gm.Regression([[1.0], [2.0]], [1.0, 2.0], gm.Grammar.from_text("<e> ::= <v> + <v>\n<v> ::= x | x"))
        evolution = gm.Evolution(hopeless, gm.PGE(population=2, generations=1, codons=1), seed=1)
        progress = Clock().progress(next(iter(evolution)), evolution.limit)
        page = rendered(picture(progress, title("pge", "none", 1), "RRSE", 80))
        assert "no valid program yet" in page
        assert "0%" in page

    def test_a_line_says_the_same(self) -> None:
        ticks = itertools.count(0.0, 0.5)
        clock = Clock(lambda: next(ticks))
        first, second, _ = (line(clock.progress(generation, of(generation, 3))) for generation in generations())
        assert first.startswith("generation 1/3: best ")
        assert first.endswith("valid")
        assert second.endswith("valid, 40 evaluations/s")

    @pytest.mark.parametrize(
        ("limit", "start", "row"),
        [
            (Limit("generations", 1200, 2000), "generation 1/2,000: ", "generation 1,200/2,000"),
            (
                Limit("max_evaluations", 4800, 2e5),
                "generation 1, 4,800/200,000 evaluations: ",
                "evaluations 4,800/200,000",
            ),
            (
                Limit("max_evaluations", 1e7, 2e9),
                "generation 1, 10.0 million/2.0 billion eva",
                "evaluations 10.0 million/2",
            ),
            (Limit("max_time", 12.2, 90), "generation 1, 0:12/1:30: ", "time 0:12/1:30"),
        ],
    )
    def test_the_nearest_limit_is_counted(self, limit: Limit, start: str, row: str) -> None:
        progress = Clock().progress(generations(1)[0], limit)
        assert line(progress).startswith(start)
        for width in (40, 80):
            page = rendered(picture(progress, title("pge", "quartic", 1), "RRSE", width), width)
            assert row in " ".join(page.split())
            assert max(len(each.rstrip()) for each in page.splitlines()) <= width
        bar = next(each for each in page.splitlines() if each.startswith(row.split(maxsplit=1)[0]) and "/" in each)
        full = bar.count("█")
        assert full == int(limit.share * (full + bar.count("░")))


class TestWatching:
    def shown(self, monkeypatch: pytest.MonkeyPatch, terminal: bool) -> str:
        """What four generations of one second each leave on the screen."""
        now = itertools.count(0.0, 0.5)
        monkeypatch.setattr("gramarye.terminal.screen.time.monotonic", lambda: next(now))
        console = Console(file=io.StringIO(), force_terminal=terminal, force_interactive=terminal, width=80)
        evolution = gm.Evolution(gm.problems.load("quartic"), gm.PGE(population=20, generations=4), seed=1)
        with Screen(console) as screen:
            watch = watching(screen, evolution)
            for generation in evolution:
                watch(generation)
        return console.file.getvalue()  # type: ignore[attr-defined]

    def test_a_log_gets_lines(self, monkeypatch: pytest.MonkeyPatch) -> None:
        text = self.shown(monkeypatch, terminal=False)
        assert "\x1b" not in text
        assert "generation 4/4: best " in text

    def test_a_terminal_gets_a_picture_that_is_drawn_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        text = self.shown(monkeypatch, terminal=True)
        assert "4/4" in text
        assert text.count("time left") >= 4

    def test_a_short_run_leaves_a_log_empty(self) -> None:
        console = Console(file=io.StringIO())
        with Screen(console) as screen:
            evolution = gm.Evolution(gm.problems.load("quartic"), seed=1)
            watch = watching(screen, evolution)
            began = time.monotonic()
            watch(evolution.advance())
        if time.monotonic() - began < live.LINE / 2:
            assert not console.file.getvalue()  # type: ignore[attr-defined]


class TestSteps:
    grammar = gm.Grammar.from_text("<e> ::= <e> <op> <e> | <var>\n<op> ::= + | *\n<var> ::= x | y")
    mapping = gm.map_genotype(grammar, [0.1, 0.1, 0.9, 0.1, 0.9, 0.8, 0.9, 0.1, 0.9, 0.6, 0.9], gm.PGE())

    def test_forms_stand_beside_the_steps_where_there_is_room(self) -> None:
        lines = rendered(Steps(self.mapping), 110).splitlines()
        assert lines[0].split()[-1] == "form"
        assert lines[2].rstrip().endswith("<e> <op> <e>   <e> <op> <e>")
        assert len(lines) == 2 + len(self.mapping.steps)

    @pytest.mark.parametrize("width", [60, 70])
    def test_forms_stand_below_the_steps_where_there_is_none(self, width: int) -> None:
        lines = rendered(Steps(self.mapping), width).splitlines()
        assert max(map(len, map(str.rstrip, lines))) <= width
        assert "form" not in lines[0]
        assert lines[3].strip() == "<e> <op> <e>"
        assert lines[-1].strip() == self.mapping.phenotype

    @pytest.mark.parametrize("width", [20, 40])
    def test_where_even_the_steps_have_no_room_they_are_running_text(self, width: int) -> None:
        page = rendered(Steps(self.mapping), width)
        assert max(map(len, map(str.rstrip, page.splitlines()))) <= width
        assert " ".join(page.split()).startswith("1 <e> 0.1 0.1 < 0.5 <e> <op> <e> <e> <op> <e> 2 <e>")

    def test_a_large_codon_is_never_cut(self) -> None:
        codon = 12345678901234567
        steps = Steps(gm.map_genotype(gm.problems.load("pagie").grammar, [codon] * 3, gm.GE()))
        for width in (100, 80, 60):
            words = rendered(steps, width).split()
            assert words.count(str(codon)) == 2 * 2  # as itself and in the comparison, for two codons

    def test_of_many_steps_the_first_and_the_last_are_shown(self) -> None:
        mapping = gm.map_genotype(self.grammar, [0.1] * 300, gm.PGE())
        lines = rendered(Steps(mapping), 130).splitlines()
        assert len(lines) == 2 + 100 + 1 + 20
        assert lines[102].split() == ["…", "…", "180", "more", "steps"]
        assert [lines[row].split()[0] for row in (101, 103, 122)] == ["100", "281", "300"]


def test_one_is_no_plural() -> None:
    assert [counted(n, "rule") for n in (0, 1, 1200)] == ["0 rules", "1 rule", "1,200 rules"]
