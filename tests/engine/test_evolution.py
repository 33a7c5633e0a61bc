from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import gramarye as gm
from gramarye.derivations import Derivation
from gramarye.errors import GenotypeError, GrammarError, SettingsError
from gramarye.methods import MethodBase
from gramarye.representations import Encodes
from tests.engine.test_state import same

PROBLEM = gm.problems.load("quartic")
PAGIE = gm.problems.load("pagie")
SMALL: dict[str, Any] = {"population": 30, "generations": 4}
WIDE: dict[str, Any] = {"population": 260, "generations": 3}  # wide enough for three slices


@pytest.mark.parametrize("method", [gm.PGE(**WIDE), gm.GE(**WIDE), gm.SGE(**WIDE)], ids=lambda m: m.name)
@pytest.mark.parametrize("problem", [PAGIE, gm.problems.load("boston")], ids=lambda p: p.name)
def test_threads_never_change_a_bit(method: MethodBase, problem: gm.Regression) -> None:
    ends = []
    for workers in (1, 2, 3):
        with gm.Evolution(problem, method, 11, threads=workers) as evolution:
            for _ in evolution:
                pass
            ends.append(evolution.state)
    assert same(ends[0], ends[1])
    assert same(ends[0], ends[2])


@pytest.mark.parametrize("method", [gm.PGE(**SMALL), gm.GE(**SMALL), gm.SGE(**SMALL)], ids=lambda m: m.name)
def test_the_same_seed_is_the_same_run(method: MethodBase) -> None:
    a, b, other = (gm.evolve(PAGIE, method, seed) for seed in (1, 1, 2))
    assert a.best.phenotype == b.best.phenotype
    assert a.best.genotype == b.best.genotype
    assert all(same(a.history[name], b.history[name]) for name in a.history)
    assert any(not same(a.history[name], other.history[name]) for name in a.history)


def test_without_a_seed_one_is_drawn_and_recorded() -> None:
    a, b = gm.evolve(PROBLEM, gm.GE(**SMALL)), gm.evolve(PROBLEM, gm.GE(**SMALL))
    assert a.seed != b.seed
    again = gm.evolve(PROBLEM, gm.GE(**SMALL), a.seed)
    assert all(same(a.history[name], again.history[name]) for name in a.history)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, "1", True])
def test_what_is_no_seed_is_refused(seed: Any) -> None:
    with pytest.raises(SettingsError, match=r"seed is .*: it must be an integer from 0 to 2\*\*64 - 1"):
        gm.evolve(PROBLEM, gm.GE(**SMALL), seed)


@pytest.mark.parametrize("seed", [0, 2**64 - 1, np.int64(3), np.uint64(2**63)])
def test_every_integer_of_64_bits_is_a_seed(seed: Any) -> None:
    run = gm.evolve(PROBLEM, gm.GE(**SMALL), seed)
    assert run.seed == int(seed)
    assert type(run.seed) is int


@pytest.mark.parametrize("workers", [0, -3, 1.5])
def test_what_is_no_number_of_threads_is_refused(workers: Any) -> None:
    with pytest.raises(SettingsError, match="threads is"):
        gm.evolve(PROBLEM, gm.GE(**SMALL), 1, threads=workers)


def test_without_a_method_it_is_pge() -> None:
    assert gm.Evolution(PROBLEM).method == gm.PGE()


def test_generations_pass_by_one_at_a_time() -> None:
    evolution = gm.Evolution(PROBLEM, gm.PGE(**SMALL), 3)
    seen = list(evolution)
    assert [generation.index for generation in seen] == [0, 1, 2, 3]
    assert list(evolution) == []  # it is over
    for generation in seen:
        assert generation.fitness.shape == (30,)
        assert generation.probabilities["<op>"].sum() == pytest.approx(1)
        assert generation.best_of_generation.fitness == generation.fitness.min()
        assert generation.best_of_run.fitness == min(g.best_of_generation.fitness for g in seen[: generation.index + 1])
        found = gm.map_genotype(
            PROBLEM.grammar, generation.best_of_generation.genotype, gm.PGE(), generation.probabilities
        )
        assert found.phenotype == generation.best_of_generation.phenotype
    run = evolution.run
    assert run.generations == 4
    assert [row.tolist() for row in run.probabilities] == [g.probabilities.values_array.tolist() for g in seen]


