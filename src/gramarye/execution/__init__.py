"""Where work runs: slices of a population in threads, whole runs here, in worker processes or on a Dask cluster."""

from gramarye.execution.capacity import cores, slots
from gramarye.execution.dask_cluster import dask_executor
from gramarye.execution.processes import WorkerProcesses
from gramarye.execution.threads import InProcess, Threads

__all__ = [
    "InProcess",
    "Threads",
    "WorkerProcesses",
    "cores",
    "dask_executor",
    "slots",
]
