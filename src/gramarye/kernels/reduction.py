"""Arguments of sin, cos and tan brought back to a quarter turn, and the words in which vector functions are written.

A *lane* is one float64 when compiled and a whole array when plain: the functions below use only operations that mean
the same on both, so there is one source and the same bits in both modes. Nothing branches on a lane, `choose` selects.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from gramarye.kernels.compiler import COMPILED, kernel

Lane: TypeAlias = Any  # float64; compiled: a scalar, plain: an array
Bits: TypeAlias = Any  # the same for uint64; the two never meet in one operation, Numba would turn both into floats

FAR = 1e5  # up to here x is less than 2**16 quarter turns, so that their number times 37 bits of pi/2 is exact
ROUND = 1.5 * 2.0**52  # x + ROUND - ROUND is x rounded, and the low bits of x + ROUND are that integer

# pi/2 in three parts of 37, 37 and 53 bits (Cody and Waite 1980): products of the first two with turns are exact
QUARTER_1 = float.fromhex("0x1.921fb54440000p+0")
QUARTER_2 = float.fromhex("0x1.68c234c4c0000p-39")
QUARTER_3 = float.fromhex("0x1.98a2e03707345p-77")
QUARTERS_PER_RADIAN = 0.6366197723675814  # 2/pi

# pi/2 as float64 and what that leaves, and the float64 once more as a head of 26 bits and the rest (exact products)
QUARTER = float.fromhex("0x1.921fb54442d18p+0")
QUARTER_REST = float.fromhex("0x1.1a62633145c07p-54")
QUARTER_HEAD = float.fromhex("0x1.921fb50000000p+0")
QUARTER_TAIL = QUARTER - QUARTER_HEAD

# The first 1216 binary digits of 2/pi, after 64 zeros: as many as the largest float64 can reach
_DIGITS = (
    "a2f9836e4e441529fc2757d1f534ddc0db6295993c439041fe5163abdebbc561b7246e3a424d"
    "d2e006492eea09d1921cfe1deb1cb129a73ee88235f52ebb4484e99c7026b45f7e413991d639"
    "835339f49c845f8bbdf9283b1ff897ffde05980fef2f118b5a0a6d1f6d367ecf27cb09b74f46"
    "3f669e5fea2d7527bac7ebe5f17b3d0739f78a5292ea6bfb5fb11f8d5d0856033046fc7b6bab"
)
TWO_OVER_PI = np.array([0] + [int(_DIGITS[i : i + 16], 16) for i in range(0, len(_DIGITS), 16)], dtype=np.uint64)

U0, U1, U6, U21, U22, U32, U43, U52, U62, U63 = (np.uint64(n) for n in (0, 1, 6, 21, 22, 32, 43, 52, 62, 63))
MASK_6, MASK_22, MASK_32, MASK_43, MASK_52, MASK_62 = (np.uint64(2**n - 1) for n in (6, 22, 32, 43, 52, 62))
MAGNITUDE = np.uint64(2**63 - 1)
SIGN = np.uint64(2**63)
HEAD = np.uint64(2**64 - 2**27)  # keeps 26 bits of a significand
HALF_QUARTER = np.uint64(2**61)  # half a quarter turn, in units of 2**-62 quarter turns
INTEGER = np.float64(2.0**52).view(np.uint64)  # n | INTEGER are the bits of the float64 2**52 + n
FIRST_DIGIT = np.uint64(1013)  # biased exponent of the argument whose product starts at digit 0 of the table


if COMPILED:
    lanes: Any = range  # the very function, for Numba then knows that indices are not negative and vectorises

    @kernel
    def choose(condition: Any, one: Any, other: Any) -> Any:
        """`one` in the lanes where the condition holds, else `other`."""
        return one if condition else other

    @kernel
    def some(condition: Any) -> Any:
        """Whether the condition holds in any lane."""
        return condition

    @kernel
    def far_lanes(x: Any) -> Any:
        """What to loop over to visit the finite lanes beyond FAR; the infinities are NaN by the short way already."""
        found = np.empty(len(x), np.int64)  # no `flatnonzero`: Numba compiles ten functions for it
        n = 0
        for i in range(len(x)):
            if FAR < abs(x[i]) < np.inf:
                found[n] = i
                n += 1
        return found[:n]

else:

    def lanes(count: int) -> Any:
        """What to loop over to visit all lanes: one slice of them all."""
        return (slice(0, count),)

    def choose(condition: Any, one: Any, other: Any) -> Any:
        """`one` in the lanes where the condition holds, else `other`."""
        return np.where(condition, one, other)

    def some(condition: Any) -> Any:
        """Whether the condition holds in any lane."""
        return np.any(condition)

    def far_lanes(x: Any) -> Any:
        """What to loop over to visit the finite lanes beyond FAR: one array of their indices."""
        return (np.flatnonzero((np.abs(x) > FAR) & (np.abs(x) < np.inf)),)


@kernel
def bits(x: Lane) -> Bits:
    """The bits of a float64."""
    return np.float64(x).view(np.uint64)


@kernel
def number(x: Bits) -> Lane:
    """The float64 with these bits."""
    return np.uint64(x).view(np.float64)


@kernel
def whole(x: Bits) -> Lane:
    """An integer below 2**52 as float64 (conversions of integers are no vector instructions on most machines)."""
    return number(x | INTEGER) - 2.0**52


@kernel
def half_turns(x: Lane) -> tuple[Lane, Bits]:
    """Reduce |x| <= FAR: x = turns * pi + angle, |angle| <= pi/2; only the lowest bit of `turns` counts."""
    shifted = x * (0.5 * QUARTERS_PER_RADIAN) + ROUND
    turns = shifted - ROUND
    first = x - turns * (2.0 * QUARTER_1)  # exact: the two are close to each other
    product = turns * (2.0 * QUARTER_2)  # exact
    second = first - product
    lost = (first - second) - product  # what rounding took from `second`; nothing where much cancels
    return second - (turns * (2.0 * QUARTER_3) - lost), bits(shifted)


@kernel
def half_turns_of_cosine(x: Lane) -> tuple[Lane, Bits]:
    """Reduce 0 <= x <= FAR: x = (turns + 1/2) * pi - angle; cos x is sin(angle) or, for odd turns, its negative."""
    shifted = (x * (0.5 * QUARTERS_PER_RADIAN) - 0.5) + ROUND
    turns = (shifted - ROUND) + 0.5
    product = turns * (2.0 * QUARTER_1)
    first = product - x
    rounding = (product - first) - x  # not exact for x < pi/4
    product = turns * (2.0 * QUARTER_2)
    second = first + product
    lost = ((first - second) + product) + rounding
    return second + (turns * (2.0 * QUARTER_3) + lost), bits(shifted)


@kernel
def quarter_turns(x: Lane) -> tuple[Lane, Lane, Bits]:
    """Reduce |x| <= FAR: x = turns * pi/2 + angle - excess, |angle| <= pi/4, |excess| below the angle's last place."""
    shifted = x * QUARTERS_PER_RADIAN + ROUND
    turns = shifted - ROUND
    first = x - turns * QUARTER_1
    product = turns * QUARTER_2
    second = first - product
    product = turns * QUARTER_3 - ((first - second) - product)
    angle = second - product
    return angle, product - (second - angle), bits(shifted)


