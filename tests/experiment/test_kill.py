"""An experiment whose driver is killed, again and again, and one that is stopped with Ctrl-C."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from gramarye.comparison.comparison import Comparison
from gramarye.engine.state import State
from gramarye.experiment import carry_out, drive, read_experiment
from gramarye.store import Results, Store
from tests.experiment.driver import GENERATIONS
from tests.experiment.small import ROOT, Counting, alive, asked, done, kept, processes_below, small, wait_until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are looked for in /proc"),
]

KILLS = 5  # of each of the two that go on at the same time
RUNS = 18


class Seen(NamedTuple):
    """What a file holds between two lives of its driver."""

    finished: dict[int, tuple[Any, ...]]  # the whole row of each run that is done
    generations: dict[int, int]  # of the others


def look(path: Path) -> Seen:
    """What the file holds, which is intact whatever has happened."""
    if not path.exists() or not path.stat().st_size:
        return Seen({}, {})
    assert asked(path, "PRAGMA integrity_check") == [("ok",)]
    columns = "id, session, seconds, history, probabilities, state"
    finished = asked(path, f"SELECT {columns} FROM runs WHERE status = 'done'")  # noqa: S608, our own names
    states = asked(path, "SELECT id, state FROM runs WHERE status = 'waiting'")
    return Seen(
        {row[0]: row for row in finished},
        {run: 0 if state is None else State.from_bytes(state).generation + 1 for run, state in states},
    )


def live(path: Path, workers: int, rng: random.Random) -> int:
    """One life of a driver; how it ended. It is killed after a random time, or a random number of runs."""
    words = [sys.executable, "-m", "tests.experiment.driver", str(path), str(workers)]
    log = path.with_suffix(".log")  # no pipe: a worker that lives on would keep it open
    with log.open("w") as output:
        process = subprocess.Popen(words, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT)
    if rng.random() < 0.3:
        wait_until(lambda: process.poll() is not None, rng.uniform(0, 4))
    else:
        enough = min(done(path) + rng.randint(1, 4), RUNS)
        assert wait_until(lambda: process.poll() is not None or (path.exists() and done(path) >= enough))
        time.sleep(rng.uniform(0, 0.02))
    if process.poll() is None:
        process.send_signal(signal.SIGSTOP)  # it starts no other process while we look
    workers_of_it = processes_below(process.pid)
    process.kill()
    process.wait()
    assert wait_until(lambda: not alive(workers_of_it), 10), "a worker lives on"
    assert process.returncode in (0, -signal.SIGKILL), log.read_text()
    return process.returncode


def lives(folder: Path, workers: int, seed: int) -> list[Path]:
    """Kill drivers until there were enough; the files that they worked on, the last one not finished perhaps."""
    rng, kills, files = random.Random(seed), 0, [folder / "0.db"]  # noqa: S311, no secret
    before = Seen({}, {})
    while kills < KILLS:
        code = live(files[-1], workers, rng)
        after = look(files[-1])
        for run, row in before.finished.items():
            assert after.finished[run] == row  # never repeated, never touched
        for run, generations in before.generations.items():
            assert run in after.finished or after.generations[run] >= generations
        kills, before = kills + (code != 0), after
        if code == 0:
            assert len(after.finished) == RUNS
            files.append(folder / f"{len(files)}.db")
            before = Seen({}, {})
    return files


def finish(path: Path | None) -> tuple[dict[str, Any], list[str], int]:
    """Do what is still to be done; the results, their tables, how many generations it took."""
    experiment = small(generations=GENERATIONS)
    with Store(path) as store, Counting() as executor:
        store.plan(experiment.facts, experiment.cells(), experiment.seeds)
        drive(experiment, store, executor)
        results = store.results()
        return kept(results), [table.to_csv() for table in Comparison(results).tables], executor.made


def test_an_experiment_that_is_killed_again_and_again_ends_as_if_nothing_had_happened(tmp_path: Path) -> None:
    folders = [tmp_path / "alone", tmp_path / "workers"]
    for folder in folders:
        folder.mkdir()
    with ThreadPoolExecutor(2) as pool:
        files = list(pool.map(lives, folders, (1, 2), (1, 2)))
    calm, tables, whole = finish(None)
    assert whole == RUNS * GENERATIONS
    for path in [path for some in files for path in some]:
        seen = look(path)
        left = sum(GENERATIONS - generations for generations in seen.generations.values())
        found, found_tables, made = finish(path)
        assert made == (left if seen.finished or seen.generations else whole)  # from the checkpoints on
        assert found == calm
        assert found_tables == tables
        assert [other.name for other in path.parent.glob(f"{path.name}*")] == [path.name]


LONG = """
runs = 500
problems = ["quartic"]
[settings]
population = 60
generations = 40
[[methods]]
method = "pge"
[[methods]]
method = "ge"
"""


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_ends_soon_says_how_to_go_on_and_loses_nothing(tmp_path: Path, workers: str) -> None:
    file, path = tmp_path / "long.toml", tmp_path / "out" / "results.db"
    file.write_text(LONG, encoding="utf-8")
    words = [
        sys.executable,
        "-m",
        "gramarye",
        "compare",
        str(file),
        "--out",
        str(tmp_path / "out"),
        "--workers",
        workers,
    ]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        assert wait_until(lambda: process.poll() is not None or (path.exists() and done(path) >= 3))
        started = processes_below(process.pid)
        assert len(started) >= int(workers) - 1
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does it: to all of them
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130, err
    assert "Traceback" not in err + out
    with Results.open(path) as results:
        stored = sum(results.count(cell, "done") for cell in results.cells)
        assert results.failures == []
    assert 3 <= stored < 1000
    assert f"stopped: {stored} of 1000 runs are done and safe in {path}; run the same command again to resume" in err
    assert wait_until(lambda: not alive(started), 10)
    assert [other.name for other in path.parent.iterdir()] == ["results.db"]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    with Store(path) as store, pytest.raises(StopIteration):
        carry_out(read_experiment(file), store, 1, watch=lambda progress: next(iter(())))  # it goes on, for a moment
    assert done(path) == stored + 1
