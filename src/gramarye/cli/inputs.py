"""What the command line reads: methods, problems, grammars, genotypes and programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gramarye.cli.console import note
from gramarye.errors import DataError, GenotypeError, GrammarError, SettingsError, did_you_mean
from gramarye.files import read_limited

if TYPE_CHECKING:
    from gramarye.derivations import Derivation
    from gramarye.grammar import Grammar
    from gramarye.methods.base import MethodBase
    from gramarye.objectives.problem import Problem

MOST_WARNINGS = 3  # that are noted of one grammar


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


def read_problem(
    source: str | None, grammar: str | None, columns: dict[str, str | None], options: dict[str, Any]
) -> Problem:
    """A ready-made problem, or the table of a CSV file, whose target and weights are `columns`."""
    if source is None:
        raise SettingsError(
            "missing argument: a problem (see `gramarye problems`), a CSV file, or --fitness MODULE:FUNCTION"
        )
    from gramarye.problems import from_csv, load

    given = {name: value for name, value in options.items() if value is not None}
    named = {name: value for name, value in columns.items() if value is not None}
    if Path(source).suffix.lower() != ".csv":
        for name, column in named.items():
            what = f"--{name.replace('_', '-')} goes with a CSV file, not with the problem {source!r}"
            raise SettingsError(f"{what}{_or_fitness(name, column)}")
        return load(source, None if grammar is None else read_grammar(grammar), **given)
    if grammar is None:
        raise SettingsError(f"{source}: a table needs a grammar that knows its columns; give --grammar FILE")
    try:
        return from_csv(source, read_grammar(grammar), **named, **given)
    except DataError as error:
        target = named.get("target", "")
        hint = _or_fitness("target", target) if f"no column is called {target!r}" in str(error) else ""
        raise DataError(f"{error}{hint}") from None


def _or_fitness(option: str, value: str) -> str:
    """What may have been meant where the name of the target's column is a number."""
    try:
        float(value)
    except ValueError:
        return ""
    return "; the fitness to stop at is --target-fitness" if option == "target" else ""


def read_grammar(source: str, dialect: str | None = None, warn: bool = True) -> Grammar:
    """The grammar of a ready-made problem, or of a file (`./pagie` is always one), with notes on how it was read."""
    from gramarye.grammar import Grammar
    from gramarye.problems import PROBLEMS, load

    if source in PROBLEMS and not (dialect and Path(source).exists()):
        if dialect:
            raise SettingsError(f"--dialect goes with a file; {source} is a problem")
        return load(source).grammar
    near = did_you_mean(source, PROBLEMS)
    if near and not Path(source).exists():
        raise GrammarError(f"{source}: there is no such file, and no problem of that name{near}")
    grammar = Grammar.from_file(source, dialect)
    note_reading(grammar, source, warn)
    return grammar


def note_reading(grammar: Grammar, source: str, warn: bool = True) -> None:
    """Say how the text of a grammar was read, and, if wanted, what is probably a mistake in it."""
    if grammar.notice:
        note(f"{source} is {grammar.notice}")
    warnings = grammar.analysis.warnings if warn else ()
    for warning in warnings[:MOST_WARNINGS]:
        note(f"{source}, {warning}")
    if len(warnings) > MOST_WARNINGS:
        note(f"{source}: {len(warnings) - MOST_WARNINGS:,} more such warnings; `gramarye grammar` shows them all")


def read_genotype(text: str) -> Any:
    """A genotype written as JSON; single quotes are as good as double ones, and bits need none."""
    if text.isascii() and text.isdecimal():
        return text
    try:
        return json.loads(text.replace("'", '"'))
    except json.JSONDecodeError as error:
        what = f"the genotype is not valid JSON: {error.msg} at character {error.colno}"
    except (ValueError, RecursionError) as error:
        what = f"the genotype can't be read: {error}"
    raise GenotypeError(f"""{what}; write '[0.8, 0.2]', or '{{"<op>": [0, 1]}}' for lists""")


def read_programs(path: Path, grammar: Grammar, method: MethodBase) -> dict[str, Derivation]:
    """The programs of a file, one on each line, as the method derives them, by their place; empty lines don't count."""
    from gramarye.engine.encoding import derive

    lines = [(number, text) for number, text in enumerate(_lines(path), 1) if text.strip()]
    if not lines:
        raise SettingsError(
            f"{path}: there is no program in it; write one on each line, or leave --initial-programs out"
        )
    own = method.rewritten(grammar)
    return {f"{path}, line {number}": derive(grammar, own, text, method, str(path), number) for number, text in lines}


def _lines(path: Path) -> list[str]:
    try:
        return read_limited(path).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path}: byte {error.start} is not valid UTF-8; save the programs as UTF-8 text") from None
    except OSError as error:
        raise SettingsError(f"{path}: can't be read ({error.strerror or error})") from None
