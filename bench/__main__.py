"""`make bench`: ratios measured side by side, with the spread of their repeats, and a table of all methods."""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

import gramarye as gm
from bench.evaluations import dispatch_microseconds, parallel_efficiency, replacement_seconds
from bench.experiments import driver_megabytes, experiment_cost
from bench.methods import MOST, method_table, method_works, ratio_to_pge
from bench.ours import (
    Machine,
    TuningMachine,
    first_start_seconds,
    map_population,
    our_run,
    peak_megabytes,
    seconds_of,
    two_threads,
)
from bench.programs import nodes, pagie_grid, random_programs, random_table, tuned_programs
from bench.rivals import Work, deap_run, operon_interpreter, operon_run, operon_tuning
from bench.twin import twin_map_seconds, twin_run_seconds
from gramarye.methods import PUBLISHED

CONSOLE = Console()
ROWS: list[tuple[str, str, str, str, str]] = []
TABLES: list[Table] = []  # what does not fit into lines, shown after them


def line(what: str, ours: str, theirs: str, ratio: str, target: str = "") -> None:
    """One line of the table, shown as soon as it is known."""
    ROWS.append((what, ours, theirs, ratio, target))
    CONSOLE.print(f"[dim]{what}: {ours} | {theirs} | {ratio} {target}[/dim]")


def spread(values: Sequence[float], unit: str = "", digits: int = 3) -> str:
    """Median, and the range of the repeats."""
    return f"{statistics.median(values):.{digits}g} ({min(values):.{digits}g}–{max(values):.{digits}g}) {unit}".strip()


def whole_runs() -> None:
    """One run of the paper beside DEAP and pyoperon, taken in turns."""
    our_run(gm.PGE())
    ours: list[Work] = []
    rivals: dict[str, list[Work]] = {"DEAP": [], "pyoperon": []}
    for seed in (1, 2, 3):
        ours += [our_run(gm.PGE(), seed), our_run(gm.PGE(), seed + 3)]
        rivals["pyoperon"].append(operon_run(seed))
        ours.append(our_run(gm.PGE(), seed + 6))
        rivals["DEAP"].append(deap_run(seed))
    mine = [work.seconds for work in ours]
    for name, works in rivals.items():
        theirs = [work.seconds for work in works]
        ratio = statistics.median(theirs) / statistics.median(mine)
        goal = {"DEAP": "60 times", "pyoperon": "5 times"}[name]
        line(f"PGE 1000 × 50, Pagie, beside {name}", spread(mine, "s"), spread(theirs, "s"), f"{ratio:.0f} times", goal)
    for name, works in {"PGE": ours, **rivals}.items():
        mean = Work(*(statistics.mean(getattr(w, f) for w in works) for f in Work.__dataclass_fields__))
        line(
            f"  work of {name}",
            f"{mean.evaluations:,.0f} requested",
            f"{mean.distinct:,.0f} distinct",
            f"{mean.node_rows:.3g} node·rows",
            f"best {mean.best:.2f}",
        )


def evaluation() -> None:
    """Nanoseconds per node and row beside pyoperon's interpreter, the two in turns."""
    for rows, count, rounds, goal in ((676, 500, 7, "0.65"), (100_000, 60, 3, "1.25")):
        programs = random_programs(count)
        table = pagie_grid()[0] if rows == 676 else random_table(rows)
        machine = Machine(programs, table)
        pairs = [(machine.time(5).median, operon_interpreter(programs, table, repeats=5).median) for _ in range(rounds)]
        ours, theirs = zip(*pairs, strict=True)
        ratio = statistics.median(a / b for a, b in pairs)
        what = f"evaluation, {rows:,} rows, {nodes(programs) / count:.0f} nodes (float64, pyoperon float32)"
        line(what, spread(ours, "ns/node/row"), spread(theirs, "ns"), f"{ratio:.2f}", f"≤ {goal}")


def tuning() -> None:
    """Evaluation with derivatives by all constants and their Gram matrix, beside plain evaluation and pyoperon."""
    programs = tuned_programs(100)
    for rows, goal in ((4000, "≤ 2.7"), (200, "")):
        table = random_table(rows)
        machine = TuningMachine(programs, table)
        rounds = [(machine.tuning(5).median, machine.plain(5).median, operon_tuning(programs, table)) for _ in range(3)]
        ours, plain = [each[0] for each in rounds], [each[1] for each in rounds]
        theirs = [each[2].median for each in rounds]
        what = f"derivatives by 13 constants with their Gram matrix, 34 nodes, {rows:,} rows"
        ratio = statistics.median(a / b for a, b in zip(ours, theirs, strict=True))
        line(f"{what}, beside pyoperon's", spread(ours, "ns/node/row"), spread(theirs, "ns"), f"{ratio:.2f}", goal)
        ratio = statistics.median(a / b for a, b in zip(ours, plain, strict=True))
        line("  beside plain evaluation", spread(ours, "ns"), spread(plain, "ns"), f"{ratio:.1f} times", "≤ 4 times")


