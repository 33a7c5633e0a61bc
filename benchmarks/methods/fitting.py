"""What a fit is, and what all methods share: a limit of processor time, and the size of a formula."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Fit:
    """What a method has found."""

    seconds: float  # of processor time
    predict: Callable[[Floats], Floats]
    formula: str  # in x0, x1, …, as sympy reads it; empty for a model that is none
    size: int  # in nodes


@dataclass(frozen=True)
class Method:
    """A way to fit: `fit(X, y, seed, seconds)`."""

    fit: Callable[[Floats, Floats, int, float], Fit]
    package: str  # as it is installed
    settings: str  # what is not a default, in words
    stopping: str  # what ends it after the seconds of processor time, and how precisely
    budgeted: bool = True  # whether it uses its seconds; otherwise it takes what it takes, which is little


class Budget:
    """Seconds of processor time of this process, all threads together, from now."""

    def __init__(self, seconds: float) -> None:
        self.limit = seconds
        self._began = time.process_time()

    @property
    def spent(self) -> float:
        """Seconds so far."""
        return time.process_time() - self._began

    @property
    def is_over(self) -> bool:
        """Whether it is time to stop."""
        return self.spent >= self.limit


def nodes(formula: str) -> int:
    """Operators, functions, variables and constants of a formula; a sign before a constant belongs to it."""
    return _nodes(ast.parse(formula, mode="eval").body)


def _nodes(node: ast.expr) -> int:
    if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
        return 1
    if isinstance(node, ast.Call):
        return 1 + sum(map(_nodes, node.args))
    return 1 + sum(_nodes(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))


INFIX = {"add": "({} + {})", "sub": "({} - {})", "mul": "({} * {})", "div": "({} / {})", "neg": "(-{})"}
CALLS = {"sin": "sin({})", "cos": "cos({})", "exp": "exp({})", "square": "({})**2"}
PROTECTED = {"log": "log(Abs({}))", "sqrt": "sqrt(Abs({}))"}
FORMS = INFIX | CALLS | PROTECTED


def infix(prefix: str) -> str:
    """A formula of nested calls, such as add(x0, sin(x1)), as sympy reads it."""
    return _infix(ast.parse(prefix, mode="eval").body)


def _infix(node: ast.expr) -> str:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return FORMS[node.func.id].format(*map(_infix, node.args))
    return ast.unparse(node)


def line_through(outputs: Floats, y: Floats) -> tuple[float, float]:
    """Slope and intercept of the least squares from outputs to the target; 0 and its mean where there are none."""
    with np.errstate(all="ignore"):
        centred = outputs - outputs.mean()
        slope = float(centred @ (y - y.mean()) / (centred @ centred))
    if not np.isfinite(slope):
        return 0.0, float(y.mean())
    return slope, float(y.mean() - slope * outputs.mean())
