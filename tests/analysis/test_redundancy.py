from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gramarye.analysis.redundancy import collision, entropy, redundancy
from gramarye.analysis.sampling import Bases, Reading, random_bases
from gramarye.derivations import Derivations
from gramarye.execution import Threads
from gramarye.grammar import Grammar
from gramarye.methods import CFGGP, GE, PGE, SGE, MethodBase
from tests.grammars import G1


def reading(method: MethodBase, text: str = G1) -> Reading:
    return Reading.start(method, Grammar.from_text(text), 3, Threads())


def test_collision_and_entropy_by_hand() -> None:
    counts = np.array([3, 2, 1])
    assert collision(counts).estimate == pytest.approx((6 + 2) / 30)
    assert entropy(counts) == pytest.approx(0.5 + math.log2(3) / 3 + math.log2(6) / 6)
    assert entropy(np.array([5])) == 0
    assert collision(np.array([1])).estimate is None


def test_the_interval_of_the_collision_probability_is_that_of_many_samples() -> None:
    rng = np.random.default_rng(1)
    weights = np.array([0.4, 0.3, 0.2, 0.1])
    estimates = [collision(rng.multinomial(300, weights)).estimate for _ in range(400)]
    found = collision(rng.multinomial(300, weights), 1)
    assert found.low is not None
    assert found.high is not None
    low, high = np.quantile(np.array(estimates, np.float64), [0.025, 0.975])
    assert found.high - found.low == pytest.approx(high - low, rel=0.3)
    assert found.low < 0.3 < found.high


@given(st.lists(st.integers(1, 9), min_size=1, max_size=6))
def test_the_collision_probability_has_no_bias(counts: list[int]) -> None:
    """It is the share of equal ones among all pairs of different draws."""
    draws = [program for program, count in enumerate(counts) for _ in range(count)]
    pairs = [a == b for i, a in enumerate(draws) for b in draws[i + 1 :]]
    if pairs:
        assert collision(np.array(counts)).estimate == pytest.approx(sum(pairs) / len(pairs))


@pytest.mark.slow
def test_random_genotypes_of_pge_are_the_reference_itself() -> None:
    subject = reading(PGE())
    found = redundancy(subject, random_bases(subject, 3000))
    assert found.sample == 3000 == found.counts.sum()
    assert found.programs[0] in ("x", "1.0")
    assert found.counts[0] / 3000 == pytest.approx(0.25 / 0.9007, abs=0.03)
    assert found.uniformity.estimate == pytest.approx(1, abs=0.1)
    assert found.synonymity.estimate == pytest.approx(1, abs=0.01)  # hardly any codon of 128 tells the program
    assert found.distinct == len(found.counts) < 3000
    assert (np.diff(found.counts) <= 0).all()


def test_lists_of_the_same_program_are_the_same_but_for_its_derivations() -> None:
    subject = reading(SGE())
    assert redundancy(subject, random_bases(subject, 300)).synonymity.estimate < 0.2  # type: ignore[operator]


def test_genotypes_that_are_all_the_same_have_no_synonymity() -> None:
    subject = reading(CFGGP(), "<s> ::= x")
    found = redundancy(subject, random_bases(subject, 5))
    assert found.synonymity.note == "all genotypes are the same"
    assert found.uniformity.estimate == 1
    assert (found.distinct, found.entropy) == (1, 0)


def test_programs_that_occur_once_have_no_synonymity() -> None:
    subject = reading(GE())
    sample = random_bases(subject, 40)
    order = [0]
    seen = {sample.derivations[0].tobytes()}
    for i in range(1, 40):
        if sample.derivations[i].tobytes() not in seen:
            seen.add(sample.derivations[i].tobytes())
            order.append(i)
    assert redundancy(subject, sample.take(np.array(order))).synonymity.note == "no program occurs twice"


def test_no_sample_has_no_redundancy() -> None:
    subject = reading(GE())
    empty = Bases(
        subject.method.representation.initial(subject.grammar, 0, np.uint64(1)),
        Derivations(np.zeros(0, np.int32), np.zeros(1, np.int64), np.zeros(0, np.int8)),
        5,
        0,
    )
    found = redundancy(subject, empty)
    assert (found.distinct, found.collision.estimate, found.uniformity.estimate) == (0, None, None)
