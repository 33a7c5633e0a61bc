"""Formulas of grammars with units are dimensionally right, as a walk through their text says that knows no grammar."""

from __future__ import annotations

import ast
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import gramarye as gm
from gramarye.derivations.random_trees import random_trees, texts
from gramarye.errors import DataError, GrammarError, SettingsError
from gramarye.grammar import Grammar
from gramarye.grammar.presets import PRESETS
from gramarye.grammar.units import NONE, Dimension, read_unit, scaled, times

GRAVITATION = {"G": "m**3/(kg*s**2)", "m1": "kg", "m2": "kg", "r": "m"}
SPRING = {"m": "kg", "k": "N/m", "x": "m"}
POOL = ["1", "m", "kg", "s", "m/s", "N", "J", "K", "m2", "1/s"]


def unit_of(node: ast.expr, units: dict[str, Dimension]) -> Dimension:
    """The unit of an expression of Python; an AssertionError where it has none."""
    if isinstance(node, ast.Constant):
        return NONE
    if isinstance(node, ast.Name):
        return units[node.id]
    if isinstance(node, ast.UnaryOp):
        return unit_of(node.operand, units)
    if isinstance(node, ast.Call):
        assert isinstance(node.func, ast.Name)
        inner = unit_of(node.args[0], units)
        powers = {"square": Fraction(2), "psqrt": Fraction(1, 2)}
        if node.func.id not in powers:
            assert inner == NONE, f"{node.func.id} of a unit"
        return scaled(inner, powers.get(node.func.id, Fraction(1)))
    assert isinstance(node, ast.BinOp)
    left, right = unit_of(node.left, units), unit_of(node.right, units)
    if isinstance(node.op, ast.Add | ast.Sub):
        assert left == right, "a sum of different units"
        return left
    return times(left, right, 1 if isinstance(node.op, ast.Mult) else -1)


def dimension_of(text: str, units: dict[str, str]) -> Dimension:
    known = {name: read_unit(unit, name) for name, unit in units.items()}
    return unit_of(ast.parse(text.strip(), mode="eval").body, known)


def drawn(grammar: Grammar, seed: int) -> list[str]:
    """Programs of random trees, with 1.5 for all constants."""
    depth = grammar.analysis.heights[grammar.nonterminals[0]] + 4
    trees = random_trees(grammar, "ramped", np.arange(30), np.uint64(seed), depth=depth)
    return [str(text).replace("<const>", "1.5") for text in texts(grammar, trees)]


@given(
    st.lists(st.sampled_from(POOL), min_size=1, max_size=4),
    st.sampled_from(POOL),
    st.sampled_from(sorted(PRESETS)),
    st.booleans(),
    st.integers(0, 1000),
)
def test_every_program_is_dimensionally_right(
    given_units: list[str], target: str, preset: str, constants: bool, seed: int
) -> None:
    units = {f"v{i}": unit for i, unit in enumerate(given_units)}
    try:
        grammar = Grammar.from_columns(list(units), preset=preset, units=units, target_unit=target, constants=constants)
    except GrammarError:
        assume(False)
    assert Grammar.from_text(str(grammar)) == grammar
    assert not grammar.analysis.warnings
    assert grammar.has_constants <= constants
    for text in drawn(grammar, seed):
        assert dimension_of(text, units) == read_unit(target, "target")


@pytest.mark.parametrize(
    ("units", "target", "formula"),
    [
        (GRAVITATION, "N", "(((G * m1) * m2) / square(r))"),
        (GRAVITATION, "N", "((((G * m1) / r) * m2) / r)"),
        (GRAVITATION, "m/s", "psqrt(((G * (m1 + m2)) / r))"),
        (SPRING, "s", "(psqrt((m / k)) * 6.25)"),
        (SPRING, "J", "((k * square(x)) * 0.5)"),
        ({"E": "J", "k": "J/K", "T": "K", "n": "1"}, "1", "(n * exp(((-1.0) * (E / (k * T)))))"),
        ({"x1": "m", "x2": "m", "y1": "m", "y2": "m"}, "m", "psqrt((square((x1 - x2)) + square((y1 - y2))))"),
        ({"q": "C", "v": "m/s", "B": "T", "th": "rad"}, "N", "(((q * v) * B) * sin(th))"),
    ],
)
def test_formulas_of_physics_are_derived(units: dict[str, str], target: str, formula: str) -> None:
    grammar = Grammar.from_columns(list(units), units=units, target_unit=target)
    assert gm.parse(grammar, formula).phenotype == formula


@pytest.mark.parametrize("formula", ["(m1 + r)", "m1", "sin(G)", "(((G * m1) * m2) / r)"])
def test_formulas_of_other_units_are_not(formula: str) -> None:
    grammar = Grammar.from_columns(list(GRAVITATION), units=GRAVITATION, target_unit="N")
    with pytest.raises(GrammarError):
        gm.parse(grammar, formula)


