"""The conformance kit finds nothing wrong with what is here, and finds what is wrong with broken implementations."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

import gramarye as gm
from gramarye import testing
from gramarye.derivations import Derivations
from gramarye.errors import GrammarError, SettingsError
from gramarye.learners import Learner
from gramarye.methods import METHODS, MethodBase
from gramarye.populations.population import Population
from gramarye.replacement import Elitism
from gramarye.representations import FlatReal, RealLists, Representation
from gramarye.representations.rows import FlatGenotypes
from gramarye.selection import Selection, Tournament
from tests.learners.members import MEMBERS

Seed = np.uint64
DIRECT = testing.GRAMMARS["direct recursion"]

KINDS: list[type[Any]] = list(gm.representations.REPRESENTATIONS.values())
SELECTIONS = [*(kind() for kind in gm.selection.SELECTIONS.values()), Tournament(2), Tournament(7)]
VARIANTS: list[Representation[Any]] = [
    gm.representations.FlatReal(20, wraps=1, length="variable", cuts="used"),
    gm.representations.FlatInteger(50, consume_single=True, length="variable"),
    gm.representations.IntegerLists(3, 9, depth_rule="height"),
    gm.representations.IntegerLists(depth_rule="nonrecursive"),
    gm.representations.RealLists(4, 6, facilitated=True, borders="reflect"),
]
SMALLEST = ["<s> ::= a", "<s> ::= <t>\n<t> ::= a | b", "<s> ::= a | <t>\n<t> ::= b | c"]  # one to three programs


# What is here obeys


@pytest.mark.parametrize("kind", KINDS)
def test_every_representation_obeys_the_laws(kind: type[Any]) -> None:
    testing.check_representation(kind())


@pytest.mark.parametrize("representation", VARIANTS, ids=repr)
def test_representations_with_other_settings_obey_the_laws(representation: Representation[Any]) -> None:
    testing.check_representation(representation)


@pytest.mark.parametrize("text", SMALLEST)
@pytest.mark.parametrize("kind", KINDS)
def test_representations_and_the_laws_get_along_with_very_few_programs(kind: type[Any], text: str) -> None:
    testing.check_representation(kind(), gm.Grammar.from_text(text))


def test_what_is_filled_in_without_a_choice_need_not_depend_on_the_seed() -> None:
    testing.check_representation(gm.representations.IntegerLists(), gm.Grammar.from_text("<s> ::= a | <t>\n<t> ::= b"))


@pytest.mark.parametrize("learner", MEMBERS, ids=repr)
def test_every_learner_obeys_the_laws(learner: Learner) -> None:
    testing.check_learner(learner)


@pytest.mark.parametrize("selection", SELECTIONS, ids=repr)
def test_every_selection_obeys_the_laws(selection: Selection) -> None:
    testing.check_selection(selection)


@pytest.mark.parametrize("method", METHODS.values())
def test_every_method_obeys_the_laws(method: type[MethodBase]) -> None:
    testing.check_method(method())


@pytest.mark.parametrize("name", METHODS)
def test_the_parts_of_every_method_obey_the_laws_on_a_grammar(name: str) -> None:
    method = METHODS[name]()
    testing.check_representation(method.representation, DIRECT)
    testing.check_learner(method.learner, DIRECT)
    testing.check_selection(method.parts.selection)


def test_a_method_may_be_small_already_and_be_tested_on_a_problem_of_its_own() -> None:
    problem = gm.Objective(lambda text: abs(len(text) - 7), DIRECT, name="seven letters")
    testing.check_method(gm.SGE(population=10, elitism=2), problem)
    testing.check_method(
        gm.Method(representation=gm.representations.Trees(), learner=gm.learners.NoLearning(), population=9), problem
    )


def test_a_run_without_a_valid_individual_obeys_the_laws() -> None:
    problem = gm.Objective(lambda _: float("inf"), DIRECT, name="nothing is good")
    testing.check_method(gm.PGE(population=10), problem)


def test_the_grammars_have_what_methods_may_stumble_over() -> None:
    analysis = {name: grammar.analysis for name, grammar in testing.GRAMMARS.items()}
    assert analysis["direct recursion"].directly_recursive == ("<list>",)
    assert analysis["indirect recursion"].indirectly_recursive
    assert any(len(rule) == 1 for rule in testing.GRAMMARS["single productions"].rules.values())
    assert any(not production.symbols for production in testing.GRAMMARS["an empty production"].productions)
    assert testing.GRAMMARS["given probabilities"].probabilities is not None


# What is broken is noticed


def spoiled(base: Any, **methods: Callable[..., Any]) -> Any:
    """An instance of a subclass with some methods replaced; each takes the original as its first argument."""
    names = {name: _around(getattr(base, name), function) for name, function in methods.items()}
    return type(f"Broken{base.__name__}", (base,), names)()


def _around(original: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: Any, *arguments: Any, **named: Any) -> Any:
        return function(lambda *given, **more: original(self, *given, **more), *arguments, **named)

    return method


def ignores_first(map_: Any, *arguments: Any) -> Any:
    return map_(*arguments[:5], 0, *arguments[6:])


def changes_genotypes(map_: Any, grammar: Any, genotypes: FlatGenotypes, *rest: Any) -> Any:
    genotypes.codons[:, 0] = 0.5
    return map_(grammar, genotypes, *rest)


def reads_later_generations_otherwise(map_: Any, grammar: Any, genotypes: Any, *rest: Any) -> Any:
    turned = replace(genotypes, codons=1.0 - genotypes.codons) if rest[2] > 0 else genotypes
    read, found = map_(grammar, turned, *rest)
    return replace(read, codons=genotypes.codons), found


def loses_a_step(map_: Any, *arguments: Any) -> Any:
    genotypes, found = map_(*arguments)
    rows = [found[i][:-1] if len(found[i]) > 1 else found[i] for i in range(len(found))]
    shorter = Derivations.join([Derivations.of(row) for row in rows])
    return genotypes, replace(shorter, status=found.status)


def derives_nonsense(map_: Any, *arguments: Any) -> Any:
    genotypes, found = map_(*arguments)
    return genotypes, replace(found, productions=np.zeros_like(found.productions) + 3)


def finds_nobody_valid(map_: Any, *arguments: Any) -> Any:
    genotypes, found = map_(*arguments)
    return genotypes, replace(found, status=np.ones_like(found.status))


def keeps_unfinished_derivations(map_: Any, *arguments: Any) -> Any:
    genotypes, found = map_(*arguments)
    return genotypes, replace(found, status=(np.diff(found.offsets) > 4).astype(np.int8))


CALLS = count()


def never_draws_the_same(initial: Any, grammar: Any, n: int, seed: Seed, *rest: Any) -> Any:
    return initial(grammar, n, seed ^ np.uint64(next(CALLS)), *rest)


def always_draws_the_same(initial: Any, grammar: Any, n: int, seed: Seed, generation: int = 0, *rest: Any) -> Any:
    return initial(grammar, n, np.uint64(5), generation, *rest)


def forgets_the_generation(initial: Any, grammar: Any, n: int, seed: Seed, generation: int = 0, *rest: Any) -> Any:
    return initial(grammar, n, seed, 0, *rest)


def draws_too_few(initial: Any, grammar: Any, n: int, *rest: Any) -> Any:
    return initial(grammar, n - 1, *rest)


def never_the_same(seed: Seed, generation: int) -> tuple[Seed, int]:
    return seed ^ np.uint64(next(CALLS)), generation


def one_seed(_: Seed, generation: int) -> tuple[Seed, int]:
    return np.uint64(1), generation


def one_generation(seed: Seed, _: int) -> tuple[Seed, int]:
    return seed, 0


def changes_parents(vary: Any, grammar: Any, genotypes: FlatGenotypes, *rest: Any, **named: Any) -> Any:
    genotypes.codons[0] = 0.0
    return vary(grammar, genotypes, *rest, **named)


def changes_fitness(vary: Any, *arguments: Any, fitness: Any, **named: Any) -> Any:
    fitness[0] = -1.0
    return vary(*arguments, fitness=fitness, **named)


def makes_too_few_children(
    vary: Any, grammar: Any, genotypes: Any, mothers: Any, fathers: Any, *rest: Any, **_: Any
) -> Any:
    return vary(grammar, genotypes, mothers[1:], fathers[1:], *rest)


def with_mutation(rate: float) -> Callable[..., Any]:
    """Variation with another rate of mutation than it was told."""

    def varies(
        vary: Any, grammar: Any, genotypes: Any, mothers: Any, fathers: Any, _: float, *rest: Any, **named: Any
    ) -> Any:
        return vary(grammar, genotypes, mothers, fathers, rate, *rest, **named)

    return varies


def with_draws(draws: Callable[[Seed, int], tuple[Seed, int]]) -> Callable[..., Any]:
    """Variation with another seed or another generation than it was told."""

    def varies(vary: Any, *arguments: Any, **named: Any) -> Any:
        return vary(*arguments[:-2], *draws(*arguments[-2:]), **named)

    return varies


def crosses_with_nobody_but_the_first(
    vary: Any, grammar: Any, genotypes: Any, mothers: Any, fathers: Any, *rest: Any, **named: Any
) -> Any:
    return vary(grammar, genotypes, np.where(fathers >= 0, 0, mothers), np.full(len(mothers), -1), *rest, **named)


def fills_with_draws(draws: Callable[[Seed, int], tuple[Seed, int]]) -> Callable[..., Any]:
    """A mapping with another seed or another generation than it was told."""

    def maps(
        map_: Any, grammar: Any, genotypes: Any, probabilities: Any, seed: Seed, generation: int, *rest: Any
    ) -> Any:
        return map_(grammar, genotypes, probabilities, *draws(seed, generation), *rest)

    return maps


def encodes_something_else(encode: Any, grammar: Any, derivations: Derivations, *rest: Any) -> Any:
    return encode(grammar, derivations.take(np.arange(len(derivations))[::-1]), *rest)


def encodes_nothing(encode: Any, *arguments: Any) -> Any:
    genotypes, fits = encode(*arguments)
    return genotypes, np.zeros_like(fits)


def changes_what_it_is_given(change: Any, grammar: Any, genotypes: FlatGenotypes, *rest: Any) -> Any:
    changed, places = change(grammar, genotypes, *rest)
    genotypes.codons[:] = changed.codons
    return changed, places


def changes_too_much(change: Any, grammar: Any, genotypes: Any, count: int, *rest: Any) -> Any:
    changed, places = change(grammar, genotypes, count + 1, *rest)
    return changed, places[:, :count]


def changes_without_saying_so(change: Any, *arguments: Any) -> Any:
    changed, places = change(*arguments)
    return changed, np.full_like(places, -1)


def names_no_places(change: Any, *arguments: Any) -> Any:
    changed, places = change(*arguments)
    return changed, places[:, 0]


def changes_with_draws(draws: Callable[[Seed, int], tuple[Seed, int]]) -> Callable[..., Any]:
    """Changes with another seed or another generation than they were told."""

    def changes(change: Any, grammar: Any, genotypes: Any, number: int, seed: Seed, generation: int) -> Any:
        return change(grammar, genotypes, number, *draws(seed, generation))

    return changes


def measures_itself(distance: Any, grammar: Any, first: Any, second: Any) -> Any:
    return distance(grammar, first, second) + 1


def measures_one_way(distance: Any, grammar: Any, first: Any, second: Any) -> Any:
    return distance(grammar, first, second) * np.where(first.codons[:, 0] < second.codons[:, 0], 1, 2)


def measures_below_zero(distance: Any, *arguments: Any) -> Any:
    return -distance(*arguments)


def measures_nothing(distance: Any, *arguments: Any) -> Any:
    return 0 * distance(*arguments)


def measures_all_at_once(distance: Any, *arguments: Any) -> Any:
    return distance(*arguments).sum()


def measures_by_sorting(distance: Any, grammar: Any, first: Any, second: Any) -> Any:
    first.codons.sort(axis=1)
    return distance(grammar, first, second)


def shows_rounded(show: Any, *arguments: Any) -> Any:
    return [round(codon, 1) for codon in show(*arguments)]


def shows_backwards(show: Any, *arguments: Any) -> Any:
    return show(*arguments)[::-1]


def adds_something(completed: Any, *arguments: Any) -> Any:
    return [*completed(*arguments), 0.5]


def claims_wrong_probabilities(_: Any, genotypes: Any, i: int) -> NDArray[np.float64]:
    return np.full(5, 0.3)


def refuses_all(_: Any, grammar: Any) -> None:
    raise SettingsError(f"{grammar.name} is not to my taste; give another one")


BROKEN_REPRESENTATIONS: list[tuple[Any, dict[str, Callable[..., Any]], str]] = [
    (RealLists, {"map": ignores_first}, "an individual is mapped alone as in a population"),
    (FlatReal, {"map": changes_genotypes}, "map leaves the genotypes that it is given as they are"),
    (FlatReal, {"map": loses_a_step}, "a valid derivation is finished"),
    (FlatReal, {"map": derives_nonsense}, "a valid derivation can be replayed"),
    (FlatReal, {"map": finds_nobody_valid}, "some individuals are valid"),
    (FlatReal, {"map": keeps_unfinished_derivations}, "the derivation of an invalid individual is empty"),
    (FlatReal, {"initial": never_draws_the_same}, "the same seed gives the same first genotypes"),
    (FlatReal, {"initial": always_draws_the_same}, "another seed gives other first genotypes"),
    (FlatReal, {"initial": forgets_the_generation}, "another generation draws other genotypes"),
    (FlatReal, {"initial": draws_too_few}, "initial makes as many genotypes as it is asked for"),
    (FlatReal, {"vary": changes_parents}, "vary leaves the parents as they are"),
    (FlatReal, {"vary": makes_too_few_children}, "vary makes a child for each pair"),
    (FlatReal, {"vary": changes_fitness}, "vary leaves the fitness of the parents and the probabilities as they are"),
    (FlatReal, {"vary": with_mutation(0.5)}, "a child is a copy of its mother"),
    (FlatReal, {"vary": with_mutation(0.0)}, "mutation changes children"),
    (FlatReal, {"map": reads_later_generations_otherwise}, "a copy has the derivation of its mother"),
    (FlatReal, {"vary": crosses_with_nobody_but_the_first}, "crossover of different parents does not give the same"),
    (FlatReal, {"vary": with_draws(never_the_same)}, "the same seed gives the same children"),
    (FlatReal, {"vary": with_draws(one_seed)}, "another seed gives other children"),
    (FlatReal, {"vary": with_draws(one_generation)}, "another generation gives other children"),
    (RealLists, {"map": fills_with_draws(one_seed)}, "with another seed, map fills in something else"),
    (RealLists, {"map": fills_with_draws(one_generation)}, "in another generation, map fills in something else"),
    (FlatReal, {"change": changes_what_it_is_given}, "change leaves the genotypes that it is given as they are"),
    (FlatReal, {"change": changes_too_much}, "change changes one element where it names a place"),
    (FlatReal, {"change": changes_without_saying_so}, "change changes nothing where it names no place"),
    (FlatReal, {"change": names_no_places}, "change names the place of each change"),
    (FlatReal, {"change": changes_with_draws(never_the_same)}, "the same seed changes the same"),
    (FlatReal, {"change": changes_with_draws(one_seed)}, "another seed changes something else"),
    (FlatReal, {"change": changes_with_draws(one_generation)}, "another generation changes something else"),
    (FlatReal, {"distance": measures_itself}, "every genotype has the distance 0 from itself"),
    (FlatReal, {"distance": measures_one_way}, "distances are the same in both directions"),
    (FlatReal, {"distance": measures_below_zero}, "no distance is negative"),
    (FlatReal, {"distance": measures_nothing}, "genotypes with different derivations are apart"),
    (FlatReal, {"distance": measures_all_at_once}, "distance gives a number for each pair"),
    (FlatReal, {"distance": measures_by_sorting}, "distance leaves genotypes as they are"),
    (FlatReal, {"encode": encodes_something_else}, "what was encoded is mapped to the derivation that it was"),
    (FlatReal, {"encode": encodes_nothing}, "encode finds a genotype for some derivations"),
    (FlatReal, {"show": shows_rounded}, "a genotype that was shown is traced to its derivation"),
    (FlatReal, {"show": shows_backwards}, "a genotype that was shown is mapped to its derivation"),
    (FlatReal, {"completed": adds_something}, "nothing is added to a complete genotype"),
    (FlatReal, {"own_probabilities": claims_wrong_probabilities}, "own probabilities are probabilities"),
]


@pytest.mark.parametrize(
    ("base", "methods", "law"), BROKEN_REPRESENTATIONS, ids=[law for _, _, law in BROKEN_REPRESENTATIONS]
)
def test_a_broken_representation_is_noticed(base: Any, methods: dict[str, Callable[..., Any]], law: str) -> None:
    with pytest.raises(AssertionError, match=rf"Real.* on direct recursion, seed [0-9]+, breaks the law “.*{law}"):
        testing.check_representation(spoiled(base, **methods), DIRECT)


def test_a_tree_deeper_than_max_depth_is_noticed() -> None:
    @dataclass(frozen=True)
    class TooDeep(FlatReal):  # type: ignore[misc]
        max_depth: int = 3

    with pytest.raises(AssertionError, match=r"no tree is deeper than max_depth”: individual [0-9]+ has depth"):
        testing.check_representation(TooDeep(), DIRECT)


@dataclass(frozen=True)
class Lazy(FlatGenotypes):
    """A layout that takes individuals in its own order."""

    def take(self, individuals: NDArray[np.int64]) -> Lazy:
        return super().take(np.sort(individuals))


def test_a_broken_layout_is_noticed() -> None:
    def lazy(initial: Any, *arguments: Any) -> Lazy:
        made = initial(*arguments)
        return Lazy(made.codons, made.length, made.used)

    with pytest.raises(AssertionError, match="individuals are taken in any order, more than once if asked for"):
        testing.check_representation(spoiled(FlatReal, initial=lazy), DIRECT)


class Homeless:
    """A layout that is derived from nothing."""

    def __init__(self, inner: FlatGenotypes) -> None:
        self.inner = inner

    def __len__(self) -> int:
        return len(self.inner)

    def take(self, individuals: NDArray[np.int64]) -> Homeless:
        return Homeless(self.inner.take(individuals))

    @classmethod
    def join(cls, parts: list[Homeless]) -> Homeless:
        return cls(FlatGenotypes.join([part.inner for part in parts]))


@dataclass(frozen=True)
class Squatter(FlatReal):  # type: ignore[misc]
    """Its genotypes can't be saved."""

    def initial(self, *arguments: Any) -> Any:
        return Homeless(super().initial(*arguments))

    def map(self, grammar: Any, genotypes: Any, *arguments: Any) -> Any:
        found, derivations = super().map(grammar, genotypes.inner, *arguments)
        return Homeless(found), derivations

    def vary(self, grammar: Any, genotypes: Any, *arguments: Any, **named: Any) -> Any:
        return Homeless(super().vary(grammar, genotypes.inner, *arguments, **named))

    def show(self, grammar: Any, genotypes: Any, i: int) -> Any:
        return super().show(grammar, genotypes.inner, i)


