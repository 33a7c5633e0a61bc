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
from gramarye.populations.history import FITNESSES, Found, Sized
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
    lengths: NDArray[np.int64]  # [runs], generations
    histories: NDArray[np.float64]  # [runs, G, columns], as people see them; a run that ended earlier stays as it was


class Results:
    """What an experiment has found, read from its file; open it again to see what has come since.

    Attributes
    ----------
    runs, generations, programs, fronts, probabilities : dict of columns
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
        """What was recorded under this name: a row for each run that is done, a column for each generation.

        There are as many columns as the longest run has generations; a run that ended earlier repeats its last record.
        """
        columns = self.facts["columns"]
        if column not in columns:
            near = did_you_mean(column, columns) or f"; there are {', '.join(columns)}"
            raise SettingsError(f"nothing was recorded under {column!r}{near}")
        return self._done(cell).histories[:, :, columns.index(column)]

    def lengths(self, cell: Cell) -> NDArray[np.int64]:
        """The number of generations of each run that is done."""
        return self._done(cell).lengths

    def final(self, cell: Cell, column: str) -> NDArray[np.float64]:
        """What was recorded last, for each run that is done."""
        return self.history(cell, column)[:, -1]

    def mean_probabilities(self, cell: Cell) -> NDArray[np.float64]:
        """The probabilities of each generation, averaged over the runs: [G, R]; those of an ended run stay."""
        productions, lengths = len(self.grammar(cell).productions), self.lengths(cell)
        total, count = np.zeros((lengths.max(initial=1), productions)), 0
        query = "SELECT probabilities FROM runs WHERE cell = ? AND status = 'done' ORDER BY seed"
        with told(self.path), undamaged(self.path):
            for row in self._connection.execute(query, (self._id(cell),)):
                total += _lengthened(np.frombuffer(row[0], "<f8").reshape(-1, productions), len(total))
                count += 1
        return total / max(count, 1)

    def grammar(self, cell: Cell) -> Grammar:
        """The grammar that a cell's probabilities belong to: its problem's, or what the method made of it."""
        return Grammar.from_text(cell.grammar, cell.problem)

    def tunes(self, cell: Cell) -> bool:
        """Whether constants are tuned, so that evaluations are passes over the data."""
        return self.grammar(cell).has_constants and cell.settings.get("tuning_iterations") != 0

    def winners(self, cell: Cell) -> list[Winner]:
        """The best program of each run that is done and has found one, by seed."""
        rows = self._rows(
            "SELECT seed, max(generation), programs.* FROM programs JOIN runs ON id = run "
            "WHERE cell = ? AND status = 'done' GROUP BY run ORDER BY seed",
            self._id(cell),
        )
        return [Winner(row["seed"], _found(row, cell)) for row in rows]

    def front(self, cell: Cell, seed: int) -> list[Sized]:
        """The front of a run that is done, smallest first; empty in files of older versions."""
        if not self._has_fronts:
            return []
        query = "SELECT front.* FROM front JOIN runs ON id = run WHERE cell = ? AND seed = ? ORDER BY nodes"
        return [_sized(row, cell) for row in self._rows(query, self._id(cell), seed)]

    @cached_property
    def _has_fronts(self) -> bool:
        return bool(self._rows("SELECT name FROM sqlite_master WHERE name = 'front'"))

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
            seeds, seconds, _, histories = self._done(cell)
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
            seeds, _, lengths, histories = self._done(cell)
            generations = np.arange(histories.shape[1])
            there = generations < lengths[:, None]  # [runs, G]
            places = {
                "seed": np.repeat(seeds, lengths),
                "generation": np.broadcast_to(generations, there.shape)[there],
            }
            records = {name: histories[:, :, i][there] for i, name in enumerate(self.facts["columns"])}
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
    def fronts(self) -> Columns:
        """A row for each program of the front of each run that is done."""
        names = ("problem", "method", "seed", "nodes", "fitness", "test", "program", "picked")
        found: Columns = {name: [] for name in names}
        for cell in self.cells:
            for seed in self.seeds(cell).tolist():
                for each in self.front(cell, seed):
                    test = each.test if cell.tests else None
                    row = (cell.problem, cell.method, seed, each.nodes, each.fitness, test, each.formula, each.picked)
                    for name, value in zip(names, row, strict=True):
                        found[name].append(value)
        return found

    @property
    def probabilities(self) -> Columns:
        """A row for each production, averaged over the runs of a cell, in each generation; `cell.wording` names it."""
        parts = []
        for cell in self.cells:
            if cell.wording is not None:
                values, productions = self.mean_probabilities(cell), self.grammar(cell).productions
                columns = {
                    "generation": np.repeat(np.arange(len(values)), len(productions)),
                    "rule": [production.nonterminal for production in productions] * len(values),
                    "production": [production.text for production in productions] * len(values),
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
            columns = self.facts["columns"]
            with undamaged(self.path):
                recorded = [np.frombuffer(row["history"], "<f8").reshape(-1, len(columns)) for row in rows]
                lengths = np.array([len(history) for history in recorded], np.int64)
                longest = int(lengths.max(initial=1))
                histories = np.empty((len(rows), longest, len(columns)))
                for history, known in zip(histories, recorded, strict=True):
                    history[:] = _lengthened(known, longest)
            fitnesses = [i for i, name in enumerate(columns) if name in FITNESSES]
            histories[:, :, fitnesses] = cell.shown(histories[:, :, fitnesses])
            seeds = np.array([row["seed"] for row in rows], np.int64)
            seconds = np.array([row["seconds"] for row in rows], np.float64)
            self._loaded[number] = _Done(seeds, seconds, lengths, histories)
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


def _sized(row: sqlite3.Row, cell: Cell) -> Sized:
    test = float("nan") if row["test"] is None else row["test"]
    return Sized(
        row["nodes"],
        row["phenotype"],
        cell.shown(row["fitness"]),
        cell.shown(test),
        row["formula"],
        bool(row["picked"]),
    )


def _lengthened(rows: NDArray[np.float64], length: int) -> NDArray[np.float64]:
    """So many rows: those that there are, then the last one again and again; none at all is a ValueError."""
    if len(rows) == 0:
        raise ValueError("a run without a generation")
    return rows[np.minimum(np.arange(length), len(rows) - 1)]


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
