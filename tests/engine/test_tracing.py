from __future__ import annotations

import pytest

import gramarye as gm
from gramarye.engine.tracing import FIRST_STEPS, LAST_STEPS, MOST_NODES, lessons, map_genotype
from gramarye.errors import GrammarError, SettingsError
from tests.grammars import G1

GRAMMAR = gm.Grammar.from_text(G1)
INTENDED = [0.8, 0.2, 0.98, 0.45, 0.62, 0.87, 0.19]


def test_a_mapping_shows_every_sentential_form() -> None:
    found = map_genotype(GRAMMAR, INTENDED)
    assert found.forms == (
        "<expr>",
        "<expr> <op> <expr>",
        "<var> <op> <expr>",
        "x <op> <expr>",
        "x * <expr>",
        "x * <var>",
        "x * x",
    )
    assert found.method == gm.PGE()
    assert found.genotype == INTENDED
    assert found.phenotype == "x * x"


def test_counts_list_every_nonterminal_zeros_included() -> None:
    assert map_genotype(GRAMMAR, [0.0, 0.9, 0.9]).counts == {
        "<start>": [1],
        "<expr>": [0, 1],
        "<op>": [0, 0, 0],
        "<var>": [0, 1],
    }


def test_probabilities_are_those_given_or_the_grammars_own_or_uniform() -> None:
    genotype = [0.0, 0.55, 0.3]
    carrying = GRAMMAR.with_probabilities({"<expr>": [0.5, 0.5], "<var>": [0.2, 0.8]})
    assert map_genotype(GRAMMAR, genotype).phenotype == "x"
    assert map_genotype(carrying, genotype).phenotype == "1.0"
    assert map_genotype(carrying, genotype, probabilities={"<var>": [0.9, 0.1]}).phenotype == "x"
    assert map_genotype(carrying, [1, 0], gm.GE()).phenotype == "x"  # the others ignore them


def test_probabilities_that_are_none_are_refused() -> None:
    with pytest.raises(GrammarError, match=r"<var> add up to 0\.9"):
        map_genotype(GRAMMAR, INTENDED, probabilities={"<var>": [0.5, 0.4]})


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "1", True, None])
def test_a_seed_that_is_none_is_refused(seed: object) -> None:
    with pytest.raises(SettingsError, match=r"seed is .*: it must be an integer from 0 to 2\*\*64 - 1"):
        map_genotype(GRAMMAR, {}, gm.SGE(), seed=seed)  # type: ignore[arg-type]


def test_lists_are_filled_by_the_seed() -> None:
    found = {map_genotype(GRAMMAR, {}, gm.SGE(), seed=seed).phenotype for seed in range(30)}
    assert len(found) > 5
    assert map_genotype(GRAMMAR, {}, gm.SGE(), seed=3).steps == map_genotype(GRAMMAR, {}, gm.SGE(), seed=3).steps


def test_a_notebook_shows_the_steps_and_escapes_them() -> None:
    page = map_genotype(GRAMMAR, INTENDED)._repr_html_()
    assert "&lt;expr&gt;" in page
    assert "0.2 &lt; 0.5" in page
    assert "<p>valid</p>" in page
    assert "<svg" in page
    assert "<expr>" not in page
    invalid = map_genotype(GRAMMAR, INTENDED[:3])._repr_html_()
    assert "invalid: non-terminals are left" in invalid
    integers = map_genotype(GRAMMAR, [1, 0], gm.GE())._repr_html_()
    assert "<td></td><td>the only production</td>" in integers  # nothing was read for <start>


LONG = gm.Grammar.from_text("<a> ::= x<a> | y")


@pytest.mark.parametrize("more", [-1, 0, 1, 3000])
def test_a_notebook_leaves_out_the_middle_of_many_steps(more: int) -> None:
    steps = FIRST_STEPS + LAST_STEPS + more
    page = map_genotype(LONG, [0.0] * (steps - 1) + [1.0])._repr_html_()
    forms = ["x" * number + "&lt;a&gt;" for number in range(1, steps)] + ["x" * (steps - 1) + "y"]
    kept = forms if more <= 0 else forms[:FIRST_STEPS] + forms[-LAST_STEPS:]
    assert [row.split("</code>")[0] for row in page.split("<code>")[1:]][: len(kept)] == kept
    assert page.count("<td>0.0</td>") == len(kept) - 1
    assert ("more steps" in page) is (more > 0)
    if more > 0:
        cut = page.index(f'<tr><td colspan="5">… {more:,} more steps</td></tr>')
        assert page[:cut].count("<code>") == FIRST_STEPS


def test_a_notebook_draws_no_tree_that_is_too_large() -> None:
    largest = MOST_NODES // 2  # steps, of two nodes each
    page = map_genotype(LONG, [0.0] * (largest - 1))._repr_html_()
    assert "<svg" in page
    page = map_genotype(LONG, [0.0] * largest)._repr_html_()
    assert "<svg" not in page
    assert "The tree has 501 nodes; <code>derivation.svg()</code> draws it all the same." in page


def test_a_mapping_shows_itself_on_one_line() -> None:
    assert repr(map_genotype(GRAMMAR, INTENDED)) == "Mapping('x * x', 7 codons used)"
    assert repr(map_genotype(GRAMMAR, INTENDED[:5])) == "Mapping(invalid: 'x * <expr>', 5 codons used)"
    assert len(repr(map_genotype(LONG, [0.0] * 500))) < 110


def test_lessons_are_the_update_of_the_paper_number_by_number() -> None:
    old = {"<op>": [0.33, 0.33, 0.34]}
    found = {
        lesson.nonterminal: lesson for lesson in lessons(map_genotype(GRAMMAR, INTENDED), gm.learners.AlternatingBest())
    }
    assert found["<start>"].new == [1.0]
    expr = found["<expr>"]
    assert expr.counts == [1, 2]
    assert expr.old == [0.5, 0.5]
    assert expr.raised == pytest.approx([0.503333, 0.506667], abs=1e-6)
    assert expr.total == pytest.approx(1.01)
    assert expr.excess == pytest.approx(0.01)
    assert expr.new == pytest.approx([0.498333, 0.501667], abs=1e-6)
    var = found["<var>"]
    assert (var.raised, var.total) == (pytest.approx([0.51, 0.495]), pytest.approx(1.005))
    given = lessons(map_genotype(GRAMMAR, INTENDED), gm.learners.AlternatingBest(), old)
    assert given[2].old == [0.33, 0.33, 0.34]


@pytest.mark.parametrize("unexpanded", ["keep", "decay"])
def test_a_nonterminal_that_is_not_used_learns_nothing_unless_it_decays(unexpanded: str) -> None:
    carrying = GRAMMAR.with_probabilities({"<op>": [0.7, 0.2, 0.1]})
    learner = gm.learners.AlternatingBest(unexpanded=unexpanded)  # type: ignore[arg-type]
    op = lessons(map_genotype(carrying, [0.0, 0.9, 0.9]), learner)[2]
    assert op.nonterminal == "<op>"
    if unexpanded == "keep":
        assert op.raised == op.new == op.old == [0.7, 0.2, 0.1]
    else:
        assert op.raised == pytest.approx([0.693, 0.198, 0.099])
        assert op.new == pytest.approx([0.696333, 0.201333, 0.102333], abs=1e-6)


def test_a_class_is_no_method() -> None:
    with pytest.raises(SettingsError, match=r"method is the class GE; give a method with its settings, gm\.GE\(\)"):
        gm.map_genotype(gm.problems.load("quartic").grammar, [1], gm.GE)  # type: ignore[arg-type]
