"""Methods that draw offspring from what they learned, and methods whose probabilities depend on contexts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gramarye as gm
from gramarye.cli.outputs import Outputs
from gramarye.errors import SettingsError
from gramarye.methods import METHODS
from gramarye.methods.base import MethodBase
from tests.learners.members import MEMBERS

SMALL: dict[str, Any] = {"population": 20, "generations": 4}
EDAS = [gm.PCFGEDA(**SMALL), gm.PMBGE(**SMALL), gm.PMBGE(**SMALL, context="slot", backoff=2.0, floor=0.05)]
CONTEXTUAL = [*EDAS[1:], gm.PGE(**SMALL, context="parent", learning_factor=0.2)]
NAMES, CONTEXTUAL_NAMES = ["pcfgeda", "pmbge", "pmbge-slots"], ["pmbge", "pmbge-slots", "pge-contexts"]
QUARTIC = gm.problems.load("quartic")


def same(one: gm.Run, other: gm.Run) -> None:
    """Both found the same, by the same way, to the last bit."""
    assert one.best.phenotype == other.best.phenotype
    assert one.best.genotype == other.best.genotype
    for name in set(one.history) - {"distinct", "node_rows"}:  # these depend on what is remembered: a matter of speed
        assert np.array_equal(one.history[name], other.history[name], equal_nan=True), name


class TestSettings:
    def test_without_arguments_they_are_those_of_the_papers(self) -> None:
        common = {"population": 1000, "generations": 50, "elitism": 0.1, "codons": 128, "wraps": 0}
        own = {"consume_single": True, "selected": 0.5, "learning_rate": 1.0, "floor": 0.0}
        for method in (gm.PCFGEDA(), gm.PMBGE()):
            assert method.settings | common | own == method.settings
            assert method.samples
            assert not method.learner.remap_elites
            assert METHODS[method.name] is type(method)
        assert (gm.PMBGE().context, gm.PMBGE().backoff) == ("parent", 0.0)
        assert gm.PGE().context == "none"
        assert not gm.PGE().samples

    def test_settings_reach_the_parts(self) -> None:
        eda = gm.PCFGEDA(codons=7, wraps=2, consume_single=False, selected=0.2, learning_rate=0.3, floor=0.1)
        assert eda.representation == gm.representations.FlatReal(7, 2, False)
        assert eda.learner == gm.learners.Frequencies(0.2, 0.3, 0.1)
        context = gm.PMBGE(codons=7, selected=0.2, learning_rate=0.3, floor=0.1, context="slot", backoff=4)
        assert context.representation == gm.representations.FlatReal(7)
        assert context.learner == gm.learners.Frequencies(0.2, 0.3, 0.1, "slot", backoff=4)
        assert gm.PGE(context="slot").learner == gm.learners.AlternatingBest(context="slot")

    @pytest.mark.parametrize(
        ("method", "name", "value", "message"),
        [
            (gm.PCFGEDA, "selected", 2, r"selected is 2: it must be a number in \[0, 1\]"),
            (gm.PMBGE, "learning_rate", -1, r"learning_rate is -1: it must be a number in \[0, 1\]"),
            (gm.PMBGE, "context", "none", "context is 'none': it must be one of 'parent', 'slot'"),
            (gm.PMBGE, "backoff", -0.5, "backoff is -0.5: it must be a number ≥ 0"),
            (gm.PGE, "context", "all", "context is 'all': it must be one of 'none', 'parent', 'slot'"),
            (gm.Method, "samples", 1, "samples is 1: it must be True or False"),
        ],
    )
    def test_a_setting_out_of_its_range_is_refused(
        self, method: type[MethodBase], name: str, value: Any, message: str
    ) -> None:
        with pytest.raises(SettingsError, match=message):
            method(**{name: value})


class TestSampling:
    @pytest.mark.parametrize("method", EDAS, ids=NAMES)
    def test_elites_are_kept_as_they_are(self, method: MethodBase) -> None:
        run = gm.evolve(QUARTIC, method, seed=3)
        assert run.evaluations == 20 + 3 * 18
        assert (run.history["best"] == run.history["best_so_far"]).all()

    @pytest.mark.parametrize("method", EDAS, ids=NAMES)
    def test_parents_do_not_matter(self, method: MethodBase) -> None:
        other: Any = {"tournament": 7, "crossover": 0.1, "mutation": 0.5}
        same(gm.evolve(QUARTIC, method, seed=3), gm.evolve(QUARTIC, replace(method, **other), seed=3))

    def test_offspring_are_drawn_anew(self) -> None:
        state: Any = gm.engine.start(gm.engine.Setup(QUARTIC, EDAS[0], 3))
        later: Any = gm.engine.step(gm.engine.Setup(QUARTIC, EDAS[0], 3), state)
        fresh = gm.representations.FlatReal().initial(QUARTIC.grammar, 18, np.uint64(3), 1)
        assert (later.genotypes.codons[:18] == fresh.codons).all()
        elites = np.argsort(state.fitness, kind="stable")[:2]
        assert (later.genotypes.codons[18:] == state.genotypes.codons[elites]).all()
        assert [later.derivations[18 + k].tolist() for k in range(2)] == [state.derivations[i].tolist() for i in elites]

    def test_a_search_without_learning_is_one_at_random(self) -> None:
        run = gm.evolve(QUARTIC, gm.PCFGEDA(**SMALL, learning_rate=0.0), seed=3)
        assert (run.probabilities == QUARTIC.grammar.start_probabilities()).all()

    def test_it_learns_what_is_good(self) -> None:
        problem = gm.Objective(lambda text: text.count("a") / len(text), gm.Grammar.from_text("<s> ::= a | <s>b | b"))
        run = gm.evolve(problem, gm.PCFGEDA(population=100, generations=6), seed=1)
        assert run.best.fitness == 0
        assert gm.Probabilities.of(run.grammar)["<s>"][0] == 0

    def test_contexts_learn_what_a_plain_grammar_can_not(self) -> None:
        """Only x + y and y * x are good: by itself, each choice is as good as the other."""
        grammar = gm.Grammar.from_text("<s> ::= <v> + y | <v> * x\n<v> ::= x | y\n")
        problem = gm.Objective(lambda text: float(text not in ("x + y", "y * x")), grammar)
        settings: Any = {"population": 200, "generations": 3, "elitism": 0, "selected": 0.3}
        plain, contexts = (gm.evolve(problem, kind(**settings), seed=1) for kind in (gm.PCFGEDA, gm.PMBGE))
        assert contexts.history["mean"][-1] == 0
        assert plain.history["mean"][-1] > 0.2
        learned = gm.Probabilities.of(contexts.grammar)
        assert (learned["<v.0>"].tolist(), learned["<v.1>"].tolist()) == ([1, 0], [0, 1])


class TestEquivalences:
    # Every non-terminal stands in one production, so that contexts tell nothing apart
    ONE_CONTEXT = gm.Grammar.from_text(
        "<s> ::= <v> <op> <v> | <c>\n<v> ::= x | 1.0 | (x * x)\n<op> ::= + | * | -\n"
        "<c> ::= <pre>(x) | x\n<pre> ::= sin | exp\n"
    )

    @pytest.mark.parametrize("seed", range(3))
    def test_with_one_context_each_contexts_change_nothing(self, seed: int) -> None:
        problem = gm.problems.load("quartic", self.ONE_CONTEXT)
        settings: Any = {**SMALL, "learning_rate": 0.5, "floor": 0.02}
        plain, contexts = (
            gm.evolve(problem, gm.PCFGEDA(**settings), seed),
            gm.evolve(problem, gm.PMBGE(**settings), seed),
        )
        same(plain, contexts)
        assert plain.probabilities.tobytes() == contexts.probabilities.tobytes()

    @pytest.mark.parametrize("seed", range(3))
    def test_nor_do_they_for_pge(self, seed: int) -> None:
        problem = gm.problems.load("quartic", self.ONE_CONTEXT)
        plain, contexts = (
            gm.evolve(problem, gm.PGE(**SMALL, learning_factor=0.2, context=context), seed)
            for context in ("none", "parent")
        )
        same(plain, contexts)
        assert plain.probabilities.tobytes() == contexts.probabilities.tobytes()

    def test_a_method_of_parts_may_sample(self) -> None:
        parts = gm.Method(**SMALL, learner=gm.learners.Frequencies(floor=0.1), samples=True)
        same(gm.evolve(QUARTIC, parts, seed=3), gm.evolve(QUARTIC, gm.PCFGEDA(**SMALL, floor=0.1), seed=3))
        contexts = gm.Method(**SMALL, learner=gm.learners.Frequencies(context="parent"), samples=True)
        same(gm.evolve(QUARTIC, contexts, seed=3), gm.evolve(QUARTIC, gm.PMBGE(**SMALL), seed=3))

    def test_without_a_bound_on_entropy_pge_is_pge(self) -> None:
        bounded = gm.Method(**SMALL, learner=gm.learners.EntropyBounded(gm.learners.AlternatingBest(0.2), 0.0))
        same(gm.evolve(QUARTIC, bounded, seed=3), gm.evolve(QUARTIC, gm.PGE(**SMALL, learning_factor=0.2), seed=3))

    @pytest.mark.parametrize("samples", [False, True])
    @pytest.mark.parametrize("learner", MEMBERS, ids=gm.learners.LEARNERS)
    def test_every_learner_goes_with_parents_and_without(self, learner: Any, samples: bool) -> None:
        own = isinstance(learner, gm.learners.OwnProbabilities)
        genotypes = gm.representations.RealListsWithProbabilities() if own else gm.representations.FlatReal()
        method = gm.Method(**SMALL, representation=genotypes, learner=learner, samples=samples)
        run = gm.evolve(QUARTIC, method, seed=3)
        assert np.isfinite(run.best.fitness)
        assert run.grammar.check_probabilities(run.probabilities[-1]) is not None


class TestContexts:
    @pytest.mark.parametrize("method", CONTEXTUAL, ids=CONTEXTUAL_NAMES)
    def test_the_learned_grammar_is_that_of_contexts_and_reads_back(self, method: MethodBase) -> None:
        run = gm.evolve(QUARTIC, method, seed=3)
        assert run.grammar.nonterminals == method.rewritten(QUARTIC.grammar).grammar.nonterminals
        assert run.grammar.start_probabilities().tolist() == run.probabilities[-1].tolist()
        again = gm.Grammar.from_text(run.grammar.text)
        assert again == run.grammar
        assert run.best.derivation.grammar is QUARTIC.grammar
        assert run._repr_html_().count("<pre>") == 2
        assert np.isfinite(gm.evolve(gm.problems.load("quartic", again), gm.PGE(**SMALL), seed=1).best.fitness)

    def test_the_learned_grammar_maps_genotypes_as_the_run_did(self) -> None:
        evolution = gm.Evolution(QUARTIC, gm.PMBGE(**SMALL), seed=3)
        *_, last = evolution
        grammar = last.probabilities.grammar
        state: Any = evolution.state
        assert state is not None
        for i in range(18):  # elites were not mapped again
            mapping = gm.map_genotype(grammar, state.genotypes.codons[i], probabilities=state.probabilities)
            assert mapping.valid == (state.derivations.status[i] == 0)
            assert not mapping.valid or mapping.derivation.productions.tolist() == state.derivations[i].tolist()

    @pytest.mark.parametrize("method", [EDAS[0], *CONTEXTUAL], ids=["pcfgeda", *CONTEXTUAL_NAMES])
    def test_a_saved_run_goes_on_to_the_same_end(self, method: MethodBase) -> None:
        whole = gm.evolve(QUARTIC, method, seed=3, threads=2)
        evolution = gm.Evolution(QUARTIC, method, seed=3)
        for _ in range(3):
            evolution.advance()
        assert evolution.state is not None
        saved = gm.State.from_bytes(evolution.state.to_bytes())
        resumed = gm.Evolution(QUARTIC, method, state=saved)
        for _ in resumed:
            pass
        same(whole, resumed.run)

    @given(st.integers(0, 2**32), st.sampled_from(["parent", "slot"]))
    def test_a_context_starts_with_the_probabilities_of_its_nonterminal(self, seed: int, context: Any) -> None:
        grammar = QUARTIC.grammar.with_probabilities({"<var>": [0.9, 0.1]})
        state = gm.engine.start(
            gm.engine.Setup(gm.problems.load("quartic", grammar), gm.PMBGE(population=3, context=context), seed)
        )
        plain = gm.engine.start(gm.engine.Setup(gm.problems.load("quartic", grammar), gm.PCFGEDA(population=3), seed))
        assert state.fitness.tolist() == plain.fitness.tolist()


class TestPictures:
    @pytest.fixture
    def drawn(self, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
        """What would have been drawn."""
        kept: list[dict[str, Any]] = []
        monkeypatch.setattr("gramarye.show.figures.picture.save_picture", lambda path, **parts: kept.append(parts))
        return kept

    def draw(self, method: MethodBase, rule: str | None, problem: gm.Regression = QUARTIC) -> None:
        outputs = Outputs(Path("run.png"), rule, None)
        outputs.check(gm.engine.Setup(problem, method, 3))
        outputs.write(gm.evolve(problem, method, seed=3))
        assert not outputs.errors

    def test_a_picture_shows_the_first_context_of_op_unless_told_otherwise(self, drawn: list[dict[str, Any]]) -> None:
        self.draw(gm.PMBGE(**SMALL), None)
        self.draw(gm.PMBGE(**SMALL), "var.2")
        self.draw(gm.PCFGEDA(**SMALL), None)
        assert [parts["heading"].split()[-1] for parts in drawn] == ["<op.0>", "<var.2>", "<op>"]
        assert [parts["probabilities"].shape for parts in drawn] == [(4, 4), (4, 2), (4, 4)]
        assert drawn[1]["labels"] == ["x", "1.0"]

    def test_without_op_it_shows_the_largest_rule(self, drawn: list[dict[str, Any]]) -> None:
        grammar = gm.Grammar.from_text("<e> ::= <e> + <e> | <v>\n<v> ::= x | 1.0 | x * x\n")
        self.draw(gm.PMBGE(**SMALL), None, gm.problems.load("quartic", grammar))
        assert drawn[0]["heading"] == "Probabilities of <v.1>"

    def test_a_rule_that_has_only_contexts_names_them(self) -> None:
        with pytest.raises(SettingsError, match=r"--plot-rule 'var': .* has no such rule; did you mean <var.2>\?"):
            self.draw(gm.PMBGE(**SMALL), "var")