def test_genotypes_that_can_not_be_saved_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gramarye.testing.laws.same", lambda *_: True)
    monkeypatch.setattr("gramarye.testing.method.same", lambda *_: True)
    with pytest.raises(
        AssertionError, match="a state is saved and read back”: a state with genotypes of the class Homeless"
    ):
        testing.check_method(gm.Method(representation=Squatter(32)))
    monkeypatch.setattr("gramarye.testing.representation.same", lambda *_: True)
    monkeypatch.setattr("gramarye.testing.mapping.same", lambda *_: True)
    with pytest.raises(
        AssertionError, match="genotypes can be saved with a run: their class is derived from Genotypes"
    ):
        testing.check_representation(Squatter(32), DIRECT)


def test_a_representation_may_refuse_grammars_but_not_all() -> None:
    with pytest.raises(GrammarError, match="indirect recursion"):
        testing.check_representation(gm.representations.FixedLists(), testing.GRAMMARS["indirect recursion"])
    with pytest.raises(AssertionError, match="accepts none of the grammars the paper's grammar, direct recursion"):
        testing.check_representation(spoiled(FlatReal, check=refuses_all))


# Learners


@dataclass(frozen=True)
class Broken(Learner):
    """A learner that does what it is told."""

    what: Callable[[NDArray[np.float64], Population], Any]
    learns: ClassVar[bool] = True
    remap_elites: bool = False

    def update(self, grammar: gm.Grammar, probabilities: NDArray[np.float64], ranked: Population) -> Any:
        return self.what(probabilities, ranked)


