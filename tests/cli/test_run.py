from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import gramarye as gm
from gramarye.cli.commands import run
from gramarye.engine.evolution import Evolution
from gramarye.methods import MethodBase
from gramarye.settings import describe

Command = Callable[..., Any]
TINY = ["--population", "30", "--generations", "3", "--seed", "1"]


def strict(text: str) -> Any:
    """JSON as the standard has it: no NaN, no Infinity."""

    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    return json.loads(text, parse_constant=refuse)


def test_the_page_shows_the_best_program_its_error_the_work_and_the_grammar(gramarye: Command) -> None:
    page = gramarye("run", "pagie", *TINY).stdout
    run = gm.evolve(gm.problems.load("pagie"), gm.PGE(population=30, generations=3), seed=1)
    assert page.startswith("PGE on pagie, seed 1\n")
    assert f"\n{run.best.phenotype}\n" in page
    assert f"{run.best.fitness:.6g}" in page
    assert f"{run.evaluations} requested" in page
    assert f"{run.grammar.probabilities[-1]:.4f}" in page  # type: ignore[index]
    assert "in test" not in page


@pytest.mark.parametrize("name", ["population", "generations", "elitism", "tournament", "crossover"])
def test_options_are_explained_as_the_settings_are(name: str) -> None:
    """Help must not wait for the methods to be loaded, so that it says the same in words of its own."""
    (option,) = get_type_hints(run.run, include_extras=True)[name].__metadata__
    (setting,) = [each for each in describe(MethodBase) if each.name == name]
    assert option.help == f"{setting.doc[0].upper()}{setting.doc[1:]}."


def test_a_problem_with_rows_for_testing_shows_the_test_error(gramarye: Command) -> None:
    assert "RRSE in test" in gramarye("run", "boston", *TINY, "--method", "GE").stdout


def test_a_method_that_learns_nothing_shows_no_grammar(gramarye: Command) -> None:
    assert "probabilities" not in gramarye("run", "pagie", *TINY, "--method", "sge").stdout


def test_json_holds_the_whole_run_and_is_valid(gramarye: Command) -> None:
    document = strict(gramarye("run", "pagie", *TINY, "--json").stdout)
    run = gm.evolve(gm.problems.load("pagie"), gm.PGE(population=30, generations=3), seed=1)
    assert document["settings"] == run.settings
    assert document["best"]["phenotype"] == run.best.phenotype
    assert document["best"]["fitness"] == run.best.fitness
    assert document["best"]["test_fitness"] is None
    assert document["best"]["genotype"] == run.best.genotype
    assert document["history"]["best"] == run.history["best"].tolist()
    assert gm.Grammar.from_text(document["grammar"]) == run.grammar
    assert document["counters"]["evaluations"] == run.evaluations
    assert document["finished"] is True
    assert set(document["versions"]) == set(run.versions)


def test_options_and_settings_reach_the_method(gramarye: Command) -> None:
    words = ["--elitism", "2", "--tournament", "5", "--crossover", "0.5", "--mutation", "0.1"]
    words += ["--set", "codons=64", "--set", "consume_single=no", "--set", "cuts=used", "--set", "floor=0.1"]
    settings = strict(gramarye("run", "pagie", *TINY, *words, "--json", "--threads", "2").stdout)["settings"]
    wanted = {"elitism": 2, "tournament": 5, "crossover": 0.5, "mutation": 0.1}
    assert settings.items() >= (wanted | {"codons": 64, "consume_single": False, "cuts": "used", "floor": 0.1}).items()


def test_a_run_without_a_seed_tells_which_one_it_drew(gramarye: Command) -> None:
    words = ["run", "quartic", "--population", "20", "--generations", "2", "--json"]
    first = strict(gramarye(*words).stdout)
    assert strict(gramarye(*words, "--seed", str(first["seed"])).stdout)["best"] == first["best"]


def test_a_saved_grammar_is_what_the_next_run_starts_from(gramarye: Command, tmp_path: Path) -> None:
    page = gramarye("run", "pagie", *TINY, "--save-grammar", "learned.bnf").stdout
    assert "learned.bnf" in page
    saved = gm.Grammar.from_file(tmp_path / "learned.bnf")
    run = gm.evolve(gm.problems.load("pagie"), gm.PGE(population=30, generations=3), seed=1)
    assert saved == run.grammar
    again = strict(gramarye("run", "pagie", *TINY, "--grammar", "learned.bnf", "--json").stdout)
    assert gm.Grammar.from_text(again["grammar"]) != saved
    noted = gramarye("run", "pagie", *TINY, "--method", "ge", "--grammar", "learned.bnf", "--save-grammar", "same.bnf")
    assert "ge ignores the probabilities that the grammar carries" in noted.stderr
    assert "ge learns nothing: the grammar is saved as it was" in noted.stderr
    assert gm.Grammar.from_file(tmp_path / "same.bnf") == saved


def test_a_run_says_what_its_probabilities_are(gramarye: Command, tmp_path: Path) -> None:
    trees = gramarye("run", "pagie", *TINY, "--method", "tunedtrees", "--save-grammar", "front.bnf")
    page = " ".join(trees.stdout.split())
    what = "the frequencies of its productions in the front, which did not guide the search"
    assert f"The grammar with {what}" in page
    assert "learn" not in page.replace("learned.bnf", "")
    assert "learns nothing" not in trees.stderr
    run = gm.evolve(gm.problems.load("pagie"), gm.TunedTrees(population=30, generations=3), seed=1)
    assert gm.Grammar.from_file(tmp_path / "front.bnf") == run.grammar
    for method, wanted in (
        ("tunedtrees", what),
        ("pge", "the probabilities it learned"),
        ("copsge", "the probabilities of its best individual"),
        ("sge", None),
    ):
        document = strict(gramarye("run", "pagie", *TINY, "--method", method, "--json").stdout)
        assert document["probabilities_are"] == wanted


