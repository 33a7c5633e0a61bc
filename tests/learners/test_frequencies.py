from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gramarye as gm
from gramarye.errors import SettingsError
from gramarye.learners import Frequencies
from gramarye.learners.base import Context
from gramarye.learners.counts import frequencies
from tests.grammars import G1, grammars
from tests.learners.populations import BETTER, BETTER_IN_CONTEXT, ranked

GRAMMAR = gm.Grammar.from_text(G1, "G1")
WORSE = [[0, 2, 7], [0, 2, 7], [0, 2, 7]]
VECTOR = [0.5, 0.9, 0.3, 0.6, 0.5, 0.15, 0.25, 0.8, 0.85, 0.95, 0.1]


def learned(
    derivations: list[list[int]], fitness: list[float], grammar: gm.Grammar = GRAMMAR, **settings: Any
) -> gm.Grammar:
    """The grammar with what one update learns."""
    learner = Frequencies(**settings)
    rewriting = learner.rewritten(grammar)
    rewritten = rewriting.grammar
    population = ranked(derivations, fitness, origins=rewriting.origins)
    start = np.array(rewritten.start_probabilities())
    return rewritten.with_probabilities(learner.update(rewritten, start, population))


def rows(grammar: gm.Grammar) -> dict[str, list[float]]:
    return {name: row.tolist() for name, row in gm.Probabilities.of(grammar).items()}


class TestWorkedExamples:
    def test_the_model_of_kim_and_ahn(self) -> None:
        model = learned([*WORSE, *BETTER], [7.0, 8.0, 9.0, 1.0, 1.0, 2.0])
        assert rows(model) == {
            "<start>": [1.0], "<expr>": [5 / 13, 8 / 13], "<op>": [1 / 5, 3 / 5, 1 / 5], "<var>": [3 / 4, 1 / 4],
        }  # fmt: skip
        assert gm.map_genotype(model, VECTOR).phenotype == "x"

    def test_the_model_of_contexts(self) -> None:
        model = learned(BETTER_IN_CONTEXT, [1.0, 1.0, 2.0], selected=1.0, context="parent")
        assert rows(model) == {
            "<start>": [1.0], "<expr.0>": [1.0, 0.0], "<expr.1>": [1 / 5, 4 / 5], "<op.1>": [1 / 5, 3 / 5, 1 / 5],
            "<var.2>": [3 / 4, 1 / 4],
        }  # fmt: skip
        mapping = gm.map_genotype(model, VECTOR)
        assert mapping.phenotype == "x * 1.0 - x"
        assert mapping.codons_used == len(VECTOR)

    def test_the_translated_example_is_the_same(self) -> None:
        rewriting = Frequencies(context="parent").rewritten(GRAMMAR)
        for context, plain in zip(BETTER_IN_CONTEXT, BETTER, strict=True):
            assert rewriting.translate_one(np.array(context, np.int32)).tolist() == plain

    def test_places_are_told_apart(self) -> None:
        """<start>, <expr.0.0>, <expr.1.0>, <op.1.1>, <expr.1.2>, <var.2.0>: left operands are <var> in all of them."""
        found = Frequencies(context="slot").rewritten(GRAMMAR)
        names = found.grammar.nonterminals
        expr = [found.grammar.spans[name].start for name in ("<expr.0.0>", "<expr.1.0>", "<expr.1.2>")]
        op, var = (found.grammar.spans[name].start for name in ("<op.1.1>", "<var.2.0>"))
        first = [0, expr[0], expr[1] + 1, var, op + 1, expr[2], expr[1] + 1, var + 1, op + 2, expr[2] + 1, var]
        assert found.translate_one(np.array(first, np.int32)).tolist() == BETTER[0]
        model = rows(learned([first], [1.0], context="slot"))
        assert list(model) == list(names)
        assert (model["<expr.1.0>"], model["<expr.1.2>"]) == ([0.0, 1.0], [0.5, 0.5])