def threads() -> None:
    """How much shorter a run is in two threads than in one."""
    for rows, population, goal in ((10_000, 300, "≥ 1.6"), (20_000, 300, ""), (10_000, 1000, "")):
        one, two = zip(*(two_threads(rows, population) for _ in range(3)), strict=True)
        ratio = statistics.median(a / b for a, b in zip(one, two, strict=True))
        what = f"TunedTrees, {rows:,} rows, population {population}: two threads, beside one"
        line(what, spread(two, "s"), spread(one, "s"), f"{ratio:.2f} times faster", goal)


def first_start() -> None:
    """What the first start takes more where a grammar has constants."""
    operators = "<e> ::= (<e> + <e>) | (<e> * <e>) | sin(<e>) | x"
    without, tuned = (first_start_seconds(f"{operators} | {leaf}", "CFGGP") for leaf in ("1.0", "<const>"))
    trees = first_start_seconds(f"{operators} | <const>", "TunedTrees")
    more = f"{tuned - without:.1f} s more"
    line("first start of CFGGP with constants, beside without", f"{tuned:.1f} s", f"{without:.1f} s", more, "≤ 10 s")
    line("  of TunedTrees", f"{trees:.1f} s", f"{without:.1f} s", f"{trees - without:.1f} s more")


def mapping() -> None:
    """Mapping and whole runs beside the plain twin."""
    ours, twin = map_population(gm.PGE()), [twin_map_seconds() for _ in range(5)]
    ratio = statistics.median(twin) / statistics.median(ours)
    line(
        "mapping 1000 genotypes of PGE, postfix included, beside the twin",
        spread(ours, "s"),
        spread(twin, "s"),
        f"{ratio:.0f} times",
    )
    seconds = twin_run_seconds()
    for method in (gm.PGE(), gm.GE(), gm.SGE()):
        own = [our_run(method, seed).seconds for seed in (1, 2, 3)]
        line(
            f"{method.name.upper()} run beside the twin with eval(compile(…)) and a dictionary",
            spread(own, "s"),
            f"{seconds:.3g} s",
            f"{seconds / statistics.median(own):.0f} times",
        )


def methods() -> None:
    """All methods, and the one that takes the longest for a node."""
    works = method_works()
    TABLES.append(method_table(works))
    ratios = {name: ratio_to_pge(works, name, lambda work: work.per_node) for name in works}
    name = max(ratios, key=lambda name: ratios[name])
    own, pge = ([work.per_node for work in works[key]] for key in (name, "pge"))
    what = f"slowest method per node mapped: {PUBLISHED[name].__name__}, beside PGE"
    line(what, spread(own, "ns/node"), spread(pge, "ns/node"), f"{ratios[name]:.2f}", f"≤ {MOST}")


def growth() -> None:
    """How cost grows with the population, the rows and the nodes."""
    _growth(
        "population 1000, ×10, ×100 (5 generations)",
        lambda k: our_run(gm.PGE(population=1000 * k, generations=5)).seconds,
    )
    programs = random_programs(30)
    rows = {k: Machine(programs, random_table(1000 * k)) for k in (1, 10, 100)}
    _growth("rows 1000, ×10, ×100", lambda k: rows[k].time(3).median * k)
    sizes = {k: Machine(random_programs(30, 10 * k, 10 * k), random_table(676)) for k in (1, 10, 100)}
    _growth("nodes 10, ×10, ×100", lambda k: sizes[k].time(5).median * k)


def _growth(what: str, cost: Callable[[int], float]) -> None:
    cost(1)
    one, ten, hundred = (statistics.median(cost(k) for _ in range(3)) for k in (1, 10, 100))
    line(
        f"cost of {what}",
        "1",
        f"{ten / one:.1f}, {hundred / one:.0f}",
        f"{hundred / one / 100:.2f} of linear",
        "linear",
    )


