"""`gramarye run`: what stops a run, and the best program of each size."""

from __future__ import annotations

import json
import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pytest

import gramarye as gm
from gramarye.cli.commands import run as command
from gramarye.methods import MethodBase
from gramarye.settings import describe

Command = Callable[..., Any]
TINY = ["--population", "30", "--seed", "1"]


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A line with some noise in a CSV file, and a grammar with constants."""
    rng = np.random.default_rng(1)
    rows = [f"{a},{2.5 * a + 7 + rng.normal(0, 0.1)}" for a in np.linspace(0, 5, 40)]
    (tmp_path / "line.bnf").write_text("<e> ::= <e> + <e> | <e> * <e> | a | <const>\n", encoding="utf-8")
    (tmp_path / "line.csv").write_text("\n".join(["a,y", *rows]) + "\n", encoding="utf-8")
    return tmp_path / "line.csv"


class TestLimits:
    @pytest.mark.parametrize(
        ("words", "name", "reached"),
        [
            (["--max-evaluations", "100"], "max_evaluations", "the limit of 100 evaluations"),
            (["--max-time", "0"], "max_time", "the limit of 0 s"),
            (["--target-fitness", "100"], "target", "the target fitness of 100"),
            (["--set", "target=100"], "target", "the target fitness of 100"),
        ],
    )
    def test_a_run_ends_by_them_and_says_so(self, gramarye: Command, words: list[str], name: str, reached: str) -> None:
        page = gramarye("run", "quartic", *TINY, *words).stdout
        assert re.search(rf"^ended after generation \d+: {re.escape(reached)} was reached$", page, re.MULTILINE)
        document = json.loads(gramarye("run", "quartic", *TINY, *words, "--json").stdout)
        assert (document["finished"], document["ended_by"]) == (True, name)
        assert document["generations"] < 50
        assert document["settings"][name] == (0 if name == "max_time" else 100)

    def test_a_run_that_ends_with_its_last_generation_says_nothing(self, gramarye: Command) -> None:
        words = ["run", "quartic", *TINY, "--generations", "3"]
        assert "ended after" not in gramarye(*words).stdout
        assert json.loads(gramarye(*words, "--json").stdout)["ended_by"] == "generations"

    def test_a_limit_of_time_alone_lifts_the_defaults(self, gramarye: Command) -> None:
        words = ["run", "quartic", "--method", "tunedtrees", *TINY, "--max-time", "0", "--json"]
        document = json.loads(gramarye(*words).stdout)
        assert document["ended_by"] == "max_time"
        assert (document["settings"]["generations"], document["settings"]["max_evaluations"]) == (2**31 - 1, None)

    def test_a_limit_can_be_lifted(self, gramarye: Command) -> None:
        words = ["run", "quartic", "--method", "tunedtrees", *TINY, "--generations", "2", "--json"]
        settings = json.loads(gramarye(*words, "--set", "max_evaluations=none").stdout)["settings"]
        assert settings["max_evaluations"] is None
        assert json.loads(gramarye(*words, "--max-evaluations", "none").stdout)["settings"] == settings
        timed = json.loads(gramarye(*words, "--max-time", "60").stdout)["settings"]
        assert (timed["max_time"], timed["max_evaluations"], timed["generations"]) == (60, None, 2)
        assert json.loads(gramarye(*words).stdout)["settings"]["max_evaluations"] == 200_000

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["--max-evaluations", "many"], "max_evaluations is 'many': it must be an integer ≥ 1 or None"),
            (["--max-evaluations", "9", "--set", "max_evaluations=8"], "max_evaluations is given twice: as 9 and as 8"),
            (["--max-evaluations", "0"], "max_evaluations is 0: it must be an integer ≥ 1 or None"),
            (["--max-time", "-1"], "max_time is -1.0: it must be a number ≥ 0 or None"),
            (["--target-fitness", "nan"], "target is nan: it must be a number or None"),
            (
                ["--target", "5"],
                (
                    "--target goes with a CSV file, not with the problem 'quartic'; the fitness to stop at is "
                    "--target-fitness"
                ),
            ),
            (["--target", "price"], "--target goes with a CSV file, not with the problem 'quartic'"),
            (["--max-time", "1", "--set", "max_time=2"], "max_time is given twice: as 1.0 and as 2.0"),
            (["--pick", "front"], "--pick goes with --predict IN.csv OUT.csv, or with --out FILE"),
            (["--pick", "smallest"], "--pick is 'smallest': it must be one of 'best', 'front'"),
        ],
    )
    def test_mistakes_are_told_in_a_line(self, gramarye: Command, words: list[str], message: str) -> None:
        found = gramarye("run", "quartic", *words, code=2)
        assert found.stderr == f"error: {message}\n"
        assert not found.stdout

    @pytest.mark.parametrize(
        ("option", "name"),
        [("max_evaluations", "max_evaluations"), ("max_time", "max_time"), ("target_fitness", "target")],
    )
    def test_their_options_are_explained_as_the_settings_are(self, option: str, name: str) -> None:
        (shown,) = get_type_hints(command.run, include_extras=True)[option].__metadata__
        (setting,) = [each for each in describe(MethodBase) if each.name == name]
        assert shown.help.startswith(f"{setting.doc[0].upper()}{setting.doc[1:]}")

    @pytest.mark.parametrize(("column", "hint"), [("0.01", "; the fitness to stop at is --target-fitness"), ("x", "")])
    def test_a_number_is_hardly_the_name_of_a_column(
        self, gramarye: Command, table: Path, column: str, hint: str
    ) -> None:
        found = gramarye("run", table, "--grammar", "line.bnf", "--target", column, code=2).stderr
        assert found == f"error: {table}: no column is called {column!r}; it has a, y{hint}\n"

    def test_a_limit_that_nobody_gave_is_called_the_default(self, gramarye: Command, table: Path) -> None:
        words = [
            "run",
            "quartic",
            "--method",
            "tunedtrees",
            "--seed",
            "1",
            "--set",
            "target=-1",  # an exact formula does not end the run
            "--population",
            "1000",
        ]
        page = gramarye(*words, "--generations", "100000").stdout
        assert ": the limit of 200,000 evaluations (the method's default) was reached\n" in page

    def test_a_checkpoint_resumes_with_a_later_limit_to_the_same_run(self, gramarye: Command) -> None:
        words = ["run", "quartic", *TINY, "--generations", "8", "--json"]
        gramarye(*words, "--max-evaluations", "60", "--checkpoint", "run.npz")
        resumed = json.loads(gramarye(*words, "--checkpoint", "run.npz").stdout)
        whole = json.loads(gramarye(*words).stdout)
        assert resumed["best"] == whole["best"]
        assert resumed["history"]["best"] == whole["history"]["best"]


class TestFront:
    def rows(self, page: str) -> list[list[str]]:
        """The table of the front, without its formulas."""
        lines = page.partition("The front: the best program of each size\n")[2].splitlines()
        return [line.split()[:3] for line in lines[2:] if re.match(r"^\*? +\d", line)]

    def test_it_is_printed_for_a_method_that_searches_for_one(self, gramarye: Command) -> None:
        words = ["run", "boston", "--method", "tunedtrees", *TINY, "--generations", "20"]
        page = gramarye(*words).stdout
        run = gm.evolve(gm.problems.load("boston"), gm.TunedTrees(population=30, generations=20), seed=1)
        assert "nodes     RRSE   RRSE in test   formula, rounded" in page
        picked = [row for row in self.rows(page) if row[0] == "*"]
        assert [row[1] for row in picked] == [str(run.picked.nodes)]
        shown = {row[1] if row[0] == "*" else row[0] for row in self.rows(page)}
        assert shown <= {str(member.nodes) for member in run.front}
        assert len(shown) == min(len(run.front), 12)
        assert "* picked by n ln(squared error) and a price for each node" in page
        assert max(map(len, page.partition("of each size\n")[2].partition("* picked")[0].splitlines())) <= 100

    def test_of_other_methods_it_is_printed_on_request(self, gramarye: Command) -> None:
        words = ["run", "quartic", *TINY, "--generations", "5"]
        assert "The front" not in gramarye(*words).stdout
        assert "The front" in gramarye(*words, "--front").stdout
        assert "The front" not in gramarye(*words, "--method", "tunedtrees", "--no-front").stdout

    def test_json_has_the_front_of_every_method(self, gramarye: Command) -> None:
        document = json.loads(gramarye("run", "boston", *TINY, "--generations", "8", "--json").stdout)
        run = gm.evolve(gm.problems.load("boston"), gm.PGE(population=30, generations=8), seed=1)
        assert document["front"] == [
            {
                "nodes": member.nodes,
                "fitness": member.fitness,
                "test_fitness": member.test_fitness,
                "phenotype": member.phenotype,
                "formula": member.formula,
            }
            for member in run.front
        ]
        assert document["front"][document["picked"]]["phenotype"] == run.picked.phenotype

    def test_a_run_without_a_valid_program_has_none(self, gramarye: Command, small: Path) -> None:
        small.write_text("<e> ::= <v> + <v>\n<v> ::= x | y\n", encoding="utf-8")
        words = ["--set", "codons=1", "--population", "2", "--generations", "1", "--seed", "1", "--grammar", small]
        assert "The front" not in gramarye("run", "pagie", *words, "--front", "--plot", "a.png", code=1).stdout
        document = json.loads(gramarye("run", "pagie", *words, "--json", code=1).stdout)
        assert (document["front"], document["picked"]) == ([], None)

    @pytest.mark.parametrize("pick", ["best", "front"])
    def test_the_best_or_the_picked_one_predicts_and_is_written(
        self, gramarye: Command, table: Path, pick: str
    ) -> None:
        new = table.with_name("new.csv")
        new.write_text("a\n1\n9\n", encoding="utf-8")
        words = [table, "--grammar", "line.bnf", "--method", "tunedtrees", *TINY, "--generations", "15"]
        gramarye("run", *words, "--predict", new, "out.csv", "--out", "best.py", "--pick", pick)
        grammar = gm.Grammar.from_file(table.with_name("line.bnf"))
        run = gm.evolve(gm.problems.from_csv(table, grammar), gm.TunedTrees(population=30, generations=15), seed=1)
        meant = (run.best if pick == "best" else run.picked).predict([[1.0], [9.0]])
        written = [float(row.split(",")[1]) for row in Path("out.csv").read_text(encoding="utf-8").split()[1:]]
        assert written == meant.tolist()
        assert runpy.run_path("best.py")["predict"]([[1.0], [9.0]]).tolist() == pytest.approx(meant.tolist(), rel=1e-12)
        gramarye("run", *words, "--out", "alone.py", "--pick", pick)
        assert Path("alone.py").read_bytes() == Path("best.py").read_bytes()

    def test_evaluations_are_called_passes_where_constants_are_tuned(self, gramarye: Command, table: Path) -> None:
        words = ["run", table, "--grammar", "line.bnf", *TINY, "--generations", "3"]
        assert "passes over the data, " in gramarye(*words).stdout
        assert " requested, " in gramarye(*words, "--set", "tuning_iterations=0").stdout

    def test_clipping_is_said(self, gramarye: Command, table: Path) -> None:
        words = ["run", table, "--grammar", "line.bnf", *TINY, "--generations", "3"]
        said = "limited to the range of the training target, extended by its width at both ends"
        assert said in " ".join(gramarye(*words, "--clip").stdout.split())
        assert said not in " ".join(gramarye(*words).stdout.split())
