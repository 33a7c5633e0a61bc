"""How many calls run at the same time: on this machine, in an executor."""

from __future__ import annotations

import math
import os
from concurrent.futures import Executor
from pathlib import Path


def cores() -> int:
    """Cores that this process may use: fewer than the machine has under taskset, in a batch job or in a container."""
    if hasattr(os, "process_cpu_count"):  # from Python 3.13 on; hears PYTHON_CPU_COUNT as well
        usable = os.process_cpu_count()
    elif hasattr(os, "sched_getaffinity"):
        usable = len(os.sched_getaffinity(0))
    else:
        usable = os.cpu_count()
    return max(1, min(usable or 1, _quota(Path("/"))))


def _quota(root: Path) -> int:
    """Cores that the control groups of this process (version 2) allow, rounded up; a large number where none does."""
    least = 1_000_000
    try:
        (own,) = (line[3:] for line in (root / "proc/self/cgroup").read_text().splitlines() if line.startswith("0::"))
    except (OSError, ValueError):
        return least
    for group in (Path(own), *Path(own).parents):  # a limit of a group holds for the groups inside it
        try:
            quota, period = (root / f"sys/fs/cgroup/{group}/cpu.max").read_text().split()
            least = min(least, math.ceil(int(quota) / int(period)))
        except (OSError, ValueError, ZeroDivisionError):  # not there for the root, "max 100000" for no limit
            continue
    return least


def slots(executor: Executor) -> int:
    """How many calls the executor runs at the same time, as far as it tells; the cores of this machine otherwise."""
    # The standard executors, and those of this package, keep it under this name; a Dask cluster may grow and shrink.
    count = getattr(executor, "_max_workers", None)
    return count if isinstance(count, int) else cores()
