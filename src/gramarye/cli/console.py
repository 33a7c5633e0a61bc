"""Where the command line writes: pages and JSON to standard output, everything else to standard error."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console, RenderableType


def _console(stderr: bool) -> Console:
    # What is printed is a user's text: [b] and :smile: in it are neither markup nor emoji.
    from rich.console import Console

    return Console(stderr=stderr, markup=False, emoji=False, highlight=False)


def errors_to() -> Console:
    """Standard error, for notes, progress and errors."""
    return _console(stderr=True)


def show(page: RenderableType) -> None:
    """Print a page; a line that must not be wrapped may be longer than the terminal is wide."""
    console = _console(stderr=False)
    if console.is_terminal:
        console.print(page, crop=False)
        return
    with console.capture() as captured:
        console.print(page, crop=False)
    # a file or a program wants no blanks that fill up lines
    console.out("\n".join(line.rstrip(" ") for line in captured.get().split("\n")), end="")


def note(message: str, console: Console | None = None) -> None:
    """Say something beside the result; on a console that shows a bar or a picture, above it."""
    (console or errors_to()).print(f"note: {message}", style="dim", soft_wrap=True)


def fail(message: str) -> None:
    """Say what went wrong."""
    from rich.text import Text

    errors_to().print(Text.assemble(("error:", "bold red"), " ", message), soft_wrap=True)


def show_json(document: Mapping[str, Any]) -> None:
    """Print one JSON document; what is not finite is null."""
    from gramarye.records.document import json_text

    typer.echo(json_text(document))
