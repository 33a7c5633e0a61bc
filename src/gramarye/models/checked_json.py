"""Values of a JSON document, checked when they are asked for; errors name their place."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from gramarye.errors import OutputError, nearest
from gramarye.text import brief, counted, cut

AGAIN = "correct it, or save the model again"


class Node:
    """A value of a document, and where it stands."""

    def __init__(self, value: Any, file: Path, place: str = "") -> None:
        self.value = value
        self.file = file
        self.place = place

    def fail(self, what: str, fix: str = AGAIN) -> NoReturn:
        """Raise an error that names the file and the place in it."""
        raise OutputError(f"{self.file}: {self.place + ' ' if self.place else ''}{what}; {fix}")

    def __getitem__(self, key: str) -> Node:
        """What an object has under a key."""
        if not isinstance(self.value, dict):
            self.fail(f"is {self._shown}, but must be an object with the key {key!r}")
        if key not in self.value:
            near = nearest(key, self.value, cutoff=0.75)
            fix = f"did you mean {near}?" if near else AGAIN
            raise OutputError(f"{self.file}: {self.place or 'the model'} has no {key!r}; {fix}")
        return Node(self.value[key], self.file, f"{self.place}.{key}" if self.place else key)

    @property
    def items(self) -> list[Node]:
        """What a list has."""
        if not isinstance(self.value, list):
            self.fail(f"is {self._shown}, but must be a list")
        return [Node(item, self.file, f"{self.place}[{i}]") for i, item in enumerate(self.value)]

    @property
    def text(self) -> str:
        """A text."""
        if not isinstance(self.value, str):
            self.fail(f"is {self._shown}, but must be a text")
        return self.value

    @property
    def number(self) -> float:
        """A finite number."""
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            self.fail(f"is {self._shown}, but must be a finite number")
        try:
            found = float(self.value)
        except OverflowError:
            self.fail(f"is {self._shown}, which is too large for a float", "give a number between -1.8e308 and 1.8e308")
        if not math.isfinite(found):
            self.fail(f"is {self._shown}, but must be a finite number")
        return found

    def integer(self, least: int, most: int | None = None) -> int:
        """An integer within bounds."""
        whole = isinstance(self.value, int) and not isinstance(self.value, bool)
        if not whole or self.value < least or (most is not None and self.value > most):
            allowed = f"≥ {least}" if most is None else f"from {least} to {most}"
            self.fail(f"is {self._shown}, but must be an integer {allowed}")
        return int(self.value)

    def one_of(self, *choices: str) -> str:
        """One of some texts."""
        if self.value not in choices:
            self.fail(f"is {self._shown}, but must be {' or '.join(map(repr, choices))}")
        return str(self.value)

    def numbers(self, *shape: int) -> NDArray[np.float64]:
        """An array of this shape; [-1] is any number of them."""
        items = self.items
        if shape[0] not in (-1, len(items)):
            self.fail(f"has {counted(len(items), 'value')}, but must have {shape[0]}")
        found = [item.numbers(*shape[1:]) if shape[1:] else item.number for item in items]
        return np.array(found, np.float64)

    @property
    def _shown(self) -> str:
        if isinstance(self.value, dict | list):
            return "an object" if isinstance(self.value, dict) else "a list"
        return brief(self.value) if isinstance(self.value, str) else cut(json.dumps(self.value))
