"""The SQLite file itself: its schema, how it is opened, who may write to it.

Fitness is stored as it is minimised (`history`, `fitness`, `test`), whatever the direction of the problem, which is one
of the facts of a cell; `Results` gives it the sign that the objective returned.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gramarye.errors import OutputError

APPLICATION = 0x6772616D  # "gram": which program an SQLite file belongs to
# 1: programs had no formula; 2: runs had no front; 3: histories counted no failures. Their files can be read, but not
# continued.
VERSION = 4

SCHEMA = """
CREATE TABLE experiment (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY, began TEXT NOT NULL, process INTEGER NOT NULL, versions TEXT NOT NULL, machine TEXT NOT NULL
);
CREATE TABLE cells (
    id INTEGER PRIMARY KEY, method TEXT NOT NULL, problem TEXT NOT NULL, kind TEXT NOT NULL, settings TEXT NOT NULL,
    facts TEXT NOT NULL, grammar TEXT NOT NULL, generations INTEGER NOT NULL, learns INTEGER NOT NULL,
    identity TEXT NOT NULL, UNIQUE (method, problem)
);
CREATE TABLE runs (
    id INTEGER PRIMARY KEY, cell INTEGER NOT NULL REFERENCES cells, seed INTEGER NOT NULL,
    status TEXT NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'done', 'failed')),
    session INTEGER REFERENCES sessions, seconds REAL NOT NULL DEFAULT 0,
    elapsed REAL NOT NULL DEFAULT 0, error TEXT,
    history BLOB, probabilities BLOB, state BLOB, UNIQUE (cell, seed)
);
CREATE TABLE programs (
    run INTEGER NOT NULL REFERENCES runs, generation INTEGER NOT NULL, phenotype TEXT NOT NULL, fitness REAL NOT NULL,
    test REAL, formula TEXT NOT NULL, PRIMARY KEY (run, generation)
) WITHOUT ROWID;
CREATE TABLE front (
    run INTEGER NOT NULL REFERENCES runs, nodes INTEGER NOT NULL, phenotype TEXT NOT NULL, fitness REAL NOT NULL,
    test REAL, formula TEXT NOT NULL, picked INTEGER NOT NULL, PRIMARY KEY (run, nodes)
) WITHOUT ROWID;
"""


def connect(path: Path | None, *, write: bool) -> sqlite3.Connection:
    """Open a file of results; one that is not ours, newer or damaged is an error, and stays as it is."""
    if path is None:
        connection = _open(":memory:")
        _create(connection)
        return connection
    with told(path):
        exists = path.exists() and path.stat().st_size > 0
        if not exists and not write:
            raise OutputError(f"{path} does not exist, or is empty")
        version = check(path) if exists else 0
        if not write:
            if version == 0:  # its writer has just begun it
                raise OutputError(f"{path} holds no results so far")
            return _open_to_read(path)
        if 0 < version < VERSION:
            raise OutputError(
                f"{path} was begun by an older version of gramarye: its results can be read and reported, but the "
                "experiment can't be continued; choose another folder"
            )
        connection = _open(str(path))
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")  # a power cut may cost the last seconds, never the file
        if version == 0:
            _create(connection)
    return connection


def check(path: Path) -> int:
    """The version of a file of results, 0 where it is empty; an OutputError where it is another, newer or damaged."""
    if path.is_dir():
        raise OutputError(f"{path} is a folder; give the results.db inside it")
    with path.open("rb") as file:
        if file.read(16) != b"SQLite format 3\0":
            raise OutputError(f"{path} is not a gramarye results file (results.db)")
    connection = _open_to_read(path)
    try:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if application != APPLICATION and (application != 0 or tables):
            raise OutputError(f"{path} is the SQLite file of another program: choose another one")
        if version > VERSION:
            raise OutputError(
                f"{path} was written by a newer gramarye (format {version}; this version reads format {VERSION}): "
                "upgrade gramarye"
            )
        found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
        if found != "ok":
            raise OutputError(f"{path} is damaged ({found}): restore a copy, or choose another file")
        return int(version) if application == APPLICATION else 0
    finally:
        connection.close()


def _open(name: str, *, uri: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(name, timeout=10, isolation_level=None, uri=uri)
    connection.row_factory = sqlite3.Row
    return connection


def _open_to_read(path: Path) -> sqlite3.Connection:
    """Beside a writer, or as a file that nobody changes: a folder without write permission takes no -shm file."""
    if os.access(path.absolute().parent, os.W_OK):
        return _open(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    if path.with_name(path.name + "-wal").exists():
        return _copied(path)
    return _open(f"{path.absolute().as_uri()}?immutable=1", uri=True)


def _copied(path: Path) -> sqlite3.Connection:
    """A copy in memory of a file whose writer was killed, and whose folder lets nobody tidy up."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        for ending in ("", "-wal"):
            shutil.copyfile(f"{path}{ending}", f"{copy}{ending}")
        source, memory = _open(str(copy)), _open(":memory:")
        try:
            source.backup(memory)
        finally:
            source.close()
    return memory


