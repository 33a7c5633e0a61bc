"""A driver to be killed: python -m tests.experiment.driver FILE WORKERS. It stores every generation."""

from __future__ import annotations

import sys

from gramarye.execution import InProcess, WorkerProcesses
from gramarye.experiment import drive
from gramarye.store import Store
from tests.experiment.small import small

GENERATIONS = 15


def main(path: str, workers: int) -> None:
    experiment = small(generations=GENERATIONS)
    with Store(path) as store:
        store.plan(experiment.facts, experiment.cells(), experiment.seeds)
        with InProcess() if workers == 1 else WorkerProcesses(workers) as executor:
            drive(experiment, store, executor, seconds=0)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