def test_a_name_that_is_no_column_is_a_constant_of_that_unit() -> None:
    grammar = Grammar.from_columns(["m1", "m2", "r"], units=GRAVITATION, target_unit="N")
    assert "<const>" in [production.text for production in grammar.rules["<kg-1.m3.s-2>"]]
    gm.parse(grammar, "(((6.67e-11 * m1) * m2) / square(r))")


def test_a_flag_is_a_pure_number() -> None:
    grammar = Grammar.from_columns({"t": float, "on": bool}, units={"t": "s", "tau": "s"}, target_unit="1")
    gm.parse(grammar, "(on + (t / 2.5))")
    assert "<flag>" not in [production.text for production in grammar.rules["<s>"]]


@pytest.mark.parametrize(
    ("name", "kind", "flag", "message"),
    [
        ("on", bool, "on", "units gives 'm' for 'on', which is 0 or 1: leave it out"),
        ("up", ["no", "yes"], "`up=yes`", "units gives 'm' for 'up', which holds texts or categories: leave it out"),
        ("up=no", bool, "`up=no`", "units gives 'm' for 'up=no', which is 0 or 1: leave it out"),
    ],
)
def test_flags_and_texts_have_no_unit(name: str, kind: Any, flag: str, message: str) -> None:
    columns = {"t": float, name: kind}
    without = Grammar.from_columns(columns, units={"t": "s"}, target_unit="s")
    assert Grammar.from_columns(columns, units={"t": "s", name: "1"}, target_unit="s") == without
    gm.parse(without, f"({flag} * (t + t))")
    with pytest.raises(DataError, match=message):
        Grammar.from_columns(columns, units={"t": "s", name: "m"}, target_unit="s")


@pytest.mark.parametrize(
    ("units", "target", "error", "message"),
    [
        (
            {"a": "m", "b": "kg"},
            "N",
            GrammarError,
            "target_unit 'N' (kg·m/s²): no column or constant has a unit with s;",
        ),
        (
            {"a": "m/s", "b": "m2/s2"},
            "m",
            GrammarError,
            "target_unit 'm': no product of powers of m/s, m²/s² has this unit; add a column",
        ),
        (
            {"a": "m2", "b": "1"},
            "m",
            GrammarError,
            "and the operators of the preset has this unit; use a preset with division and roots, or add a column, or",
        ),
        ({"a": "m"}, "m", DataError, "units has no unit for the column 'b'"),
        ({"a": "m", "b": "q"}, "m", GrammarError, "the unit of 'b', line 1, column 1: the unit 'q' is not known"),
        ({"a": "m", "b": "m^(1/3)"}, "m", GrammarError, "exponents must be multiples of 1/2"),
        (["m"], "m", SettingsError, "units is of type list"),
    ],
)
def test_units_that_do_not_balance(units: Any, target: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as raised:
        Grammar.from_columns(["a", "b"], units=units, target_unit=target, preset="rational")
    assert message in str(raised.value)


def test_a_preset_with_division_and_roots_is_not_said_to_lack_them() -> None:
    message = r"target_unit 'm': no short formula of these columns has this unit; add a column, or a constant"
    with pytest.raises(GrammarError, match=message):
        Grammar.from_columns(["a"], units={"a": "m3"}, target_unit="m")


@pytest.mark.parametrize(("constants", "preset"), [(True, "full"), (False, "rational"), (True, "polynomial")])
def test_a_grammar_with_units_is_recognised_by_its_rules_after_it_was_printed_and_edited(
    constants: bool, preset: str
) -> None:
    units = {"v": "m/s", "t": "s"}
    grammar = Grammar.from_columns(["v", "t"], units=units, target_unit="m", preset=preset, constants=constants)
    assert grammar.is_dimensional
    assert Grammar.from_text(str(grammar)).is_dimensional
    assert Grammar.from_text(str(grammar).replace("(<m> + <m>)", "(<m> + <m> + <m>)")).is_dimensional
    assert not Grammar.from_columns(["v", "t"], preset=preset).is_dimensional


@pytest.mark.parametrize("names", [["s"], ["s", "m"], ["s", "s1"], ["m", "expr2"], ["1", "e"], ["kg.x-2"]])
def test_other_grammars_are_not_taken_for_one_with_units(names: list[str]) -> None:
    rules = [f"<{name}> ::= x | <{other}>" for name, other in zip(names, [*names[1:], names[0]], strict=True)]
    assert not Grammar.from_text("\n".join(rules)).is_dimensional


def test_a_misspelt_column_is_no_constant() -> None:
    with pytest.raises(DataError, match=r"units names 'lenght', which is not a column; did you mean length\?"):
        Grammar.from_columns(["length"], units={"length": "m", "lenght": "m"}, target_unit="m")