class TestSettings:
    def test_a_share_of_the_population_is_selected_ties_in_their_order(self) -> None:
        one, x = [0, 2, 7], [0, 2, 6]
        assert rows(learned([one, x, one, x], [2.0, 1.0, 2.0, 3.0], selected=0.5))["<var>"] == [0.5, 0.5]
        assert rows(learned([one, x, one, x], [2.0, 1.0, 2.0, 3.0], selected=0.75))["<var>"] == [1 / 3, 2 / 3]
        assert rows(learned([one, x, one, x], [2.0, 1.0, 2.0, 3.0], selected=0.0))["<var>"] == [1.0, 0.0]

    def test_invalid_individuals_teach_nothing(self) -> None:
        one, x = [0, 2, 7], [0, 2, 6]
        assert rows(learned([one, x, one], [math.inf, 5.0, math.nan], selected=1.0))["<var>"] == [1.0, 0.0]
        assert rows(learned([one], [math.inf])) == rows(GRAMMAR)

    def test_a_nonterminal_without_counts_keeps_its_row(self) -> None:
        grammar = GRAMMAR.with_probabilities({"<op>": [0.7, 0.2, 0.1]})
        assert rows(learned([[0, 2, 6]], [1.0], grammar, floor=0.3))["<op>"] == [0.7, 0.2, 0.1]

    def test_probabilities_move_by_the_learning_rate_and_keep_a_floor(self) -> None:
        quarter = rows(learned(BETTER, [1.0] * 3, selected=1.0, learning_rate=0.25))
        assert quarter["<var>"] == pytest.approx([0.75 * 0.5 + 0.25 * 0.75, 0.75 * 0.5 + 0.25 * 0.25], abs=1e-15)
        floored = rows(learned(BETTER_IN_CONTEXT, [1.0] * 3, selected=1.0, context="parent", floor=0.02))
        assert floored["<expr.0>"] == pytest.approx([0.99, 0.01], abs=1e-15)

    def test_individuals_may_count_alike(self) -> None:
        """<expr>: 2 of 5, 2 of 5 and 1 of 3 uses, instead of 5 of 13."""
        model = rows(learned(BETTER, [1.0] * 3, selected=1.0, per_individual=True))
        first = (Fraction(2, 5) * 2 + Fraction(1, 3)) / 3
        assert model["<expr>"] == pytest.approx([float(first), float(1 - first)], abs=1e-15)
        assert model["<var>"] == pytest.approx([7 / 9, 2 / 9], abs=1e-15)

    @pytest.mark.parametrize(
        ("name", "value", "message"),
        [
            ("selected", 1.5, r"selected is 1.5: it must be a number in \[0, 1\]"),
            ("learning_rate", -0.1, r"learning_rate is -0.1: it must be a number in \[0, 1\]"),
            ("floor", 2, r"floor is 2: it must be a number in \[0, 1\]"),
            ("backoff", -1, "backoff is -1: it must be a number ≥ 0"),
            ("per_individual", 1, "per_individual is 1: it must be True or False"),
            ("remap_elites", "no", "remap_elites is 'no': it must be True or False"),
        ],
    )
    def test_a_setting_out_of_its_range_is_refused(self, name: str, value: Any, message: str) -> None:
        with pytest.raises(SettingsError, match=message):
            Frequencies(**{name: value})


