"""From derivations to postfix code: replay the productions as tokens, order the tokens by precedence.

`<expr> <op> <expr>` has no brackets, so operator precedence decides what a phenotype means, not the derivation tree.

A program is a row of int32 words (codes.py). Equal programs are equal words.
"""

from __future__ import annotations

import numpy as np

from gramarye.grammar.arrays import GrammarArrays
from gramarye.kernels.codes import OK, SYNTAX
from gramarye.kernels.compiler import kernel, stays_apart
from gramarye.kernels.flat import doubled
from gramarye.languages.arithmetic.kernels.codes import (
    ADD,
    CLOSE,
    COMMA,
    CONSTANT,
    DIGIT,
    DIVIDE,
    FUNCTION,
    KEEP,
    LONG_NUMBER,
    MULTIPLY,
    NAME,
    NEGATE,
    NUMBER,
    OPEN,
    OPERATOR,
    POINT,
    POWER,
    SPACE,
    SUBTRACT,
    UNARY,
    VARIABLE,
)

_OPENED, _CALLED = 32, 33  # marks on the stack of pending operators: a bracket, a bracket of a function


@kernel
def precedence(operation: int) -> int:
    """How tightly a pending operator binds; a bracket binds nothing."""
    if operation == ADD or operation == SUBTRACT:
        return 1
    if operation == MULTIPLY or operation == DIVIDE:
        return 2
    if operation == NEGATE or operation == KEEP:
        return 3
    return 4 if operation == POWER else 0


@kernel
def put_constant(words: np.ndarray, at: int, value: float) -> int:
    """Write a number; where the next word goes."""
    bits = np.float64(value).view(np.int64)
    words[at] = CONSTANT
    words[at + 1] = np.int32(bits & np.int64(0xFFFFFFFF))
    words[at + 2] = np.int32(bits >> np.int64(32))
    return at + 3


@kernel
def to_postfix(
    tokens: np.ndarray, n: int, constants: np.ndarray, pending: np.ndarray, commas: np.ndarray, words: np.ndarray
) -> tuple[int, int]:
    """Order n tokens by precedence (shunting-yard): status, number of words.

    `pending` and `commas` are scratch of n + 1 entries, `words` has room for 3 * n words.
    """
    stays_apart()
    end = 0
    height = 0
    wants_operand = True
    wants_bracket = False  # a function name was read
    in_number = pointed = False
    mantissa = np.int64(0)
    digits = 0
    scale = 1.0
    for t in range(n + 1):
        token = tokens[t] if t < n else SPACE
        kind = token & 15
        argument = token >> 4
        if kind == DIGIT or kind == POINT:
            if not in_number:
                in_number, pointed = True, False
                mantissa, digits, scale = np.int64(0), 0, 1.0
            if wants_bracket or not wants_operand or (kind == POINT and pointed):
                return SYNTAX, 0
            if kind == POINT:
                pointed = True
                continue
            digits += 1
            mantissa = mantissa * 10 + argument
            scale = scale * 10.0 if pointed else scale
            if mantissa >= 9007199254740992 or scale > 1e22:  # beyond 2**53 and 10**22 the quotient is not exact
                return LONG_NUMBER, 0
            continue
        if in_number:
            if digits == 0:
                return SYNTAX, 0
            end = put_constant(words, end, np.float64(mantissa) / scale)
            in_number = wants_operand = False
        if kind == SPACE:
            continue
        if wants_bracket and kind != OPEN:
            return SYNTAX, 0
        if kind == OPERATOR and not wants_operand:
            strength = precedence(argument)
            while height > 0 and precedence(pending[height - 1]) >= strength + (argument == POWER):
                height -= 1
                end = put_operation(words, end, pending[height])
            pending[height] = argument
            height += 1
            wants_operand = True
        elif kind == OPERATOR and (argument == SUBTRACT or argument == ADD):
            pending[height] = NEGATE if argument == SUBTRACT else KEEP
            height += 1
        elif (kind == COMMA or kind == CLOSE) and not wants_operand:
            while height > 0 and pending[height - 1] < _OPENED:
                height -= 1
                end = put_operation(words, end, pending[height])
            if height == 0 or (kind == COMMA and pending[height - 1] == _OPENED):
                return SYNTAX, 0
            if kind == COMMA:
                commas[height - 1] += 1
                wants_operand = True
                continue
            height -= 1
            if pending[height] == _CALLED:
                height -= 1
                if commas[height + 1] != (1 if pending[height] < UNARY else 0):
                    return SYNTAX, 0
                end = put_operation(words, end, pending[height])
        elif not wants_operand:
            return SYNTAX, 0
        elif kind == NUMBER:
            end = put_constant(words, end, constants[argument])
            wants_operand = False
        elif kind == NAME:
            words[end] = VARIABLE + argument
            end += 1
            wants_operand = False
        elif kind == FUNCTION:
            pending[height] = argument
            height += 1
            wants_bracket = True
        elif kind == OPEN:
            pending[height] = _CALLED if wants_bracket else _OPENED
            commas[height] = 0
            height += 1
            wants_bracket = False
        else:
            return SYNTAX, 0
    while height > 0:
        height -= 1
        if pending[height] >= _OPENED:
            return SYNTAX, 0
        end = put_operation(words, end, pending[height])
    return (SYNTAX, 0) if wants_operand else (OK, end)


