"""The problem of a run: a ready-made one, or a table in a CSV file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gramarye.cli.inputs import read_grammar
from gramarye.errors import SettingsError

if TYPE_CHECKING:
    from gramarye.objectives.problem import Problem


def read_problem(source: str, grammar: str | None, columns: dict[str, str | None], options: dict[str, Any]) -> Problem:
    """A ready-made problem, or the table of a CSV file, whose target and weights are `columns`."""
    from gramarye.problems import from_csv, load

    given = {name: value for name, value in options.items() if value is not None}
    named = {name: value for name, value in columns.items() if value is not None}
    if Path(source).suffix.lower() != ".csv":
        for name in named:
            raise SettingsError(f"--{name.replace('_', '-')} goes with a CSV file, not with the problem {source!r}")
        return load(source, None if grammar is None else read_grammar(grammar), **given)
    if grammar is None:
        raise SettingsError(f"{source}: a table needs a grammar that knows its columns; give --grammar FILE")
    return from_csv(source, read_grammar(grammar), **named, **given)
