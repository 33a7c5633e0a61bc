"""What an export gives: a formula in another form, and what must be known to use it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from gramarye.languages.arithmetic.factors import tidied
from gramarye.languages.arithmetic.writer import ALONE, Piece, joined, leaf_writer
from gramarye.languages.expression import SPECIAL_CASES, SPECIAL_VALUES, Expression, Guard, Step, fold, number

Form = TypeVar("Form")


@dataclass(frozen=True)
class Exported(Generic[Form]):
    """A formula in another form; `str` gives its text.

    Attributes
    ----------
    form
        The formula: a sympy expression, or a text.
    columns : dict
        What each variable of the form is: from its name there to the name of the column.
    assumptions : tuple of str
        What must hold for the form to give what `predict` gives. Special cases of protected operators are left out if
        they occur in no row of the data, and only they are left if they occur in every row: `psqrt(x)`, the root of
        |x|, is √x or √(-x) if x has one sign in all rows. Limits of predictions (`clip`) are left out.
    """

    form: Form
    columns: dict[str, str]
    assumptions: tuple[str, ...] = ()

    def __str__(self) -> str:
        return str(self.form)


def exported(form: Form, expression: Expression, names: Sequence[str]) -> Exported[Form]:
    """A form whose columns have these names, and whose untouched guards are left out."""
    columns = {names[column]: expression.labels[column] for column in expression.columns}
    return Exported(form, columns, _assumptions(expression))


def settled(expression: Expression) -> tuple[Step, ...]:
    """The steps of a formula as exports write it: with special cases only where they occur in some rows, not in all.

    `abs` and `psqrt` become what they are where their operand has one sign in all rows.
    """
    steps: list[Step] = fold(expression.steps, lambda step: [step], _settle)
    return tidied(steps)


def _settle(step: Step, operands: list[list[Step]]) -> list[Step]:
    steps = [each for operand in operands for each in operand]
    if step.name not in ("abs", "psqrt"):
        return [number(SPECIAL_VALUES[step.name])] if step.guard is Guard.ALWAYS else [*steps, step]
    if step.guard is Guard.ALWAYS:
        steps = _negative(steps)
    elif step.guard is Guard.TOUCHED:
        steps.append(Step("abs", 1))
    return [*steps, Step("sqrt", 1)] if step.name == "psqrt" else steps


def _negative(steps: list[Step]) -> list[Step]:
    """The same with the other sign: b - a for a - b."""
    match steps[-1].name:
        case "neg":
            return steps[:-1]
        case "sub":
            begin, wanted = len(steps) - 1, 1  # where b begins
            while wanted:
                begin -= 1
                wanted += steps[begin].operands - 1
            return [*steps[begin:-1], *steps[:begin], steps[-1]]
    return [*steps, Step("neg", 1)]


def _assumptions(expression: Expression) -> tuple[str, ...]:
    """What must hold so that special cases may be left out, or only they may be left."""
    found: dict[str, None] = {}  # in order, each once

    def join(step: Step, operands: list[Piece]) -> Piece:
        what, always = operands[-1][0], step.guard is Guard.ALWAYS
        if step.guard in (Guard.UNTOUCHED, Guard.ALWAYS) and not what.isdigit():  # 1 > 0 follows from others
            case = SPECIAL_CASES[step.name]
            found[f"{what} {case.relation if always else case.otherwise} {number_text(case.limit)}"] = None
            if always and step.name in SPECIAL_VALUES:
                return special(step), ALONE
        return joined(step.name, operands)

    fold(expression.steps, leaf_writer(expression.labels, number_text), join)
    if expression.limits is not None:
        low, high = expression.limits
        found[f"{low!r} ≤ prediction ≤ {high!r}: `predict` limits predictions to this range"] = None
    return tuple(found)


def special(step: Step) -> str:
    """What a protected operation gives in its special case: 0 for the logarithm of a number ≤ 0, otherwise 1."""
    return number_text(SPECIAL_VALUES[step.name])


def number_text(value: float) -> str:
    """A number in the fewest digits that give the same bits; 2, not 2.0."""
    return str(int(value)) if is_whole(value) else repr(value)


def is_whole(value: float) -> bool:
    """Whether a number is an integer that people write out."""
    return value.is_integer() and abs(value) < 1e6 and str(value) != "-0.0"