def _create(connection: sqlite3.Connection) -> None:
    with transaction(connection):
        for statement in SCHEMA.split(";"):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute(f"PRAGMA application_id = {APPLICATION}")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with contextlib.suppress(sqlite3.Error):  # a disk that is full has rolled back already
            connection.execute("ROLLBACK")
        raise


@contextmanager
def told(path: Path | None) -> Iterator[None]:
    """What SQLite and the system say about a file, in words that help."""
    try:
        yield
    except OutputError:
        raise
    except sqlite3.Error as error:
        raise OutputError(f"{path or 'the results'}: {_explained(error)}") from error
    except OSError as error:
        raise OutputError(f"{path}: {error.strerror or error}; choose another place") from error


@contextmanager
def undamaged(path: Path | None) -> Iterator[None]:
    """What can't be read back was not written by us."""
    try:
        yield
    except (ValueError, TypeError, KeyError) as error:
        raise OutputError(f"{path or 'the results'}: the file is damaged ({error}): restore a copy") from error


def _explained(error: sqlite3.Error) -> str:
    name = getattr(error, "sqlite_errorname", "") or ""
    if name.startswith("SQLITE_FULL") or name == "SQLITE_IOERR_WRITE":
        return "the disk is full; what was stored is safe: make room, and start the same command again"
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM")):
        return "no permission to write here, or to its folder; choose another place"
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return f"the file is damaged ({error}): restore a copy, or choose another file"
    if name.startswith("SQLITE_BUSY"):
        return "another process is using the file; wait until it has ended"
    if name.startswith("SQLITE_TOOBIG"):
        return "a run's state is larger than SQLite can hold; choose a smaller population"
    return str(error)


class Lock:
    """One driver for each file: a lock that SQLite holds on a file beside it, and that ends with the process."""

    def __init__(self, path: Path) -> None:
        self.path = path.with_name(path.name + "-lock")
        self._connection = self._acquire(path)

    def _acquire(self, path: Path) -> sqlite3.Connection:
        while True:
            with told(path):
                self.path.touch()
                before = self.path.stat()
                connection = sqlite3.connect(self.path, timeout=0, isolation_level=None)
            try:
                connection.execute("BEGIN EXCLUSIVE")
            except sqlite3.DatabaseError as error:
                connection.close()
                if getattr(error, "sqlite_errorname", "").startswith("SQLITE_BUSY"):
                    raise OutputError(
                        f"{path}: another process is working on this experiment; wait until it has ended, or choose "
                        "another folder"
                    ) from None
                with told(path):
                    raise
            # the last owner may have removed the file between our opening and our locking it
            with contextlib.suppress(FileNotFoundError):
                if os.path.samestat(before, self.path.stat()):
                    return connection
            connection.close()

    def release(self) -> None:
        """Let the next one in, and leave no file behind."""
        self.path.unlink(missing_ok=True)
        self._connection.close()