@dataclass(frozen=True)
class Secretive(Broken):
    learns: ClassVar[bool] = False


@dataclass(frozen=True)
class Undecided(Broken):
    remap_elites: Any = None


@dataclass(frozen=True)
class Recorder(Broken):
    """A learner that learns nothing, and records what it is told."""

    learns: ClassVar[bool] = False

    def update(self, grammar: gm.Grammar, probabilities: NDArray[np.float64], ranked: Population) -> Any:
        return probabilities

    def recorded(self, grammar: gm.Grammar, probabilities: NDArray[np.float64], front: Any) -> Any:
        return self.what(probabilities, front)


def loses_mass(probabilities: NDArray[np.float64], _: Population) -> Any:
    return probabilities * 0.999


def below_zero(probabilities: NDArray[np.float64], _: Population) -> Any:
    return probabilities + np.array([2.0, -2.0, 0, 0, 0])


def in_place(probabilities: NDArray[np.float64], _: Population) -> Any:
    probabilities[:2] = [0.75, 0.25]
    return probabilities


def spoils_fitness(probabilities: NDArray[np.float64], ranked: Population) -> Any:
    ranked.fitness[int(np.argmin(ranked.fitness))] = np.inf
    return probabilities


def at_random(probabilities: NDArray[np.float64], _: Population) -> Any:
    share = next(CALLS) % 7 / 7
    return np.concatenate([[share, 1 - share], probabilities[2:]])


