"""Settings that explain themselves: a field says its default, range and meaning once, and everybody reads them there.

    codons: int = setting(128, low=1, high=2**24, doc="length of a genotype when it is drawn")

Checks, docstrings, the command line, experiments in TOML and the documentation all use what `describe` finds.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import operator
import sys
import textwrap
import types
from collections.abc import Iterable
from dataclasses import MISSING, Field, dataclass
from typing import Any, Literal, Self, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import numpy as np

from gramarye.errors import SettingsError, nearest

T = TypeVar("T")
TRUE, FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")
INT_MAX = 2**31 - 1  # the largest number of a kernel's 32-bit integers
HUGE = 2**20  # a largest value from here on is technical, as is -HUGE of least ones: only who exceeds them is told


def setting(
    default: T, *, low: float | None = None, high: float | None = None, names: Iterable[str] = (), doc: str = ""
) -> T:
    """A field of a dataclass with its default, the least and the largest value, and what it means.

    Choices are not given here: they are the values of the field's `Literal` type. `names` are texts that stand for
    objects of its type.
    """
    metadata = {"low": low, "high": high, "names": tuple(names), "doc": doc}
    return dataclasses.field(default=default, metadata=metadata)


def as_in(owner: type[Any], name: str, *, default: Any = MISSING, doc: str = "") -> Any:
    """A setting that another class has too: its default, range and meaning, but for what is given here."""
    field: Field[Any] = owner.__dataclass_fields__[name]
    metadata = {**field.metadata, "doc": doc or field.metadata.get("doc", "")}
    return dataclasses.field(default=field.default if default is MISSING else default, metadata=metadata)


class HasSettings:
    """The base of all that has settings: methods, representations, learners, selections.

    A class derived from it is a dataclass. Its settings are checked, misspelt ones are answered with the nearest name,
    and its docstring lists them.
    """

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.__doc__ is not None:  # python -OO leaves none
            cls.__doc__ = _Docstring(cls.__doc__)

    def __new__(cls, *args: Any, **given: Any) -> Self:
        known = _keywords(cast(Any, cls))  # mypy takes no class for hashable
        if args and known == []:
            raise TypeError(f"{cls.__name__}() takes no arguments")
        for name in given:
            if known is not None and name not in known:
                raise unknown_setting(f"{cls.__name__} has", name, known)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        check_settings(self)


class _Docstring(str):
    """A docstring that is completed by the settings when @dataclass, which knows them, looks for it."""

    def __get__(self, instance: object, owner: type[Any]) -> str:
        if "__dataclass_fields__" not in vars(owner):
            return str(self)
        text = inspect.cleandoc(self)
        entries = [_entry(each) for each in describe.__wrapped__(owner)]  # afresh: its types may come later
        if entries and _PARAMETERS not in text:  # the author may have written them
            text += _PARAMETERS + "\n".join(entries)
        owner.__doc__ = text
        return text


_PARAMETERS = "\n\nParameters\n----------\n"


def _entry(setting: Setting) -> str:
    """One setting as numpydoc has it."""
    default = "" if setting.default is MISSING else f", default {setting.default!r}"
    meaning = f"{setting.doc[:1].upper()}{setting.doc[1:]}." if setting.doc else ""
    lines = textwrap.wrap(meaning, 100, initial_indent="    ", subsequent_indent="    ")
    return "\n".join([f"{setting.name} : {setting.python}{default}", *lines])


@functools.cache
def _keywords(owner: type[Any]) -> list[str] | None:
    """The names of the arguments that a class takes; None where it takes any."""
    if owner.__init__ is object.__init__:
        return []
    parameters = list(inspect.signature(owner.__init__).parameters.values())[1:]
    free = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters)
    return None if free else [parameter.name for parameter in parameters]


def unknown_setting(who: str, name: str, known: Iterable[str]) -> SettingsError:
    """The error for a misspelt setting: `unknown_setting("PGE has", "popluation", …)`."""
    known = list(known)
    near = nearest(name, known)
    hint = f"did you mean {near!r}?" if near else f"the settings are {', '.join(known) or 'none'}"
    return SettingsError(f"{who} no setting {name!r}; {hint}")


@dataclass(frozen=True)
class Setting:
    """One setting of a class, for those who check it, read it or explain it."""

    name: str
    kind: Any  # its type, None left out
    default: Any  # MISSING where there is none
    doc: str  # what it means, in a few words without a full stop
    low: float | None = None
    high: float | None = None
    optional: bool = False  # whether it may be None
    names: tuple[str, ...] = ()  # texts that stand for objects of its type

    @functools.cached_property
    def choices(self) -> tuple[Any, ...]:
        """All values it can have, where its type is a Literal."""
        return get_args(self.kind) if get_origin(self.kind) is Literal else ()

    @property
    def values(self) -> str:
        """What it can be, on the command line: `integer ≥ 1`, `keep, decay`."""
        words = {int: "integer", float: "number", bool: "true, false", str: "text"}
        text = ", ".join(map(str, self.choices or self.names)) or words.get(self.kind, _name(self.kind)) + self._span()
        return f"{text}, none" if self.optional else text

    @property
    def python(self) -> str:
        """What it can be, in Python: `int ≥ 1`, `{'keep', 'decay'}`."""
        texts = self.choices or self.names
        text = f"{{{', '.join(map(repr, texts))}}}" if texts else _name(self.kind) + self._span()
        return f"{text} or None" if self.optional else text

    def fits(self, value: Any) -> bool:
        """Whether it can have that value; of types that are unknown here, every value fits."""
        if value is None and self.optional:
            return True
        if self.choices:
            return any(type(value) is type(choice) and value == choice for choice in self.choices)
        if self.kind in (bool, str):
            return isinstance(value, self.kind)
        if self.kind not in (int, float):
            return True
        number = isinstance(value, int | self.kind) and not isinstance(value, bool)
        return number and value == value and not self._below(value) and not self._above(value)  # noqa: PLR0124, not nan

    def refused(self, value: Any) -> SettingsError:
        """The error that says what it can be instead."""
        words = {int: "an integer", float: "a number", bool: "True or False", str: "a text"}
        choices = f"one of {', '.join(map(repr, self.choices))}" if self.choices else ""
        what = choices or words.get(self.kind, _name(self.kind)) + self._span(value)
        return SettingsError(f"{self.name} is {value!r}: it must be {what}{' or None' if self.optional else ''}")

    def read(self, text: str) -> Any:
        """A value written as text; whether it is in range is checked where it is used."""
        if self.optional and text.lower() == "none":
            return None
        if self.choices:
            return next((choice for choice in self.choices if str(choice) == text), text)
        if self.kind is bool:
            if text.lower() in (*TRUE, *FALSE):
                return text.lower() in TRUE
            raise SettingsError(f"{self.name} is {text!r}: it must be true or false")
        if self.names:
            return text
        if self.kind not in (int, float, str):
            raise SettingsError(f"{self.name} can't be given as text: set it in Python")
        try:
            return self.kind(text)
        except ValueError:
            raise self.refused(text) from None

    def _below(self, value: Any) -> bool:
        return self.low is not None and value < self.low

    def _above(self, value: Any) -> bool:
        return self.high is not None and value > self.high

    def _span(self, value: Any = None) -> str:
        """The range as words; its technical end only for a value that is beyond it."""
        number = isinstance(value, int | float)
        shown = self.high is not None and (self.high < HUGE or (number and self._above(value)))
        if self.low is None or (self.low <= -HUGE and not (number and self._below(value))):
            return f" ≤ {self.high}" if shown else ""
        if (self.low, self.high) == (0, 1):
            return " in [0, 1]"
        return f" from {self.low} to {self.high}" if shown else f" ≥ {self.low}"


@functools.cache
def describe(owner: type[Any]) -> tuple[Setting, ...]:
    """The settings of a class, in order."""
    return tuple(_setting(field, _kind(owner, field)) for field in dataclasses.fields(owner) if field.init)


def _setting(field: Field[Any], kind: Any) -> Setting:
    default = field.default if field.default_factory is MISSING else field.default_factory()
    optional = get_origin(kind) in (Union, types.UnionType) and types.NoneType in get_args(kind)
    if optional:
        kind = functools.reduce(operator.or_, [part for part in get_args(kind) if part is not types.NoneType])
    about = field.metadata
    limits = about.get("low"), about.get("high")
    return Setting(field.name, kind, default, about.get("doc", ""), *limits, optional, about.get("names", ()))


def _kind(owner: type[Any], field: Field[Any]) -> Any:
    """The type of a field, as an object; its text where that names something which only type checkers import."""
    home = next(base for base in owner.__mro__ if field.name in inspect.get_annotations(base))
    alone = types.SimpleNamespace(__annotations__={field.name: inspect.get_annotations(home)[field.name]})
    try:
        return get_type_hints(alone, vars(sys.modules.get(home.__module__, types)))[field.name]
    except (NameError, AttributeError, TypeError):
        return field.type


def _name(kind: Any) -> str:
    return kind.__name__ if isinstance(kind, type) else str(kind).replace("typing.", "")


def check_settings(owner: Any) -> None:
    """A setting of the wrong type or out of its range is a SettingsError; NumPy's numbers become Python's."""
    for each in describe(owner.__class__):
        value = getattr(owner, each.name)
        if isinstance(value, np.generic):
            value = value.item()
            object.__setattr__(owner, each.name, value)
        if not each.fits(value):
            raise each.refused(value)


def read(owner: type[HasSettings], name: str, text: str) -> Any:
    """The value of a class's setting, from text: `read(PGE, "wraps", "1")`."""
    settings = {each.name: each for each in describe(cast(Any, owner))}
    if name not in settings:
        raise unknown_setting(f"{owner.__name__} has", name, settings)
    return settings[name].read(text)
