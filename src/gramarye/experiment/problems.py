"""The problems of an experiment in TOML: ready-made ones, tables of data, and fitness functions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gramarye.errors import SettingsError
from gramarye.execution.named_functions import function_named
from gramarye.experiment.tables import check_keys, name_of, text_of
from gramarye.grammar import Grammar
from gramarye.objectives import Objective
from gramarye.objectives.problem import Problem
from gramarye.problems import from_csv, load

OF_TABLES = ("grammar", "error", "linear_scaling", "clip", "test_rows", "precedence", "name")
OF_EVALUATIONS = ("timeout", "memory", "noisy", "on_error")
OF_OBJECTIVES = ("maximise", "batch", *OF_EVALUATIONS)  # their values are checked there
OF_PROBLEM = ("problem", *OF_TABLES, *OF_EVALUATIONS)
OF_DATA = ("data", "target", "sample_weight", "first_index", *OF_TABLES)
OF_FITNESS = ("fitness", "test_fitness", "grammar", "name", *OF_OBJECTIVES)


def problem_of(table: Mapping[str, Any], folder: Path) -> Problem:
    """The problem that a table describes; files and modules that it names are looked for in a folder."""
    grammar = Grammar.from_file(folder / text_of(table, "grammar", "my.bnf")) if "grammar" in table else None
    if "fitness" in table:
        return _of_function(table, grammar, folder)
    if "data" not in table:
        check_keys(table, (*OF_PROBLEM, "data", "fitness"), "a problem has")
        named = {"name": name_of(table, "name", "")} if "name" in table else {}
        return load(text_of(table, "problem", "pagie"), grammar, **_options(table), **named)
    check_keys(table, OF_DATA, "a problem with data has")
    if grammar is None:
        raise SettingsError('a problem with data needs a grammar that knows its columns: grammar = "my.bnf"')
    names = {key: name_of(table, key, "") for key in ("target", "sample_weight", "name") if key in table}
    return from_csv(folder / text_of(table, "data", "my.csv"), grammar, **_options(table), **names)


def _of_function(table: Mapping[str, Any], grammar: Grammar | None, folder: Path) -> Objective:
    """The objective of a fitness function."""
    check_keys(table, OF_FITNESS, "a problem with a fitness function has")
    if grammar is None:
        raise SettingsError('a fitness function needs the grammar of the programs: grammar = "my.bnf"')
    names = [key for key in ("fitness", "test_fitness") if key in table]
    function, *test = [function_named(text_of(table, key, f"mymodule:{key}"), key, folder) for key in names]
    options = {key: table[key] for key in OF_OBJECTIVES if key in table}
    name = name_of(table, "name", table["fitness"].rpartition(":")[2])
    return Objective(function, grammar, test=test[0] if test else None, name=name, **options)


def _options(table: Mapping[str, Any]) -> dict[str, Any]:
    """What a problem measures, and on which rows; how it is evaluated."""
    kinds = {
        "error": str,
        "linear_scaling": bool,
        "clip": bool,
        "test_rows": int,
        "first_index": int,
        "precedence": str,
    }
    options = {key: table[key] for key in kinds if key in table}
    for key, value in options.items():
        if type(value) is not kinds[key]:  # TOML's true is not a number
            what = {bool: "true or false", int: "an integer", str: "a text"}[kinds[key]]
            raise SettingsError(f"{key} is {value!r}: it must be {what}")
    return options | {key: table[key] for key in OF_EVALUATIONS if key in table}
