"""Interfaces that a representation need not have, and what those without them can still do."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gramarye as gm
from gramarye import representations, testing
from gramarye.derivations import Derivations
from gramarye.errors import GenotypeError, SettingsError
from gramarye.representations import Encodes, Explains, HasNeighbours, Representation
from gramarye.representations.rows import FlatGenotypes
from tests.grammars import G1, GR

GRAMMAR = gm.Grammar.from_text(GR)
QUARTIC = gm.problems.load("quartic")
INTERFACES: list[Any] = [Representation, Encodes, HasNeighbours, Explains]
KINDS: list[Any] = list(representations.REPRESENTATIONS.values())


@dataclass(frozen=True)
class Bare(Representation[FlatGenotypes]):
    """The search interface and nothing else."""

    reals: gm.representations.FlatReal = gm.representations.FlatReal(32)  # noqa: RUF009, it is frozen

    def initial(self, *arguments: Any) -> FlatGenotypes:
        return self.reals.initial(*arguments)

    def map(self, *arguments: Any) -> tuple[FlatGenotypes, Derivations]:
        return self.reals.map(*arguments)

    def vary(self, *arguments: Any, **named: Any) -> FlatGenotypes:
        return self.reals.vary(*arguments, **named)


BARE = gm.Method(representation=Bare(), learner=gm.learners.AlternatingBest(0.05), population=30, generations=4)


# Without the optional interfaces


def test_searching_is_all_that_a_run_needs() -> None:
    plain = gm.Method(
        representation=gm.representations.FlatReal(32), learner=BARE.learner, population=30, generations=4
    )
    run, same = gm.evolve(QUARTIC, BARE, seed=1), gm.evolve(QUARTIC, plain, seed=1)
    assert (run.best.phenotype, run.best.fitness) == (same.best.phenotype, same.best.fitness)
    genotype = run.best.genotype
    assert isinstance(genotype, FlatGenotypes)
    assert len(genotype) == 1
    assert genotype.codons[0].tolist() == same.best.genotype


def test_each_generation_has_such_genotypes_too() -> None:
    with gm.Evolution(QUARTIC, BARE, seed=1) as evolution:
        assert [len(generation.best_of_generation.genotype) for generation in evolution] == [1] * 4


def test_a_saved_run_goes_on(tmp_path: Path) -> None:
    setup = gm.engine.Setup(QUARTIC, BARE, 1)
    state = gm.engine.step(setup, gm.engine.start(setup))
    state.save(tmp_path / "state.npz")
    with gm.Evolution(QUARTIC, BARE, state=gm.State.load(tmp_path / "state.npz")) as evolution:
        assert [generation.index for generation in evolution] == [2, 3]


def test_the_laws_of_the_search_interface_are_checked_alone() -> None:
    testing.check_representation(Bare())
    testing.check_method(BARE)


def test_a_broken_search_is_noticed_without_the_other_interfaces() -> None:
    class Forgetful(Bare):
        def vary(self, grammar: Any, genotypes: Any, mothers: Any, *rest: Any, **named: Any) -> FlatGenotypes:
            return super().vary(grammar, genotypes, np.zeros_like(mothers), *rest, **named)

    with pytest.raises(AssertionError, match="without mutation and without a father, a child is a copy of its mother"):
        testing.check_representation(Forgetful(), testing.GRAMMARS["direct recursion"])


def test_what_needs_another_interface_says_so() -> None:
    for call in (lambda: gm.encode(GRAMMAR, "x", BARE), lambda: gm.evolve(QUARTIC, BARE, initial_programs=["x"])):
        with pytest.raises(GenotypeError, match=r"\Amethod cannot encode programs as genotypes; use another method\Z"):
            call()
    with pytest.raises(GenotypeError, match=r"\Amethod cannot explain how it maps a genotype; use another method\Z"):
        gm.map_genotype(GRAMMAR, [0.5], BARE)
    trees = gm.Method(representation=Bare(), initialisation="ramped")
    with pytest.raises(SettingsError, match="initialisation is 'ramped': method cannot encode programs as genotypes"):
        gm.evolve(QUARTIC, trees)


def test_a_method_without_neighbours_is_left_out_of_an_analysis() -> None:
    settings: dict[str, Any] = {"bases": 5, "neighbours": 2, "generations": [0], "seed": 1, "threads": 1}
    found = gm.analyse(QUARTIC.grammar, [BARE, gm.GE(population=20, generations=2)], problem=QUARTIC, **settings)
    assert found.left_out == {"Method": "method does not define neighbours of a genotype; use another method"}
    assert [each.label for each in (*found.found, *found.runs)] == ["GE", "GE"]


class OneWay(Bare, Encodes[FlatGenotypes]):
    """Programs can be encoded, but nobody says how genotypes look."""

    def encode(self, *arguments: Any) -> Any:
        return self.reals.encode(*arguments)

    def misfit(self, *arguments: Any) -> str:
        return self.reals.misfit(*arguments)


def test_each_optional_interface_stands_alone() -> None:
    testing.check_representation(OneWay(), GRAMMAR)
    method = gm.Method(representation=OneWay(), population=10, generations=2)
    encoded = gm.encode(GRAMMAR, "sin(x)", method)
    assert isinstance(encoded, FlatGenotypes)
    assert encoded.codons[0].tolist() == gm.encode(
        GRAMMAR, "sin(x)", gm.Method(representation=gm.representations.FlatReal(32))
    )
    assert np.isfinite(gm.evolve(QUARTIC, method, seed=1, initial_programs=["x * x"]).best.fitness)


# What is here


def test_all_representations_have_all_interfaces_but_bits_cannot_encode() -> None:
    lacking = {(kind, each) for kind in KINDS for each in INTERFACES if not issubclass(kind, each)}
    assert lacking == {(gm.representations.Bits, Encodes)}


@pytest.mark.parametrize("kind", KINDS)
def test_a_class_is_abstract_or_a_leaf(kind: Any) -> None:
    assert kind.__final__
    assert not [each for each in kind.__subclasses__() if each.__module__.startswith("gramarye")]
    shared = [each for each in kind.__mro__[1:] if issubclass(each, Representation)]
    assert all(inspect.isabstract(each) for each in [*shared, *INTERFACES])


# How likely a random genotype is valid


@pytest.mark.parametrize("codons", [None, 4, 40])
def test_the_probability_of_completion_is_that_of_the_grammar(codons: int | None) -> None:
    grammar = gm.Grammar.from_text(G1)
    uniform, weights = grammar.uniform_probabilities(), grammar.check_probabilities({"<expr>": [0.2, 0.8]})
    for single in (False, True):
        reals, integers = (
            gm.representations.FlatReal(10, consume_single=single),
            gm.representations.FlatInteger(10, consume_single=single),
        )
        for values in (uniform, weights):
            expected = grammar.completion_probability(codons or 10, single, values)
            assert reals.completion(grammar, values, codons) == expected
        expected = grammar.completion_probability(codons or 10, single, uniform)
        assert integers.completion(grammar, weights, codons) == expected  # no codon reads probabilities


def test_the_probability_of_completion_is_not_always_known() -> None:
    for representation in (
        gm.representations.FlatReal(wraps=1),
        gm.representations.FlatInteger(wraps=2),
        gm.representations.Bits(),
        gm.representations.Genes(),
        gm.representations.Pairs(),
        Bare(),
    ):
        assert representation.completion(GRAMMAR, GRAMMAR.uniform_probabilities()) is None


def test_a_representation_names_the_setting_that_ends_mappings() -> None:
    named = {kind.__name__: kind.limited_by for kind in KINDS if kind.limited_by}
    assert named == {"FlatInteger": "codons", "FlatReal": "codons", "Genes": "codons", "Pairs": "pairs"}
    assert all(hasattr(kind(), kind.limited_by) for kind in KINDS if kind.limited_by)


@pytest.mark.parametrize(("method", "genotype"), [(gm.GE(), [7, 3]), (gm.PIGE(), [[8, 19]] * 9), (gm.Chorus(), [3])])
def test_integers_given_by_hand_are_those_of_kernels_unless_they_are_too_large(method: Any, genotype: Any) -> None:
    grammar = gm.problems.load("quartic").grammar
    read = method.representation.read(grammar, genotype)
    array = read.pairs if isinstance(method, gm.PIGE) else read.codons
    assert array.dtype == np.int32
    method.representation.map(grammar, read, np.array(grammar.start_probabilities()), np.uint64(1), 0, 0)
    large = gm.GE().representation.read(grammar, [2**40])
    assert gm.GE().representation.show(grammar, large, 0) == [2**40]
