"""Where the command line writes: pages and JSON to standard output, everything else to standard error."""

from __future__ import annotations

import json
import math
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


def note(message: str) -> None:
    """Say something beside the result."""
    errors_to().print(f"note: {message}", style="dim", soft_wrap=True)


def fail(message: str) -> None:
    """Say what went wrong."""
    from rich.text import Text

    errors_to().print(Text.assemble(("error:", "bold red"), " ", message), soft_wrap=True)


def show_json(document: Mapping[str, Any]) -> None:
    """Print one JSON document; what is not finite is null."""
    typer.echo(json_text(plain(document)))


def plain(value: Any) -> Any:
    """A value of mappings, sequences, arrays and numbers as JSON knows them."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):  # NumPy's arrays and numbers
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def json_text(value: Any, indent: str = "") -> str:
    """JSON as a person likes to read it: one line for each key, lists of plain values on one line."""
    inner = indent + "  "
    if isinstance(value, dict) and value:
        items = [f"{json.dumps(key)}: {json_text(item, inner)}" for key, item in value.items()]
        return _block("{", items, "}", indent)
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        return _block("[", [json_text(item, inner) for item in value], "]", indent)
    return json.dumps(value, allow_nan=False)


def _block(begin: str, items: list[str], end: str, indent: str) -> str:
    between = f",\n{indent}  "
    return f"{begin}\n{indent}  {between.join(items)}\n{indent}{end}"
