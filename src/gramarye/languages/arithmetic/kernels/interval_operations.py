"""The operations of interval arithmetic, each on one or two enclosures.

An enclosure is a least and a largest number, which may be infinite; both are NaN where an operation may yield something
that is not a number. Sums, products, quotients and roots are rounded as those of the machine are, and rounding keeps
the order of numbers; functions, whose last digits are not exact, get some slack.
"""

from __future__ import annotations

import numpy as np

from gramarye.kernels import vectormath
from gramarye.kernels.compiler import kernel, stays_apart
from gramarye.languages.arithmetic.kernels import codes

SLACK, TINY = 1e-15, 1e-300  # relative and absolute: more than functions are off
POWER_SLACK = 1e-12
LEAST_LOG = -745.0  # less than the logarithm of the smallest positive number
FAR = 1e6  # from here on, sine and cosine may be anything between -1 and 1
NEAR = 1e-9  # turns: how far off the place of an extreme may be
LARGEST_EXPONENT = 16.0  # of a base that is not positive


@kernel
def unary(operation: int, low: float, high: float, x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """One operation with one operand; x and y are scratch of two numbers or more."""
    stays_apart()
    if operation == codes.NEGATE:
        return -high, -low
    if operation == codes.INVERSE:
        return _divide(1.0, 1.0, low, high)
    if operation == codes.CUBE:
        return low * low * low, high * high * high
    if operation == codes.SQRT:
        return (np.sqrt(low), np.sqrt(high)) if low >= 0.0 else (np.nan, np.nan)
    if operation == codes.ABS or operation == codes.ROOT_ABS or operation == codes.SQUARE:
        low, high = magnitude(low, high)
        if operation == codes.SQUARE:
            return low * low, high * high
        return (np.sqrt(low), np.sqrt(high)) if operation == codes.ROOT_ABS else (low, high)
    if operation == codes.LOG:
        return _logarithm(low, high, x, y)
    x[0], x[1] = low, high
    if operation == codes.SIN or operation == codes.COS:
        return _wave(operation, x, y)
    if operation == codes.EXP or operation == codes.PROTECTED_EXP:
        vectormath.exp(y[:2], x[:2])
        low, high = _with_slack(y[0], y[1], SLACK)
        if operation == codes.PROTECTED_EXP and high == np.inf:
            low = min(low, 1.0)
        return max(low, 0.0), high
    if operation == codes.TANH:
        vectormath.tanh(y[:2], x[:2])
        return _with_slack(y[0], y[1], SLACK)
    return _tangent(x, y)


@kernel
def binary(operation: int, a: float, b: float, c: float, d: float, x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """One operation with two operands, [a, b] and [c, d]."""
    stays_apart()
    if operation == codes.ADD:
        return add(a, b, c, d)
    if operation == codes.SUBTRACT:
        return add(a, b, -d, -c)
    if operation == codes.MULTIPLY:
        return multiply(a, b, c, d)
    if operation == codes.DIVIDE:
        return _divide(a, b, c, d)
    if operation == codes.MINIMUM:
        return min(a, c), min(b, d)
    if operation == codes.MAXIMUM:
        return max(a, c), max(b, d)
    return _power(a, b, c, d, x, y)


@kernel
def _with_slack(low: float, high: float, slack: float) -> tuple[float, float]:
    low *= 1.0 - slack if low > 0.0 else 1.0 + slack
    high *= 1.0 + slack if high > 0.0 else 1.0 - slack
    return low - TINY, high + TINY


@kernel
def magnitude(low: float, high: float) -> tuple[float, float]:
    """Absolute values."""
    return max(low, -high, 0.0), max(-low, high)


@kernel
def add(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    """[a, b] + [c, d]."""
    if (a == -np.inf and d == np.inf) or (b == np.inf and c == -np.inf):
        return np.nan, np.nan
    return a + c, b + d


@kernel
def multiply(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    """[a, b] * [c, d]."""
    infinite = max(-a, b) == np.inf
    if (infinite and c <= 0.0 <= d) or (max(-c, d) == np.inf and a <= 0.0 <= b):
        return np.nan, np.nan
    p, q, r, s = a * c, a * d, b * c, b * d
    return min(p, q, r, s), max(p, q, r, s)


@kernel
def _divide(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    """[a, b] / [c, d]; divided by 0, it is 1."""
    stays_apart()
    if max(-a, b) == np.inf and max(-c, d) == np.inf:
        return np.nan, np.nan
    if c > 0.0 or d < 0.0:
        p, q, r, s = a / c, a / d, b / c, b / d
        return min(p, q, r, s), max(p, q, r, s)
    if c == 0.0 and d == 0.0:
        return 1.0, 1.0
    low, high = -np.inf, np.inf
    if c == 0.0:
        low = low if a < 0.0 else a / d
        high = high if b > 0.0 else b / d
    elif d == 0.0:
        low = low if b > 0.0 else b / c
        high = high if a < 0.0 else a / c
    elif a == 0.0 and b == 0.0:
        low = high = 0.0
    return min(low, 1.0), max(high, 1.0)


@kernel
def _logarithm(low: float, high: float, x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Protected: it is 0 up to 0."""
    stays_apart()
    if high <= 0.0:
        return 0.0, 0.0
    x[0], x[1] = low, high
    vectormath.protected_log(y[:2], x[:2])
    least, most = _with_slack(y[0], y[1], SLACK)
    return (least, most) if low > 0.0 else (LEAST_LOG, max(most, 0.0))


@kernel
def _passes(x: np.ndarray, turn: float, place: float) -> bool:
    """Whether [x[0], x[1]] has a point that is `place` turns from 0, or whole turns from there."""
    return np.ceil(x[0] / turn - place - NEAR) <= x[1] / turn - place + NEAR


@kernel
def _wave(operation: int, x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Sine or cosine."""
    stays_apart()
    most = max(-x[0], x[1])
    if most == np.inf:
        return np.nan, np.nan
    if most > FAR:
        return _with_slack(-1.0, 1.0, SLACK)
    if operation == codes.SIN:
        vectormath.sin(y[:2], x[:2])
    else:
        vectormath.cos(y[:2], x[:2])
    top = 0.25 if operation == codes.SIN else 0.0
    low = -1.0 if _passes(x, 2.0 * np.pi, top + 0.5) else min(y[0], y[1])
    high = 1.0 if _passes(x, 2.0 * np.pi, top) else max(y[0], y[1])
    return _with_slack(low, high, SLACK)


@kernel
def _tangent(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    stays_apart()
    most = max(-x[0], x[1])
    if most == np.inf:
        return np.nan, np.nan
    if most > FAR or _passes(x, np.pi, 0.5):
        return -np.inf, np.inf
    vectormath.tan(y[:2], x[:2])
    return _with_slack(y[0], y[1], SLACK)


@kernel
def _power(a: float, b: float, c: float, d: float, x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """[a, b] ** [c, d], where the base is positive or the exponent is one integer; x and y are scratch of four."""
    stays_apart()
    if max(-a, b, -c, d) == np.inf:
        return np.nan, np.nan
    whole = c == d and c == np.floor(c) and abs(c) <= LARGEST_EXPONENT
    if whole and a <= 0.0:
        return _whole_power(a, b, c, x, y)
    if a <= 0.0:
        return np.nan, np.nan
    first, second = np.empty(4), np.empty(4)
    first[0], first[1], first[2], first[3] = a, a, b, b
    second[0], second[1], second[2], second[3] = c, d, c, d
    vectormath.power(x, first, second)
    return _with_slack(min(x[0], x[1], x[2], x[3]), max(x[0], x[1], x[2], x[3]), POWER_SLACK)


@kernel
def _whole_power(a: float, b: float, exponent: float, x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """[a, b] ** exponent, an integer, where a is not positive."""
    stays_apart()
    odd = abs(exponent) % 2.0 == 1.0
    if exponent < 0.0 and b >= 0.0 and odd:
        return -np.inf, np.inf
    low, high = (a, b) if odd else magnitude(a, b)
    x[0], x[1], x[2], x[3] = low, high, exponent, exponent
    vectormath.power(y[:2], x[:2], x[2:4])
    return _with_slack(min(y[0], y[1]), max(y[0], y[1]), POWER_SLACK)
