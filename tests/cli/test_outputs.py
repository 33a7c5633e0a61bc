from __future__ import annotations

import json
import os
import runpy
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gramarye.cli import outputs
from gramarye.engine.evolution import Evolution
from gramarye.engine.run import Generation
from gramarye.engine.state import State
from gramarye.errors import OutputError

Command = Callable[..., Any]
TINY = ["--population", "30", "--generations", "3", "--seed", "1"]


def interrupt_after(monkeypatch: pytest.MonkeyPatch, generations: int) -> None:
    """Ctrl-C in the middle of the generation after so many."""
    advance = Evolution.advance

    def interrupted(evolution: Evolution) -> Generation:
        if evolution.state is not None and evolution.state.generation + 1 >= generations:
            raise KeyboardInterrupt
        return advance(evolution)

    monkeypatch.setattr(Evolution, "advance", interrupted)


class TestPicture:
    @pytest.fixture
    def drawn(self, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
        """What would have been drawn."""
        kept: list[dict[str, Any]] = []
        monkeypatch.setattr("gramarye.show.figures.picture.save_picture", lambda path, **parts: kept.append(parts))
        return kept

    def test_it_shows_op_unless_told_otherwise(self, gramarye: Command, drawn: list[dict[str, Any]]) -> None:
        assert "run.png" in gramarye("run", "pagie", *TINY, "--plot", "run.png").stdout
        gramarye("run", "pagie", *TINY, "--plot", "run.png", "--plot-rule", "var")
        assert [parts["heading"] for parts in drawn] == ["Probabilities of <op>", "Probabilities of <var>"]
        assert drawn[0]["labels"] == ["+", "-", "*", "/"]
        assert drawn[0]["probabilities"].shape == (3, 4)
        assert len(drawn[0]["best"]) == len(drawn[0]["mean"]) == 3

    def test_without_op_it_shows_the_largest_rule(
        self, gramarye: Command, drawn: list[dict[str, Any]], small: Path
    ) -> None:
        small.write_text("<e> ::= <e> + <e> | <v>\n<v> ::= x | y | 1.0\n", encoding="utf-8")
        gramarye("run", "pagie", *TINY, "--plot", "run.png", "--grammar", small)
        assert drawn[0]["heading"] == "Probabilities of <v>"

    def test_a_method_that_learns_nothing_has_no_probabilities(
        self, gramarye: Command, drawn: list[dict[str, Any]]
    ) -> None:
        gramarye("run", "pagie", *TINY, "--plot", "run.png", "--method", "ge")
        assert drawn[0]["probabilities"] is None

    def test_what_is_read_out_of_a_front_is_called_so(self, gramarye: Command, drawn: list[dict[str, Any]]) -> None:
        words = ["run", "pagie", *TINY, "--plot", "run.png", "--plot-rule", "var", "--method", "tunedtrees"]
        gramarye(*words)
        assert drawn[0]["heading"] == "Frequencies of <var> in the front"
        assert drawn[0]["probabilities"].shape == (3, 3)

    def test_it_is_a_real_picture(self, gramarye: Command, tmp_path: Path) -> None:
        gramarye("run", "pagie", *TINY, "--plot", "run.png")
        assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")


class TestCheckpoint:
    def test_a_stopped_run_goes_on_to_the_same_end(
        self, gramarye: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        whole = json.loads(gramarye("run", "pagie", *TINY, "--json").stdout)
        with monkeypatch.context() as patched:
            interrupt_after(patched, 2)
            stopped = gramarye("run", "pagie", *TINY, "--checkpoint", "run.npz", "--json", code=130)
            assert json.loads(stopped.stdout)["generations"] == 2
        resumed = gramarye("run", "pagie", *TINY, "--checkpoint", "run.npz", "--json")
        assert "resuming from run.npz after generation 2" in resumed.stderr
        assert json.loads(resumed.stdout)["best"] == whole["best"]
        assert json.loads(resumed.stdout)["grammar"] == whole["grammar"]
        ended = gramarye("run", "pagie", *TINY, "--checkpoint", "run.npz").stdout  # nothing is left to do
        assert whole["best"]["phenotype"] in ended
        assert "since generation 3" in ended

    def test_it_belongs_to_one_method_and_seed(self, gramarye: Command) -> None:
        gramarye("run", "pagie", *TINY, "--checkpoint", "run.npz")
        words = ["run", "pagie", *TINY, "--checkpoint", "run.npz", "--set", "wraps=1"]
        refused = gramarye(*words, code=2).stderr
        assert "belongs to another" in refused
        assert "going on" not in refused

    def test_it_is_saved_now_and_then(self, gramarye: Command, monkeypatch: pytest.MonkeyPatch) -> None:
        saved: list[int] = []
        monkeypatch.setattr(outputs, "EVERY", 0.0)
        monkeypatch.setattr(State, "save", lambda state, path: saved.append(state.generation))
        gramarye("run", "pagie", *TINY, "--checkpoint", "run.npz")
        assert saved == [0, 1, 2, 2]

    def test_a_disk_that_is_full_does_not_lose_the_result(
        self, gramarye: Command, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(*_: Any) -> None:
            raise OutputError("run.npz can't be written: the disk is full")

        monkeypatch.setattr(State, "save", full)
        result = gramarye("run", "pagie", *TINY, "--checkpoint", "run.npz", code=2)
        assert "Best program" in result.stdout
        assert "the disk is full" in result.stderr


def test_files_that_fail_at_the_end_do_not_lose_the_result(
    gramarye: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def remove(*_: Any) -> Iterator[Generation]:
        (tmp_path / "gone").rmdir()
        return iter([])

    (tmp_path / "gone").mkdir()
    whole = Evolution.__iter__

    def iterate(evolution: Evolution) -> Iterator[Generation]:
        yield from whole(evolution)
        yield from remove()

    monkeypatch.setattr(Evolution, "__iter__", iterate)
    words = ["--plot", "gone/run.png", "--save-grammar", "gone/learned.bnf"]
    result = gramarye("run", "pagie", *TINY, *words, code=2)
    assert "Best program" in result.stdout
    assert "gone/learned.bnf: can't be written (No such file or directory)" in result.stderr


def test_a_place_without_permission_is_told_before_the_run(
    gramarye: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anywhere
    assert "no permission to write" in gramarye("run", "pagie", "--save-grammar", "a.bnf", code=2).stderr


class TestPredictions:
    @pytest.fixture
    def words(self) -> list[str]:
        """A command that learns y = 2 a from a table, and a table to predict, with an identifier and without b."""
        Path("train.csv").write_text("a,b,y\n1,5,2\n2,4,4\n3,9,6\n", encoding="utf-8")
        Path("new.csv").write_text("id,a\n007,10\nA1,0.50\n", encoding="utf-8")
        Path("sum.bnf").write_text("<e> ::= a + a | a * a\n", encoding="utf-8")
        small = ["--population", "10", "--generations", "2", "--seed", "1"]
        return ["run", "train.csv", "--grammar", "sum.bnf", *small, "--predict"]

    def test_a_table_is_written_as_it_was_with_a_column_of_predictions(
        self, gramarye: Command, words: list[str]
    ) -> None:
        gramarye(*words, "new.csv", "out.csv")
        assert Path("out.csv").read_text(encoding="utf-8") == "id,a,prediction\n007,10,20.0\nA1,0.50,1.0\n"

    def test_the_table_itself_is_not_overwritten(self, gramarye: Command, words: list[str]) -> None:
        refused = gramarye(*words, "new.csv", "./new.csv", code=2).stderr
        assert "--predict: new.csv would be overwritten by its own predictions" in refused

    def test_a_missing_column_is_named_before_the_run(self, gramarye: Command, words: list[str]) -> None:
        Path("new.csv").write_text("id,b\n1,10\n", encoding="utf-8")
        assert "new.csv has no column 'a'" in gramarye(*words, "new.csv", "out.csv", code=2).stderr


class TestProgram:
    def test_an_evolved_function_runs_alone(self, gramarye: Command, tmp_path: Path) -> None:
        stdout = gramarye("run", "fizz-buzz", *TINY, "--method", "sge", "--workers", "2", "--out", "best.py").stdout
        assert "best.py" in stdout
        assert isinstance(runpy.run_path(str(tmp_path / "best.py"))["fizz_buzz"](15), str)

    def test_a_formula_is_a_function_of_a_table(self, gramarye: Command, tmp_path: Path) -> None:
        gramarye("run", "quartic", *TINY, "--out", "best.py")
        assert len(runpy.run_path(str(tmp_path / "best.py"))["predict"]([[0.0], [1.0]])) == 2

    def test_workers_never_change_the_result(self, gramarye: Command) -> None:
        one, two = (
            json.loads(gramarye("run", "count-odds", *TINY, "--workers", count, "--json").stdout)["best"]
            for count in (1, 2)
        )
        assert one == two

    @pytest.mark.parametrize(
        ("words", "code", "message"),
        [
            (["quartic", "--out", "nowhere/best.py"], 2, "there is no folder nowhere"),
            (["string-match", "--out", "best.py"], 2, "best.py: not written: the program '"),
        ],
    )
    def test_what_can_not_be_written(self, gramarye: Command, words: list[str], code: int, message: str) -> None:
        assert message in gramarye("run", *words, *TINY, code=code).stderr
