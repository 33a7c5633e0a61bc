"""Where work runs: slices of a population in threads, runs and evaluations here, in workers or on Dask."""

from gramarye.execution.capacity import cores, slots
from gramarye.execution.dask_cluster import dask_executor
from gramarye.execution.evolved_python import compile_python
from gramarye.execution.processes import WorkerProcesses
from gramarye.execution.threads import InProcess, Threads
from gramarye.execution.workers import HERE, Workers

__all__ = [
    "HERE",
    "InProcess",
    "Threads",
    "WorkerProcesses",
    "Workers",
    "compile_python",
    "cores",
    "dask_executor",
    "slots",
]
