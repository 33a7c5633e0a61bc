"""Methods from the command line: six settings are options, the rest is `--set name=value`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, get_type_hints

from gramarye.errors import SettingsError, did_you_mean

if TYPE_CHECKING:
    from gramarye.methods.base import MethodBase

TRUE, FALSE = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


def build_method(name: str, pairs: Sequence[str] = (), options: Mapping[str, Any] | None = None) -> MethodBase:
    """The method of that name with some settings; options that are None keep the method's own value."""
    from gramarye.methods import find

    kind = find(name)
    given = {key: value for key, value in (options or {}).items() if value is not None}
    for pair in pairs:
        key, value = _read(kind, pair)
        if key in given:
            raise SettingsError(f"{key} is given twice: as {given[key]!r} and as {value!r}")
        given[key] = value
    return kind(**given)


def _read(method: type[MethodBase], pair: str) -> tuple[str, Any]:
    name, equals, text = (part.strip() for part in pair.partition("="))
    if not equals or not name:
        raise SettingsError(f"--set {pair!r}: write --set name=value, such as --set wraps=1")
    defaults = method().settings
    if name not in defaults:
        near = did_you_mean(name, defaults) or f"; it has {', '.join(defaults)}"
        raise SettingsError(f"{method.__name__} has no setting {name!r}{near}")
    return name, _value(name, text, get_type_hints(method)[name])


def _value(name: str, text: str, kind: Any) -> Any:
    """The text as a value of the setting's type; whether it is in range is the method's to say."""
    if kind is bool:
        if text.lower() in (*TRUE, *FALSE):
            return text.lower() in TRUE
        raise SettingsError(f"{name} is {text!r}: it must be true or false")
    if kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            what = "an integer" if kind is int else "a number"
            raise SettingsError(f"{name} is {text!r}: it must be {what}") from None
    return text
