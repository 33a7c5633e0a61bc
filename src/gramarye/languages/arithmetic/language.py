"""Arithmetic expressions: numbers, variables, `+ - * / **`, brackets and functions, with ordinary precedence.

Terminals are read as tokens once, when a problem is made. If no two terminals that can become neighbours merge into one
token, kernels work on tokens. If only digits and points can (`<digit>.<digit>`), they put numbers together as they go.
Any other grammar (`x[<index>]`) goes through text, more slowly. The meaning is the same in all three.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels as engine
from gramarye.data import Dataset
from gramarye.derivations import NO_VALUES, Derivation, Derivations, Status
from gramarye.derivations.random_trees import texts
from gramarye.derivations.rewriting import packed
from gramarye.errors import LanguageError
from gramarye.grammar import Grammar
from gramarye.grammar.vocabulary import NUMBER, PLAIN, QUOTED, written
from gramarye.kernels.codes import CHILD
from gramarye.languages.arithmetic import kernels
from gramarye.languages.arithmetic.factors import tidied
from gramarye.languages.arithmetic.fitting import Fit
from gramarye.languages.arithmetic.formulas import examined, steps_of, weighted, words_of
from gramarye.languages.arithmetic.kernels import codes
from gramarye.languages.arithmetic.reader import Precedence, Reader, token
from gramarye.languages.arithmetic.special_cases import meet_special_cases
from gramarye.languages.arithmetic.subtrees import FittedSubtrees
from gramarye.languages.arithmetic.writer import text_of
from gramarye.languages.base import Fitted, Language, Programs
from gramarye.languages.expression import Step
from gramarye.populations.evaluation import Work

_WORDLIKE = re.compile(r"[\w.]")
_ATOM = re.compile(r"[\w.]+(\[[^\[\]]*\])?|`")
# Names, numbers and operators that can't go on in a neighbour they don't touch, as `x[` and `1e` do
_WHOLE = re.compile(rf"(?:{NUMBER.pattern}(?![\w.])|{PLAIN.pattern}|{QUOTED.pattern}|[\s()*/+,-])++")

_MOST_TEXTS = 100_000  # phenotypes that are remembered; then the memory is emptied, which changes time only

Mode = Literal["tokens", "digits", "text"]


class Arithmetic(Language):
    """The arithmetic meaning of one grammar over the columns of one table."""

    noun = "an arithmetic expression"

    def __init__(
        self,
        grammar: Grammar,
        columns: int,
        names: Sequence[str] | None = None,
        first_index: int = 0,
        precedence: Precedence = "ordinary",
    ) -> None:
        self.grammar = grammar
        tuned = [production for production in grammar.productions if grammar.constants[production.id]]
        self.reader = Reader(columns, names, first_index, [production.nonterminal for production in tuned], precedence)
        self._limits = grammar.bounds[grammar.constants]
        self._constants = [0.0]
        self._texts: dict[str, tuple[Status, NDArray[np.int32]]] = {}
        self.mode: Mode = self._find_mode()
        self._compile_terminals()

    def programs(self, derivations: Derivations) -> Programs:
        """The programs of a population; what is no expression has the status SYNTAX."""
        programs = self._compiled(derivations)
        if len(derivations.values):
            values, first = self._values(derivations)
            kernels.postfix.put_values(programs.words, programs.offsets, values, first)
        return programs

    def _values(self, derivations: Derivations) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """The numbers that are tuned, and where those of each individual begin."""
        tuned = self.grammar.constants[derivations.productions]
        counts = np.concatenate([np.zeros(1, np.int64), np.cumsum(tuned)])
        return derivations.values[tuned], counts[derivations.offsets]

    def tuned(self, derivations: Derivations, programs: Programs) -> Derivations:
        """Derivations with the numbers that their programs have."""
        values, first = self._values(derivations)
        kernels.postfix.get_values(programs.words, programs.offsets, values, first)
        new = derivations.values.copy()
        new[self.grammar.constants[derivations.productions]] = values
        return replace(derivations, values=new)

    def fit(self, programs: Programs, data: Dataset, terms: int, iterations: int, least_gain: float) -> Fitted:
        return Fit(programs, data, terms, iterations, least_gain, self._limits).run()

    def subtrees(self, data: Dataset, seed: np.uint64) -> FittedSubtrees:
        return FittedSubtrees(self, self.grammar, data, seed)

    def terms(self, programs: Programs, most: int) -> list[Programs]:
        _, _, spans, _ = kernels.terms.lay_out(programs.words, programs.offsets, most)
        return [_parts(programs, spans[:, t]) for t in range(most)]

    def _compiled(self, derivations: Derivations) -> Programs:
        """Programs whose tuned numbers are 0."""
        if self.mode == "text":
            nothing = Programs(np.zeros(0, np.int32), np.zeros(len(derivations) + 1, np.int64), derivations.status)
            return self._as_texts(nothing, derivations, np.flatnonzero(derivations.status == Status.OK))
        tokens, bounds = engine.rewriting.translate(derivations.productions, derivations.offsets, *self._templates)
        programs = Programs(*kernels.postfix.emit(tokens, bounds, derivations.status, self._constant_array))
        # Numbers with more digits than a kernel can put together exactly
        long = np.flatnonzero(programs.status == codes.LONG_NUMBER)
        return self._as_texts(programs, derivations, long) if len(long) else programs

    def sizes(self, programs: Programs) -> NDArray[np.int64]:
        sizes: NDArray[np.int64] = kernels.machine.sizes(programs.words, programs.offsets)
        return sizes

    def columns_of(self, programs: Programs) -> set[int]:
        words = iter(programs.words[programs.offsets[0] : programs.offsets[-1]].tolist())
        found = set()
        for word in words:
            if word <= codes.CONSTANT:
                next(words), next(words)  # its bits
            elif word >= codes.VARIABLE:
                found.add(word - codes.VARIABLE)
        return found

    def column(self, name: str) -> int | None:
        return self.reader.variable(name)

    def outputs(self, programs: Programs, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        outputs = np.empty((len(programs), columns.shape[1]))
        kernels.machine.run(programs.words, programs.offsets, columns, outputs, _extended(programs))
        return outputs

    def sum_errors(
        self,
        programs: Programs,
        columns: NDArray[np.float64],
        target: NDArray[np.float64],
        weights: NDArray[np.float64],
        absolute: bool = False,
    ) -> tuple[NDArray[np.float64], Work]:
        sums = np.empty(len(programs))
        table = columns, target, weights
        cost = kernels.errors.sum_errors(programs.words, programs.offsets, *table, absolute, sums, _extended(programs))
        return sums, Work(len(programs), cost)

    def enclosures(
        self,
        programs: Programs,
        low: NDArray[np.float64],
        high: NDArray[np.float64],
        weights: NDArray[np.float64] | None,
    ) -> NDArray[np.float64]:
        weights = _weights(programs, weights)
        with np.errstate(all="ignore"):
            found: NDArray[np.float64] = kernels.enclosures.enclosures(
                programs.words, programs.offsets, weights, low, high
            )
        return found

    def exceed(
        self,
        programs: Programs,
        limits: tuple[float, float],
        starts: NDArray[np.float64],
        ends: NDArray[np.float64],
        weights: NDArray[np.float64] | None,
    ) -> NDArray[np.bool_]:
        weights = _weights(programs, weights)
        with np.errstate(all="ignore"):
            found: NDArray[np.bool_] = kernels.enclosures.exceed(
                programs.words, programs.offsets, weights, starts, ends, *limits
            )
        return found

    def keeps_units(self, programs: Programs, columns: NDArray[np.float64]) -> NDArray[np.bool_]:
        if not self.grammar.is_dimensional:
            return np.ones(len(programs), np.bool_)
        with np.errstate(all="ignore"):
            return ~meet_special_cases(programs, lambda parts: self.outputs(parts, columns), columns.shape[1])

    def written(self, programs: Programs, weights: NDArray[np.float64] | None) -> str:
        return text_of(tidied(self._steps(programs, weights)), self.labels)

    @property
    def labels(self) -> list[str]:
        return self.reader.labels(self.grammar.terminals)

    def steps(
        self, programs: Programs, weights: NDArray[np.float64] | None, columns: NDArray[np.float64]
    ) -> tuple[Step, ...]:
        def run(steps: Sequence[Step]) -> NDArray[np.float64]:
            words = words_of(steps)
            one = Programs(words, np.array([0, len(words)]), np.zeros(1, np.int8))
            return np.asarray(self.outputs(one, columns)[0])

        with np.errstate(all="ignore"):
            return tidied(examined(self._steps(programs, weights), run))

    def _steps(self, programs: Programs, weights: NDArray[np.float64] | None) -> list[Step]:
        """The steps of one program, with the weights of its terms."""
        if weights is None:
            return list(steps_of(programs.words))
        terms = [list(steps_of(term.words)) for term in self.terms(programs, len(weights) - 1)]
        return weighted(float(weights[0]), list(zip(weights[1:].tolist(), terms, strict=True)))

    def form(self, derivation: Derivation) -> str:
        """The text of a derivation, in which all names that need backquotes have them."""
        return "".join(
            text.replace(text.strip(), written(text.strip())) if self.reader.is_bare(text) else text
            for text in derivation.tokens
        )

    def scaled(self, text: str, intercept: float, slope: float) -> str:
        return _scaled(text, intercept, slope)

    def program(self, text: str) -> tuple[Status, NDArray[np.int32]]:
        """The program of one phenotype."""
        if len(self._texts) > _MOST_TEXTS:
            self._texts.clear()
        if text not in self._texts:
            self._texts[text] = self._parse(text)
        return self._texts[text]

    def _parse(self, text: str) -> tuple[Status, NDArray[np.int32]]:
        constants = [0.0]
        try:
            tokens = np.array(self.reader.tokens(text, constants), np.int32)
        except LanguageError:
            return Status.SYNTAX, np.zeros(0, np.int32)
        one = np.array([0, len(tokens)]), np.zeros(1, np.int8)
        words, _, status = kernels.postfix.emit(tokens, *one, np.array(constants))
        return Status(status[0]), words

    def _as_texts(self, programs: Programs, derivations: Derivations, individuals: NDArray[np.int64]) -> Programs:
        """The same programs, but for some that are read as text."""
        status = programs.status.copy()
        rows = [programs.words[a:b] for a, b in pairwise(programs.offsets)]
        found = texts(self.grammar, replace(derivations, values=NO_VALUES).take(individuals))
        for i, text in zip(individuals, found, strict=True):
            status[i], rows[i] = self.program(str(text))
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(row) for row in rows], dtype=np.int64)])
        return Programs(np.concatenate([np.zeros(0, np.int32), *rows]), offsets, status)

    def _find_mode(self) -> Mode:
        merging = {
            (a, b)
            for a, b in self.grammar.neighbours()
            if (_WORDLIKE.match(a[-1]) and _WORDLIKE.match(b[0]))
            or (a[-1] == b[0] and b[0] in "*`")
            or a[-1] == "["
            or b[0] in "[]"
        }
        self._merging = {text for pair in merging for text in pair}
        bare = [QUOTED.sub("", text) for text in self.grammar.terminals]
        if any("`" in text for text in bare):  # a name is cut at its white space: any word may be part of it
            self._merging |= set(self.grammar.terminals)
            return "text"
        if any(text.count("[") != text.count("]") for text in bare):
            return "text"  # `x[:, 0]` is cut at its white space
        if not merging:
            return "tokens"
        return "digits" if all(re.fullmatch(r"[0-9.]+", text) for text in self._merging) else "text"

    def _compile_terminals(self) -> None:
        """What stands for each production: the tokens of its terminals, a place for each non-terminal."""
        rows = {text: self._tokens(text) for text in self.grammar.terminals}
        child = [CHILD]
        self._templates = packed(
            [
                [token for s in p.symbols for token in (child if s.kind == "nonterminal" else rows[s.text])]
                for p in self.grammar.productions
            ]
        )
        self._constant_array = np.array(self._constants)

    def _tokens(self, text: str) -> list[int]:
        """The tokens of a terminal."""
        if self.mode == "digits" and re.fullmatch(r"[0-9.]+", text):  # a point alone is not a token, but part of one
            return [codes.POINT if c == "." else token(codes.DIGIT, int(c)) for c in text]
        try:
            tokens = self.reader.tokens(text, self._constants)
        except LanguageError as error:
            whole = text not in self._merging and _WHOLE.fullmatch(text)
            if self.mode != "text" or whole or re.search(r"[^\w\s.,:()\[\]*/+`-]", text):
                raise self._explained(text, error) from None
            return []  # it may become part of a token together with its neighbours
        if self.mode == "text" and text.strip() in self.reader.names and not text.strip().isidentifier():
            what = (
                f"{text.strip()!r} can't be told from an expression, because other terminals make up names or numbers"
            )
            raise self._explained(text, LanguageError(f"{what} together; rename the column"))
        return tokens

    def _explained(self, text: str, error: LanguageError) -> LanguageError:
        what = f"{self.grammar.where(text)}: {error}"
        if any(map(self._has_meaning, self.grammar.terminals)):
            return LanguageError(what)
        fix = "For programs that are not arithmetic give your own fitness function: gm.Objective(function, grammar)"
        return LanguageError(f"{what}{'' if what.endswith('?') else '.'} {fix}")

    def _has_meaning(self, text: str) -> bool:
        """Whether a terminal has a column, a function or a number that is tuned."""
        try:
            tokens = self.reader.tokens(text, [])
        except LanguageError:
            return False
        return any(found % 16 in (codes.NAME, codes.FUNCTION, codes.TUNED) for found in tokens)


def _weights(programs: Programs, weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """The weights; without, a program is its only term."""
    return np.tile([0.0, 1.0], (len(programs), 1)) if weights is None else np.ascontiguousarray(weights)


def _parts(programs: Programs, spans: NDArray[np.int64]) -> Programs:
    """A part of each program, from one place to another; nothing where they are the same."""
    lengths = spans[:, 1] - spans[:, 0]
    offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    places = np.repeat(spans[:, 0] - offsets[:-1], lengths) + np.arange(offsets[-1])
    return Programs(programs.words[places], offsets, programs.status)


def _extended(programs: Programs) -> bool | None:
    """Which of the two machines these programs need (see kernels/machine.py)."""
    return None if kernels.machine.is_basic(programs.words, programs.offsets) else True


def _scaled(text: str, intercept: float, slope: float) -> str:
    """Intercept + slope * expression, as a person would write it."""
    if slope == 0:
        return repr(intercept)
    if (intercept, slope) == (0, 1):
        return text
    inner = text.strip() if _is_one(text.strip()) else f"({text.strip()})"
    if intercept > 0:
        sign = "+" if slope > 0 else "-"
        return f"{intercept!r} {sign} {_times(abs(slope), inner)}"
    product = _times(slope, inner)
    return product if intercept == 0 else f"{product} - {-intercept!r}"


def _times(slope: float, inner: str) -> str:
    if abs(slope) == 1:
        return inner if slope > 0 else f"-{inner}"
    return f"{slope!r} * {inner}"


def _is_one(text: str) -> bool:
    """Whether it is a variable, a number, a call, or stands in brackets."""
    text = QUOTED.sub("`", text)
    name, bracket, rest = text.partition("(")
    if not bracket:
        return bool(_ATOM.fullmatch(text))
    if (name and not _ATOM.fullmatch(name.rstrip())) or not rest.endswith(")"):
        return False
    depth = 1
    for character in rest[:-1]:
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return False
    return True
