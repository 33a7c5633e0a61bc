"""Methods from the command line: seven settings are options, the rest is `--set name=value`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gramarye.errors import SettingsError

if TYPE_CHECKING:
    from gramarye.methods.base import MethodBase


def build_method(name: str, pairs: Sequence[str] = (), options: Mapping[str, Any] | None = None) -> MethodBase:
    """The method of that name with some settings; options that are None keep the method's own value."""
    from gramarye.methods import find
    from gramarye.methods.base import build

    kind = find(name)
    given = {key: value for key, value in (options or {}).items() if value is not None}
    for pair in pairs:
        key, value = _read(kind, pair)
        if key in given:
            raise SettingsError(f"{key} is given twice: as {given[key]!r} and as {value!r}")
        given[key] = value
    return build(kind, given)


def _read(method: type[MethodBase], pair: str) -> tuple[str, Any]:
    from gramarye.settings import read

    name, equals, text = (part.strip() for part in pair.partition("="))
    if not equals or not name:
        raise SettingsError(f"--set {pair!r}: write --set name=value, such as --set wraps=1")
    return name, read(method, name, text)
