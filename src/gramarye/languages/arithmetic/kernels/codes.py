"""The numbers that the arithmetic language and its kernels agree on: tokens, words of programs."""

from __future__ import annotations

LONG_NUMBER = 126  # a status inside the engine only: digits that must be read by float(text) to be exact

# Kinds of token; a token is kind + 16 * argument.
NUMBER, NAME, FUNCTION, OPERATOR, OPEN, CLOSE, COMMA, DIGIT, POINT, SPACE, TUNED = range(11)

# Words of a program. Operations below UNARY take two operands, those from there on one. CONSTANT is followed by two
# words that hold the bits of a float64, and so is a number that the search tunes: ~n, where n is the number of its
# bounds. VARIABLE + n is column n.
CONSTANT = 0
ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER, MINIMUM, MAXIMUM = range(1, 8)
DIVIDE_LAST = 8  # in tokens only: a division that binds more weakly than a sum
UNARY = 16
NEGATE, SIN, COS, TAN, EXP, LOG, SQRT, ROOT_ABS, ABS, INVERSE, SQUARE, CUBE, TANH = range(UNARY, UNARY + 13)
PROTECTED_EXP, KEEP = range(TANH + 1, TANH + 3)
VARIABLE = 64
