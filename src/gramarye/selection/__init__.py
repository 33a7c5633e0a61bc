"""Who becomes a parent: one file for each kind of selection, and how they are found by name.

A new one is listed here, in one line, and nowhere else.
"""

import re
from typing import Any

from gramarye import errors, settings
from gramarye.selection.base import Selection as Selection

# In the order in which they are listed everywhere.
# isort: off
from gramarye.selection.tournament import Tournament as Tournament
from gramarye.selection.lexicase import Lexicase as Lexicase
from gramarye.selection.lexicase import EpsilonLexicase as EpsilonLexicase
# isort: on

# By the names of their classes: EpsilonLexicase is "epsilon-lexicase".
SELECTIONS: dict[str, type[Selection]] = {
    re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower(): kind
    for name, kind in globals().items()
    if isinstance(kind, type) and issubclass(kind, Selection) and kind is not Selection
}


def find(text: str) -> Selection:
    """The selection that a text names: `lexicase`, or with settings `lexicase,downsample=0.1`."""
    name, *pairs = (part.strip() for part in text.split(","))
    if name not in SELECTIONS:
        near = errors.did_you_mean(name, SELECTIONS) or f"; there are {', '.join(SELECTIONS)}"
        raise errors.SettingsError(f"no selection is called {name!r}{near}")
    given: dict[str, Any] = {}
    for pair in pairs:
        key, equals, value = (part.strip() for part in pair.partition("="))
        if not equals or key in given:
            example = "lexicase,downsample=0.1"
            raise errors.SettingsError(
                f"selection is {text!r}: write a name, then each setting once, as in {example!r}"
            )
        given[key] = settings.read(SELECTIONS[name], key, value)
    return SELECTIONS[name](**given)


def text_of(selection: Selection) -> str:
    """The text that names a selection, where it is one of these; otherwise its repr."""
    for name, kind in SELECTIONS.items():
        if type(selection) is kind:
            values = {each.name: (getattr(selection, each.name), each.default) for each in settings.describe(kind)}
            changed = [f"{key}={value}" for key, (value, default) in values.items() if value != default]
            return ",".join([name, *changed])
    return repr(selection)
