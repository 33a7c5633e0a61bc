"""Grammars with constants, from the first population to saved states, with all methods."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import gramarye as gm
from gramarye import testing
from gramarye.derivations.random_trees import texts
from gramarye.engine.setup import Setup
from gramarye.errors import GenotypeError, SettingsError
from gramarye.grammar import Grammar
from gramarye.methods import METHODS
from gramarye.populations.history import RECORDED
from gramarye.representations.optional import Encodes

GRAMMAR = Grammar.from_text(
    "<e> ::= (<e> <o> <e>) | sin(<e>) | x | <const> | <const:-1..1>\n<o> ::= + | - | *", "tuned"
)
X = np.linspace(-1, 1, 20)[:, None]
Y = np.abs(X[:, 0]) + np.exp(3 * X[:, 0])  # nothing that the grammar derives
PROBLEM = gm.Regression(X, Y, GRAMMAR, name="tuned")
SMALL: dict[str, Any] = {"population": 40, "generations": 5}
ENCODING = [name for name, method in METHODS.items() if isinstance(method().representation, Encodes)]
PROGRAM = "((x * 1.5) + (-0.25))"


def states(method: Any, threads: int = 1, state: gm.State | None = None) -> list[gm.State]:
    """The state after each generation."""
    with gm.Evolution(PROBLEM, method, 3, threads=threads, state=state) as evolution:
        return [evolution.state for _ in evolution if evolution.state is not None]


def contents(found: list[gm.State]) -> list[bytes]:
    """All bits of some states, but for what depends on which programs were remembered."""
    spared = [RECORDED.index("distinct"), RECORDED.index("node_rows")]
    return [replace(state, history=np.delete(state.history, spared, axis=1)).to_bytes() for state in found]


# Runs


@pytest.mark.parametrize("name", METHODS)
def test_a_run_does_not_depend_on_threads_or_interruptions(name: str) -> None:
    method = METHODS[name](**SMALL)
    whole = states(method)
    assert contents(whole) == contents(states(method, threads=2))
    resumed = states(method, state=gm.State.from_bytes(whole[1].to_bytes()))
    assert contents(whole[2:]) == contents(resumed)


@pytest.mark.parametrize("name", METHODS)
def test_the_best_program_has_its_numbers_and_its_fitness(name: str) -> None:
    run = gm.evolve(PROBLEM, METHODS[name](**SMALL, tuning_iterations=0), 3)
    text = run.best.phenotype
    assert text is not None
    assert "<const" not in text
    derivation = gm.parse(GRAMMAR, text)
    assert derivation.phenotype == text
    if run.best.weights is None:
        evaluator = PROBLEM.evaluator(np.uint64(1), gm.execution.Threads())
        assert evaluator.evaluate(derivation.alone).fitness[0] == run.best.fitness


@pytest.mark.parametrize("name", METHODS)
def test_a_function_of_the_text_sees_the_numbers(name: str) -> None:
    seen: list[str] = []

    def longest_number(text: str) -> float:
        seen.append(text)
        return float(-len(text))

    method = METHODS[name](**SMALL)
    run = gm.evolve(gm.Objective(longest_number, GRAMMAR, version="1"), method, 3)
    assert any("0." in text for text in seen)
    assert not any("<" in text for text in seen)
    assert run.best.phenotype in seen


def test_a_function_is_called_once_for_each_text_that_has_other_numbers() -> None:
    seen: list[str] = []

    def size(text: str) -> float:
        seen.append(text)
        return float(len(text))

    run = gm.evolve(gm.Objective(size, GRAMMAR, version="1"), gm.CFGGP(**SMALL), 3)
    assert len(seen) == len(set(seen)) == run.distinct


# Where numbers begin


@pytest.mark.parametrize("name", sorted(set(METHODS) - {"cfggp", "tunedtrees"}))
def test_the_numbers_of_other_genotypes_do_not_depend_on_generation_or_place(name: str) -> None:
    """With no tuning, the k-th constant of every program is one of two: without bounds, or within them."""
    method = METHODS[name](**SMALL, tuning_iterations=0)
    with gm.Evolution(PROBLEM, method, 3) as evolution:
        found: dict[tuple[int, int], set[float]] = {}
        for _ in evolution:
            state: Any = evolution.state
            own = evolution.setup.rewriting.translate(state.derivations)
            for i in range(len(own)):
                one = own.take(np.array([i]))
                places = np.flatnonzero(GRAMMAR.constants[one.productions])
                for k, place in enumerate(places.tolist()):
                    found.setdefault((k, int(one.productions[place])), set()).add(float(one.values[place]))
    assert found
    assert {len(values) for values in found.values()} == {1}


def test_trees_keep_the_numbers_they_have() -> None:
    with gm.Evolution(PROBLEM, gm.CFGGP(**SMALL), 3) as evolution:
        for _ in evolution:
            state: Any = evolution.state
            assert state.genotypes.values.tobytes() == state.derivations.values.tobytes()
            assert np.isfinite(state.genotypes.values).all()
        run = evolution.run
    assert gm.map_genotype(GRAMMAR, run.best.genotype, gm.CFGGP()).phenotype == run.best.phenotype


@pytest.mark.parametrize("name", METHODS)
def test_a_genotype_of_a_run_is_mapped_to_numbers_of_its_seed(name: str) -> None:
    method = METHODS[name](**SMALL, tuning_iterations=0)
    if method.learner.learns:
        return  # it is read by probabilities that were learned since
    run = gm.evolve(PROBLEM, method, 3)
    mapped = gm.map_genotype(GRAMMAR, run.best.genotype, method, seed=3)
    assert mapped.phenotype == run.best.phenotype
    assert mapped.forms[-1] == run.best.phenotype


def test_unique_programs_differ_in_more_than_their_numbers() -> None:
    for method in (gm.CFGGP(population=12, unique=True), gm.PGE(population=12, unique=True, initialisation="ramped")):
        state = gm.engine.start(Setup(PROBLEM, method, 1, [PROGRAM]))
        shapes = texts(GRAMMAR, replace(state.derivations, values=np.zeros(0)))
        assert len(set(shapes)) == 12


# Initial programs


@pytest.mark.parametrize("name", ENCODING)
def test_a_run_begins_with_programs_that_have_numbers(name: str) -> None:
    method = METHODS[name](**SMALL, tuning_iterations=0)
    setup = Setup(PROBLEM, method, 5, [PROGRAM, gm.parse(GRAMMAR, "sin(2.5)")])
    state = gm.engine.start(setup)
    own = setup.rewriting.translate(state.derivations)
    shapes = texts(GRAMMAR, replace(own, values=np.zeros(0)))
    assert shapes[:2] == ["((x * <const>) + <const>)", "sin(<const>)"]
    if name in ("cfggp", "tunedtrees"):
        assert texts(GRAMMAR, own)[:2] == [PROGRAM, "sin(2.5)"]


@pytest.mark.parametrize("name", ENCODING)
def test_an_encoded_program_is_mapped_to_itself_and_trees_keep_its_numbers(name: str) -> None:
    method = METHODS[name]()
    genotype = gm.encode(GRAMMAR, PROGRAM, method)
    mapped = gm.map_genotype(GRAMMAR, genotype, method, seed=7)
    assert mapped.derivation.complete
    if name in ("cfggp", "tunedtrees"):
        assert mapped.phenotype == PROGRAM
        assert [number for number in genotype if isinstance(number, float)] == [1.5, -0.25]


def test_other_numbers_are_other_initial_programs() -> None:
    def identity(*programs: Any) -> str:
        return Setup(PROBLEM, gm.CFGGP(**SMALL), 1, programs).identity

    assert identity(PROGRAM) == identity(gm.parse(GRAMMAR, PROGRAM))
    assert identity(PROGRAM) != identity(PROGRAM.replace("1.5", "1.25"))
    state = gm.engine.start(Setup(PROBLEM, gm.CFGGP(**SMALL), 1, [PROGRAM]))
    with pytest.raises(SettingsError, match="the saved state belongs to another run: initial_programs"):
        gm.Evolution(PROBLEM, gm.CFGGP(**SMALL), 1, state=state, initial_programs=[PROGRAM.replace("1.5", "1.25")])


# Saved states


def test_a_state_with_constants_is_refused_for_a_grammar_without_and_the_other_way_round() -> None:
    plain = gm.Regression(X, Y, Grammar.from_text("<e> ::= (<e> <o> <e>) | x | 1.0\n<o> ::= + | - | *"), name="tuned")
    for one, other in ((PROBLEM, plain), (plain, PROBLEM)):
        state = gm.engine.start(Setup(one, gm.CFGGP(**SMALL), 1))
        with pytest.raises(SettingsError, match="the saved state belongs to another run: the problem's grammar"):
            gm.Evolution(other, gm.CFGGP(**SMALL), 1, state=state)


def test_a_state_belongs_to_its_number_of_iterations_only_where_there_is_something_to_tune() -> None:
    for grammar, differs in ((GRAMMAR, True), (Grammar.from_text("<e> ::= (<e> + <e>) | x"), False)):
        problem = gm.Regression(X, Y, grammar, name="tuned")
        setups = [Setup(problem, gm.CFGGP(**SMALL, tuning_iterations=n), 1) for n in (8, 3)]
        settings = [setup.method.settings.get("tuning_iterations") for setup in setups]
        assert settings == [None, 3]
        assert (setups[0].identity != setups[1].identity) or not differs


# Genotypes given by the user

CONST, BOUNDED = (GRAMMAR.spans[name].start for name in ("<const>", "<const:-1..1>"))


def test_a_tree_is_written_with_the_values_of_its_constants() -> None:
    given = [0, 2, 5, 3, 1.5]
    found = gm.map_genotype(GRAMMAR, given, gm.CFGGP())
    assert found.phenotype == "(x + 1.5)"
    assert found.genotype == given
    assert [type(number) for number in found.genotype] == [int, int, int, int, float]
    assert (found.steps[4].codon, found.steps[4].value, found.steps[4].production) == (1.5, 1.5, CONST)
    assert found.steps[0].value is None
    assert "1.5" in found._repr_html_()


def test_a_constant_without_a_value_is_drawn_from_the_seed_and_shown() -> None:
    found = [gm.map_genotype(GRAMMAR, [0, 3, CONST, 5, 4, BOUNDED], gm.CFGGP(), seed=seed) for seed in (1, 1, 2)]
    assert found[0].genotype == found[1].genotype != found[2].genotype
    assert found[0].phenotype == found[1].phenotype != found[2].phenotype
    again = gm.map_genotype(GRAMMAR, found[0].genotype, gm.CFGGP(), seed=2)
    assert again.phenotype == found[0].phenotype
    codons = gm.map_genotype(GRAMMAR, {"<e>": [0, 3, 4], "<o>": [0]}, gm.SGE(), seed=1)
    assert codons.phenotype == found[0].phenotype


@pytest.mark.parametrize(
    ("genotype", "message"),
    [
        ([3, 1], "number 1 is 1: that is a production of <e>, but <const> is next; write its value with a point"),
        ([3, float("nan")], "number 1 is nan: a value of <const> is a finite number in -inf … inf"),
        ([3, float("inf")], "number 1 is inf: a value of <const> is a finite number"),
        ([4, 1.5], "number 1 is 1.5: a value of <const:-1..1> is a finite number in -1.0 … 1.0"),
        ([1.5], "number 0 is 1.5: a production number is an integer in 0 … 9"),
        ([2, 1.5], "number 1 is 1.5: a production number is an integer"),
        ([3], "the list ends after 1 numbers, and <const> is left to expand"),
        ([3, "1.5"], "number 1 is '1.5': a production number"),
    ],
)
def test_a_tree_with_a_wrong_value_is_refused_with_the_place(genotype: Any, message: str) -> None:
    with pytest.raises(GenotypeError) as caught:
        gm.map_genotype(GRAMMAR, genotype, gm.CFGGP())
    assert message in str(caught.value)


# Probabilities


def test_trees_of_all_methods_are_drawn_by_the_probabilities_of_the_grammar() -> None:
    text = "<e> ::= (<e> + <e>) {0.5} | x {0.5} | y {0}"
    X2 = np.linspace(-1, 1, 20).reshape(10, 2)
    problem = gm.Regression(X2, X2[:, 0], Grammar.from_text(text))
    for method in (gm.CFGGP, gm.PGE, gm.GE, gm.SGE):
        setup = Setup(problem, method(population=60, initialisation="ramped"), 1)
        found = texts(problem.grammar, gm.engine.start(setup).derivations)
        assert not any("y" in text for text in found if text)
    run = gm.evolve(problem, gm.CFGGP(population=60, generations=5, mutation=1.0), 1)
    assert "y" not in str(run.best.phenotype)


def test_mutation_and_first_trees_are_drawn_by_probabilities_and_uniform_ones_change_nothing() -> None:
    trees = gm.CFGGP().representation
    every, nobody = np.arange(30), np.full(30, -1)

    def varied(grammar: Grammar, probabilities: Any) -> list[list[int | float]]:
        first = trees.initial(grammar, 30, np.uint64(1), 0, probabilities)
        assert len(first.values) == 0
        children = trees.vary(grammar, first, every, nobody, 1.0, np.uint64(1), 1, None, probabilities)
        return [trees.show(grammar, children, i) for i in range(30)]

    uniform = GRAMMAR.uniform_probabilities()
    assert varied(GRAMMAR, None) == varied(GRAMMAR, uniform)
    never = GRAMMAR.check_probabilities({"<e>": [0.25, 0.0, 0.5, 0.25, 0.0]})
    assert not any({1, 4} & set(tree) for tree in varied(GRAMMAR, never))


# The laws of methods


@pytest.mark.parametrize("name", sorted(set(METHODS) - {"tunedtrees"}))
def test_every_published_method_obeys_the_laws_on_a_grammar_with_constants(name: str) -> None:
    testing.check_method(METHODS[name](), PROBLEM)
