"""The numbers that kernels and the rest agree on: statuses, purposes of random draws, tokens, words of programs."""

from __future__ import annotations

from gramarye.derivation import Status

OK, OUT_OF_CODONS, STEP_LIMIT, SYNTAX, NOT_FINITE = (int(status) for status in Status)
# Inside the engine only: digits that must be read by float(text) to be exact; an array that is too small.
LONG_NUMBER, FULL = 126, 127

# What a random number is for. A new purpose gets a new number; a number is never used again.
INITIAL, SELECT, CROSS, MUTATE, FILL, SPLIT, TREES, ENCODE, GRAMMAR, ANALYSE, CASES = range(1, 12)

# The rules that keep structured genotypes from growing too deep.
HEIGHT, SHORTEST, NONRECURSIVE = range(3)

# Where the non-terminals of a production go in the list of those that wait (πGE).
IN_PLACE, AT_START, AT_END = range(3)

# Kinds of token; a token is kind + 16 * argument.
NUMBER, NAME, FUNCTION, OPERATOR, OPEN, CLOSE, COMMA, DIGIT, POINT, SPACE = range(10)

# Words of a program. Operations below UNARY take two operands, those from there on one. CONSTANT is followed by two
# words that hold the bits of a float64; VARIABLE + n is column n.
CONSTANT = 0
ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER, MINIMUM, MAXIMUM = range(1, 8)
UNARY = 16
NEGATE, SIN, COS, TAN, EXP, LOG, SQRT, ROOT_ABS, ABS, INVERSE, SQUARE, CUBE, TANH, KEEP = range(UNARY, UNARY + 14)
VARIABLE = 64
