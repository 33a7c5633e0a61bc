"""The vocabulary of arithmetic, and how its tokens are written for kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramarye.languages.arithmetic.kernels import codes

OPERATORS = {
    "+": codes.ADD,
    "-": codes.SUBTRACT,
    "*": codes.MULTIPLY,
    "/": codes.DIVIDE,
    "**": codes.POWER,
}
_OWN_NAMES = {
    "add": codes.ADD,
    "sub": codes.SUBTRACT,
    "mul": codes.MULTIPLY,
    "div": codes.DIVIDE,
    "pow": codes.POWER,
    "min": codes.MINIMUM,
    "max": codes.MAXIMUM,
    "neg": codes.NEGATE,
    "sin": codes.SIN,
    "cos": codes.COS,
    "tan": codes.TAN,
    "exp": codes.EXP,
    "log": codes.LOG,
    "sqrt": codes.SQRT,
    "psqrt": codes.ROOT_ABS,
    "abs": codes.ABS,
    "inv": codes.INVERSE,
    "square": codes.SQUARE,
    "cube": codes.CUBE,
    "tanh": codes.TANH,
}
# Other spellings that grammars of the field use. Division, log and inv are always protected.
_ALIASES = {
    "pdiv": "div",
    "protected_div": "div",
    "_div_": "div",
    "power": "pow",
    "minimum": "min",
    "maximum": "max",
    "plog": "log",
    "ln": "log",
    "protected_log": "log",
    "_log_": "log",
    "pexp": "exp",
    "protected_exp": "exp",
    "_exp_": "exp",
    "protected_sqrt": "psqrt",
    "_sqrt_": "psqrt",
    "pinv": "inv",
    "protected_inv": "inv",
    "_inv_": "inv",
    "absolute": "abs",
    "fabs": "abs",
}
FUNCTIONS = _OWN_NAMES | {alias: _OWN_NAMES[name] for alias, name in _ALIASES.items()}

_KINDS = {
    "number": codes.NUMBER,
    "variable": codes.NAME,
    "function": codes.FUNCTION,
    "operator": codes.OPERATOR,
    "open": codes.OPEN,
    "close": codes.CLOSE,
    "comma": codes.COMMA,
    "digit": codes.DIGIT,
    "point": codes.POINT,
    "space": codes.SPACE,
}


class Token(NamedTuple):
    """A number (its value), a variable (its column), a function or operator (its number), or a sign."""

    kind: str
    value: float


BRACKETS = {"(": Token("open", 0), ")": Token("close", 0), ",": Token("comma", 0)}


def encode(tokens: list[Token], constants: list[float]) -> NDArray[np.int32]:
    """Tokens as kernels read them: kind + 16 * argument; numbers are appended to `constants`."""
    row = np.empty(len(tokens), np.int32)
    for i, token in enumerate(tokens):
        argument = int(token.value) if token.kind != "number" else len(constants)
        if token.kind == "number":
            constants.append(token.value)
        row[i] = _KINDS[token.kind] + 16 * argument
    return row
