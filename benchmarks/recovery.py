"""Whether a formula is the true one up to a constant, decided as SRBench does (La Cava et al. 2021).

Both are compared in sympy: the model is simplified, its constants are rounded to three decimals (those below 0.0001
become 0), and it counts as recovered if its difference from the true formula, or its ratio to it, is a constant after
rounding once more. A process of its own does that, and is ended after some seconds of processor time.

Unlike SRBench, a model that is not recovered gets a second chance without absolute values: sympy can't know that |u| is
u or -u in all rows, and so finds sqrt(|a - b|) different from sqrt(b - a). That is another answer, "by sign".
"""

from __future__ import annotations

import importlib
import multiprocessing
import signal
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SECONDS = 5.0  # of processor time for one formula
SPREAD = 0.05  # a difference or ratio that varies by more in the rows is no constant, whatever is rounded
ROWS = 200  # to look at


@dataclass(frozen=True)
class Question:
    """A model, in x0, x1, …, and the true formula, in the names of the columns."""

    model: str
    truth: str
    columns: tuple[str, ...]
    positive: tuple[str, ...] = ()  # columns whose values are all above 0
    X: Floats = field(default_factory=lambda: np.empty((0, 0)))  # [rows, columns]
    signs: bool = False  # whether |u| is what it is in these rows, where u has one sign in all of them


class Judge:
    """Answers questions in a process of its own, which is replaced after a question that took too long."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds
        self._process: Any = None
        self._connection: Connection[Any, Any] | None = None

    def ask(self, question: Question) -> str:
        """One of "yes", "by sign", "no", "time limit" and "unreadable"."""
        answer = self._asked(question)
        if answer != "yes" and self._asked(replace(question, signs=True)) == "yes":
            return "by sign"
        return answer

    def _asked(self, question: Question) -> str:
        connection = self._started()
        connection.send(question)
        try:
            return str(connection.recv())
        except EOFError:
            self.close()
            return "time limit"

    def _started(self) -> Connection[Any, Any]:
        if self._connection is None:
            context = multiprocessing.get_context("spawn")
            self._connection, theirs = context.Pipe()
            self._process = context.Process(target=serve, args=(theirs, self.seconds), daemon=True)
            self._process.start()
            theirs.close()
        return self._connection

    def close(self) -> None:
        """End the process."""
        if self._connection is not None:
            self._connection.close()
            self._process.kill()
            self._process.join()
            self._connection = self._process = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def serve(connection: Connection[Any, Any], seconds: float) -> None:
    """Answer until nobody asks; the signal of a timer that nobody handles ends the process."""
    importlib.import_module("sympy")  # before the clock starts
    while True:
        try:
            question = connection.recv()
        except EOFError:
            return
        signal.setitimer(signal.ITIMER_PROF, seconds)
        answer = decide(question)
        signal.setitimer(signal.ITIMER_PROF, 0)
        connection.send(answer)


def decide(question: Question) -> str:
    """The answer, however long it takes."""
    try:
        symbols = _symbols(question)
        model, truth = _parsed(question, symbols)
        if question.signs:
            given, model = model, _by_sign(question.X, symbols, model)
            if model == given:
                return "no"
        if _differs_in_the_rows(question.X[:ROWS], symbols, model, truth):
            return "no"
        return "yes" if _same_up_to_a_constant(model, truth) else "no"
    except Exception:  # sympy raises many kinds, and none of them is a recovery
        return "unreadable"


def _symbols(question: Question) -> dict[str, Any]:
    import sympy

    return {
        name: sympy.Symbol(name, real=True, positive=True if name in question.positive else None)
        for name in question.columns
    }


def _parsed(question: Question, symbols: dict[str, Any]) -> tuple[Any, Any]:
    import sympy

    numbered = {f"x{number}": symbol for number, symbol in enumerate(symbols.values())}
    model = sympy.parse_expr(question.model, local_dict=numbered)
    truth = sympy.parse_expr(question.truth, local_dict=symbols)
    return model, truth.subs(sympy.pi, sympy.Float(np.pi))


def _by_sign(X: Floats, symbols: dict[str, Any], model: Any) -> Any:
    """The model with u or -u for |u| where that is the same in all rows."""
    import sympy

    def plain(operand: Any) -> Any:
        with np.errstate(all="ignore"):
            values = np.asarray(sympy.lambdify(list(symbols.values()), operand)(*X.T))
        return operand if (values >= 0).all() else -operand if (values <= 0).all() else sympy.Abs(operand)

    return model.replace(sympy.Abs, plain) if len(X) else model


def _differs_in_the_rows(X: Floats, symbols: dict[str, Any], model: Any, truth: Any) -> bool:
    """Whether neither difference nor ratio is anywhere near a constant: spares sympy most of its work."""
    import sympy

    if not len(X):
        return False
    with np.errstate(all="ignore"):
        found, wanted = (
            np.broadcast_to(np.asarray(sympy.lambdify(list(symbols.values()), each)(*X.T), np.float64), len(X))
            for each in (model, truth)
        )
        difference, ratio = wanted - found, found / wanted
    if not np.isfinite(difference).all() or not np.isfinite(ratio).all():
        return False
    varies = difference.std() > SPREAD * wanted.std()
    return bool(varies and ratio.std() > SPREAD * abs(np.median(ratio)))


def _same_up_to_a_constant(model: Any, truth: Any) -> bool:
    import sympy

    cleaned = rounded(sympy.simplify(model, ratio=1))
    if cleaned.is_number:
        return False
    difference, ratio = _settled(truth - cleaned), _settled(cleaned / truth)
    return _is_constant(difference) or (_is_constant(ratio) and ratio != 0)


def _settled(expression: Any) -> Any:
    import sympy

    left = rounded(expression)
    return left if left.is_number else rounded(sympy.simplify(left, ratio=1))


def _is_constant(expression: Any) -> bool:
    return bool(expression.is_constant() and expression.is_finite)


def rounded(expression: Any) -> Any:
    """An expression whose constants have three decimals; those below 0.0001 are 0."""
    import sympy

    places = {
        number: sympy.Integer(0) if abs(number) < 1e-4 else sympy.Float(round(number, 3), 3)
        for number in expression.atoms(sympy.Float)
    }
    return expression.xreplace(places)
