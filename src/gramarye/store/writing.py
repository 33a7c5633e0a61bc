"""Writing results: what is planned, slices as they come back, failures."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from gramarye.errors import OutputError
from gramarye.identity import difference
from gramarye.populations.history import RECORDED, Slice
from gramarye.store.cells import Cell, Session
from gramarye.store.database import Lock, connect, told, transaction
from gramarye.store.reading import Results


class Pending(NamedTuple):
    """A run that has not ended."""

    id: int
    cell: int  # its place in the plan
    seed: int


class Store:
    """A file of results open for writing; None: in memory only. Nobody else may write to it meanwhile."""

    def __init__(self, path: str | PathLike[str] | None = None) -> None:
        self.path = None if path is None else Path(path)
        self._session: int | None = None
        self._lock = None if self.path is None else Lock(self.path)
        try:
            self._connection = connect(self.path, write=True)
            self._stat = None if self.path is None else self.path.stat()
        except BaseException:
            self._unlock()
            raise

    def plan(self, facts: Mapping[str, Any], cells: Sequence[Cell], seeds: Sequence[int]) -> None:
        """Note what is to be run. What the file holds already must be part of it; what is missing is added."""
        with self._writing() as connection:
            self._check(facts, cells, seeds)
            stored = {(cell.method, cell.problem) for cell in self._cells()}
            noted = {**facts, "columns": list(RECORDED)}
            if stored:  # it was created when it began, not when it is resumed
                del noted["created"]
            connection.executemany(
                "INSERT OR REPLACE INTO experiment VALUES (?, ?)", [(key, json.dumps(noted[key])) for key in noted]
            )
            connection.executemany(
                "INSERT INTO cells (method, problem, kind, settings, facts, grammar, generations, learns, identity) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [cell.row() for cell in cells if (cell.method, cell.problem) not in stored],
            )
            keys = ((seed, cell.method, cell.problem) for seed in seeds for cell in cells)
            connection.executemany(
                "INSERT OR IGNORE INTO runs (seed, cell) SELECT ?, id FROM cells WHERE method = ? AND problem = ?", keys
            )
            connection.execute("UPDATE runs SET status = 'waiting', error = NULL WHERE status = 'failed'")
        self._note_session()
        self._order = {(cell.method, cell.problem): place for place, cell in enumerate(cells)}

    def _check(self, facts: Mapping[str, Any], cells: Sequence[Cell], seeds: Sequence[int]) -> None:
        """What is planned must be what the file holds, or more."""
        planned = {(cell.method, cell.problem): cell for cell in cells}
        for cell in self._cells():
            now = planned.get((cell.method, cell.problem))
            if now is None:
                renamed = [each.method for each in cells if _same(each, cell)]
                fix = f"; {renamed[0]!r} is the same: call it {cell.method!r} as before" if renamed else ""
                self._refuse(f"it holds runs of {cell.method} on {cell.problem}, which are not asked for{fix}")
            elif not _same(now, cell):
                self._refuse(f"{cell.method} on {cell.problem} {_difference(cell, now)}")
        stored = [row[0] for row in self._connection.execute("SELECT DISTINCT seed FROM runs")]
        extra = sorted(set(stored) - set(seeds))
        if extra:
            self._refuse(f"it holds {len(stored)} runs of each, seed {extra[0]} among them, which are not asked for")
        kept = dict(self._connection.execute("SELECT key, value FROM experiment").fetchall())
        if kept and json.loads(kept["paper"]) != facts["paper"]:
            self._refuse("it is not the same kind of experiment")

    def _refuse(self, why: str) -> None:
        raise OutputError(f"{self.path} holds another experiment: {why}; choose another folder")

    def _cells(self) -> list[Cell]:
        return [Cell.of(row) for row in self._connection.execute("SELECT * FROM cells ORDER BY id")]

    def _note_session(self) -> None:
        session = Session.here()
        row = session.began, session.process, json.dumps(session.versions), json.dumps(session.machine)
        with self._writing() as connection:
            cursor = connection.execute(
                "INSERT INTO sessions (began, process, versions, machine) VALUES (?, ?, ?, ?)", row
            )
            self._session = cursor.lastrowid

    def pending(self) -> list[Pending]:
        """The runs that have not ended: first those of the first seed."""
        query = "SELECT runs.id, method, problem, seed FROM runs JOIN cells ON cells.id = cell WHERE status = 'waiting'"
        rows = self._rows(query)
        found = [Pending(row["id"], self._order[row["method"], row["problem"]], row["seed"]) for row in rows]
        return sorted(found, key=lambda run: (run.seed, run.cell))

    def bests(self) -> dict[int, float]:
        """The best fitness so far, minimised, of each cell that has any, by its place in the plan."""
        query = (
            "SELECT method, problem, min(fitness) AS best FROM programs JOIN runs ON runs.id = run "
            "JOIN cells ON cells.id = cell GROUP BY cell"
        )
        return {self._order[row["method"], row["problem"]]: row["best"] for row in self._rows(query)}

    def state(self, run: int) -> bytes | None:
        """Where the last slice of a run ended; None where it has not begun."""
        state: bytes | None = self._rows("SELECT state FROM runs WHERE id = ?", run)[0][0]
        return state

    def elapsed(self, run: int) -> float:
        """The seconds that the slices of a run took so far."""
        return float(self._rows("SELECT elapsed FROM runs WHERE id = ?", run)[0][0])

    def save(self, run: int, piece: Slice) -> None:
        """Keep what a slice has brought; a run that has ended needs no state any more."""
        done = piece.state is None
        with self._writing() as connection:
            connection.execute(
                "UPDATE runs SET status = ?, session = ?, seconds = seconds + ?, elapsed = ?, history = ?, "
                "probabilities = ?, state = ? WHERE id = ?",
                (
                    "done" if done else "waiting",
                    self._session,
                    piece.seconds,
                    piece.elapsed,
                    _blob(piece.history) if done else None,
                    _blob(piece.probabilities) if done else None,
                    piece.state,
                    run,
                ),
            )
            connection.executemany(
                "INSERT OR REPLACE INTO programs VALUES (?, ?, ?, ?, ?, ?)", [(run, *found) for found in piece.found]
            )
            connection.executemany(
                "INSERT OR REPLACE INTO front VALUES (?, ?, ?, ?, ?, ?, ?)", [(run, *member) for member in piece.front]
            )

    def fail(self, run: int, error: str) -> None:
        """Note that a run has failed for good, and why."""
        error = error.encode(errors="backslashreplace").decode()  # a name of a file may hold what is no Unicode
        with self._writing() as connection:
            connection.execute(
                "UPDATE runs SET status = 'failed', session = ?, error = ? WHERE id = ?", (self._session, error, run)
            )

    def results(self) -> Results:
        """What has been stored so far."""
        return Results(self._connection, self.path)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        if self._is_gone():  # it still takes what is written, but nobody would ever see it
            raise OutputError(f"{self.path} was removed or replaced while the experiment was running")
        with told(self.path), transaction(self._connection):
            yield self._connection

    def _rows(self, query: str, *values: Any) -> list[sqlite3.Row]:
        with told(self.path):
            return self._connection.execute(query, values).fetchall()

    def _is_gone(self) -> bool:
        if self.path is None or self._stat is None:
            return False
        try:
            return not os.path.samestat(self._stat, self.path.stat())
        except OSError:
            return True

    def close(self) -> None:
        """Leave one plain file behind, which opens anywhere, and let the next writer in."""
        if self.path is not None:
            with contextlib.suppress(sqlite3.Error):  # a reader beside us, or a full disk: then the WAL file stays
                if self._is_gone() and not self.path.exists():
                    self._connection.execute("VACUUM INTO ?", (str(self.path),))  # the only copy is ours
                else:
                    self._connection.execute("PRAGMA journal_mode = DELETE")
        self._connection.close()
        self._unlock()

    def _unlock(self) -> None:
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _blob(values: NDArray[np.float64] | None) -> bytes | None:
    return None if values is None else values.astype("<f8").tobytes()


def _same(a: Cell, b: Cell) -> bool:
    """Whether two cells run the same method for the same time on the same problem."""
    return (a.identity, a.limits, a.problem) == (b.identity, b.limits, b.problem)


def _difference(stored: Cell, planned: Cell) -> str:
    """What is not the same in two cells of one name."""
    for name, limit in stored.limits.items():
        if limit != planned.limits[name]:
            return f"was run with {name} {_or_none(limit)}, not {_or_none(planned.limits[name])}"
    return f"is not what was run: {difference(stored.identity, planned.identity)}"


def _or_none(limit: float | None) -> str:
    return "none" if limit is None else f"{limit}"
