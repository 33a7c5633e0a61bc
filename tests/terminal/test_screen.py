"""A picture on a terminal that is drawn again and again, and is gone at the end."""

from __future__ import annotations

import io

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from gramarye.terminal.screen import ECHOED, Screen


class Recorder(io.StringIO):
    """What is written to a terminal."""

    def isatty(self) -> bool:
        return True


def test_the_last_line_leaves_room_for_what_terminals_echo_of_ctrl_c() -> None:
    written = Recorder()
    console = Console(file=written, force_terminal=True, width=40, height=10, color_system=None)
    with Screen(console) as screen:
        screen.draw(Text("x" * 60))
        screen.add(Text("y" * 60, no_wrap=True, overflow="ellipsis"))
    drawn = [line for line in written.getvalue().replace("\r", "\n").split("\n") if "x" in line or "y" in line]
    widths = [cell_len(line) for line in map(plain, drawn)]
    assert max(widths) == 40 - len(ECHOED)


def plain(line: str) -> str:
    """A line without control codes."""
    return Text.from_ansi(line).plain
