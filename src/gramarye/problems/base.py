"""What problems of program synthesis share: functions in Python, judged case by case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from gramarye.errors import LanguageError
from gramarye.execution import compile_python
from gramarye.grammar import Grammar
from gramarye.languages.python import python_text
from gramarye.objectives.function import Objective

Case = tuple[Any, Any]  # what the function is given, and what it should return


class Wanted(NamedTuple):
    """The function that programs should define, and how far what it returns may be from what it should."""

    name: str
    argument: str
    distance: Callable[[Any, Any], float]
    builtin_names: tuple[str, ...]  # that programs may use


def synthesis(
    wanted: Wanted, training: Sequence[Case], unseen: Sequence[Case], grammar: Grammar, **options: Any
) -> Objective:
    """A problem whose programs define a function in Python; the best of a run are tested with unseen cases."""
    errors = partial(_errors, wanted)
    problem = Objective(partial(errors, training), grammar, test=partial(errors, unseen), **options)
    if not any(wanted.name in symbol.text for each in problem.grammar.productions for symbol in each.symbols):
        what = f"programs of {problem.name} are Python that defines {wanted.name}({wanted.argument})"
        raise LanguageError(f"{problem.grammar.name}: {what}, but no terminal has that name; use another grammar")
    return problem


def _errors(wanted: Wanted, cases: Sequence[Case], program: str) -> list[float]:
    function = compile_python(python_text(program), builtin_names=wanted.builtin_names)()[wanted.name]
    return [wanted.distance(function(given), expected) for given, expected in cases]
