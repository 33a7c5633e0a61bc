"""Experiments written in TOML."""

from __future__ import annotations

import itertools
import math
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

from gramarye.errors import GramaryeError, SettingsError
from gramarye.experiment.plan import Experiment, check_count, named_methods, with_evaluations
from gramarye.experiment.problems import problem_of
from gramarye.experiment.tables import check_keys, check_settings, name_of, table_of, tables_of, text_of
from gramarye.files import read_limited
from gramarye.methods import MethodBase, find
from gramarye.methods.base import build
from gramarye.objectives.problem import Problem
from gramarye.settings import describe

EXAMPLE = """\
# An experiment: every method runs on every problem, `runs` times.
#   gramarye compare experiment.toml
# It can be stopped at any time: run the same command again to resume.

name = "how fast should PGE learn?"
runs = 30
# seed = 1               # of the first run; the following runs use seed + 1, seed + 2, …
# evaluations = 50_000   # the same budget for all, instead of the same number of generations
#                        # (where a grammar has constants to tune, passes over the data)

[settings]               # for every method that has them
population = 200
generations = 25
# max_time = 60          # seconds after which a run stops; max_evaluations and target are other limits

[[methods]]
method = "pge"
learning_factor = [0.01, 0.05]   # a list makes a grid: one method for each value

[[methods]]
method = "ge"
label = "plain GE"               # how the report calls it
# selection = "epsilon-lexicase" # parents are judged by each row instead of by their mean error

[[problems]]
problem = "quartic"              # see `gramarye problems`

[[problems]]
problem = "pagie"
# grammar = "my.bnf"             # another grammar for it

# A table of your own, in a file beside this one:
# [[problems]]
# data = "houses.csv"            # the first line names the columns
# target = "price"               # the last column where it is left out
# sample_weight = "houses"       # a column that says how much each row counts
# grammar = "houses.bnf"         # knows the columns by their names
# error = "rrse"                 # or "rmse", "mae", "1-r2"
# test_rows = 50                 # kept apart for testing
# linear_scaling = true          # fit intercept and slope to every formula by least squares
# clip = true                    # limit predictions to the range of the training target, extended at both ends
# precedence = "authors"         # |_div| of the SGE family binds more weakly than + - *, as in the authors' programs

# A fitness function of your own, in mymodule.py beside this file; see `gramarye run --help`:
# [[problems]]
# fitness = "mymodule:fitness"   # gives the text of a program a number, or a list of errors; smaller is better
# test_fitness = "mymodule:test" # tests the best programs on data that the search does not see
# grammar = "my.bnf"             # of the programs
# maximise = true                # larger numbers are better
# timeout = 1.0                  # seconds that one evaluation may take
# memory = "512MB"               # that one evaluation may use
# noisy = true                   # the function may return other numbers for the same program
# on_error = "raise"             # exceptions and NaN stop the run
# batch = true                   # the function takes a list of programs and returns a list
"""

TOP = ("name", "runs", "seed", "evaluations", "settings", "methods", "problems")


def read_experiment(path: str | PathLike[str]) -> Experiment:
    """The experiment that a TOML file describes; other files are looked for beside it."""
    path = Path(path)
    try:
        document = tomllib.loads(read_limited(path).decode("utf-8-sig"))  # some editors put a mark first
    except OSError as error:
        raise SettingsError(f"{path}: can't be read ({error.strerror or error})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SettingsError(f"{path}: not a valid TOML file: {error}") from None
    with _in(str(path)):
        return _experiment(document, path)


@contextmanager
def _in(place: str) -> Iterator[None]:
    """Errors say in which file, and in which entry of it, they are."""
    try:
        yield
    except GramaryeError as error:
        raise SettingsError(f"{place}: {error}") from None


def _experiment(document: Mapping[str, Any], path: Path) -> Experiment:
    check_keys(document, TOP, "an experiment has")
    methods = _methods(tables_of(document, "methods", "method"), table_of(document, "settings"))
    if "evaluations" in document:
        methods = {label: with_evaluations(method, document["evaluations"]) for label, method in methods.items()}
    problems: dict[str, Problem] = {}
    for number, table in enumerate(tables_of(document, "problems", "problem"), 1):
        with _in(f"[[problems]] {number}"):
            problem = problem_of(table, path.parent)
        if problem.name in problems:
            raise SettingsError(f'two problems are called {problem.name!r}; give one of them another name = "…"')
        problems[problem.name] = problem
    given = {key: document[key] for key in ("runs", "seed") if key in document}
    return Experiment(methods, problems, name=name_of(document, "name", path.stem), **given)


def _methods(tables: list[dict[str, Any]], common: Mapping[str, Any]) -> dict[str, MethodBase]:
    """Methods by label; a list of values makes several."""
    places = [f"[[methods]] {number}" for number in range(1, len(tables) + 1)]
    kinds = []
    for place, table in zip(places, tables, strict=True):
        with _in(place):
            kinds.append(find(text_of(table, "method", "pge")))
    check_settings(common, {each.name: None for kind in kinds for each in describe(kind)}, "these methods have")
    entries: list[tuple[str | None, MethodBase]] = []
    for place, table, kind in zip(places, tables, kinds, strict=True):
        with _in(place):
            entries += _entries(table, kind, common)
    return _by_label(entries)


def _entries(
    table: dict[str, Any], kind: type[MethodBase], common: Mapping[str, Any]
) -> list[tuple[str | None, MethodBase]]:
    """The methods of one table, with the labels that they were given."""
    known = [each.name for each in describe(kind)]
    optional = {each.name for each in describe(kind) if each.optional}
    check_settings(table, ("method", "label", *known), f"{kind.__name__} has")
    own = {key: value for key, value in table.items() if key in known}
    settings = {key: value for key, value in common.items() if key in known} | own
    varied = [key for key, value in settings.items() if isinstance(value, list)]
    entries: list[tuple[str | None, MethodBase]] = []
    for choice in _grid(settings):
        label = " ".join([name_of(table, "label", ""), *(f"{key}={choice[key]}" for key in varied)])
        if "tournament" not in own and choice.get("selection", "tournament") != "tournament":
            choice.pop("tournament", None)  # it was given for all, and has no effect here
        # TOML has no word for nothing
        given = {key: None if key in optional and value == "none" else value for key, value in choice.items()}
        entries.append((label if "label" in table else None, build(kind, given)))
    return entries


def _by_label(entries: list[tuple[str | None, MethodBase]]) -> dict[str, MethodBase]:
    """Methods by their labels, in order; those without one are named after their kind and settings."""
    unlabelled = iter(named_methods([method for label, method in entries if label is None]))
    methods: dict[str, MethodBase] = {}
    for given, method in entries:
        label = next(unlabelled) if given is None else given
        if label in methods:
            raise SettingsError(f'two methods are called {label!r}; give one of them another label = "…"')
        methods[label] = method
    return methods


def _grid(settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    values = [value if isinstance(value, list) else [value] for value in settings.values()]
    for name, choices in zip(settings, values, strict=True):
        if not choices:
            raise SettingsError(f"{name} is an empty list: give a value at least")
    check_count(math.prod(map(len, values)))  # before they are made
    return [dict(zip(settings, choice, strict=True)) for choice in itertools.product(*values)]
