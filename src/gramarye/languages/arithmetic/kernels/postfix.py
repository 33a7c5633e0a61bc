"""From tokens to postfix code: operator precedence decides.

`<expr> <op> <expr>` has no brackets, so operator precedence decides what a phenotype means, not the derivation tree.

A program is a row of int32 words (codes.py). Equal programs are equal words.
"""

from __future__ import annotations

import numpy as np

from gramarye.kernels.codes import OK, SYNTAX
from gramarye.kernels.compiler import kernel, stays_apart
from gramarye.languages.arithmetic.kernels import codes
from gramarye.languages.arithmetic.kernels.machine import number_at

_OPENED, _CALLED = 32, 33  # marks on the stack of pending operators: a bracket, a bracket of a function


@kernel
def precedence(operation: int) -> int:
    """How tightly a pending operator binds; a bracket binds nothing."""
    if operation == codes.DIVIDE_LAST:
        return 1
    if operation == codes.ADD or operation == codes.SUBTRACT:
        return 2
    if operation == codes.MULTIPLY or operation == codes.DIVIDE:
        return 3
    if operation == codes.NEGATE or operation == codes.KEEP:
        return 4
    return 5 if operation == codes.POWER else 0


@kernel
def put_constant(words: np.ndarray, at: int, value: float) -> int:
    """Write a number; where the next word goes."""
    bits = np.float64(value).view(np.int64)
    words[at] = codes.CONSTANT
    words[at + 1] = np.int32(bits & np.int64(0xFFFFFFFF))
    words[at + 2] = np.int32(bits >> np.int64(32))
    return at + 3


@kernel
def put_values(words: np.ndarray, bounds: np.ndarray, values: np.ndarray, first: np.ndarray) -> None:
    """Write the values of the numbers that are tuned in the order of the words, those of program p from first[p] on."""
    for p in range(len(bounds) - 1):
        v = first[p]
        w = bounds[p]
        while w < bounds[p + 1]:
            word = words[w]
            if word < codes.CONSTANT:
                put_constant(words, w, values[v])
                words[w] = word
                v += 1
            w += 3 if word <= codes.CONSTANT else 1


@kernel
def get_values(words: np.ndarray, bounds: np.ndarray, values: np.ndarray, first: np.ndarray) -> None:
    """Read the values of the numbers that are tuned back; those of empty programs stay as they are."""
    for p in range(len(bounds) - 1):
        v = first[p]
        w = bounds[p]
        while w < bounds[p + 1]:
            if words[w] < codes.CONSTANT:
                values[v] = number_at(words, w + 1)
                v += 1
            w += 3 if words[w] <= codes.CONSTANT else 1


@kernel
def move_values(
    words: np.ndarray,
    bounds: np.ndarray,  # [P+1]
    which: np.ndarray,  # the programs that are meant
    steps: np.ndarray,  # how far each number moves, those of program p from first[p] on
    first: np.ndarray,
    limits: np.ndarray,  # [kinds, 2] the least and the largest value of each kind
    moved: np.ndarray,  # as long as the words, written
) -> None:
    """The same programs with other numbers, each within its limits. One that would not be finite stays as it is."""
    for p in which:
        v = first[p]
        for w in range(bounds[p], bounds[p + 1]):
            moved[w] = words[w]
        w = bounds[p]
        while w < bounds[p + 1]:
            word = words[w]
            if word < codes.CONSTANT:
                value = number_at(words, w + 1)
                new = value + steps[v]
                if abs(new) < np.inf:
                    value = min(max(new, limits[~word, 0]), limits[~word, 1])
                put_constant(moved, w, value)
                moved[w] = word
                v += 1
            w += 3 if word <= codes.CONSTANT else 1


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
        token = tokens[t] if t < n else codes.SPACE
        kind = token & 15
        argument = token >> 4
        if kind == codes.DIGIT or kind == codes.POINT:
            if not in_number:
                in_number, pointed = True, False
                mantissa, digits, scale = np.int64(0), 0, 1.0
            if wants_bracket or not wants_operand or (kind == codes.POINT and pointed):
                return SYNTAX, 0
            if kind == codes.POINT:
                pointed = True
                continue
            digits += 1
            mantissa = mantissa * 10 + argument
            scale = scale * 10.0 if pointed else scale
            if mantissa >= 9007199254740992 or scale > 1e22:  # beyond 2**53 and 10**22 the quotient is not exact
                return codes.LONG_NUMBER, 0
            continue
        if in_number:
            if digits == 0:
                return SYNTAX, 0
            end = put_constant(words, end, np.float64(mantissa) / scale)
            in_number = wants_operand = False
        if kind == codes.SPACE:
            continue
        if wants_bracket and kind != codes.OPEN:
            return SYNTAX, 0
        if kind == codes.OPERATOR and not wants_operand:
            strength = precedence(argument)
            while height > 0 and precedence(pending[height - 1]) >= strength + (argument == codes.POWER):
                height -= 1
                end = put_operation(words, end, pending[height])
            pending[height] = argument
            height += 1
            wants_operand = True
        elif kind == codes.OPERATOR and (argument == codes.SUBTRACT or argument == codes.ADD):
            pending[height] = codes.NEGATE if argument == codes.SUBTRACT else codes.KEEP
            height += 1
        elif (kind == codes.COMMA or kind == codes.CLOSE) and not wants_operand:
            while height > 0 and pending[height - 1] < _OPENED:
                height -= 1
                end = put_operation(words, end, pending[height])
            if height == 0 or (kind == codes.COMMA and pending[height - 1] == _OPENED):
                return SYNTAX, 0
            if kind == codes.COMMA:
                commas[height - 1] += 1
                wants_operand = True
                continue
            height -= 1
            if pending[height] == _CALLED:
                height -= 1
                if commas[height + 1] != (1 if pending[height] < codes.UNARY else 0):
                    return SYNTAX, 0
                end = put_operation(words, end, pending[height])
        elif not wants_operand:
            return SYNTAX, 0
        elif kind == codes.NUMBER:
            end = put_constant(words, end, constants[argument])
            wants_operand = False
        elif kind == codes.TUNED:  # its value is put in later
            end = put_constant(words, end, 0.0)
            words[end - 3] = ~argument
            wants_operand = False
        elif kind == codes.NAME:
            words[end] = codes.VARIABLE + argument
            end += 1
            wants_operand = False
        elif kind == codes.FUNCTION:
            pending[height] = argument
            height += 1
            wants_bracket = True
        elif kind == codes.OPEN:
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
    if operation == codes.KEEP:
        return at
    words[at] = codes.DIVIDE if operation == codes.DIVIDE_LAST else operation
    return at + 1


@kernel
def emit(
    tokens: np.ndarray,  # of all phenotypes, one after another
    bounds: np.ndarray,  # [N+1]
    status: np.ndarray,  # [N]; what is not OK is passed over
    constants: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The programs of all phenotypes: words (ragged), offsets [N+1], status [N]."""
    n = len(status)
    words = np.empty(3 * len(tokens), np.int32)
    offsets = np.zeros(n + 1, np.int64)
    new_status = status.copy()
    longest = 0
    for i in range(n):
        longest = max(longest, bounds[i + 1] - bounds[i])
    pending, commas = np.empty(longest + 1, np.int32), np.empty(longest + 1, np.int32)
    for i in range(n):
        end = offsets[i]
        if status[i] == OK:
            row = tokens[bounds[i] : bounds[i + 1]]
            new_status[i], written = to_postfix(row, len(row), constants, pending, commas, words[end:])
            end += written
        offsets[i + 1] = end
    return words[: offsets[n]].copy(), offsets, new_status
