from __future__ import annotations

import numpy as np
import pytest

from gramarye.analysis.neighbours import partners
from gramarye.analysis.plan import Plan
from gramarye.analysis.sampling import MOST_DRAWS, Reading, population_bases, random_bases, tree_bases
from gramarye.derivations import Status
from gramarye.derivations.random_trees import texts
from gramarye.errors import SettingsError
from gramarye.execution import Threads
from gramarye.grammar import Grammar
from gramarye.methods import GE, METHODS, PGE, SGE, MethodBase
from gramarye.representations import Encodes
from tests.grammars import G1, GR

GRAMMAR = Grammar.from_text(GR)


def reading(method: MethodBase, grammar: Grammar = GRAMMAR, workers: int = 1) -> Reading:
    return Reading.start(method, grammar, 5, Threads(workers))


def test_bases_are_the_first_valid_ones_and_the_draws_are_counted() -> None:
    found = random_bases(reading(PGE()), 100)
    assert len(found) == found.valid == 100
    assert (found.derivations.status == Status.OK).all()
    assert 150 < found.draws < 260  # about one half of them is valid
    longer = random_bases(reading(PGE()), 130)
    assert longer.draws > found.draws


def test_a_method_that_is_always_valid_draws_as_many_as_it_needs() -> None:
    assert random_bases(reading(SGE()), 30).draws == 30


def test_where_nothing_is_valid_there_are_no_bases() -> None:
    found = random_bases(reading(GE(codons=1), Grammar.from_text("<e> ::= <v> <v>\n<v> ::= x | y")), 2)
    assert (len(found), found.valid, found.draws) == (0, 0, 2 * MOST_DRAWS)


def test_the_number_of_threads_changes_nothing() -> None:
    one, two = (random_bases(reading(SGE(), workers=workers), 200) for workers in (1, 2))
    assert np.array_equal(one.derivations.productions, two.derivations.productions)


def test_trees_are_the_same_programs_for_all_methods() -> None:
    encodable = [method() for method in METHODS.values() if isinstance(method().representation, Encodes)]
    found = tree_bases([reading(method, Grammar.from_text(G1)) for method in encodable], 40)
    programs = [texts(Grammar.from_text(G1), bases.derivations) for bases in found]
    assert len(programs[0]) > 20
    assert all(other == programs[0] for other in programs)
    assert {bases.draws for bases in found} == {40}


def test_bases_of_a_population_are_valid_ones_as_they_are_read_now() -> None:
    subject = reading(PGE())
    genotypes = subject.method.representation.initial(GRAMMAR, 60, np.uint64(1))
    found = population_bases(subject, genotypes, 20)
    assert (len(found), found.draws) == (20, 60)
    assert 20 < found.valid < 45
    assert (found.derivations.status == Status.OK).all()


@pytest.mark.parametrize("n", [2, 7])
def test_everyone_has_a_partner_and_none_is_their_own(n: int) -> None:
    found = partners(reading(PGE()), n, 0)
    assert sorted(found.tolist()) == list(range(n))
    assert (found != np.arange(n)).all()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"bases": 1}, "bases is 1: it must be an integer ≥ 2"),
        ({"neighbours": 0}, "neighbours is 0"),
        ({"sample": True}, "sample is True"),
        ({"pairs": 1.5}, "pairs is 1.5"),
        ({"changes": (2, 4)}, "changes is (2, 4): it must be ascending integers that begin with 1"),
        ({"changes": ()}, "changes is ()"),
        ({"generations": (10, 0)}, "generations is (10, 0): it must be ascending integers ≥ 0"),
    ],
)
def test_a_plan_is_checked(settings: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError) as error:
        Plan(**settings)  # type: ignore[arg-type]
    assert message in str(error.value)