def from_nobody(probabilities: NDArray[np.float64], _: Population) -> Any:
    return np.concatenate([[0.9 * probabilities[0], 1 - 0.9 * probabilities[0]], probabilities[2:]])


def always_even(probabilities: NDArray[np.float64], _: Population) -> Any:
    return np.array([1 / 2] * 2 + [1 / 3] * 3)


BROKEN_LEARNERS = [
    (Broken(loses_mass), "probabilities stay probabilities”: generation 0: those of <list> are"),
    (Broken(below_zero), "probabilities stay probabilities”: generation 0: those of <list> are"),
    (Broken(lambda probabilities, _: probabilities[:-1]), "5 productions need an array of as many numbers"),
    (Broken(lambda probabilities, _: probabilities.tolist()), "5 productions need an array of as many numbers"),
    (Broken(in_place), "the old probabilities are left as they are"),
    (Broken(spoils_fitness), "the population is left as it is"),
    (Broken(at_random), "the same population teaches the same"),
    (Broken(from_nobody), "a population without a valid individual teaches nothing"),
    (Broken(always_even), "a population without a valid individual teaches nothing"),
    (Undecided(in_place), "remap_elites is True or False"),
    (Secretive(from_nobody), "who does not learn leaves probabilities as they are"),
    (Recorder(loses_mass), "what is recorded are probabilities”: generation 0: those of <list> are"),
    (Recorder(spoils_fitness), "recording leaves probabilities and front as they are"),
    (Recorder(from_nobody), "where there is nothing to record, the probabilities are recorded as they are"),
]


