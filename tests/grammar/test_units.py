from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.errors import GrammarError
from gramarye.grammar.units import BASE, read_unit, readable, unit_text


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        *((text, "kg.m.s-2") for text in ("kg*m/s**2", "kg m s^-2", "N", " kg·m / s^2 ", "kg.m.s-2", "J/m", "Pa m2")),
        *((text, "kg.m.s-2") for text in ("kg·m/s²", "kg m s⁻²", "kg²·m²/(kg·m·s²)", "kg (m⁻¹ s²)⁻¹")),
        *((text, "1") for text in ("1", "rad", "m/m", "m^0", "m⁰", "sr")),
        *((text, "m.s-1") for text in ("m/s", "m s-1", "m*Hz", "(m**2/s**2)**0.5", "(J/kg)^(1/2)")),
        *((text, "s-1") for text in ("1/s", "Hz", "s^-1", "s**(-1)", "s⁻¹")),
        ("m¹⁰", "m10"),
        ("J/(mol K)", "kg.m2.s-2.K-1.mol-1"),
        ("J/mol K", "kg.m2.s-2.K.mol-1"),
        ("Ω", "kg.m2.s-3.A-2"),
        ("F/m", "kg-1.m-3.s4.A2"),
        ("m^0.5", "m1:2"),
    ],
)
def test_a_unit_is_read(text: str, unit: str) -> None:
    assert unit_text(read_unit(text, "unit")) == unit


@given(st.lists(st.integers(-12, 12), min_size=len(BASE), max_size=len(BASE)), st.sampled_from([1, 2]))
def test_what_is_written_reads_back(powers: list[int], divisor: int) -> None:
    dimension = tuple(Fraction(power, divisor) for power in powers)
    assert read_unit(readable(dimension), "unit") == dimension
    if divisor == 1:
        assert read_unit(unit_text(dimension), "unit") == dimension


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "the unit is empty; write 1 for a pure number"),
        ("kgg", 1, "the unit 'kgg' is not known; did you mean kg?"),
        ("Kg/m", 1, "the unit 'Kg' is not known; did you mean kg?"),
        ("m*HZ", 3, "the unit 'HZ' is not known; did you mean Hz?"),
        ("m/qqq", 3, "the unit 'qqq' is not known; known units are kg, m, s"),
        ("m/km", 3, "km is not an SI unit without a prefix"),
        ("g", 1, "convert the values to kg"),
        ("°C", 1, "convert the values to K"),
        ("kWh", 1, "convert the values to J"),
        ("m//s", 3, "'/' can't be read"),
        ("m/", 3, "the unit ends too early"),
        ("m**", 2, "'*' can't be read"),
        ("m^(1/0)", 2, "'^' can't be read"),
        ("m⁻", 2, "'⁻' can't be read"),
        ("²", 1, "'²' can't be read"),
        ("J/(mol K", 9, "the unit ends too early"),
        ("m2)", 3, "')' can't be read"),
        ("kg+m", 3, "'+' can't be read"),
    ],
)
def test_a_mistake_is_shown_in_its_place(text: str, column: int, message: str) -> None:
    with pytest.raises(GrammarError) as error:
        read_unit(text, "the unit of 'v'")
    first, _, caret = str(error.value).split("\n")
    assert first.startswith(f"the unit of 'v', line 1, column {column}: ")
    assert message in first
    assert caret == " " * (3 + column) + "^"


def test_a_unit_is_a_text() -> None:
    with pytest.raises(GrammarError, match="the unit of 'v' is 1: give a text"):
        read_unit(1, "the unit of 'v'")  # type: ignore[arg-type]
