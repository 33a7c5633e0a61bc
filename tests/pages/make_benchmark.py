"""The page on the benchmark, docs/benchmark.md, with tables of its results.

    python tests/pages/make_benchmark.py     # writes the page again

The prose is in benchmark.md next to this file; {overview} and the like become tables. Fits of 5 seconds are in
docs/experiments/benchmark.csv, those of 60 seconds in docs/experiments/benchmark-recovery.csv; `python -m
benchmarks.regression` makes both.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))  # run as a script

from benchmarks.results import Result, read  # noqa: E402
from benchmarks.tables import PARTS, Results  # noqa: E402

EXPERIMENTS = ROOT / "docs" / "experiments"
FITS = EXPERIMENTS / "benchmark.csv"
LONG_FITS = EXPERIMENTS / "benchmark-recovery.csv"
PAGE = ROOT / "docs" / "benchmark.md"


def page(fits: list[Result], long_fits: list[Result]) -> str:
    """The page, from fits of 5 and of 60 seconds."""
    results, long = Results(fits), Results(long_fits)
    made = {name: part(results) for name, part in PARTS.items()}
    made["recovery-long"] = PARTS["recovery"](long) if long_fits else "These fits have not been made."
    made |= {
        "tasks": str(len({fit.task for fit in results.fits})),
        "instances": str(len(results.instances)),
        "fits": f"{len(results.fits):,}",
        "seeds": str(len({fit.seed for fit in results.fits})),
    }
    text = (Path(__file__).parent / "benchmark.md").read_text(encoding="utf-8")
    return re.sub(r"\{([a-z-]+)\}", lambda match: made[match[1]], text)


if __name__ == "__main__":
    PAGE.write_text(page(read(FITS), read(LONG_FITS)), encoding="utf-8")
