"""The quartic polynomial x⁴ + x³ + x² + x: small, soon solved, good for a first look.

J. R. Koza. Genetic Programming. MIT Press 1992.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gramarye.grammar import Grammar
from gramarye.objectives.regression import Regression

DESCRIPTION = "x⁴ + x³ + x² + x at 21 points: x from -1 to 1 in steps of 0.1. Source: Koza 1992"

GRAMMAR = """
<expr> ::= <expr> <op> <expr> | (<expr> <op> <expr>) | <var>
<op>   ::= + | - | * | /
<var>  ::= x | 1.0
"""


def problem(grammar: Grammar | None = None, **options: Any) -> Regression:
    """The quartic polynomial, with its own grammar or with another one."""
    x = np.array([-1.0 + 0.1 * step for step in range(21)])
    target = x * x * x * x + x * x * x + x * x + x
    return Regression(
        x[:, None],
        target,
        grammar or Grammar.from_text(GRAMMAR, "quartic"),
        **{"name": "quartic", "description": DESCRIPTION, **options},
    )
