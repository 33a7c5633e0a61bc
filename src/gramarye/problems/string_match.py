"""String match: a given text, letter by letter: the simplest problem that is not regression.

M. Fenton et al. PonyGE2: Grammatical Evolution in Python. GECCO Companion 2017; the grammar is our own.
"""

from __future__ import annotations

import json
import string
from functools import partial
from typing import Any

from gramarye.errors import SettingsError
from gramarye.grammar import Grammar
from gramarye.objectives.function import Objective

TARGET = "Hello world!"


def problem(grammar: Grammar | None = None, *, target: str = TARGET, **options: Any) -> Objective:
    """The text `target`, with a grammar of all texts of letters, blanks and what else is in it, or with another one."""
    if not isinstance(target, str) or not target:
        raise SettingsError(f"target is {target!r}: it must be a text with at least one character")
    description = (
        f"the text {target!r}; error: 1 for each place with another character, and the difference in length. "
        "Source: Fenton et al. 2017 (PonyGE2)"
    )
    return Objective(
        partial(_errors, target),
        grammar or Grammar.from_text(_grammar(target), "string-match", "gramarye"),
        **{"name": "string-match", "description": description, **options},
    )


def _grammar(target: str) -> str:
    """Texts of lower case letters, capitals, and other characters: the blank, and those of the target."""
    letters = string.ascii_letters
    kinds = {
        "<lower>": string.ascii_lowercase,
        "<upper>": string.ascii_uppercase,
        "<other>": sorted({" ", *target} - set(letters)),
    }
    rules = [
        f"{name} ::= {' | '.join(json.dumps(letter, ensure_ascii=False) for letter in kind)}"
        for name, kind in kinds.items()
    ]
    return "\n".join(["<text> ::= <letter> | <letter><text>", f"<letter> ::= {' | '.join(kinds)}", *rules])


def _errors(target: str, text: str) -> list[int]:
    wrong = [int(text[i : i + 1] != letter) for i, letter in enumerate(target)]
    return [*wrong, abs(len(text) - len(target))]
