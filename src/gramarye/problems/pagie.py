"""The Pagie polynomial: 1/(1 + x⁻⁴) + 1/(1 + y⁻⁴) on a grid.

L. Pagie, P. Hogeweg. Evolutionary Consequences of Coevolving Targets. Evolutionary Computation 5(4), 1997.
The grid and the grammar are those of the PGE paper (Mégane, Lourenço, Machado 2021).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gramarye.grammar import Grammar
from gramarye.objectives.regression import Regression

DESCRIPTION = (
    "1/(1 + x⁻⁴) + 1/(1 + y⁻⁴) at 676 points: both variables from -5 to 5 in steps of 0.4. "
    "Source: Pagie and Hogeweg 1997"
)

GRAMMAR = """
<start>  ::= <expr>
<expr>   ::= <expr> <op> <expr> | (<expr> <op> <expr>) | <pre_op>(<expr>) | <var>
<op>     ::= + | - | * | /
<pre_op> ::= sin | cos | exp | log | inv
<var>    ::= x | y | 1.0
"""


def problem(grammar: Grammar | None = None, **options: Any) -> Regression:
    """The Pagie polynomial, with the paper's grammar or with another one."""
    axis = np.array([-5.0 + 0.4 * step for step in range(26)])
    x, y = np.repeat(axis, 26), np.tile(axis, 26)
    target = 1 / (1 + 1 / (x * x * x * x)) + 1 / (1 + 1 / (y * y * y * y))
    return Regression(
        np.column_stack([x, y]),
        target,
        grammar or Grammar.from_text(GRAMMAR, "pagie"),
        **{"name": "pagie", "description": DESCRIPTION, **options},
    )
