"""A model read back from JSON, which somebody may have edited: every value is checked, and errors name its place."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations import Status
from gramarye.derivations.parsing import parse
from gramarye.errors import GramaryeError, OutputError, warn
from gramarye.files import read_limited
from gramarye.grammar import Grammar
from gramarye.grammar.columns import Column
from gramarye.languages import Arithmetic
from gramarye.languages.expression import Guard
from gramarye.models.calibration import Calibration
from gramarye.models.checked_json import Node
from gramarye.models.facts import Facts
from gramarye.models.formula import Formula, Front
from gramarye.models.to_json import KINDS, VERSION
from gramarye.objectives.table_evaluator import ERROR_MEASURES
from gramarye.text import brief, counted

FORMAT = "gramarye-model"
MOST_TERMS = 100
GUARDS = {guard.name.lower(): guard for guard in Guard if guard is not Guard.NEVER}


def read(path: Path) -> dict[str, Any]:
    """The parts of the model that a file holds."""
    top = _document(path)
    facts = _facts(top)
    grammar = _grammar(top["grammar"])
    names = tuple(facts.variables) if facts.named else None
    try:
        language = Arithmetic(grammar, len(facts.variables), names)
    except GramaryeError as error:
        raise OutputError(f"{path}: grammar and columns do not fit together: {error}") from None
    fronts = tuple(_front(node, language, names) for node in top["fronts"].items)
    classes = _classes(top["classes"])
    _check_fronts(top["fronts"], fronts, classes)
    return {
        "facts": facts,
        "grammar": grammar,
        "measure": top["error_measure"].one_of(*ERROR_MEASURES),
        "fronts": fronts,
        "search": top["search"].value,
        "classes_": classes,
        "calibration": None if classes is None else _calibration(top["calibration"], len(classes), len(fronts)),
    }


def _document(path: Path) -> Node:
    """The document of a file, if it is a model of a version that can be read."""
    wanted = "give a file that `gramarye fit --out` or `model.save` wrote"
    try:
        value = json.loads(read_limited(path).decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        where = f"{path}, line {error.lineno}, column {error.colno}"
        raise OutputError(f"{where}: not valid JSON ({error.msg}); {wanted}") from None
    except UnicodeDecodeError as error:
        raise OutputError(f"{path}: byte {error.start} is not valid UTF-8; {wanted}") from None
    except RecursionError:
        raise OutputError(f"{path}: lists in lists are too deep for a model; {wanted}") from None
    except (OSError, ValueError) as error:
        raise OutputError(f"{path}: can't be read ({getattr(error, 'strerror', None) or error})") from None
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        found = value.get("format") if isinstance(value, dict) else None
        if found == "gramarye-fit":
            raise OutputError(f"{path}: this is the output of `fit --json`, not a model; use `fit --out`")
        what = "this is not a saved model" + (f", but {brief(found)}" if isinstance(found, str) else "")
        raise OutputError(f"{path}: {what}; {wanted}")
    top = Node(value, path)
    version = top["version"].integer(1)
    if version != VERSION:
        fix = "upgrade gramarye to read it" if version > VERSION else "fit the model again"
        top.fail(f"has format version {version}, but this gramarye reads version {VERSION}", fix)
    return top


def _facts(top: Node) -> Facts:
    columns = tuple(_column(node) for node in top["columns"].items)
    if not columns:
        top["columns"].fail("is empty, but a model has at least one column")
    target = None if top["target"].value is None else top["target"].text
    by_name = top["columns_by"].one_of("name", "position") == "name"
    facts = Facts(columns, by_name, target, top["rows"].integer(1))
    twice = {name for name in facts.variables if facts.variables.count(name) > 1}
    if twice:
        top["columns"].fail(f"has several columns called {min(twice)!r}")
    return facts


def _column(node: Node) -> Column:
    kinds = {name: kind for kind, name in KINDS.items()}
    kind: Any = kinds[node["kind"].one_of(*kinds)]
    levels = tuple(level.text for level in node["levels"].items) if kind == "text" else ()
    return Column(node["name"].text, kind, levels)


def _grammar(node: Node) -> Grammar:
    text = node.text
    try:
        return Grammar.from_text(text, "the grammar")
    except GramaryeError as error:
        raise OutputError(f"{node.file}: {error}") from None


def _front(node: Node, language: Arithmetic, names: tuple[str, ...] | None) -> Front:
    limits, terms = _limits(node["limits"]), node["most_terms"].integer(0, MOST_TERMS)
    formulas = tuple(_formula(each, language, names, limits, terms) for each in node["formulas"].items)
    if not formulas:
        node["formulas"].fail("is empty, but a front has at least one formula")
    _check_order(node["formulas"].items)
    return Front(formulas, node["picked"].integer(0, len(formulas) - 1))


def _check_order(formulas: list[Node]) -> None:
    """Formulas are found by their nodes, the smallest first."""
    for before, after in pairwise(formula["nodes"] for formula in formulas):
        if after.value <= before.value:
            after.fail(f"is {after.value}, but must be larger than {before.place}, which is {before.value}")


def _limits(node: Node) -> tuple[float, float] | None:
    if node.value is None:
        return None
    low, high = node.numbers(2).tolist()
    if low > high:
        node.fail(f"are {low!r} and {high!r}, but the first must not be larger than the second")
    return low, high


def _formula(
    node: Node, language: Arithmetic, names: tuple[str, ...] | None, limits: tuple[float, float] | None, terms: int
) -> Formula:
    program = node["phenotype"]
    try:
        derivation = parse(language.grammar, program.text, f"{node.file}: {program.place}")
    except GramaryeError as error:
        raise OutputError(str(error)) from None
    if language.programs(derivation.alone).status[0] != Status.OK:
        program.fail(f"is {brief(program.text)}, which is not {language.noun}")
    sized = node["nodes"].integer(1), _error(node["error"])
    formula = Formula(language, names, derivation, np.zeros(1 + terms) if terms else None, (), limits, *sized)
    formula = replace(formula, weights=_weights(node["weights"], formula))
    formula = replace(formula, guards=_guards(node["special_cases"], formula))
    if node["formula"].text != str(formula):
        what = f"{node.file}: {node.place}.formula is not what phenotype and weights give, and is ignored"
        warn(f"{what}; edit phenotype and weights instead")
    return formula


def _error(node: Node) -> float:
    if node.number < 0:
        node.fail(f"is {node.number!r}, but an error can't be negative")
    return node.number


def _weights(node: Node, formula: Formula) -> NDArray[np.float64] | None:
    """The weights with zeros for the terms that the program does not have."""
    if formula.weights is None:
        if node.value is not None:
            node.fail("are given, but most_terms is 0", "write null, or save the model again")
        return None
    given = len(node.items)
    if given != 1 + formula.terms:
        what = f"has {counted(given, 'number')}, but the phenotype has {counted(formula.terms, 'term')}"
        node.fail(what, f"give {1 + formula.terms}: an intercept and a weight for each term")
    found = np.zeros(len(formula.weights))
    found[:given] = node.numbers(-1)
    return found


def _guards(node: Node, formula: Formula) -> tuple[Guard, ...]:
    wanted = sum(step.guard is not Guard.NEVER for step in formula.unguarded.steps)
    found = tuple(GUARDS[item.one_of(*GUARDS)] for item in node.items)
    if len(found) != wanted:
        operations = counted(wanted, "operation") if wanted else "no operation"
        fix = f"give {wanted}, each of them {' or '.join(map(repr, GUARDS))}" if wanted else "leave the list empty"
        node.fail(f"has {counted(len(found), 'value')}, but the formula has {operations} with special cases", fix)
    return found


def _classes(node: Node) -> NDArray[Any] | None:
    if node.value is None:
        return None
    labels = [item.value for item in node.items]
    kinds = {type(label) for label in labels}
    if len(labels) < 2 or len(kinds) > 1 or not kinds <= {str, bool, int, float} or len(set(labels)) < len(labels):
        node.fail("must be at least two different texts, numbers or booleans")
    return np.array([item.number for item in node.items] if kinds == {float} else labels)


def _check_fronts(node: Node, fronts: tuple[Front, ...], classes: NDArray[Any] | None) -> None:
    wanted = 1 if classes is None or len(classes) == 2 else len(classes)
    if len(fronts) != wanted:
        what = "a number" if classes is None else f"{len(classes)} classes"
        node.fail(f"has {counted(len(fronts), 'front')}, but a model for {what} has {wanted}")


def _calibration(node: Node, classes: int, formulas: int) -> Calibration:
    rows = 1 if classes == 2 else classes
    scales, shares = (_positive(node[key], count) for key, count in (("scales", formulas), ("shares", classes)))
    shapes = node["weights"].numbers(rows, formulas), node["intercepts"].numbers(rows)
    return Calibration(node["means"].numbers(formulas), scales, *shapes, shares)


def _positive(node: Node, count: int) -> NDArray[np.float64]:
    found = node.numbers(count)
    if (found <= 0).any():
        node.fail("has a number ≤ 0, but all must be positive")
    return found
