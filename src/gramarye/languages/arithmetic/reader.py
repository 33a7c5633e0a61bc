"""From the text of an expression to its tokens."""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence

from gramarye.errors import LanguageError, did_you_mean
from gramarye.languages.arithmetic.vocabulary import BRACKETS, FUNCTIONS, OPERATORS, Token
from gramarye.text import counted

_NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_TOKEN = re.compile(
    rf"\s+|(?P<number>{_NUMBER.pattern})"
    r"|(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*(?:\s*\[[\s:,]*\d+\s*\])?)"
    r"|(?P<sign>\*\*|//|[-+*/(),])"
)
_INDEXED = re.compile(r"x_?(?:\s*\[[\s:,]*)?(\d+)\s*\]?")
_MODULES = re.compile(r"^(?:np|numpy|math)\.")


class Reader:
    """Reads expressions over the columns of one table."""

    def __init__(self, columns: int, names: Sequence[str] | None = None, first_index: int = 0) -> None:
        self.columns = columns
        # A column called 2010 can't be asked for by its name: that is a number.
        self.names = {name: i for i, name in enumerate(names or ()) if not _NUMBER.fullmatch(name.strip())}
        self.first_index = first_index

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

    def tokens(self, text: str) -> list[Token]:
        """The tokens of a text; LanguageError at the first thing that is none."""
        if text.strip() in self.names and text.strip() not in FUNCTIONS:
            return [Token("variable", self.names[text.strip()])]
        tokens = []
        position = 0
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None or match["sign"] == "//":
                wrong = match[0] if match else text[position]
                raise LanguageError(f"{wrong!r} belongs to no expression")
            position = match.end()
            if match["number"]:
                tokens.append(Token("number", float(match["number"])))
            elif match["name"]:
                tokens.append(self._name(match["name"]))
            elif match["sign"]:
                tokens.append(Token("operator", OPERATORS[s]) if (s := match["sign"]) in OPERATORS else BRACKETS[s])
            else:
                tokens.append(Token("space", 0))
        return tokens

    def _name(self, name: str) -> Token:
        column = self.variable(name)
        if column is not None and name in FUNCTIONS:
            raise LanguageError(f"{name!r} is a function, and a column of the data as well; rename the column")
        if column is not None:
            return Token("variable", column)
        function = FUNCTIONS.get(_MODULES.sub("", name))
        if function is not None:
            return Token("function", function)
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
