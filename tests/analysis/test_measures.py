from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from gramarye.analysis import measures
from gramarye.analysis.distances import Distances, sizes
from gramarye.analysis.intervals import Resampled, share
from gramarye.analysis.neighbours import Children, Neighbours, measured
from gramarye.analysis.sampling import Bases, Reading
from gramarye.derivations import Derivation, Derivations, Status
from gramarye.derivations.random_trees import random_trees
from gramarye.execution import Threads
from gramarye.grammar import Grammar
from gramarye.methods import GE, PGE
from gramarye.records.analysis import Outcomes
from gramarye.representations.rows import FlatGenotypes
from tests.grammars import G1, G2, grammars

FIGURE = [54, 7, 83, 237, 71, 123, 67, 142, 25, 195, 202, 153]


def flat(codons: NDArray[np.int32] | NDArray[np.float64]) -> FlatGenotypes:
    n, length = codons.shape
    return FlatGenotypes(codons, np.full(n, length, np.int32), np.zeros(n, np.int32))


@pytest.fixture(scope="module")
def exhaustive() -> Neighbours:
    """All neighbours of the genotype of the paper's figure, by GE with 8-bit codons."""
    reading = Reading.start(GE(codons=12), Grammar.from_text(G2), 1, Threads())
    base = flat(np.array([FIGURE], np.int32))
    mapped, derived = reading.map(base, 0)
    bases = Bases(mapped, derived, 1, 1)
    place, value = np.divmod(np.arange(12 * 256), 256)
    others = value != np.array(FIGURE)[place]
    codons = np.tile(np.array(FIGURE, np.int32), (12 * 256, 1))
    codons[np.arange(12 * 256), place] = value
    _, derivations = reading.map(flat(codons[others]), 0)
    return measured(reading, bases, np.zeros(int(others.sum()), np.int64), derivations, place[others])


def test_all_neighbours_of_the_figure(exhaustive: Neighbours) -> None:
    assert len(exhaustive.base) == 3060
    assert exhaustive.valid.all()
    values, counts = np.unique(exhaustive.distances.trees, return_counts=True)
    assert dict(zip(values.tolist(), counts.tolist(), strict=True)) == {0: 2143, 1: 533, 6: 128, 7: 128, 8: 128}


def test_the_measures_of_the_figure(exhaustive: Neighbours) -> None:
    resampled = Resampled(1, 0)
    assert measures.mean("neutrality", resampled, exhaustive).estimate == 2143 / 3060
    assert measures.mean("nonlocal_share", resampled, exhaustive).estimate == 384 / 917
    assert measures.mean("gap", resampled, exhaustive).estimate == pytest.approx(128 * (5 + 6 + 7) / 917)
    assert measures.mean("distance", resampled, exhaustive).estimate == pytest.approx((533 + 128 * 21) / 3060)
    assert measures.mean("neighbour_validity", resampled, exhaustive).estimate == 1
    assert measures.skipped(exhaustive) == 0
    found = measures.outcomes(exhaustive)
    assert (found.invalid, found.neutral, found.one, found.more) == (0, 2143 / 3060, 533 / 3060, 384 / 3060)


def test_the_profile_of_the_figure(exhaustive: Neighbours) -> None:
    found = measures.profile(exhaustive)
    assert found.place.tolist() == list(range(12))
    assert found.pairs.tolist() == [255] * 12
    neutral = 255 * (1 - found.changed)
    assert neutral.tolist() == pytest.approx([127, 127, 84, 63, 127, 85] + [255] * 6)
    assert found.mean[[0, 1, 4]].tolist() == pytest.approx([128 * 7 / 255, 128 * 8 / 255, 128 * 6 / 255])
    far = exhaustive.place[exhaustive.distances.trees > 1]
    assert set(far.tolist()) == {0, 1, 4}


@pytest.mark.parametrize("weights", [None, {"<expr>": [0.25, 0.75], "<op>": [0.5, 0.25, 0.25], "<var>": [0.75, 0.25]}])
def test_a_codon_that_is_redrawn_keeps_its_choice_with_its_probability(weights: dict[str, list[float]] | None) -> None:
    """The exact law of PGE: over an even grid of codons the share of neutral ones is the probability itself."""
    grammar = Grammar.from_text(G1).with_probabilities(weights) if weights else Grammar.from_text(G1)
    reading = Reading.start(PGE(codons=16), grammar, 1, Threads())
    codons = np.array([[0.5, 0.1, 0.9, 0.1, 0.4, 0.1, 0.9, 0.9, 0.8, 0.9, 0.2] + [0.5] * 5])
    mapped, derived = reading.map(flat(codons), 0)
    assert derived.status.tolist() == [Status.OK]
    grid, used = 840, len(derived[0])
    assert mapped.used.tolist() == [used]
    changed = np.repeat(codons, used * grid, axis=0)
    place = np.repeat(np.arange(used), grid)
    changed[np.arange(used * grid), place] = np.tile((np.arange(grid) + 0.5) / grid, used)
    derivations = reading.map(flat(changed), 0)[1]
    found = measured(reading, Bases(mapped, derived, 1, 1), np.zeros(len(place), np.int64), derivations, place)
    same = found.valid & (found.distances.trees == 0)
    for k in range(used):
        assert same[place == k].mean() == pytest.approx(reading.probabilities[derived[0][k]], abs=1e-12)


