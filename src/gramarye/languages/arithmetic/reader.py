"""The vocabulary of arithmetic: from the text of an expression to its tokens, as kernels read them."""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

from gramarye.errors import LanguageError, did_you_mean
from gramarye.grammar.vocabulary import ALIASES, NUMBER, PLAIN, QUOTED, function, quoted, unquoted
from gramarye.languages.arithmetic.kernels import codes
from gramarye.text import counted

Precedence: TypeAlias = Literal["ordinary", "authors"]
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
    "pexp": codes.PROTECTED_EXP,
    "log": codes.LOG,
    "sqrt": codes.SQRT,
    "psqrt": codes.ROOT_ABS,
    "abs": codes.ABS,
    "inv": codes.INVERSE,
    "square": codes.SQUARE,
    "cube": codes.CUBE,
    "tanh": codes.TANH,
}
FUNCTIONS = _OWN_NAMES | {alias: _OWN_NAMES[name] for alias, name in ALIASES.items()}
# What `|_div|` is, as the SGE family writes protected division: with ordinary precedence, or where the text is Python
# that makes its operator out of `|`, which binds more weakly than a sum.
DIVISIONS = {"ordinary": codes.DIVIDE, "authors": codes.DIVIDE_LAST}
SIGNS = {"(": codes.OPEN, ")": codes.CLOSE, ",": codes.COMMA}

_NAME = re.compile(rf"{PLAIN.pattern}(?:\s*\[[\s:,]*[0-9]+\s*\])?")
_TOKEN = re.compile(
    rf"\s+|(?P<number>{NUMBER.pattern})"
    r"|(?P<tuned><const[^<>]*>)"
    rf"|(?P<name>{_NAME.pattern})"
    rf"|(?P<quoted>{QUOTED.pattern})"
    r"|(?P<division>\|\s*_div_?\s*\|)"
    r"|(?P<sign>\*\*|//|[-+*/(),])"
)
_INDEXED = re.compile(r"x(?:\.iloc|_)?(?:\s*\[[\s:,]*)?([0-9]+)\s*\]?")


def token(kind: int, argument: int) -> int:
    """As kernels read it."""
    return kind + 16 * argument


class Reader:
    """Reads expressions over the columns of one table."""

    def __init__(
        self,
        columns: int,
        names: Sequence[str] | None = None,
        first_index: int = 0,
        constants: Sequence[str] = (),
        precedence: Precedence = "ordinary",
    ) -> None:
        self.columns = columns
        self.precedence = precedence
        self.constants = constants  # those that are tuned, by name
        self._all_names = {name: i for i, name in enumerate(names or ())}
        # A column called 2010 can be asked for in backquotes only: without them it is a number.
        self.names = {name: i for name, i in self._all_names.items() if not NUMBER.fullmatch(name.strip())}
        self.first_index = first_index

    def labels(self, terminals: Sequence[str]) -> list[str]:
        """A name for each column by which it can be read back, if possible as a grammar with these terminals has it."""
        names = {
            column: name if _NAME.fullmatch(name) and name not in FUNCTIONS else quoted(name)
            for name, column in self._all_names.items()
            if name
        }
        for text in reversed([text.strip() for text in terminals]):
            column = self.variable(text)
            if column is not None and text not in self.names and text not in FUNCTIONS:
                names[column] = text
        return [names.get(column, f"x[{column + self.first_index}]") for column in range(self.columns)]

    def variable(self, name: str) -> int | None:
        """The column that a name means: its own, `x[3]`; without names also `x3`, or x, y, z for the first three."""
        if QUOTED.fullmatch(name):
            return self._all_names.get(unquoted(name))
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

    def is_bare(self, text: str) -> bool:
        """Whether a terminal is the name of a column, without backquotes even where it needs them."""
        name = text.strip()
        taken = name in FUNCTIONS or name in self.constants or QUOTED.fullmatch(name)
        return name in self.names and not taken

    def tokens(self, text: str, constants: list[float]) -> list[int]:
        """The tokens of a text, whose numbers join the constants; LanguageError at the first thing that is none."""
        if self.is_bare(text):
            return [token(codes.NAME, self.names[text.strip()])]
        tokens = []
        position = 0
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None or match["sign"] == "//" or (match["tuned"] and match["tuned"] not in self.constants):
                wrong = match[0] if match else text[position]
                where = "" if wrong == text.strip() else f" in {text.strip()!r}"
                raise LanguageError(f"{wrong!r}{where} can't be part of a formula")
            position = match.end()
            if match["number"]:
                tokens.append(token(codes.NUMBER, len(constants)))
                constants.append(float(match["number"]))
            elif match["tuned"]:
                tokens.append(token(codes.TUNED, self.constants.index(match["tuned"])))
            elif match["name"]:
                tokens.append(self._name(match["name"], text[position:].lstrip().startswith("(")))
            elif match["quoted"]:
                tokens.append(self._quoted(match["quoted"]))
            elif match["division"]:
                tokens.append(token(codes.OPERATOR, DIVISIONS[self.precedence]))
            elif match["sign"] in OPERATORS:
                tokens.append(token(codes.OPERATOR, OPERATORS[match["sign"]]))
            else:
                tokens.append(SIGNS.get(match["sign"], codes.SPACE))
        return tokens

    def _name(self, name: str, called: bool) -> int:
        column = self.variable(name)
        if called and name in FUNCTIONS:
            return token(codes.FUNCTION, FUNCTIONS[name])
        if column is not None and name in FUNCTIONS:
            fix = f"write `{name}` in backquotes, or rename the column"
            raise LanguageError(f"{name!r} is a function, and a column of the data as well; {fix}")
        if column is not None:
            return token(codes.NAME, column)
        meant = function(name)
        if meant is not None:
            return token(codes.FUNCTION, FUNCTIONS[meant])
        if name in ("x", "y", "z") or _INDEXED.fullmatch(name):
            places = f"; by position they are {self._places()}" if self.names else ""
            raise LanguageError(f"the data has no variable {name}: {self._known_variables()}{places}")
        foreign = len(name) < 3 or keyword.iskeyword(name)  # `and` is not a slip of `tan`
        near = "" if foreign else did_you_mean(name, [*self.names, *FUNCTIONS])
        known = "" if near else f" of the data ({self._known_variables()})"
        raise LanguageError(f"{name!r} is neither a column{known} nor a function{near}")

    def _quoted(self, text: str) -> int:
        column = self.variable(text)
        if column is None:
            near = did_you_mean(unquoted(text), self._all_names) or f": {self._known_variables()}"
            raise LanguageError(f"the data has no column {text}{near}")
        return token(codes.NAME, column)

    def _known_variables(self) -> str:
        if self.names:
            return f"its columns are {', '.join(self.names)}"
        return f"it has {counted(self.columns, 'column')}, {self._places()}"

    def _places(self) -> str:
        first, last = self.first_index, self.first_index + self.columns - 1
        return f"x[{first}] to x[{last}]" if last > first else f"x[{first}]"