@kernel
def far_quarter_turns(x: Lane) -> tuple[Lane, Lane, Bits]:
    """The same for |x| > FAR, however large; NaN for the infinities (Payne and Hanek 1983)."""
    high, low = _product_with_two_over_pi(bits(x) & MAGNITUDE)
    shifted = high + HALF_QUARTER
    turns = shifted >> U62
    rest = shifted & MASK_62
    # The fraction of a turn, -1/2 … 1/2, as a sum of three floats with 40, 43 and 43 bits
    first = (whole(rest >> U22) - 2.0**39) * 2.0**-40
    second = whole(((rest & MASK_22) << U21) | (low >> U43)) * 2.0**-83
    third = whole(low & MASK_43) * 2.0**-126
    head = first + second
    tail = (second - (head - first)) + third
    fraction = head + tail
    tail = tail - (fraction - head)
    angle, excess = _times_quarter(fraction, tail)
    angle = angle + (x - x)  # no change, or NaN
    negative = x < 0.0
    return choose(negative, -angle, angle), choose(negative, -excess, excess), choose(negative, U0 - turns, turns)


@kernel
def _product_with_two_over_pi(x: Bits) -> tuple[Bits, Bits]:
    """|x| * 2/pi modulo 4 in units of 2**-126, as a high and a low word; off by less than two units."""
    significand = (x & MASK_52) | (U1 << U52)
    digit = (x >> U52) - FIRST_DIGIT  # digits before it contribute multiples of four turns
    word, shift = digit >> U6, digit & MASK_6
    back = U63 - shift
    digits_1, digits_2 = TWO_OVER_PI[word], TWO_OVER_PI[word + U1]
    digits_3, digits_4 = TWO_OVER_PI[word + U1 + U1], TWO_OVER_PI[word + U1 + U1 + U1]
    digits_1 = (digits_1 << shift) | ((digits_2 >> U1) >> back)
    digits_2 = (digits_2 << shift) | ((digits_3 >> U1) >> back)
    digits_3 = (digits_3 << shift) | ((digits_4 >> U1) >> back)
    carried = _high_word(significand, digits_3)
    low = significand * digits_2 + carried
    carry = choose(low < carried, U1, U0)
    return significand * digits_1 + _high_word(significand, digits_2) + carry, low


@kernel
def _high_word(a: Bits, b: Bits) -> Bits:
    """The upper 64 of the 128 bits of a * b, by school multiplication with digits of 32 bits."""
    a_1, a_0, b_1, b_0 = a >> U32, a & MASK_32, b >> U32, b & MASK_32
    one = a_1 * b_0 + ((a_0 * b_0) >> U32)
    two = a_0 * b_1 + (one & MASK_32)
    return a_1 * b_1 + (one >> U32) + (two >> U32)


@kernel
def _times_quarter(x: Lane, tail: Lane) -> tuple[Lane, Lane]:
    """(x + tail) * pi/2 as an angle and its excess (Dekker 1971)."""
    product = x * QUARTER
    head = number(bits(x) & HEAD)
    rest = x - head
    error = ((head * QUARTER_HEAD - product) + head * QUARTER_TAIL + rest * QUARTER_HEAD) + rest * QUARTER_TAIL
    error = error + (x * QUARTER_REST + tail * QUARTER)
    angle = product + error
    return angle, (angle - product) - error
