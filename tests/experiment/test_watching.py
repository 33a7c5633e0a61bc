"""An experiment while it goes on, for those who watch it."""

from __future__ import annotations

import io
import math
from types import SimpleNamespace

import pytest
from rich.console import Console

from gramarye.experiment import Progress, watching
from gramarye.experiment.driving import CellProgress
from gramarye.terminal import screen as screens
from gramarye.terminal.screen import Screen


def progress(cells: int = 2, done: int = 3, failed: int = 0, remaining: float | None = 75.0) -> Progress:
    return Progress(
        total=10 * cells,
        done=done,
        running=2,
        failed=failed,
        cells=tuple(CellProgress(f"M{i}", "quartic", i, failed * (i == 0), 0.5 / (i + 1)) for i in range(cells)),
        elapsed=130.0,
        remaining=remaining,
    )


def drawn(shown: Progress, name: str = "a study", width: int = 80) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None, markup=False, emoji=False, highlight=False)
    console.print(watching.picture(shown, name, width))
    return console.file.getvalue()  # type: ignore[attr-defined]


def test_a_line_tells_how_far_it_has_come() -> None:
    assert watching.line(progress(remaining=None)) == "3/20 runs, 2 running"
    assert watching.line(progress()).startswith("3/20 runs, 2 running, ")
    assert watching.line(progress()).endswith(" left")
    assert ", 1 failed, " in watching.line(progress(failed=1))


def test_a_picture_tells_more() -> None:
    text = drawn(progress(failed=1))
    assert "a study" in text
    assert "3/20" in text
    rows = [line.split() for line in text.splitlines()]
    assert ["problem", "method", "done", "failed", "best"] in rows
    assert ["quartic", "M0", "0", "1", "0.5"] in rows
    assert ["quartic", "M1", "1", "–", "0.25"] in rows
    assert "– left" in drawn(progress(remaining=None))


def test_a_picture_of_many_cells_fits_on_a_screen_and_says_what_is_left_out() -> None:
    text = drawn(progress(cells=500))
    assert "M19" in text
    assert "M20" not in text
    assert "… and 480 more" in text
    assert len(text.splitlines()) < 35
    assert "more" not in drawn(progress(cells=20))


def test_nothing_found_so_far_and_strange_names_can_be_drawn() -> None:
    cell = CellProgress("[red]\x1b[31m\n", "a\tb", 0, 0, math.inf)
    shown = Progress(1, 0, 0, 0, (cell,), 0.0, None)
    text = drawn(shown, "x\x1b[2J[bold]")
    assert "\x1b" not in text
    assert "[red]" in text
    assert "[bold]" in text


@pytest.mark.parametrize("width", [1, 20, 300])
def test_a_picture_fits_any_terminal(width: int) -> None:
    assert all(len(line) <= width for line in drawn(progress(), width=width).splitlines())


def test_without_a_terminal_there_is_a_line_now_and_then(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(screens, "time", SimpleNamespace(monotonic=lambda: now))
    console = Console(file=io.StringIO(), width=10)
    with Screen(console) as screen:
        watch = watching.watching(screen, "a study")
        for now in (1, 9, 10, 15, 19.9, 20.5, 29, 31):  # noqa: B007, the clock reads it
            watch(progress())
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert lines == [watching.line(progress())] * 3  # at 10, 20.5 and 31


def test_a_terminal_gets_a_live_display_that_is_gone_at_the_end() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, force_interactive=True, width=80, height=40)
    with Screen(console) as screen:
        watch = watching.watching(screen, "a study")
        watch(progress(done=3))
        watch(progress(done=4))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "3/20" in text
    assert "4/20" in text
    assert text.rindex("\x1b[2K") > text.rindex("4/20")  # the lines are erased
