from __future__ import annotations

from pathlib import Path

from rich.console import Console

from gramarye.show.tables.table import Table
from gramarye.terminal.comparison import page


def printed(table: Table, width: int) -> list[str]:
    console = Console(width=width)
    with console.capture() as captured:
        console.print(page([table], [], Path("folder/report.html")), crop=False)
    return [line.rstrip() for line in captured.get().splitlines()]


def test_the_best_are_marked_where_bold_is_lost() -> None:
    table = Table("a", "A", {"Method": ["PGE", "GE"], "Mean": [0.5, 0.25]}, {}, "", frozenset([("Mean", 1)]))
    lines = printed(table, 80)
    assert any(line.endswith("0.25*") for line in lines)
    assert not any("0.5*" in line for line in lines)
    assert lines[2].index("Mean") + len("Mean") == next(line for line in lines if "*" in line).index("*") + 1


def test_words_are_not_split_where_the_terminal_is_narrow() -> None:
    words = {f"Uncommonlylong{n}": ["epsilon-lexicase"] for n in range(8)}
    text = "\n".join(printed(Table("a", "A", {"Data": ["Boston training"], **words}), 80))
    assert text.count("epsilon-lexicase") == 8
    assert all(name in text for name in words)


def test_a_table_may_have_no_rows() -> None:
    assert "Method" in "\n".join(printed(Table("a", "A", {"Method": []}), 80))