@pytest.mark.parametrize(("learner", "law"), BROKEN_LEARNERS, ids=[law for _, law in BROKEN_LEARNERS])
def test_a_broken_learner_is_noticed(learner: Learner, law: str) -> None:
    with pytest.raises(AssertionError, match=rf"{type(learner).__name__}\(.* on direct recursion, seed 1.*{law}"):
        testing.check_learner(learner, DIRECT)


# Selections


class BrokenSelection(Selection):
    """A tournament that is spoiled."""

    def __init__(self, spoil: Callable[..., Any], size: int = 3) -> None:
        self.spoil = spoil
        self.tournament = Tournament(size)

    def parents(self, population: Population, n: int, seed: Seed, generation: int) -> Any:
        return self.spoil(self.tournament.parents, population, n, seed, generation)


def the_worst(parents: Any, population: Population, *rest: Any) -> Any:
    return parents(replace(population, rank=-population.rank), *rest)


def spoils_the_ranks(parents: Any, population: Population, *rest: Any) -> Any:
    population.rank[:] = 0.0
    return parents(population, *rest)


BROKEN_SELECTIONS: list[tuple[Selection, str]] = [
    (BrokenSelection(the_worst), "the fitter become parents at least as often”: [0-9]+% of the mothers"),
    (BrokenSelection(spoils_the_ranks), "the population is left as it is"),
    (BrokenSelection(lambda parents, p, n, *rest: parents(p, n - 1, *rest)), "as many pairs are made as are asked for"),
    (BrokenSelection(lambda parents, *rest: [x + 1 for x in parents(*rest)]), "parents are members of the population"),
    (BrokenSelection(lambda parents, *rest: [x - 1 for x in parents(*rest)]), "parents are members of the population"),
    (BrokenSelection(lambda parents, p, n, s, g: parents(p, n, s, next(CALLS))), "the same seed gives the same"),
    (BrokenSelection(lambda parents, p, n, s, g: parents(p, n, np.uint64(3), g)), "another seed gives other pairs"),
    (BrokenSelection(lambda parents, p, n, s, g: parents(p, n, s, 0)), "another generation gives other pairs"),
]