def pairs(trees: list[int], valid: list[bool] | None = None, base: list[int] | None = None) -> Neighbours:
    """Neighbours with given distances."""
    n = len(trees)
    d = np.array(trees, np.int32)
    known = Distances(d, d, np.full(n, 20), np.full(n, 10))
    nobody = Derivations(np.zeros(0, np.int32), np.zeros(n + 1, np.int64), np.zeros(n, np.int8))
    return Neighbours(
        np.array(base or [0] * n, np.int64),
        np.arange(n),
        np.array(valid if valid is not None else [True] * n, np.bool_),
        known,
        nobody,
    )


def test_trees_that_differ_too_much_are_far_away_but_have_no_distance() -> None:
    found = pairs([-1, 0, 1, 5, -1], [True, True, True, True, False])
    resampled = Resampled(1, 0)
    assert measures.skipped(found) == 1 / 4
    assert measures.mean("neutrality", resampled, found).estimate == 1 / 4
    assert measures.mean("nonlocal_share", resampled, found).estimate == 2 / 3
    assert measures.mean("one_edit", resampled, found).estimate == 1 / 5
    assert measures.mean("gap", resampled, found).estimate == (0 + 4) / 2
    assert measures.outcomes(found) == Outcomes(1 / 5, 1 / 5, 1 / 5, 2 / 5)
    assert measures.mean("neighbour_validity", resampled, found).estimate == 4 / 5
    assert measures.profile(found).changed.tolist() == [1, 0, 1, 1]


def test_relative_distances() -> None:
    found = pairs([0, 5])
    assert measures.mean("relative_distance", Resampled(1, 0), found).estimate == 5 / 40
    assert measures.mean("token_distance", Resampled(1, 0), found).estimate == 5 / 20
    assert measures.mean("text_neutrality", Resampled(1, 0), found).estimate == 1 / 2
    assert measures.mean("token_edits", Resampled(1, 0), found).estimate == 5 / 2


def test_nothing_to_measure_is_told() -> None:
    found = measures.mean("gap", Resampled(1, 0), pairs([0, 0]))
    assert (found.estimate, found.low, found.note) == (None, None, "nothing to measure")
    assert share(0, 0, 1).estimate is None


def test_intervals_hold_neighbours_of_one_base_together() -> None:
    """With all neighbours of a base alike, the interval is that of the bases, not of the pairs."""
    base = np.repeat(np.arange(40), 50)
    alike = pairs([0 if i % 2 else 1 for i in range(40) for _ in range(50)], base=base.tolist())
    mixed = pairs([i % 2 for i in range(2000)], base=base.tolist())
    wide, narrow = (measures.mean("neutrality", Resampled(40, 1), found) for found in (alike, mixed))
    assert wide.estimate == narrow.estimate == 0.5
    assert wide.low is not None
    assert wide.high is not None
    assert 0.2 < wide.high - wide.low < 0.4  # 2 · 1.96 · sqrt(1/4 / 40) = 0.31
    assert narrow.low == narrow.high == 0.5


def test_the_curve_and_its_correlations() -> None:
    points = [(1, pairs([0, 1, 2])), (4, pairs([3, 5, -1]))]
    found = measures.curve(Resampled(1, 0), points)
    assert found.changes.tolist() == [1, 4]
    assert [mean.estimate for mean in found.means] == [1, 4]
    assert found.pairs.tolist() == [3, 2]
    scipy = pytest.importorskip("scipy.stats")
    pearson, spearman = measures.correlations(Resampled(1, 0), points)
    x, y = [1, 1, 1, 4, 4], [0, 1, 2, 3, 5]
    assert pearson.estimate == pytest.approx(scipy.pearsonr(x, y).statistic)
    assert spearman.estimate == pytest.approx(scipy.spearmanr(x, y).statistic)
    assert pearson.low == pytest.approx(pearson.estimate)  # one base: drawn again, it is the same
    assert measures.correlations(Resampled(1, 0), [(1, pairs([1, 2]))])[0].note == "all values are the same"


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30))
def test_ranks_share_ties(values: list[int]) -> None:
    scipy = pytest.importorskip("scipy.stats")
    assert measures.ranks(np.array(values, np.float64)).tolist() == scipy.rankdata(values).tolist()


def test_many_places_are_taken_together() -> None:
    found = measures.profile(pairs([1] * 100 + [0] * 100))
    assert found.place[:3].tolist() == [0, 4, 8]
    assert found.pairs.tolist() == [4] * 50
    assert found.changed.tolist() == [1.0] * 25 + [0.0] * 25
    assert len(measures.profile(pairs([])).place) == 0


def test_children_are_compared_with_the_nearer_parent() -> None:
    def of(*trees: int) -> Distances:
        return Distances(
            np.array(trees, np.int32), np.array(trees, np.int32), np.ones(4, np.int64), np.ones(4, np.int64)
        )

    family = Children(np.array([True, True, True, False]), of(1, 9, 4, 1), of(3, 2, -1, 1), of(4, 6, 4, 2))
    resampled = Resampled(4, 0)
    assert measures.nearness(resampled, family).estimate == (1 + 2) / (4 + 6)
    assert measures.outside(resampled, family).estimate == 1 / 2


def test_an_individual_that_becomes_invalid_has_changed() -> None:
    found = pairs([0, 3, -1, -1], [True, True, False, True])
    assert measures.mean("moved_share", Resampled(1, 0), found).estimate == 3 / 4


@given(grammars(), st.integers(0, 2**64 - 1))
def test_sizes_are_those_of_the_trees(grammar: Grammar, seed: int) -> None:
    depth = int(grammar.arrays.nt_height[0]) + 1
    derivations = random_trees(grammar, "grow", np.arange(3), np.uint64(seed), depth=depth)
    assert sizes(grammar, derivations).tolist() == [Derivation(grammar, derivations[i]).size for i in range(3)]
