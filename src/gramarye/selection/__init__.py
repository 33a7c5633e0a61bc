"""Who becomes a parent: one file for each kind of selection, and how they are found by name."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Any

from gramarye.errors import SettingsError, did_you_mean
from gramarye.selection.base import Selection
from gramarye.selection.lexicase import EpsilonLexicase, Lexicase
from gramarye.selection.tournament import Tournament
from gramarye.settings import read

# One line for each selection; its name is that of its class: EpsilonLexicase is "epsilon-lexicase".
SELECTIONS: dict[str, type[Selection]] = {
    re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower(): kind
    for kind in (
        Tournament,
        Lexicase,
        EpsilonLexicase,
    )
}

__all__ = ["SELECTIONS", "EpsilonLexicase", "Lexicase", "Selection", "Tournament", "find", "text_of"]


def find(text: str) -> Selection:
    """The selection that a text names: `lexicase`, or with settings `lexicase,downsample=0.1`."""
    name, *settings = (part.strip() for part in text.split(","))
    if name not in SELECTIONS:
        near = did_you_mean(name, SELECTIONS) or f"; there are {', '.join(SELECTIONS)}"
        raise SettingsError(f"no selection is called {name!r}{near}")
    given: dict[str, Any] = {}
    for setting in settings:
        key, equals, value = (part.strip() for part in setting.partition("="))
        if not equals or key in given:
            raise SettingsError(f"selection is {text!r}: write a name, then setting=value, each once: {name},…")
        given[key] = read(SELECTIONS[name], key, value)
    return SELECTIONS[name](**given)


def text_of(selection: Selection) -> str:
    """The text that names a selection, where it is one of these; otherwise its repr."""
    for name, kind in SELECTIONS.items():
        if type(selection) is kind:
            values = {field.name: getattr(selection, field.name) for field in fields(kind)}  # type: ignore[arg-type]
            changed = [f"{key}={value}" for key, value in values.items() if value != getattr(kind, key)]
            return ",".join([name, *changed])
    return repr(selection)
