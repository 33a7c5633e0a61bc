"""The vocabulary of arithmetic: from the text of an expression to its tokens, as kernels read them."""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence

from gramarye.errors import LanguageError, did_you_mean
from gramarye.languages.arithmetic.kernels import codes
from gramarye.text import counted

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
SIGNS = {"(": codes.OPEN, ")": codes.CLOSE, ",": codes.COMMA}

_NUMBER = re.compile(r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*(?:\s*\[[\s:,]*[0-9]+\s*\])?")
_TOKEN = re.compile(
    rf"\s+|(?P<number>{_NUMBER.pattern})"
    r"|(?P<tuned><const[^<>]*>)"
    rf"|(?P<name>{_NAME.pattern})"
    r"|(?P<sign>\*\*|//|[-+*/(),])"
)
_INDEXED = re.compile(r"x_?(?:\s*\[[\s:,]*)?([0-9]+)\s*\]?")
_MODULES = re.compile(r"^(?:np|numpy|math)\.")


def token(kind: int, argument: int) -> int:
    """As kernels read it."""
    return kind + 16 * argument


class Reader:
    """Reads expressions over the columns of one table."""

    def __init__(
        self, columns: int, names: Sequence[str] | None = None, first_index: int = 0, constants: Sequence[str] = ()
    ) -> None:
        self.columns = columns
        self.constants = constants  # those that are tuned, by name
        # A column called 2010 can't be asked for by its name: that is a number.
        self.names = {name: i for i, name in enumerate(names or ()) if not _NUMBER.fullmatch(name.strip())}
        self.first_index = first_index

    def labels(self, terminals: Sequence[str]) -> list[str]:
        """A name for each column by which it can be read back, if possible as a grammar with these terminals has it."""
        names = {column: name for name, column in self.names.items() if _NAME.fullmatch(name) and name not in FUNCTIONS}
        for text in reversed([text.strip() for text in terminals]):
            column = self.variable(text)
            if column is not None and text not in self.names and text not in FUNCTIONS:
                names[column] = text
        return [names.get(column, f"x[{column + self.first_index}]") for column in range(self.columns)]

    def variable(self, name: str) -> int | None:
        """The column that a name means: its own, `x[3]`; without names also `x3`, or x, y, z for the first three."""
        if name in self.names:
            return self.names[name]
        indexed = _INDEXED.fullmatch(name)
        if self.names and "[" not in name:
            return None  # x2 of the columns x1, x3, x4 is a slip, not the third one
        if indexed:
            index = int(indexed[1]) - self.first_index
        elif name in ("x", "y", "z"):
            index = "xyz".index(name)
        else:
            return None
        return index if 0 <= index < self.columns else None

    def tokens(self, text: str, constants: list[float]) -> list[int]:
        """The tokens of a text, whose numbers join the constants; LanguageError at the first thing that is none."""
        if text.strip() in self.names and text.strip() not in FUNCTIONS:
            return [token(codes.NAME, self.names[text.strip()])]
        tokens = []
        position = 0
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None or match["sign"] == "//" or (match["tuned"] and match["tuned"] not in self.constants):
                wrong = match[0] if match else text[position]
                raise LanguageError(f"{wrong!r} cannot be part of an expression")
            position = match.end()
            if match["number"]:
                tokens.append(token(codes.NUMBER, len(constants)))
                constants.append(float(match["number"]))
            elif match["tuned"]:
                tokens.append(token(codes.TUNED, self.constants.index(match["tuned"])))
            elif match["name"]:
                tokens.append(self._name(match["name"]))
            elif match["sign"] in OPERATORS:
                tokens.append(token(codes.OPERATOR, OPERATORS[match["sign"]]))
            else:
                tokens.append(SIGNS.get(match["sign"], codes.SPACE))
        return tokens

    def _name(self, name: str) -> int:
        column = self.variable(name)
        if column is not None and name in FUNCTIONS:
            raise LanguageError(f"{name!r} is a function, and a column of the data as well; rename the column")
        if column is not None:
            return token(codes.NAME, column)
        function = FUNCTIONS.get(_MODULES.sub("", name))
        if function is not None:
            return token(codes.FUNCTION, function)
        if name in ("x", "y", "z") or _INDEXED.fullmatch(name):
            places = f"; by position they are {self._places()}" if self.names else ""
            raise LanguageError(f"the data has no variable {name}: {self._known_variables()}{places}")
        foreign = len(name) < 3 or keyword.iskeyword(name)  # `and` is not a slip of `tan`
        near = "" if foreign else did_you_mean(name, [*self.names, *FUNCTIONS])
        raise LanguageError(
            f"{name!r} is neither a variable of the data ({self._known_variables()}) nor a function of the engine{near}"
        )

    def _known_variables(self) -> str:
        if self.names:
            return f"its columns are {', '.join(self.names)}"
        return f"it has {counted(self.columns, 'column')}, {self._places()}"

    def _places(self) -> str:
        first, last = self.first_index, self.first_index + self.columns - 1
        return f"x[{first}] to x[{last}]" if last > first else f"x[{first}]"