def memory() -> None:
    """The most memory of large runs."""
    for method in ("PGE", "GE", "SGE"):
        large = f"gm.evolve(gm.problems.load('pagie'), gm.{method}(population=100_000, generations=3), 1)"
        table = "X = np.random.default_rng(1).uniform(-5, 5, (1_000_000, 2))"
        problem = "gm.Regression(X, X[:, 0] * X[:, 1], gm.problems.load('pagie').grammar)"
        long = f"{table}; gm.evolve({problem}, gm.{method}(population=100, generations=3), 1)"
        for what, code in {"population 100,000": large, "1,000,000 rows": long}.items():
            used = peak_megabytes(f"import numpy as np, gramarye as gm; {code}")
            line(f"memory, {method}: {what}", f"{used:,.0f} MB", "", "", "≤ 2,000 MB")


def start_up() -> None:
    """How long a person waits for the first answer."""
    python, command = sys.executable, str(Path(sys.executable).parent / "gramarye")
    numpy = seconds_of([python, "-c", "import numpy"])
    for what, words in {
        "import gramarye": [python, "-c", "import gramarye"],
        "gramarye --help": [command, "--help"],
    }.items():
        own = seconds_of(words)
        ratio = statistics.median(own) / statistics.median(numpy)
        line(f"{what} beside import numpy", spread(own, "s"), spread(numpy, "s"), f"{ratio:.1f} times", "≤ 2.5")
    whole = seconds_of([command, "run", "pagie", "--seed", "1", "--json"])
    inside = [our_run(gm.PGE(), 1).seconds for _ in range(3)]
    outside = statistics.median(whole) - statistics.median(inside)
    line(
        "warm `gramarye run pagie`, outside the run",
        spread(whole, "s in all"),
        spread(inside, "s in the run"),
        f"{outside:.2f} s",
        "≤ 1 s",
    )


def cold_start() -> None:
    """The first run on a machine, nothing compiled yet."""
    import os
    import subprocess
    import tempfile

    command = str(Path(sys.executable).parent / "gramarye")
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        subprocess.run(
            [command, "run", "pagie", "--seed", "1", "--json"],
            check=True,
            capture_output=True,
            env={**os.environ, "GRAMARYE_CACHE": folder},
        )
        line(
            "cold `gramarye run pagie`, compilation included", f"{time.perf_counter() - began:.1f} s", "", "", "≤ 20 s"
        )


def experiments() -> None:
    """What driving, storing and reporting cost beside the runs, and whether memory stays flat."""
    cost = experiment_cost(30, 2)
    line(
        "180 runs of the paper in two workers: all processor time beside the runs' own",
        f"{cost.all:.1f} s, {cost.wall:.1f} s on the clock",
        f"{cost.runs:.1f} s in the runs",
        f"{100 * cost.overhead:.1f} % more",
        "≤ 10 %",
    )
    line("report of these 180 runs", f"{cost.report:.1f} s", "", "", "≤ 10 s")
    few, many = driver_megabytes(1000), driver_megabytes(10_000)
    line("memory of the driver, 10,000 short runs beside 1,000", f"{many:.0f} MB", f"{few:.0f} MB", "", "≤ 500 MB")


def evaluations() -> None:
    """What worker processes cost beside a function of the user's."""
    dispatch = [dispatch_microseconds() for _ in range(5)]
    line(
        "dispatch of a program to 2 workers, of a function that does nothing",
        spread(dispatch, "µs"),
        "",
        "",
        "≤ 150 µs",
    )
    efficiency = [100 * parallel_efficiency() for _ in range(3)]
    line("efficiency of 2 workers, of a function that takes 50 ms", spread(efficiency, "%"), "", "", "≥ 90 %")
    line("replacing a worker that has died", spread(replacement_seconds(), "s"), "", "", "≤ 0.2 s")


PARTS = (
    whole_runs,
    evaluation,
    tuning,
    threads,
    mapping,
    methods,
    growth,
    memory,
    start_up,
    cold_start,
    first_start,
    experiments,
    evaluations,
)


def main() -> None:
    """Measure everything or the parts that are named, then show the table."""
    parts = {f.__name__: f for f in PARTS}
    parser = argparse.ArgumentParser("python -m bench", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"what to measure (default: all): {', '.join(parts)}")
    wanted = parser.parse_args().parts or list(parts)
    if unknown := [name for name in wanted if name not in parts]:
        parser.error(f"there is no part {unknown[0]!r}; choose from {', '.join(parts)}")
    for name in wanted:
        parts[name]()
    table = Table("measured", "ours: median (range)", "beside it", "ratio", "target", title="gramarye bench")
    for row in ROWS:
        table.add_row(*row)
    for each in (table, *TABLES):
        CONSOLE.print(each)


if __name__ == "__main__":
    main()