@kernel
def put_operation(words: np.ndarray, at: int, operation: int) -> int:
    """Write an operation; a unary plus leaves nothing behind."""
    if operation == KEEP:
        return at
    words[at] = operation
    return at + 1


@kernel
def emit(
    productions: np.ndarray,  # of all individuals, one after another
    offsets: np.ndarray,  # [N+1]
    status: np.ndarray,  # [N]; what is not OK is passed over
    grammar: GrammarArrays,
    token_start: np.ndarray,  # [terminals + 1]
    terminal_tokens: np.ndarray,
    constants: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The programs of all derivations: words (ragged), offsets [N+1], status [N]."""
    n = len(status)
    words = np.empty(64 + 2 * len(productions), np.int32)
    word_offsets = np.zeros(n + 1, np.int64)
    new_status = status.copy()
    stack, tokens = np.empty(64, np.int32), np.empty(64, np.int32)
    pending, commas = np.empty(65, np.int32), np.empty(65, np.int32)
    for i in range(n):
        end = word_offsets[i]
        if status[i] == OK:
            n_tokens = replay(productions, offsets[i], grammar, token_start, terminal_tokens, stack, tokens)
            while n_tokens < 0:
                stack, tokens = doubled(stack), doubled(tokens)
                pending, commas = doubled(pending), doubled(commas)
                n_tokens = replay(productions, offsets[i], grammar, token_start, terminal_tokens, stack, tokens)
            while len(words) - end < 3 * n_tokens:
                words = doubled(words)
            new_status[i], written = to_postfix(tokens, n_tokens, constants, pending, commas, words[end:])
            end += written
        word_offsets[i + 1] = end
    return words[: word_offsets[n]].copy(), word_offsets, new_status


@kernel
def replay(
    productions: np.ndarray,
    first: int,
    grammar: GrammarArrays,
    token_start: np.ndarray,
    terminal_tokens: np.ndarray,
    stack: np.ndarray,
    tokens: np.ndarray,
) -> int:
    """Write the tokens of the derivation that begins at `first`; how many, or -1 where an array is too small."""
    stays_apart()
    stack[0] = 0
    height = 1
    n = 0
    while height > 0:
        height -= 1
        symbol = stack[height]
        if symbol < 0:
            begin, stop = token_start[~symbol], token_start[~symbol + 1]
            if n + stop - begin > len(tokens):
                return -1
            for t in range(begin, stop):
                tokens[n] = terminal_tokens[t]
                n += 1
            continue
        q = productions[first]
        first += 1
        begin, stop = grammar.symbol_start[q], grammar.symbol_start[q + 1]
        if height + stop - begin > len(stack):
            return -1
        for s in range(stop - 1, begin - 1, -1):
            stack[height] = grammar.symbols[s]
            height += 1
    return n
