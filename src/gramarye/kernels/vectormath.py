"""sin, cos, tan, exp, log, tanh and power of our own, on blocks of float64, in loops that LLVM turns into vector code.

Each but power is off by less than two units in the last place. They use additions, multiplications, divisions and bit
operations in a written order, and neither libm nor fused operations, so that a value has the same bits on every 64-bit
machine, compiled or plain, and depends on its argument alone; only the bits of a NaN are left open. `out`, whose length
is the number of rows, may not overlap an argument.

A first loop computes what is common and notes, without a branch, whether any lane needs more; a second one mends those.

Polynomials are near-minimax fits (Remez), with the error of the rounded coefficients relative to the function's value.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gramarye.kernels.compiler import kernel, stays_apart
from gramarye.kernels.reduction import (
    FAR,
    MASK_52,
    QUARTER,
    QUARTER_REST,
    ROUND,
    SIGN,
    U0,
    U1,
    U52,
    U63,
    Bits,
    Lane,
    bits,
    choose,
    far_lanes,
    far_quarter_turns,
    half_turns,
    half_turns_of_cosine,
    lanes,
    number,
    quarter_turns,
    some,
    whole,
)

Block = np.ndarray[tuple[int], np.dtype[np.float64]]  # [rows], C-contiguous

# sin r = r + r z (-1/8 + S0 + S1 z + …), z = r², |r| <= pi/2; error 2**-61.5
# z/8 is exact and the larger part: rounding errors of the smaller hardly count, which halves the error near pi/2
S0, S1, S2, S3 = -0.04166666666666666, 0.008333333333333207, -0.0001984126984121248, 2.755731921156908e-06
S4, S5, S6, S7 = -2.505210690432268e-08, 1.6058940993183837e-10, -7.643019011598193e-13, 2.7214143424625743e-15

# tan r = r + r z (T0 + T1 z + …), z = r², |r| <= pi/4; error 2**-55.8
T0, T1, T2, T3 = 0.33333333333332776, 0.13333333333414596, 0.05396825392668021, 0.021869489608739617
T4, T5, T6 = 0.00886321916743366, 0.003592289055097354, 0.0014547580781925657
T7, T8, T9 = 0.000595064413258112, 0.00022238044804035216, 0.00013652471792148968
T10, T11, T12, T13 = -2.6385483448990007e-05, 8.945202790848064e-05, -4.4876524813115324e-05, 2.0863276491505567e-05

# tanh y = y + y z (H0 + H1 z + …), z = y², y <= 0.55; error 2**-55.5. From there on, 1 - 2/(exp(2y) + 1) loses little
H0, H1, H2, H3 = -0.3333333333333231, 0.13333333333168224, -0.05396825387583737, 0.0218694859689474
H4, H5, H6 = -0.00886319442450395, 0.0035917190477015855, -0.0014532135030289497
H7, H8, H9 = 0.0005791272368428973, -0.00021028621444978281, 5.10101430217121e-05
TANH_IS_HALF = 0.55

# exp r = 1 + r + r² (E0 + E1 r + …), |r| <= ln(2)/2; error 2**-56.3
E0, E1, E2, E3 = 0.5, 0.16666666666666677, 0.04166666666661792, 0.008333333333321404
E4, E5, E6 = 0.0013888888921333076, 0.0001984126988664275, 2.4801515326422494e-05
E7, E8, E9 = 2.7557243730849484e-06, 2.7622627287701967e-07, 2.5109192854156695e-08
LOG2_E = 1.4426950408889634
LN2 = float.fromhex("0x1.62e42fefa4000p-1")  # 39 bits of ln 2: the products with exponents, 11 bits, are exact
LN2_REST = float.fromhex("-0x1.8432a1b0e2634p-43")
EXP_IS_NORMAL = 708.0  # at most this far from 0, the result is a normal number
EXP_OVERFLOWS, EXP_VANISHES = 710.0, -746.0  # inf and 0 from here on

# ln((1+s)/(1-s)) = 2s + s z (L0 + L1 z + …), z = s², |s| <= 3 - 2√2; error 2**-59.5
L0, L1, L2, L3 = 0.6666666666666734, 0.39999999999416636, 0.2857142874203077, 0.22222198604664253
L4, L5, L6 = 0.18183562877464907, 0.15314084032185746, 0.14795642750326365

ONE = np.float64(1.0).view(np.uint64)
SQRT_HALF = np.float64(0.7071067811865476).view(np.uint64)
SMALLEST_NORMAL = np.float64(2.0**-1022).view(np.uint64)
NORMALS = np.float64(np.inf).view(np.uint64) - SMALLEST_NORMAL  # how many positive numbers are normal
LARGEST_SMALL_EXPONENT = 16.0


@kernel
def sin(out: Block, x: Block) -> None:
    """out[i] = sin x[i]."""
    stays_apart()
    far = False
    for i in lanes(len(out)):
        far = far | (abs(x[i]) > FAR)
        angle, turns = half_turns(x[i])
        out[i] = _sin_of_angle(angle, turns)
    if some(far):
        for i in far_lanes(x[: len(out)]):
            angle, excess, turns = far_quarter_turns(x[i])
            out[i] = _sin_in_quarter(angle, excess, turns)


@kernel
def cos(out: Block, x: Block) -> None:
    """out[i] = cos x[i]."""
    stays_apart()
    far = False
    for i in lanes(len(out)):
        y = abs(x[i])
        far = far | (y > FAR)
        angle, turns = half_turns_of_cosine(y)
        out[i] = _sin_of_angle(angle, turns)
    if some(far):
        for i in far_lanes(x[: len(out)]):
            angle, excess, turns = far_quarter_turns(x[i])
            out[i] = _sin_in_quarter(angle, excess, turns + U1)


@kernel
def tan(out: Block, x: Block) -> None:
    """out[i] = tan x[i]."""
    stays_apart()
    far = False
    for i in lanes(len(out)):
        far = far | (abs(x[i]) > FAR)
        angle, excess, turns = quarter_turns(x[i])
        out[i] = _tan_in_quarter(angle, excess, turns)
    if some(far):
        for i in far_lanes(x[: len(out)]):
            angle, excess, turns = far_quarter_turns(x[i])
            out[i] = _tan_in_quarter(angle, excess, turns)


@kernel
def exp(out: Block, x: Block) -> None:
    """out[i] = e ** x[i]."""
    stays_apart()
    far = False
    for i in lanes(len(out)):
        far = far | (abs(x[i]) > EXP_IS_NORMAL)
        out[i] = _exp_normal(x[i])
    if some(far):
        for i in lanes(len(out)):
            out[i] = _exp(x[i])


@kernel
def log(out: Block, x: Block) -> None:
    """out[i] = ln x[i]; -inf for the zeros, NaN below."""
    stays_apart()
    special = False
    for i in lanes(len(out)):
        special = special | ((bits(x[i]) - SMALLEST_NORMAL) >= NORMALS)
        out[i] = _log_normal(bits(x[i]), 1023.0)
    if some(special):
        for i in lanes(len(out)):
            out[i] = _log(x[i])


@kernel
def protected_log(out: Block, x: Block) -> None:
    """out[i] = ln x[i], but 0 where x[i] <= 0."""
    stays_apart()
    special = False
    for i in lanes(len(out)):
        y = choose(x[i] <= 0.0, 1.0, x[i])
        special = special | ((bits(y) - SMALLEST_NORMAL) >= NORMALS)
        out[i] = _log_normal(bits(y), 1023.0)
    if some(special):
        for i in lanes(len(out)):
            out[i] = _log(choose(x[i] <= 0.0, 1.0, x[i]))


@kernel
def tanh(out: Block, x: Block) -> None:
    """out[i] = tanh x[i]."""
    stays_apart()
    for i in lanes(len(out)):
        out[i] = _tanh(x[i])


@kernel
def power(out: Block, a: Block, b: Block) -> None:
    """out[i] = a[i] ** b[i], special cases as in C; integers up to 16 by multiplication, others as exp(b ln a)."""
    stays_apart()
    other = False
    for i in lanes(len(out)):
        other = other | ~_is_small_integer(b[i])
        out[i] = _small_power(a[i], b[i])
    if some(other):  # in three loops: LLVM would not inline all that into one, and calls are not vectorised
        for i in lanes(len(out)):
            out[i] = _times_log(b[i], abs(a[i]))
        for i in lanes(len(out)):
            out[i] = _exp(out[i])
        for i in lanes(len(out)):
            out[i] = choose(_is_small_integer(b[i]), _small_power(a[i], b[i]), _with_sign(out[i], a[i], b[i]))


@kernel
def _sin_of_angle(angle: Lane, turns: Bits) -> Lane:
    """Sin of the angle, or its negative where `turns` is odd."""
    z = angle * angle
    s = S0 + z * (S1 + z * (S2 + z * (S3 + z * (S4 + z * (S5 + z * (S6 + z * S7))))))
    value = angle - (0.0 + angle * (0.125 * z - z * s))  # 0.0 for the sake of sin(-0), which is -0
    return number(bits(value) ^ (turns << U63))


@kernel
def _sin_in_quarter(angle: Lane, excess: Lane, turns: Bits) -> Lane:
    """sin(turns * pi/2 + angle - excess), |angle| <= pi/4."""
    y = abs(angle)
    complement = QUARTER - y
    lost = (QUARTER - complement) - y
    complement = complement + (lost + QUARTER_REST + choose(angle < 0.0, -excess, excess))
    return _sin_of_angle(choose((turns & U1) == U0, angle, complement), turns >> U1)


@kernel
def _tan_in_quarter(angle: Lane, excess: Lane, turns: Bits) -> Lane:
    z = angle * angle
    t = T5 + z * (T6 + z * (T7 + z * (T8 + z * (T9 + z * (T10 + z * (T11 + z * (T12 + z * T13)))))))
    t = T0 + z * (T1 + z * (T2 + z * (T3 + z * (T4 + z * t))))
    value = angle - (excess * (1.0 + 1.4 * z) - angle * (z * t))  # 1 + 1.4 z is near enough to the slope 1 + tan²
    even = (turns & U1) == U0
    return choose(even, value, -1.0) / choose(even, 1.0, value)


@kernel
def _exp_significand(x: Lane, exponent: Lane) -> Lane:
    """e**x / 2**exponent, for the integer nearest to x / ln 2."""
    r = (x - exponent * LN2) - exponent * LN2_REST
    z = r * r
    even = E0 + z * (E2 + z * (E4 + z * (E6 + z * E8)))  # two short chains take less time than one long one
    odd = E1 + z * (E3 + z * (E5 + z * (E7 + z * E9)))
    return 1.0 + (r + z * (even + r * odd))


@kernel
def _exp_normal(x: Lane) -> Lane:
    """e**x for |x| <= EXP_IS_NORMAL, the same bits as `_exp`."""
    shifted = x * LOG2_E + ROUND
    return _exp_significand(x, shifted - ROUND) * number((bits(shifted) << U52) + ONE)


@kernel
def _exp(x: Lane) -> Lane:
    x = choose(x > EXP_OVERFLOWS, EXP_OVERFLOWS, choose(x < EXP_VANISHES, EXP_VANISHES, x))
    shifted = x * LOG2_E + ROUND
    # 2**exponent as a product of two powers, for it may be 2**1024, or so small that the result is denormal
    half = bits(shifted) >> U1
    rest = bits(shifted) - half
    return _exp_significand(x, shifted - ROUND) * number((half << U52) + ONE) * number((rest << U52) + ONE)


@kernel
def _log_normal(x: Bits, bias: float) -> Lane:
    """Ln of a positive normal number, given by its bits, times 2**(1023 - bias)."""
    shifted = x + (ONE - SQRT_HALF)
    exponent = whole(shifted >> U52) - bias
    f = number((shifted & MASK_52) + SQRT_HALF) - 1.0  # between √½ - 1 and √2 - 1, exact
    s = f / (2.0 + f)
    z = s * s
    tail = z * (L0 + z * (L1 + z * (L2 + z * (L3 + z * (L4 + z * (L5 + z * L6))))))
    # ln(1+f) as f - f²/2 + s (f²/2 + tail) loses less than as 2s + s tail (Ng, FDLIBM 1993)
    square = 0.5 * f * f
    return exponent * LN2 - ((square - (s * (square + tail) + exponent * LN2_REST)) - f)


@kernel
def _log(x: Lane) -> Lane:
    denormal = x < 2.0**-1022
    value = _log_normal(bits(choose(denormal, x * 2.0**54, x)), choose(denormal, 1023.0 + 54.0, 1023.0))
    value = choose(x < np.inf, value, x)  # the infinity and NaN
    return choose(x <= 0.0, choose(x < 0.0, np.nan, -np.inf), value)


@kernel
def _tanh(x: Lane) -> Lane:
    y = abs(x)
    z = y * y
    t = H0 + z * (H1 + z * (H2 + z * (H3 + z * (H4 + z * (H5 + z * (H6 + z * (H7 + z * (H8 + z * H9))))))))
    value = choose(y < TANH_IS_HALF, y + y * (z * t), 1.0 - 2.0 / (_exp(y + y) + 1.0))
    return number(bits(value) | (bits(x) & SIGN))


@kernel
def _is_small_integer(b: Lane) -> Any:
    return (abs(b) <= LARGEST_SMALL_EXPONENT) & ((b + ROUND) - ROUND == b)


@kernel
def _small_power(a: Lane, b: Lane) -> Lane:
    """A ** b for integers up to 16, by repeated squaring from the lowest bit; anything for other exponents."""
    exponent = bits(abs(b) + ROUND)
    a_2 = a * a
    a_4 = a_2 * a_2
    a_8 = a_4 * a_4
    value = choose((exponent & U1) == U0, 1.0, a)
    value = choose((exponent & np.uint64(2)) == U0, value, value * a_2)
    value = choose((exponent & np.uint64(4)) == U0, value, value * a_4)
    value = choose((exponent & np.uint64(8)) == U0, value, value * a_8)
    value = choose((exponent & np.uint64(16)) == U0, value, a_8 * a_8)
    return choose(b < 0.0, 1.0 / value, value)


@kernel
def _times_log(b: Lane, a: Lane) -> Lane:
    logarithm = _log(a)
    return choose(logarithm == 0.0, 0.0, b * logarithm)  # 1 ** anything is 1, NaN and the infinities included


@kernel
def _with_sign(value: Lane, a: Lane, b: Lane) -> Lane:
    """|a| ** b made a ** b: odd integers keep the sign of a, a negative a has no power that is not an integer."""
    integer = _is_integer(b)
    odd = integer & ~_is_integer(0.5 * b)
    value = choose(odd, number(bits(value) | (bits(a) & SIGN)), value)
    return choose((a < 0.0) & (a > -np.inf) & ~integer, np.nan, value)


@kernel
def _is_integer(x: Lane) -> Any:
    y = abs(x)
    return (y >= 2.0**52) | ((y + 2.0**52) - 2.0**52 == y)
