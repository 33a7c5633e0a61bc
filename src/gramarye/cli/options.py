"""Arguments and options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

FAILED, MISUSED = 1, 2  # exit codes

Source = Annotated[str, typer.Argument(metavar="FILE|PROBLEM", help="A BNF file, or the name of a problem.")]
MethodName = Annotated[str, typer.Option(help="The method; see `gramarye methods`.")]
Json = Annotated[bool, typer.Option("--json", help="Print machine-readable JSON.")]
