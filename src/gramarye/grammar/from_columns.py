"""A grammar from the columns of a table: of a preset, of a template, or of units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gramarye.errors import SettingsError
from gramarye.grammar.columns import read_columns
from gramarye.grammar.dimensions import dimensional_rules
from gramarye.grammar.presets import Variables, preset_of, preset_rules
from gramarye.grammar.templates import template_rules


def rules_from_columns(
    columns: Any,
    preset: str,
    template: str | None,
    units: Mapping[str, str] | None,
    target_unit: str | None,
    constants: bool,
) -> str:
    """The BNF text of `Grammar.from_columns`, whose docstring says what it means."""
    if not isinstance(constants, bool):
        raise SettingsError(f"constants is {constants!r}: it must be True or False")
    if (units is None) != (target_unit is None):
        missing, given = ("units", "target_unit") if units is None else ("target_unit", "units")
        raise SettingsError(f"{given} is given, but {missing} is not: give both, or none of them")
    if units is not None and template is not None:
        raise SettingsError("template and units can't be combined: leave one of them out")
    found, kind = read_columns(columns), preset_of(preset)
    if template is not None:
        return template_rules(template, found, kind, constants)
    numbers = [column.name for column in found if column.kind == "number"]
    texts = [column.name for column in found if column.kind == "text"]
    variables = Variables(numbers, [flag for column in found for flag in column.flags], constants, texts)
    if units is not None and target_unit is not None:
        return dimensional_rules(kind, variables, units, target_unit)
    return preset_rules(kind, variables)
