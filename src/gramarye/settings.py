"""Settings of methods and of their parts, checked in one place."""

from __future__ import annotations

import functools
import math
from dataclasses import fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

from gramarye.errors import SettingsError

# The least and the largest value of each numerical setting, of whatever method or part.
_RANGES: dict[str, tuple[float, float]] = {
    "population": (1, 2**31 - 1),
    "generations": (1, 2**31 - 1),
    "elitism": (0, 2**31 - 1),
    "tournament": (1, 2**31 - 1),
    "size": (1, 2**31 - 1),
    "crossover": (0, 1),
    "mutation": (0, 1),
    "codons": (1, 2**24),
    "pairs": (1, 2**23),
    "bits": (1, 2**24),
    "power_depth": (0, 64),
    "recursion": (0, 100),
    "wraps": (0, 2**20),
    "codon_max": (0, 2**31 - 2),
    "initial_depth": (1, 2**20),
    "initial_size": (1, 2**24),
    "max_depth": (1, 2**20),
    "sigma": (0, 2**20),
    "grammar_mutation": (0, 1),
    "grammar_sigma": (0, 2**20),
    "learning_factor": (0, 1),
    "learning_rate": (0, 1),
    "selected": (0, 1),
    "backoff": (0, 2**31 - 1),
    "entropy": (0, 1),
    "floor": (0, 1),
    "downsample": (0, 1),
}


def check_settings(owner: Any) -> None:
    """A setting that is of the wrong kind or out of its range is a SettingsError; NumPy's numbers become Python's."""
    kinds = _kinds(owner.__class__)
    for field in fields(owner):
        value = getattr(owner, field.name)
        if isinstance(value, np.generic):
            value = value.item()
            object.__setattr__(owner, field.name, value)
        _check(field.name, value, kinds[field.name])


@functools.cache
def _kinds(owner: type) -> dict[str, Any]:
    return get_type_hints(owner)


def _check(name: str, value: Any, kind: Any) -> None:
    choices = get_args(kind) if get_origin(kind) is Literal else ()
    if choices:
        if value not in choices:
            raise SettingsError(f"{name} is {value!r}: it must be one of {', '.join(map(repr, choices))}")
    elif kind is bool:
        if not isinstance(value, bool):
            raise SettingsError(f"{name} is {value!r}: it must be True or False")
    elif kind in (int, float):
        low, high = _RANGES.get(name, (-math.inf, math.inf))
        number = isinstance(value, int) or (kind is float and isinstance(value, float))
        if isinstance(value, bool) or not number or not low <= value <= high:
            what = "an integer" if kind is int else "a number"
            too_large = number and value > high > 1
            span = f" in [{low}, {high}]" if high == 1 else f" from {low} to {high}" if too_large else f" from {low} on"
            raise SettingsError(f"{name} is {value!r}: it must be {what}{span if name in _RANGES else ''}")


def read(owner: type, name: str, text: str) -> Any:
    """The value of a setting, from text."""
    kinds = _kinds(owner)
    if name not in kinds:
        raise SettingsError(f"{owner.__name__} has no setting {name!r}")
    try:
        return kinds[name](text)
    except ValueError:
        raise SettingsError(f"{name} is {text!r}: it must be a number") from None