def test_a_run_may_be_left_early_and_still_be_looked_at() -> None:
    evolution = gm.Evolution(PROBLEM, gm.PGE(**SMALL), 3)
    for generation in evolution:
        if generation.index == 1:
            break
    assert evolution.run.generations == 2
    assert evolution.generation.index == 1
    whole = gm.evolve(PROBLEM, gm.PGE(**SMALL), 3)
    assert evolution.run.history["best"].tolist() == whole.history["best"].tolist()[:2]


def test_before_the_first_generation_there_is_nothing_to_look_at() -> None:
    evolution = gm.Evolution(PROBLEM, gm.PGE(**SMALL), 3)
    for look in (lambda: evolution.run, lambda: evolution.generation):
        with pytest.raises(SettingsError, match="the run has not begun: call advance, or iterate over the evolution"):
            look()
    assert evolution.advance().index == 0


VARIANTS: list[MethodBase] = [
    gm.PGE(**SMALL, length="variable"),
    gm.PGE(**SMALL, length="variable", cuts="used", wraps=1),
    gm.PGE(**SMALL, cuts="used"),
    gm.PGE(**SMALL, floor=0.05),
    gm.PGE(**SMALL, unexpanded="decay"),
    gm.PGE(**SMALL, normalise="divide"),
    gm.PGE(**SMALL, consume_single=False, wraps=2),
    gm.PGE(**SMALL, learning_factor=1.0),
    gm.PGE(**SMALL, mutation=1.0, crossover=0.0),
    gm.PGE(**SMALL, mutation=0.0, crossover=1.0, tournament=50),
    gm.GE(**SMALL, length="variable", codon_max=2**31 - 2),
    gm.GE(**SMALL, consume_single=True, cuts="used", elitism=1),
    gm.GE(**SMALL, codon_max=4),
    gm.SGE(**SMALL, depth_rule="height", max_depth=8),
    gm.SGE(**SMALL, depth_rule="nonrecursive"),
    gm.SGE(**SMALL, initial_depth=3, max_depth=3, depth_rule="height"),
    gm.SGE(**SMALL, mutation=1.0),
]


@pytest.mark.parametrize("method", VARIANTS, ids=lambda m: repr(m).replace("population=30, generations=4, ", ""))
def test_every_setting_runs_and_is_reproducible(method: MethodBase) -> None:
    a, b = (gm.evolve(PAGIE, method, 9, threads=workers) for workers in (1, 2))
    assert all(same(a.history[name], b.history[name]) for name in a.history)
    assert math.isfinite(a.best.fitness)
    if isinstance(method, gm.SGE):
        assert a.history["invalid"].max() < 30
        if method.depth_rule == "height":
            assert a.best.depth <= max(method.max_depth, 3)


@pytest.mark.parametrize("kind", [gm.PGE, gm.GE])
def test_one_codon_one_individual_one_generation_are_enough(kind: Any) -> None:
    grammar = gm.Grammar.from_text("<a> ::= x | 1.0")
    run = gm.evolve(gm.problems.load("quartic", grammar), kind(population=1, generations=3, codons=1, elitism=0), 1)
    assert run.generations == 3
    assert run.best.phenotype in ("x", "1.0")
    once = gm.evolve(PROBLEM, kind(population=5, generations=1), 1)
    assert once.evaluations == 5
    assert once.probabilities[-1].tolist() == PROBLEM.grammar.start_probabilities().tolist()


def test_a_genotype_too_short_for_any_program_is_invalid_and_no_error() -> None:
    run = gm.evolve(PAGIE, gm.PGE(**SMALL, codons=1), 1)
    assert run.best.fitness == math.inf
    assert run.best.phenotype is None
    assert run.history["invalid"].tolist() == [30] * 4
    assert run.history["distinct"][-1] == 0


