"""The tables of a TOML file: keys, texts and names, with errors that say what to write instead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from gramarye.errors import SettingsError, did_you_mean
from gramarye.settings import unknown_setting


def check_keys(table: Mapping[str, Any], known: Iterable[str], what: str) -> None:
    """An error at the first key that is not known."""
    known = tuple(known)
    for key in table:
        if key not in known:
            near = did_you_mean(key, known) or f"; there are {', '.join(known)}"
            raise SettingsError(f"{what} no {key!r}{near}")


def check_settings(table: Mapping[str, Any], known: Iterable[str], who: str) -> None:
    """An error at the first setting that is not known."""
    known = tuple(known)
    for name in table:
        if name not in known:
            raise unknown_setting(who, name, known)


def table_of(document: Mapping[str, Any], key: str) -> dict[str, Any]:
    """A table, empty if it is not there."""
    table = document.get(key, {})
    if not isinstance(table, dict):
        raise SettingsError(f"{key} is {table!r}: write a table, [{key}]")
    return table


def tables_of(document: Mapping[str, Any], key: str, name: str) -> list[dict[str, Any]]:
    """An array of tables; a text in it stands for a table with nothing but a name."""
    given = document.get(key)
    if not isinstance(given, list) or not given or not all(isinstance(table, dict | str) for table in given):
        what = "is missing" if given is None else f"is {given!r}"
        raise SettingsError(f'{key} {what}: write [[{key}]] and {name} = "…" below it, or {key} = ["…", "…"]')
    return [{name: table} if isinstance(table, str) else table for table in given]


def text_of(table: Mapping[str, Any], key: str, example: str) -> str:
    """A text that must be there."""
    value = table.get(key)
    if isinstance(value, str):
        return value
    slips = [other for other in table if value is None and did_you_mean(other, [key])]
    what = f"is {value!r}" if value is not None else f"is called {slips[0]!r}" if slips else "is missing"
    raise SettingsError(f'{key} {what}: write {key} = "{example}"')


def name_of(table: Mapping[str, Any], key: str, otherwise: str) -> str:
    """What something is to be called."""
    name = table.get(key, otherwise)
    if not isinstance(name, str) or (key in table and not name.strip()):
        raise SettingsError(f'{key} is {name!r}: it must be a text, {key} = "…"')
    return name
