"""Experiments: what driving, storing and reporting cost beside the runs themselves."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from gramarye.comparison.comparison import Comparison
from gramarye.experiment import carry_out
from gramarye.store import Results, Store
from gramarye.studies.pge2021.plan import paper_experiment


@dataclass(frozen=True)
class Cost:
    """Seconds: of the runs, of everything, on the clock, and of the report."""

    runs: float
    all: float
    wall: float
    report: float

    @property
    def overhead(self) -> float:
        """What is not the runs' own, as a share of it; starting the workers is included."""
        return self.all / self.runs - 1


def experiment_cost(runs: int, workers: int) -> Cost:
    """The paper's experiment with so many runs of each, in worker processes."""
    with tempfile.TemporaryDirectory() as folder:
        experiment, path = paper_experiment(runs), Path(folder) / "results.db"
        began, clock = _processor_time(), time.perf_counter()
        with Store(path) as store:
            carry_out(experiment, store, workers)
        wall, used = time.perf_counter() - clock, _processor_time() - began
        with Results.open(path) as results:
            own = sum(float(results.seconds(cell).sum()) for cell in results.cells)
            clock = time.perf_counter()
            Comparison(results).write(Path(folder))
            return Cost(own, used, wall, time.perf_counter() - clock)


def _processor_time() -> float:
    """Seconds of processor time of this process and of those of its children that have ended."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


SHORT_RUNS = """
import gramarye as gm
if __name__ == "__main__":
    methods, problems = [gm.PGE(population=4, generations=1)], [gm.problems.load("quartic")]
    gm.compare(methods, problems, runs={runs}, workers=2, store={path!r})
    print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""


def driver_megabytes(runs: int) -> float:
    """The most memory of a driver of so many short runs."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "short_runs.py"
        script.write_text(SHORT_RUNS.format(runs=runs, path=str(Path(folder) / "results.db")), encoding="utf-8")
        printed = subprocess.run([sys.executable, str(script)], check=True, capture_output=True, text=True)
        return float(printed.stdout.split()[-2]) / 1024
