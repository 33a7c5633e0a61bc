from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gramarye as gm
from gramarye.data import Dataset
from gramarye.derivations import Derivations
from gramarye.languages import Arithmetic
from gramarye.languages.arithmetic.subtrees import FittedSubtrees

TEXT = """
<e> ::= (<e> <op> <e>) | psqrt(<e>) | square(<e>) | <v> | <const>
<op> ::= + | - | * | /
<v> ::= x | y | z
"""
NAMES = ["x", "y", "z"]
GRAMMAR = gm.Grammar.from_text(TEXT)
X = np.random.default_rng(0).uniform(1, 5, (300, 3))


def made(
    target: Any, programs: list[str], count: int = 60, grammar: gm.Grammar = GRAMMAR, generation: int = 0, seed: int = 1
) -> tuple[Arithmetic, Derivations]:
    """Children of some programs whose outputs are not weighted."""
    language = Arithmetic(grammar, 3, NAMES)
    data = Dataset.read(X, target, None)
    subtrees = FittedSubtrees(language, grammar, data, np.uint64(seed))
    parents = Derivations.join([gm.parse(grammar, program).alone for program in programs])
    return language, subtrees.children(parents, None, count, generation)


def errors(language: Arithmetic, children: Derivations, target: Any) -> Any:
    outputs = language.outputs(language.programs(children), np.ascontiguousarray(X.T))
    return np.abs(outputs - target).max(axis=1)


@pytest.mark.parametrize(
    ("parent", "target"),
    [
        ("(x * psqrt(y))", lambda x, y, z: x * np.sqrt(3.0 + 2.0 * y * z)),
        ("(x / (y + 3.0))", lambda x, y, z: x / (2.5 - 0.5 * y * z)),
        ("(z * square((x + y)))", lambda x, y, z: z * (7.0 + x * y) ** 2),
        ("((x * y) + (z * 2.0))", lambda x, y, z: x * (y / z - 4.0)),  # the term with the place, alone
    ],
)
def test_a_place_is_filled_with_what_was_wanted_there(parent: str, target: Any) -> None:
    y = target(*X.T)
    language, children = made(y, [parent])
    assert errors(language, children, y).min() < 1e-9 * np.abs(y).max()


def test_children_depend_on_seed_and_generation_only() -> None:
    y = X[:, 0] * X[:, 1] + np.sqrt(X[:, 2])
    parents = ["(x * (y + z))", "psqrt((x / z))"]
    first, again = (made(y, parents)[1] for _ in range(2))
    assert first.productions.tolist() == again.productions.tolist()
    assert first.values.tolist() == again.values.tolist()
    for other in (made(y, parents, generation=1)[1], made(y, parents, seed=2)[1]):
        assert first.productions.tolist() != other.productions.tolist()


def test_constants_keep_within_their_bounds() -> None:
    grammar = gm.Grammar.from_text(TEXT.replace("<const>", "<const:-2..2>"))
    y = X[:, 0] * (1000.0 + 50.0 * X[:, 1])
    _, children = made(y, ["(x * y)"], grammar=grammar)
    assert len(children) > 0
    assert np.abs(children.values).max() <= 2.0


def test_children_are_derivations_of_the_grammar() -> None:
    language, children = made(X[:, 0] * X[:, 1] / X[:, 2], ["(x * psqrt((y - z)))", "square(x)"])
    assert (language.programs(children).status == 0).all()
    for k in range(len(children)):
        derivation = gm.Derivation(GRAMMAR, children[k], children.take(np.array([k])).values)
        assert gm.parse(GRAMMAR, str(derivation.phenotype)).productions.tolist() == children[k].tolist()


@pytest.mark.parametrize(
    "text", ["<e> ::= (<e> + <e>) | (<e> * <e>) | x | y", "<e> ::= <e> / <e> | x | <const>", "<e> ::= x | y"]
)
def test_a_grammar_without_weighted_sums_has_no_such_children(text: str) -> None:
    _, children = made(X[:, 0] * 2, ["x"], grammar=gm.Grammar.from_text(text))
    assert len(children) == 0


def test_programs_that_are_not_finite_are_skipped() -> None:
    y = X[:, 0] + X[:, 1]
    language, children = made(y, ["square(square(square(square(square((x * 1e300))))))"])
    assert np.isfinite(language.outputs(language.programs(children), np.ascontiguousarray(X.T))).all()


def test_without_fitted_subtrees_a_run_is_another_one_and_settings_say_so() -> None:
    y = X[:, 0] * np.sqrt(X[:, 0] ** 2 + X[:, 1] ** 2 + X[:, 2] ** 2)
    problem = gm.Regression(X, y, GRAMMAR)
    small = {"population": 60, "generations": 6}
    runs = [gm.evolve(problem, gm.TunedTrees(**small, fitted_subtrees=k), seed=1) for k in (0, 20)]  # type: ignore[arg-type]
    assert runs[0].best.phenotype != runs[1].best.phenotype
    assert gm.TunedTrees(fitted_subtrees=0).settings["fitted_subtrees"] == 0
