"""Arithmetic expressions: numbers, variables, `+ - * / **`, brackets and functions, with ordinary precedence.

Terminals are read as tokens once, when a problem is made. If no two terminals that can become neighbours merge into one
token, kernels work on tokens. If only digits and points can (`<digit>.<digit>`), they put numbers together as they go.
Any other grammar (`x[<index>]`) goes through text, more slowly. The meaning is the same in all three.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gramarye.derivation import Derivation, Derivations, Status
from gramarye.errors import LanguageError, did_you_mean
from gramarye.grammar import Grammar
from gramarye.languages.arithmetic import kernels
from gramarye.languages.arithmetic.kernels import codes
from gramarye.languages.arithmetic.words import BRACKETS, FUNCTIONS, OPERATORS, Token, encode
from gramarye.languages.neighbours import neighbours

_NUMBER = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_TOKEN = re.compile(
    rf"\s+|(?P<number>{_NUMBER.pattern})"
    r"|(?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*(?:\s*\[[\s:,]*\d+\s*\])?)"
    r"|(?P<sign>\*\*|//|[-+*/(),])"
)
_INDEXED = re.compile(r"x_?(?:\s*\[[\s:,]*)?(\d+)\s*\]?")
_MODULES = re.compile(r"^(?:np|numpy|math)\.")
_WORDLIKE = re.compile(r"[\w.]")

_UNTOLD = LanguageError(
    "other terminals make up names or numbers together, and then it can't be told from an expression; rename the column"
)

_MOST_TEXTS = 100_000  # phenotypes that are remembered; then the memory is emptied, which changes time only

Mode = Literal["tokens", "digits", "text"]


@dataclass(frozen=True)
class Programs:
    """Postfix code of a population, one program after another."""

    words: NDArray[np.int32]  # [total]
    offsets: NDArray[np.int64]  # [N+1]
    status: NDArray[np.int8]  # [N]


class Arithmetic:
    """The arithmetic meaning of one grammar over the columns of one table."""

    def __init__(
        self, grammar: Grammar, columns: int, names: Sequence[str] | None = None, first_index: int = 0
    ) -> None:
        self.grammar = grammar
        self._columns = columns
        # A frame without names numbers its columns: such a name would take the place of the number.
        self.names = {name: i for i, name in enumerate(names or ()) if not _NUMBER.fullmatch(name.strip())}
        self.first_index = first_index
        self._constants: list[float] = []
        self._texts: dict[str, tuple[Status, NDArray[np.int32]]] = {}
        self.mode: Mode = self._find_mode()
        self._compile_terminals()

    def programs(self, derivations: Derivations) -> Programs:
        """The programs of a population; what is no expression has the status SYNTAX."""
        if self.mode == "text":
            return self._from_texts(derivations)
        words, offsets, status = kernels.postfix.emit(
            derivations.productions,
            derivations.offsets,
            derivations.status,
            self.grammar.arrays,
            self._token_start,
            self._tokens,
            self._constant_array,
        )
        programs = Programs(words, offsets, status)
        if (status == codes.LONG_NUMBER).any():
            return self._with_long_numbers(programs, derivations)
        return programs

    def program(self, text: str) -> tuple[Status, NDArray[np.int32]]:
        """The program of one phenotype."""
        if len(self._texts) > _MOST_TEXTS:
            self._texts.clear()
        if text not in self._texts:
            self._texts[text] = self._parse(text)
        return self._texts[text]

    def variable(self, name: str) -> int | None:
        """The column that a name means: its own name, `x[3]`, `x3`, or x, y, z for the first three."""
        if name in self.names:
            return self.names[name]
        indexed = _INDEXED.fullmatch(name)
        if indexed:
            index = int(indexed[1]) - self.first_index
        elif name in ("x", "y", "z"):
            index = "xyz".index(name)
        else:
            return None
        return index if 0 <= index < self._columns else None

    def _parse(self, text: str) -> tuple[Status, NDArray[np.int32]]:
        constants: list[float] = []
        try:
            tokens = encode(self._tokenise(text), constants)
        except LanguageError:
            return Status.SYNTAX, np.zeros(0, np.int32)
        scratch = np.empty((2, len(tokens) + 1), np.int32)
        words = np.empty(3 * len(tokens) + 3, np.int32)
        status, n = kernels.postfix.to_postfix(
            tokens, len(tokens), np.array(constants or [0.0]), scratch[0], scratch[1], words
        )
        return Status(status), words[:n].copy()

    def _from_texts(self, derivations: Derivations) -> Programs:
        rows = []
        status = derivations.status.copy()
        for i in range(len(derivations)):
            row = np.zeros(0, np.int32)
            if status[i] == Status.OK:
                text = Derivation(self.grammar, derivations[i]).form
                status[i], row = self.program(text)
            rows.append(row)
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(row) for row in rows])])
        return Programs(np.concatenate([np.zeros(0, np.int32), *rows]), offsets, status)

    def _with_long_numbers(self, programs: Programs, derivations: Derivations) -> Programs:
        """Numbers with more digits than a kernel can put together exactly are read as text."""
        rows = [programs.words[a:b] for a, b in zip(programs.offsets[:-1], programs.offsets[1:], strict=True)]
        status = programs.status.copy()
        for i in np.nonzero(status == codes.LONG_NUMBER)[0]:
            status[i], rows[i] = self.program(Derivation(self.grammar, derivations[i]).form)
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(row) for row in rows])])
        return Programs(np.concatenate(rows), offsets, status)

    def _tokenise(self, text: str) -> list[Token]:
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
            raise LanguageError(f"the data has no variable {name}: {self._known_variables()}")
        near = did_you_mean(name, [*self.names, *FUNCTIONS]) if len(name) > 2 else ""
        raise LanguageError(
            f"{name!r} is neither a variable of the data ({self._known_variables()}) nor a function of the engine{near}"
        )

    def _known_variables(self) -> str:
        if self.names:
            return f"its columns are {', '.join(self.names)}"
        last = self.first_index + self._columns - 1
        return f"it has {self._columns} columns, x[{self.first_index}] to x[{last}]"

    def _find_mode(self) -> Mode:
        merging = {
            (a, b)
            for a, b in neighbours(self.grammar)
            if (_WORDLIKE.match(a[-1]) and _WORDLIKE.match(b[0]))
            or (a[-1] == b[0] == "*")
            or a[-1] == "["
            or b[0] in "[]"
        }
        if any(text.count("[") != text.count("]") for text in self.grammar.terminals):
            return "text"  # `x[:, 0]` is cut at its white space
        if not merging:
            return "tokens"
        texts = {text for pair in merging for text in pair}
        return "digits" if all(re.fullmatch(r"[\d.]+", text) for text in texts) else "text"

    def _compile_terminals(self) -> None:
        rows = []
        for text in self.grammar.terminals:
            if self.mode == "digits" and re.fullmatch(r"[\d.]+", text):  # a point alone is no token, but part of one
                digits = [Token("point", 0) if c == "." else Token("digit", int(c)) for c in text]
                rows.append(encode(digits, self._constants))
                continue
            try:
                tokens = self._tokenise(text)
            except LanguageError as error:
                if self.mode == "text" and not re.search(r"[^\w\s.,:()\[\]*/+-]", text):
                    tokens = []  # it may become part of a token together with its neighbours
                else:
                    raise self._explained(text, error) from None
            if self.mode == "text" and text.strip() in self.names and not text.strip().isidentifier():
                raise self._explained(text, _UNTOLD)
            rows.append(encode(tokens, self._constants))
        self._token_start = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int32)
        self._tokens = np.concatenate([np.zeros(0, np.int32), *rows])
        self._constant_array = np.array(self._constants or [0.0])

    def _explained(self, text: str, error: LanguageError) -> LanguageError:
        owner = next(
            name
            for name, rule in self.grammar.rules.items()
            if any(s.text == text and s.kind != "nonterminal" for p in rule for s in p.symbols)
        )
        return LanguageError(
            f"{self.grammar.name}: the terminal {text!r} of {owner} can't be compiled: {error}. For another language "
            "than arithmetic give your own fitness function: gm.Objective(function, grammar)"
        )