def test_search_finds_something() -> None:
    """Better than the best of as many random programs."""
    method, at_random = gm.PGE(population=200, generations=20), gm.PGE(population=4000, generations=1)
    evolved = [gm.evolve(PROBLEM, method, seed).best.fitness for seed in range(9)]
    random = [gm.evolve(PROBLEM, at_random, seed).best.fitness for seed in range(9)]
    assert np.median(evolved) < np.median(random)


def test_the_best_individual_is_shown_with_its_tree() -> None:
    run = gm.evolve(PAGIE, gm.SGE(**SMALL), 4)
    assert isinstance(run.best.derivation, Derivation)
    assert run.best.genotype.keys() == PAGIE.grammar.rules.keys()
    assert gm.map_genotype(PAGIE.grammar, run.best.genotype, gm.SGE()).phenotype == run.best.phenotype


@pytest.mark.parametrize(("cause", "raised"), [(KeyboardInterrupt(), KeyboardInterrupt), (ValueError(), SystemError)])
@pytest.mark.parametrize("generation", [0, 1])
def test_an_interruption_inside_a_kernel_is_an_interruption(
    monkeypatch: pytest.MonkeyPatch, cause: BaseException, raised: type[BaseException], generation: int
) -> None:
    def interrupted(*arguments: Any) -> None:
        raise SystemError("a kernel returned a result with an exception set") from cause

    evolution = gm.Evolution(PROBLEM, gm.PGE(**SMALL), 3)
    for _ in range(generation):
        evolution.advance()
    before = evolution.state
    monkeypatch.setattr(
        "gramarye.engine.evolution.step" if generation else "gramarye.engine.evolution.start", interrupted
    )
    with pytest.raises(raised):
        evolution.advance()
    assert evolution.state is before  # what was reached is kept


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        ("pagie", r"problem is the text 'pagie'; give the problem, gm\.problems\.load\('pagie'\)"),
        (PAGIE.grammar, r"problem is of type Grammar; give a gm\.Regression, .* or gm\.problems\.load\(\"pagie\"\)"),
        (None, "problem is of type NoneType; give a"),
    ],
)
def test_what_is_no_problem_is_refused(problem: Any, message: str) -> None:
    for call in (gm.evolve, gm.Evolution):
        with pytest.raises(SettingsError, match=message):
            call(problem)


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (gm.PGE, r"method is the class PGE; give a method with its settings, gm\.PGE\(\)"),
        (gm.SGE, r"method is the class SGE; .* gm\.SGE\(\)"),
        ("ge", r"method is the str 'ge'; .* gm\.GE\(\)"),
        ("", r"method is the str ''; .* gm\.PGE\(\)"),
        (1, r"method is the int '1'; .* gm\.PGE\(\)"),
    ],
)
def test_what_is_no_method_is_refused(method: Any, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        gm.evolve(PROBLEM, method)


def test_what_is_no_name_of_a_problem_is_refused() -> None:
    with pytest.raises(SettingsError, match="no problem is called None; there are pagie, boston, quartic"):
        gm.problems.load(None)  # type: ignore[call-overload]


SEEDED: list[str | Derivation] = ["x * x * x * x + x * x * x + x * x + x", "x*x", gm.parse(PROBLEM.grammar, "x + x")]
ENCODABLE = [name for name, method in gm.methods.METHODS.items() if isinstance(method().representation, Encodes)]


@pytest.mark.parametrize("name", ENCODABLE)
def test_a_run_may_begin_with_given_programs(name: str) -> None:
    method = gm.methods.METHODS[name](**SMALL)
    run = gm.evolve(PROBLEM, method, 3, initial_programs=SEEDED)
    assert run.history["best"][0] == pytest.approx(0, abs=1e-12)  # the first program is the solution
    state = gm.engine.start(gm.engine.Setup(PROBLEM, method, 3, initial_programs=SEEDED))
    rewriting = method.rewritten(PROBLEM.grammar)
    texts = [
        Derivation(PROBLEM.grammar, rewriting.translate_one(state.derivations[i])).phenotype for i in range(len(SEEDED))
    ]
    assert texts == [SEEDED[0], "x * x", "x + x"]
    assert len(state.genotypes) == method.population


def test_the_other_individuals_are_those_of_a_run_without_programs() -> None:
    plain, seeded = (
        gm.engine.start(gm.engine.Setup(PROBLEM, gm.PGE(**SMALL), 3)),
        gm.engine.start(gm.engine.Setup(PROBLEM, gm.PGE(**SMALL), 3, initial_programs=SEEDED)),
    )
    rest = np.arange(len(SEEDED), 30)
    assert same(plain.genotypes.take(rest), seeded.genotypes.take(rest))
    assert not same(plain.genotypes, seeded.genotypes)
    assert same(gm.engine.start(gm.engine.Setup(PROBLEM, gm.PGE(**SMALL), 3, initial_programs=[])), plain)


def test_programs_may_fill_the_whole_population() -> None:
    run = gm.evolve(PROBLEM, gm.GE(population=3, generations=1), 1, initial_programs=SEEDED)
    assert run.best.phenotype == SEEDED[0]


@pytest.mark.parametrize(
    ("seeds", "settings", "kind", "message"),
    [
        (
            ["x", "x ** x"],
            {},
            GrammarError,
            "program 2 of initial_programs, line 1, column 4: this is not a program of .*; expected",
        ),
        (["x"] * 31, {}, SettingsError, "initial_programs holds 31 programs, but the population is 30; leave"),
        ("x * x", {}, SettingsError, "initial_programs is of type str; give a list of programs"),
        (SEEDED[2], {}, SettingsError, "initial_programs is of type Derivation; give a list of programs"),
        (7, {}, SettingsError, "initial_programs is of type int; give a list of programs"),
        ([None], {}, GrammarError, "program 1 of initial_programs is of type NoneType; give its text"),
        (
            ["x", SEEDED[0]],
            {"codons": 9},
            GenotypeError,
            "program 2 of initial_programs, .* does not fit: it needs .* codons",
        ),
    ],
)
def test_programs_that_a_run_can_not_begin_with_are_refused_before_it_starts(
    seeds: Any, settings: dict[str, Any], kind: type[Exception], message: str
) -> None:
    for call in (gm.Evolution, gm.evolve):
        with pytest.raises(kind, match=message):
            call(PROBLEM, gm.PGE(**SMALL, **settings), 1, initial_programs=seeds)
    with pytest.raises(kind, match=message):
        gm.engine.start(gm.engine.Setup(PROBLEM, gm.PGE(**SMALL, **settings), 1, initial_programs=seeds))


@pytest.mark.parametrize("name", [name for name in gm.methods.METHODS if name not in ENCODABLE])
def test_a_method_that_cannot_encode_can_not_begin_with_programs(name: str) -> None:
    with pytest.raises(GenotypeError, match=f"{name} cannot encode programs as genotypes"):
        gm.Evolution(PROBLEM, gm.methods.METHODS[name](**SMALL), 1, initial_programs=["x"])


def test_a_saved_state_goes_on_with_the_same_programs_or_without_naming_them() -> None:
    method = gm.PGE(**SMALL)
    state = gm.engine.start(gm.engine.Setup(PROBLEM, method, 3, initial_programs=SEEDED))
    whole = gm.evolve(PROBLEM, method, 3, initial_programs=SEEDED)
    for seeds in ((), SEEDED, [SEEDED[0], "x  *  x", "x + x"]):
        with gm.Evolution(PROBLEM, method, state=state, initial_programs=seeds) as evolution:
            assert len(list(evolution)) == 3
            assert same(evolution.run.history["best"], whole.history["best"])
    with pytest.raises(SettingsError, match=r"initial_programs was 3 programs \(\w+\) and is now 1 program \("):
        gm.Evolution(PROBLEM, method, state=state, initial_programs=SEEDED[:1])
    with pytest.raises(SettingsError, match="initial_programs was not recorded and is now 3 programs"):
        gm.Evolution(
            PROBLEM, method, state=gm.engine.start(gm.engine.Setup(PROBLEM, method, 3)), initial_programs=SEEDED
        )


def test_a_state_that_was_not_loaded_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"state is of type str; give a saved one, gm.State.load\(path\)"):
        gm.Evolution(PROBLEM, gm.PGE(**SMALL), state="state.npz")  # type: ignore[arg-type]
