"""Reading results: the arrays that statistics and figures need, and tables for data frames."""

from __future__ import annotations

import json
import sqlite3
from functools import cached_property
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from gramarye.errors import OutputError, SettingsError, did_you_mean
from gramarye.grammar import Grammar
from gramarye.populations.history import FITNESSES, Found
from gramarye.store.cells import Cell, Session
from gramarye.store.database import connect, told, undamaged

Columns = dict[str, Any]  # name -> array or list, all of one length: what data frames are made of


class Failure(NamedTuple):
    """A run that failed for good."""

    cell: Cell
    seed: int
    error: str

    def __str__(self) -> str:
        return f"{self.cell.method} on {self.cell.problem}, seed {self.seed}: {self.error.strip().splitlines()[-1]}"


class Winner(NamedTuple):
    """The best program of a run."""

    seed: int
    found: Found


class _Done(NamedTuple):
    seeds: NDArray[np.int64]  # [runs], ascending
    seconds: NDArray[np.float64]  # [runs]
    histories: NDArray[np.float64]  # [runs, G, columns], as people see them


class Results:
    """What an experiment has found, read from its file; open it again to see what has come since.

    Attributes
    ----------
    runs, generations, programs, probabilities : dict of columns
        Tables for data frames: `pandas.DataFrame(results.runs)`.
    cells, methods, problems
        What was planned.
    failures, sessions
        Runs that failed, and the sessions in which it ran.

    Examples
    --------
    >>> import gramarye as gm
    >>> small = {"population": 20, "generations": 3}
    >>> results = gm.compare([gm.GE(**small)], [gm.problems.load("quartic")], runs=2, workers=1).results
    >>> results.runs["seed"].tolist()
    [1, 2]
    """

    def __init__(self, connection: sqlite3.Connection, path: Path | None = None) -> None:
        self.path = path
        self._connection = connection
        self._loaded: dict[int, _Done] = {}

    @classmethod
    def open(cls, path: str | PathLike[str]) -> Results:
        """Open a file of results to read; an experiment may be writing to it."""
        path = Path(path)
        return cls(connect(path, write=False), path)

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What was planned: name, paper, seed, runs, created, columns."""
        rows = self._rows("SELECT * FROM experiment")
        if not rows:
            raise OutputError(f"{self.path or 'the store'} holds no experiment so far")
        with undamaged(self.path):
            return {row["key"]: json.loads(row["value"]) for row in rows}

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The grid: methods × problems."""
        with undamaged(self.path):
            return tuple(Cell.of(row) for row in self._rows("SELECT * FROM cells ORDER BY id"))

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods, as they are called in this experiment."""
        return tuple(dict.fromkeys(cell.method for cell in self.cells))

    @property
    def problems(self) -> tuple[str, ...]:
        """The names of the problems."""
        return tuple(dict.fromkeys(cell.problem for cell in self.cells))

    def cell(self, method: str, problem: str) -> Cell:
        """One cell of the grid."""
        found = [cell for cell in self.cells if (cell.method, cell.problem) == (method, problem)]
        if not found:
            there = f"there are {', '.join(self.methods)} on {', '.join(self.problems)}"
            raise SettingsError(f"the experiment has no {method!r} on {problem!r}; {there}")
        return found[0]

    @property
    def sessions(self) -> list[Session]:
        """Who has worked on it."""
        return [
            Session(row["began"], row["process"], json.loads(row["versions"]), json.loads(row["machine"]))
            for row in self._rows("SELECT * FROM sessions ORDER BY id")
        ]

    def count(self, cell: Cell, status: str) -> int:
        """How many runs of a cell are waiting, done or failed."""
        rows = self._rows("SELECT count(*) FROM runs WHERE cell = ? AND status = ?", self._id(cell), status)
        return int(rows[0][0])

    def seeds(self, cell: Cell) -> NDArray[np.int64]:
        """The seeds of the runs that are done, ascending."""
        return self._done(cell).seeds

    def seconds(self, cell: Cell) -> NDArray[np.float64]:
        """The processor time of each run that is done."""
        return self._done(cell).seconds

    def history(self, cell: Cell, column: str) -> NDArray[np.float64]:
        """What was recorded under this name: a row for each run that is done, a column for each generation."""
        columns = self.facts["columns"]
        if column not in columns:
            near = did_you_mean(column, columns) or f"; there are {', '.join(columns)}"
            raise SettingsError(f"nothing was recorded under {column!r}{near}")
        return self._done(cell).histories[:, :, columns.index(column)]

    def final(self, cell: Cell, column: str) -> NDArray[np.float64]:
        """What was recorded last, for each run that is done."""
        return self.history(cell, column)[:, -1]

    def mean_probabilities(self, cell: Cell) -> NDArray[np.float64]:
        """The probabilities of each generation, averaged over the runs: [G, R]."""
        total, count = np.zeros((cell.generations, len(self.grammar(cell).productions))), 0
        query = "SELECT probabilities FROM runs WHERE cell = ? AND status = 'done' ORDER BY seed"
        with told(self.path), undamaged(self.path):
            for row in self._connection.execute(query, (self._id(cell),)):
                total += np.frombuffer(row[0], "<f8").reshape(total.shape)
                count += 1
        return total / max(count, 1)

    def grammar(self, cell: Cell) -> Grammar:
        """The grammar that a cell's probabilities belong to: its problem's, or what the method made of it."""
        return Grammar.from_text(cell.grammar, cell.problem)

    def winners(self, cell: Cell) -> list[Winner]:
        """The best program of each run that is done and has found one, by seed."""
        rows = self._rows(
            "SELECT seed, max(generation), programs.* FROM programs JOIN runs ON id = run "
            "WHERE cell = ? AND status = 'done' GROUP BY run ORDER BY seed",
            self._id(cell),
        )
        return [Winner(row["seed"], _found(row, cell)) for row in rows]

    @property
    def failures(self) -> list[Failure]:
        """The runs that failed for good."""
        query = "SELECT cell, seed, error FROM runs WHERE status = 'failed' ORDER BY cell, seed"
        return [Failure(self.cells[row["cell"] - 1], row["seed"], row["error"]) for row in self._rows(query)]

    @property
    def runs(self) -> Columns:
        """A row for each run that is done, with its last record: `pandas.DataFrame(results.runs)`."""
        parts = []
        for cell in self.cells:
            seeds, seconds, histories = self._done(cell)
            last = {name: histories[:, -1, i] for i, name in enumerate(self.facts["columns"])}
            best = {winner.seed: winner.found.formula for winner in self.winners(cell)}
            programs = [best.get(seed) for seed in seeds.tolist()]
            parts.append((cell, {"seed": seeds, **last, "seconds": seconds, "program": programs}))
        return _stacked(parts)

    @property
    def generations(self) -> Columns:
        """A row for each generation of each run that is done."""
        parts = []
        for cell in self.cells:
            seeds, _, histories = self._done(cell)
            places = {
                "seed": np.repeat(seeds, cell.generations),
                "generation": np.tile(np.arange(cell.generations), len(seeds)),
            }
            records = {name: histories[:, :, i].ravel() for i, name in enumerate(self.facts["columns"])}
            parts.append((cell, {**places, **records}))
        return _stacked(parts)

    @property
    def programs(self) -> Columns:
        """A row for each best program of a run, when it was found."""
        rows = self._rows(
            "SELECT cell, problem, method, seed, programs.* FROM programs "
            "JOIN runs ON runs.id = run JOIN cells ON cells.id = cell ORDER BY cell, seed, generation"
        )
        found = {name: [row[name] for row in rows] for name in ("problem", "method", "seed", "generation")}
        found["program"] = [_formula(row) for row in rows]
        for name in ("fitness", "test"):
            found[name] = [v if (v := row[name]) is None else self.cells[row["cell"] - 1].shown(v) for row in rows]
        return found

    @property
    def probabilities(self) -> Columns:
        """A row for each production, averaged over the runs of a cell, in each generation."""
        parts = []
        for cell in self.cells:
            if cell.learns:
                values, productions = self.mean_probabilities(cell), self.grammar(cell).productions
                columns = {
                    "generation": np.repeat(np.arange(cell.generations), len(productions)),
                    "rule": [production.nonterminal for production in productions] * cell.generations,
                    "production": [production.text for production in productions] * cell.generations,
                    "probability": values.ravel(),
                }
                parts.append((cell, columns))
        return _stacked(parts)

    def _done(self, cell: Cell) -> _Done:
        """The runs of a cell that are done, read at once and kept: others may end while we read."""
        number = self._id(cell)
        if number not in self._loaded:
            query = "SELECT seed, seconds, history FROM runs WHERE cell = ? AND status = 'done' ORDER BY seed"
            rows = self._rows(query, number)
            histories = np.empty((len(rows), cell.generations, len(self.facts["columns"])))
            with undamaged(self.path):
                for history, row in zip(histories, rows, strict=True):
                    history[:] = np.frombuffer(row["history"], "<f8").reshape(history.shape)
            fitnesses = [i for i, name in enumerate(self.facts["columns"]) if name in FITNESSES]
            histories[:, :, fitnesses] = cell.shown(histories[:, :, fitnesses])
            seeds = np.array([row["seed"] for row in rows], np.int64)
            self._loaded[number] = _Done(seeds, np.array([row["seconds"] for row in rows], np.float64), histories)
        return self._loaded[number]

    def _id(self, cell: Cell) -> int:
        return self.cells.index(cell) + 1

    def _rows(self, query: str, *values: Any) -> list[sqlite3.Row]:
        with told(self.path):
            return self._connection.execute(query, values).fetchall()

    def close(self) -> None:
        """Let the file go."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _formula(row: sqlite3.Row) -> str:
    """The formula of a stored program; files of format 1 have only its phenotype."""
    return str(row["formula"] if "formula" in row.keys() else row["phenotype"])  # noqa: SIM118, a row holds values


def _found(row: sqlite3.Row, cell: Cell) -> Found:
    test = float("nan") if row["test"] is None else row["test"]
    return Found(row["generation"], row["phenotype"], cell.shown(row["fitness"]), cell.shown(test), _formula(row))


def _stacked(parts: list[tuple[Cell, Columns]]) -> Columns:
    """Columns one below the other, after those that say which cell they are about."""
    stacked: Columns = {}
    for cell, columns in parts:
        count = len(next(iter(columns.values())))
        for name, column in {"problem": [cell.problem] * count, "method": [cell.method] * count, **columns}.items():
            stacked.setdefault(name, []).append(column)
    return {
        name: list(chain.from_iterable(columns)) if isinstance(columns[0], list) else np.concatenate(columns)
        for name, columns in stacked.items()
    }
