from __future__ import annotations

import itertools
import math
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.kernels import reduction, vectormath
from gramarye.kernels.compiler import COMPILED, kernel
from gramarye.kernels.compiler_hooks import extend_numba

FUNCTIONS = ("sin", "cos", "tan", "exp", "log", "tanh")
ODD = ("sin", "tan", "tanh")
INFINITY = math.inf
HARDEST = 6381956970095103.0 * 2.0**797  # of all float64 the nearest to a multiple of pi/2, 2**-61 away
SPECIAL = [0.0, 5e-324, 2.0**-1022, 1e-300, 0.5, 1.0, 2.0, 3.0, 15.0, 16.0, 17.0, 18.0, 2.5, 1e5, 1e300]
SPECIAL += [2.0**51 + 0.5, 2.0**51 + 1.0, 2.0**52 + 1.0, 2.0**53 - 1.0, sys.float_info.max, INFINITY]
SPECIAL += [-value for value in SPECIAL] + [math.nan]


def values_of(name: str, *arguments: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    blocks = [np.array(argument, dtype=np.float64) for argument in arguments]
    out = np.full(len(blocks[0]), 7.0)
    getattr(vectormath, name)(out, *blocks)
    return out


def same_bits(one: Any, other: Any) -> bool:
    """Equal to the last bit, the sign of zero included; every NaN is the same."""
    one, other = (np.where(np.isnan(block), np.nan, block).astype(np.float64) for block in (one, other))
    return bool(one.tobytes() == other.tobytes())


def nearby(numbers: Any) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Each number with the float64 below and above it."""
    numbers = np.array(numbers, dtype=np.float64)
    return np.concatenate([np.nextafter(numbers, -INFINITY), numbers, np.nextafter(numbers, INFINITY)])


def any_bits(count: int, seed: int = 1) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Finite numbers of all magnitudes."""
    numbers = np.random.default_rng(seed).integers(0, 2**64, count, dtype=np.uint64).view(np.float64)
    return numbers[np.isfinite(numbers)]


def samples(name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    rng = np.random.default_rng(2)
    if name in ("sin", "cos", "tan"):
        turns = np.concatenate([np.arange(1, 300), rng.integers(300, 63661, 300)])
        multiples = np.array([float(int(turn) * mpmath.pi / 2) for turn in turns])
        odd_eighths = (2 * rng.integers(0, 30000, 100) + 1) * math.pi / 4  # where quarters meet
        edge = nearby([reduction.FAR, -reduction.FAR, HARDEST, -HARDEST])
        common = [rng.uniform(-2, 2, 2500), rng.uniform(-1e5, 1e5, 2500), rng.uniform(1e5, 1e9, 500)]
        return np.concatenate([*common, any_bits(1500), nearby(multiples), odd_eighths, edge])
    if name == "exp":
        edges = nearby([709.782712893384, -708.3964185322641, -745.1332191019411, 708.0, -708.0, 710.0, -746.0])
        return np.concatenate([rng.uniform(-1, 1, 2000), rng.uniform(-746, 710, 3000), any_bits(1500), edges])
    if name == "log":
        near_1 = np.concatenate([nearby([1.0, math.sqrt(0.5), math.sqrt(2)]), 1 + rng.normal(size=1000) * 1e-6])
        common = [rng.uniform(0, 2, 3000), np.abs(any_bits(3000)), nearby([2.0**-1022])]
        return np.concatenate([*common, near_1, 5e-324 * rng.integers(1, 2**40, 500)])
    common = [rng.uniform(-1, 1, 3000), rng.uniform(-23, 23, 2000), any_bits(1500)]
    return np.concatenate([*common, nearby([vectormath.TANH_IS_HALF, 22.0])])


def worst_error(name: str, x: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    """In units of the last place of the exact value, which is a denormal's from 2**-1022 down."""
    exact_function: Callable[[Any], Any] = getattr(mpmath, name)
    worst = 0.0
    with mpmath.workprec(120):
        for argument, value in zip(x.tolist(), values_of(name, x).tolist(), strict=True):
            if abs(argument) > 800 and name in ("exp", "tanh"):  # out of mpmath's reach
                limit = math.copysign(1.0, argument) if name == "tanh" else (INFINITY if argument > 0 else 0.0)
                assert value == limit
                continue
            exact = exact_function(mpmath.mpf(argument))
            if abs(exact) >= 2**1024 - 2**970:  # rounds to infinity
                assert value == INFINITY
                continue
            worst = max(worst, float(abs(mpmath.mpf(value) - exact) / math.ulp(float(exact))))
    return worst


@pytest.mark.compiled
@pytest.mark.parametrize("name", FUNCTIONS)
def test_values_are_off_by_less_than_two_units_in_the_last_place(name: str) -> None:
    assert worst_error(name, samples(name)) < (1.1 if name in ("exp", "log") else 2.0)


@pytest.mark.parametrize(
    ("name", "argument", "value"),
    [
        ("exp", -INFINITY, 0.0),
        ("exp", INFINITY, INFINITY),
        ("exp", -0.0, 1.0),
        ("exp", -745.2, 0.0),
        ("exp", 709.79, INFINITY),
        ("log", 1.0, 0.0),
        ("log", 0.0, -INFINITY),
        ("log", -0.0, -INFINITY),
        ("log", INFINITY, INFINITY),
        ("log", -1.0, math.nan),
        ("log", -5e-324, math.nan),
        ("log", -INFINITY, math.nan),
        ("cos", 0.0, 1.0),
        ("cos", -0.0, 1.0),
        ("cos", INFINITY, math.nan),
        *[(name, argument, argument) for name in ODD for argument in (0.0, -0.0, 5e-324, -5e-324, 1e-310, 1e-300)],
        *[(name, sign * INFINITY, math.nan) for name in ("sin", "tan") for sign in (1, -1)],
        ("tanh", INFINITY, 1.0),
        ("tanh", -INFINITY, -1.0),
        *[(name, math.nan, math.nan) for name in FUNCTIONS],
    ],
)
def test_special_arguments_have_the_values_of_ieee_754(name: str, argument: float, value: float) -> None:
    assert same_bits(values_of(name, [argument]), [value])


def test_every_nan_stays_one_whatever_its_bits() -> None:
    payloads = np.array([0x7FF8000000000001, 0xFFF8000000000FFF, 0x7FFFFFFFFFFFFFFF], dtype=np.uint64).view(np.float64)
    for name in FUNCTIONS:
        assert np.isnan(values_of(name, payloads)).all()


@given(st.lists(st.floats(), min_size=1, max_size=40))
def test_sin_tan_and_tanh_are_odd_and_cos_is_even(numbers: list[float]) -> None:
    x = np.array(numbers)
    for name in ODD:
        assert same_bits(values_of(name, -x), -values_of(name, x))
    assert same_bits(values_of("cos", -x), values_of("cos", x))


@given(st.lists(st.floats() | st.floats(-10, 10), min_size=1, max_size=40), st.randoms(use_true_random=False))
def test_a_value_depends_on_its_argument_alone(numbers: list[float], random: Any) -> None:
    order = list(range(len(numbers)))
    random.shuffle(order)
    x = np.array(numbers)
    among_others = np.concatenate([[1e300, -INFINITY, 5e-324, math.nan], x[order], [-1e9, 709.0, 1e-310]])
    for name in FUNCTIONS:
        values = values_of(name, among_others)[4:-3]
        one_by_one = [values_of(name, [number])[0] for number in x[order]]
        assert same_bits(values, values_of(name, x)[order])
        assert same_bits(values, one_by_one)
    exponents = np.resize([2.0, 0.5, -3.0, 17.0], len(numbers))
    one_by_one = [values_of("power", [a], [b])[0] for a, b in zip(x, exponents, strict=True)]
    assert same_bits(values_of("power", x, exponents), one_by_one)


def test_only_as_many_rows_are_computed_as_out_has() -> None:
    x = np.array([0.5, 0.25, 1e300, -1.0])
    for name in FUNCTIONS:
        out = np.zeros(2)
        getattr(vectormath, name)(out, x)
        assert same_bits(out, values_of(name, x)[:2])


def test_the_functions_can_be_called_from_other_kernels() -> None:
    @kernel
    def sin_of_exp(out: Any, x: Any) -> None:
        inner = np.empty_like(x)
        vectormath.exp(inner, x)
        vectormath.sin(out[1:], inner[1:])

    x = np.linspace(-3.0, 20.0, 50)  # exp(20) is far for sin
    out = np.zeros(50)
    sin_of_exp(out, x)
    assert out[0] == 0.0
    assert same_bits(out[1:], values_of("sin", values_of("exp", x))[1:])


def small_power(a: float, n: int) -> np.float64:
    """What `power` promises for integers: squares, multiplied from the lowest bit of the exponent up."""
    value, square = np.float64(1.0), np.float64(a)
    for bit in range(5):
        if abs(n) >> bit & 1:
            value = value * square
        square = square * square
    return np.float64(1.0) / value if n < 0 else value


def test_powers_with_small_integers_are_products() -> None:
    bases = np.concatenate([any_bits(100), np.random.default_rng(3).uniform(-5, 5, 200), SPECIAL])
    for n in range(-16, 17):
        with np.errstate(all="ignore"):
            expected = [small_power(base, n) for base in bases]
        assert same_bits(values_of("power", bases, np.full(len(bases), float(n))), expected)


def test_special_powers_are_those_of_c() -> None:
    a, b = (np.array(column) for column in zip(*itertools.product(SPECIAL, SPECIAL), strict=True))
    with np.errstate(all="ignore"):
        expected = np.power(a, b)
    values = values_of("power", a, b)
    ordinary = np.isfinite(expected) & (expected != 0.0)
    np.testing.assert_allclose(values[ordinary], expected[ordinary], rtol=1e-12)
    assert same_bits(values[~ordinary], expected[~ordinary])


def test_other_powers_are_near() -> None:
    rng = np.random.default_rng(4)
    a, b = rng.uniform(0.01, 100, 500), rng.uniform(-20, 20, 500)
    with mpmath.workprec(120):
        exact = [float(mpmath.mpf(x) ** mpmath.mpf(y)) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
    np.testing.assert_allclose(values_of("power", a, b), exact, rtol=1e-13)


def test_the_constants_of_the_reduction_are_those_of_pi() -> None:
    with mpmath.workprec(1400):
        parts = [mpmath.mpf(part) for part in (reduction.QUARTER_1, reduction.QUARTER_2, reduction.QUARTER_3)]
        assert abs(sum(parts) - mpmath.pi / 2) < mpmath.mpf(2) ** -129
        assert abs(mpmath.mpf(reduction.QUARTER) + reduction.QUARTER_REST - mpmath.pi / 2) < mpmath.mpf(2) ** -106
        digits = int(mpmath.floor(mpmath.ldexp(2 / mpmath.pi, 19 * 64)))
    words = [int(word) for word in reduction.TWO_OVER_PI]
    assert sum(word << (64 * (19 - place)) for place, word in enumerate(words)) == digits
    for part in (reduction.QUARTER_1, reduction.QUARTER_2):  # exact with 2**16 quarter turns
        assert mpmath.mpf(part * 65535.0) == mpmath.mpf(part) * 65535
    assert mpmath.mpf(vectormath.LN2 * 1076.0) == mpmath.mpf(vectormath.LN2) * 1076


OTHER_MODE = """
import sys
import numpy as np
from gramarye.kernels import compiler, vectormath
arguments = np.load(sys.argv[1])
values = np.empty((7, len(arguments)))
for row, name in enumerate(("sin", "cos", "tan", "exp", "log", "tanh")):
    getattr(vectormath, name)(values[row], arguments)
vectormath.power(values[6], arguments, arguments[::-1].copy())
np.save(sys.argv[2], values)
sys.exit(compiler.COMPILED + 10)
"""


@pytest.mark.compiled
def test_compiled_and_plain_code_give_the_same_bits(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    parts = [rng.uniform(-20, 20, 3000), any_bits(3000), SPECIAL, np.arange(-20.0, 21.0), rng.uniform(-1e5, 1e5, 500)]
    arguments = np.concatenate([*parts, [HARDEST]])
    np.save(tmp_path / "arguments.npy", arguments)
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1" if COMPILED else "0"}
    command = [sys.executable, "-c", OTHER_MODE, str(tmp_path / "arguments.npy"), str(tmp_path / "values.npy")]
    assert subprocess.run(command, env=environment, check=False).returncode == 10 + (not COMPILED)
    other = np.load(tmp_path / "values.npy")
    for row, name in enumerate(FUNCTIONS):
        assert same_bits(values_of(name, arguments), other[row]), name
    assert same_bits(values_of("power", arguments, arguments[::-1]), other[6])


def test_the_protected_logarithm_is_0_where_there_is_none() -> None:
    arguments = np.concatenate([any_bits(3000), SPECIAL, np.linspace(-5, 5, 700)])
    expected = np.where(arguments <= 0, 0.0, values_of("log", arguments))
    assert same_bits(values_of("protected_log", arguments), expected)
    positive = np.abs(arguments[np.isfinite(arguments) & (np.abs(arguments) > 1e-300)])
    assert same_bits(values_of("protected_log", positive), values_of("log", positive))


@pytest.mark.compiled
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="looks at x86 machine code")
@pytest.mark.parametrize("name", [*FUNCTIONS, "protected_log"])
def test_loops_are_turned_into_vector_instructions(name: str) -> None:
    import numba

    extend_numba()  # where all kernels come from the cache, nobody has done so yet
    block = numba.float64[::1]
    function = numba.njit((block, block), nogil=True, error_model="numpy")(getattr(vectormath, name).py_func)
    (assembly,) = function.inspect_asm().values()
    assert "mulpd" in assembly
    assert "gather" not in assembly