@pytest.mark.parametrize(("selection", "law"), BROKEN_SELECTIONS, ids=[law for _, law in BROKEN_SELECTIONS])
def test_a_broken_selection_is_noticed(selection: Selection, law: str) -> None:
    with pytest.raises(AssertionError, match=law):
        testing.check_selection(selection)


# Methods


def method_with(learner: Learner) -> gm.Method:
    return gm.Method(representation=gm.representations.FlatReal(32), learner=learner, population=140, elitism=4)


def learns_from_time(probabilities: NDArray[np.float64], _: Population) -> Any:
    return at_random_of_quartic(probabilities, next(CALLS))


def at_random_of_quartic(probabilities: NDArray[np.float64], call: int) -> Any:
    weights = 1.0 + (np.arange(len(probabilities)) + call) % 3
    for span in gm.problems.load("quartic").grammar.spans.values():
        weights[span] /= weights[span].sum()
    return weights


BROKEN_METHODS = [
    (method_with(Broken(spoils_fitness)), "where elites are kept unchanged, the best of a population never gets worse"),
    (
        method_with(Broken(loses_mass)),
        "a run ends without an error”: GrammarError: quartic: the probabilities of <expr> add up",
    ),
    (method_with(Broken(learns_from_time)), "the same seed gives the same run"),
    (method_with(Secretive(learns_from_time)), "who records nothing leaves probabilities as they are"),
]


@pytest.mark.parametrize(("method", "law"), BROKEN_METHODS, ids=[law for _, law in BROKEN_METHODS])
def test_a_broken_method_is_noticed(method: MethodBase, law: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in (Broken, Secretive):  # no addresses in what tells a learner
        monkeypatch.setattr(kind, "__repr__", lambda self: f"Broken({self.what.__name__})")
    with pytest.raises(AssertionError, match=rf"Method\(.* on quartic, seed [0-9]+, .*{re.escape(law)}"):
        testing.check_method(method)


def test_a_setting_whose_repr_is_an_address_is_noticed() -> None:
    with pytest.raises(
        AssertionError, match="settings are told by their repr: a saved run is known by it”: learner is"
    ):
        testing.check_method(method_with(Broken(loses_mass)))


def test_a_method_whose_replacement_keeps_a_number_is_checked() -> None:
    testing.check_method(gm.Method(replacement=Elitism(3)))