class TestBackoff:
    def test_a_context_leans_on_its_nonterminal(self) -> None:
        """p(q | π, A) = (c + κ f(q | A)) / (n + κ), with f = 5/13, 8/13 over both contexts of <expr>."""
        model = rows(learned(BETTER_IN_CONTEXT, [1.0] * 3, selected=1.0, context="parent", backoff=2.0))
        assert model["<expr.0>"] == pytest.approx([(3 + 10 / 13) / 5, (16 / 13) / 5], abs=1e-15)
        assert model["<expr.1>"] == pytest.approx([(2 + 10 / 13) / 12, (8 + 16 / 13) / 12], abs=1e-15)
        assert model["<var.2>"] == pytest.approx([3 / 4, 1 / 4], abs=1e-15)

    def test_a_context_without_counts_takes_that_of_its_nonterminal_or_stays(self) -> None:
        x = [0, 2, 8]  # <expr.1> and <op.1> are not used
        model = rows(learned([x], [1.0], context="parent", backoff=1.0))
        assert model["<expr.1>"] == model["<expr.0>"] == [0.0, 1.0]
        assert model["<op.1>"] == rows(GRAMMAR)["<op>"]

    @pytest.mark.parametrize("context", ["parent", "slot"])
    def test_rules_of_equal_texts_are_not_confused(self, context: Context) -> None:
        """Names of contexts may look like names of non-terminals, and the other way round."""
        text = "<a.1> ::= <b> <b.0> <c> | <b>\n<b> ::= x | y\n<b.0> ::= x | y\n<c> ::= <b> <b.0> | <b.0>\n"
        learner = Frequencies(context=context, backoff=1.0)
        found = learner.rewritten(gm.Grammar.from_text(text))
        (child,) = found.grammar.productions[1].symbols
        x = [1, found.grammar.rules[child.text][0].id]
        assert found.translate_one(np.array(x, np.int32)).tolist() == [1, 2]
        start = np.array(found.grammar.start_probabilities())
        new = learner.update(found.grammar, start, ranked([x], [1.0], origins=found.origins))
        assert found.templates is not None
        of = [template[0] for template in found.templates]
        assert {of[q] for q in range(len(new)) if new[q] != start[q]} == {0, 1, 2, 3}  # <a.1> and <b>, not <b.0>
        assert {new[q] for q in range(len(new)) if of[q] == 2} == {1.0}  # in every context of <b>

    def test_where_every_production_is_its_own_origin_it_changes_nothing(self) -> None:
        learner, plain = (Frequencies(1.0, context="parent", backoff=backoff) for backoff in (5.0, 0.0))
        grammar = learner.rewritten(GRAMMAR).grammar
        start, population = np.array(grammar.start_probabilities()), ranked(BETTER_IN_CONTEXT, [1.0] * 3)
        assert learner.update(grammar, start, population).tolist() == plain.update(grammar, start, population).tolist()

    def test_without_contexts_it_changes_nothing(self) -> None:
        assert learned(BETTER, [1.0] * 3, backoff=5.0) == learned(BETTER, [1.0] * 3)

    @given(grammars(), st.integers(0, 99), st.sampled_from(["parent", "slot"]))
    def test_a_very_large_one_makes_all_contexts_alike(self, grammar: gm.Grammar, seed: int, context: Context) -> None:
        learner, plain = Frequencies(1.0, context=context, backoff=2.0**31 - 1), Frequencies(1.0)
        found = learner.rewritten(grammar)
        assert found.templates is not None
        reals = gm.representations.FlatReal(20)
        start = np.array(found.grammar.start_probabilities())
        genotypes = reals.initial(found.grammar, 6, np.uint64(seed))
        _, derivations = reals.map(found.grammar, genotypes, start, np.uint64(seed), 0, 0)
        fitness = [1.0 if status == 0 else math.inf for status in derivations.status]
        population = ranked([derivations[i].tolist() for i in range(6)], fitness, origins=found.origins)
        whole = found.translate(derivations)
        marginal = plain.update(
            grammar,
            np.array(grammar.start_probabilities()),
            ranked([whole[i].tolist() for i in range(6)], fitness),
        )
        new = learner.update(found.grammar, start, population)
        assert new.tolist() == pytest.approx([marginal[t[0]] for t in found.templates], abs=1e-6)


@given(st.lists(st.integers(0, 10**6), min_size=1, max_size=8))
def test_frequencies_are_the_nearest_floats(counts: list[int]) -> None:
    total = sum(counts)
    assert frequencies([float(c) for c in counts]) == ([float(Fraction(c, total)) for c in counts] if total else [])


@given(st.sampled_from(["none", "parent", "slot"]), st.booleans(), st.sampled_from([0.0, 2.0]))
def test_a_learning_rate_of_zero_changes_nothing(context: Context, per_individual: bool, backoff: float) -> None:
    grammar = GRAMMAR.with_probabilities({"<op>": [0.7, 0.2, 0.1], "<expr>": [0.3, 0.7]})
    learner = Frequencies(1.0, 0.0, context=context, per_individual=per_individual, backoff=backoff)
    start = learner.rewritten(grammar).grammar
    x = [0, 2, next(p.id for name, rule in start.rules.items() if name.startswith("<var") for p in rule)]
    settings: Any = {"context": context, "per_individual": per_individual, "backoff": backoff}
    assert learned([x], [1.0], grammar, selected=1.0, learning_rate=0.0, **settings) == start