def test_too_little_memory_is_told(gramarye: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy(*_: Any) -> None:
        raise MemoryError("2 TiB")

    monkeypatch.setattr(run, "driven", greedy)
    assert "not enough memory (2 TiB)" in gramarye("run", "pagie", *TINY, code=1).stderr


def test_a_run_without_any_valid_program_has_failed(gramarye: Command, small: Path) -> None:
    words = ["--set", "codons=1", "--population", "2", "--generations", "1", "--seed", "1", "--grammar", small]
    small.write_text("<e> ::= <v> + <v>\n<v> ::= x | y\n", encoding="utf-8")
    result = gramarye("run", "pagie", *words, code=1)
    assert "No valid program was found" in result.stdout
    assert "no genotype maps to a complete program (with 1 codon, the probability is 0)" in result.stderr
    document = strict(gramarye("run", "pagie", *words, "--json", code=1).stdout)
    assert document["best"]["phenotype"] is None
    assert document["best"]["fitness"] is None


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["pagi"], "no problem is called 'pagi'; did you mean pagie?"),
        (["pagie", "--method", "gpe"], "no method is called 'gpe'"),
        (["pagie", "--population", "0"], "population is 0"),
        (["pagie", "--elitism", "1000"], "leave no room for offspring"),
        (["pagie", "--seed", "-1"], "seed is -1"),
        (["pagie", "--threads", "0"], "threads is 0"),
        (["pagie", "--set", "wrap=1"], "PGE has no setting 'wrap'; did you mean 'wraps'?"),
        (["pagie", "--set", "zzz=1"], "; the settings are population, generations"),
        (["pagie", "--set", "wraps"], "write --set name=value"),
        (["pagie", "--set", "=1"], "write --set name=value"),
        (["pagie", "--set", "wraps=a"], "wraps is 'a': it must be an integer"),
        (["pagie", "--set", "floor=a"], "floor is 'a': it must be a number"),
        (["pagie", "--set", "consume_single=maybe"], "it must be true or false"),
        (["pagie", "--set", "cuts=nowhere"], "it must be one of 'anywhere', 'used'"),
        (["pagie", "--set", "wraps=1", "--set", "wraps=2"], "wraps is given twice: as 1 and as 2"),
        (["pagie", "--plot", "nowhere/run.png"], "there is no folder nowhere"),
        (["pagie", "--plot", "run.txt"], "'.txt' is not known"),
        (["pagie", "--plot-rule", "op"], "--plot-rule goes with --plot FILE"),
        (["pagie", "--elitism", "1.5"], "elitism is 1.5: a number of individuals must be whole; a fraction is < 1"),
        (["pagie", "--plot", "a.png", "--plot-rule", "vra"], "has no such rule; did you mean <var>?"),
        (["pagie", "--plot", "a.png", "--plot-rule", "<zzzzzzzz>"], "has no such rule; it has <start>"),
        (["pagie", "--method", "ge", "--plot", "a.png", "--plot-rule", "op"], "ge learns nothing"),
        (["pagie", "--save-grammar", "."], "this is a folder"),
        (["pagie", "--checkpoint", "nowhere/run.npz"], "there is no folder nowhere"),
        (["pagie", "--grammar", "nofile.bnf"], "there is no such file"),
    ],
)
def test_bad_input_is_told_in_a_line_before_anything_runs(
    gramarye: Command, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.delattr(Evolution, "advance")
    result = gramarye("run", *words, code=2)
    assert not result.stdout
    assert result.stderr.startswith("error: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_run_may_begin_with_the_programs_of_a_file(gramarye: Command, tmp_path: Path) -> None:
    (tmp_path / "programs.txt").write_text("x*x*x*x + x*x*x + x*x + x\n\n  x\n", encoding="utf-8")
    words = [
        "run",
        "quartic",
        *TINY,
        "--method",
        "ge",
        "--initial-programs",
        "programs.txt",
        "--checkpoint",
        "state.npz",
    ]
    assert strict(gramarye(*words, "--json").stdout)["best"]["fitness"] == pytest.approx(0, abs=1e-12)
    gramarye(*words[:-4], "--checkpoint", "state.npz")  # goes on without naming them


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"x\n\nx ** x\n", "programs.txt, line 3, column 4: "),
        (b"x\n" + b" + ".join([b"x"] * 60) + b"\n", "programs.txt, line 2, 'x + x "),
        (b"\n \n", "programs.txt: there is no program in it; write one on each line, or leave --initial-programs out"),
        (b"x\xff", "programs.txt: byte 1 is not valid UTF-8; save the programs as UTF-8 text"),
        (None, "programs.txt: can't be read (No such file or directory)"),
        (b"x\n" * 31, "initial_programs holds 31 programs"),
    ],
)
def test_programs_that_can_not_be_read_are_named_by_their_line(
    gramarye: Command, tmp_path: Path, content: bytes | None, message: str
) -> None:
    if content is not None:
        (tmp_path / "programs.txt").write_bytes(content)
    found = gramarye("run", "quartic", *TINY, "--initial-programs", "programs.txt", code=2).stderr
    assert found.startswith(f"error: {message}")
