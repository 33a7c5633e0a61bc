"""Our side of the measurements: runs, the bare machine, mapping, and the plain twin beside them."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import gramarye as gm
from bench.programs import Program, infix
from bench.rivals.measure import Timing, Work, repeat
from gramarye.languages.arithmetic import Arithmetic, kernels
from gramarye.methods.base import MethodBase


def our_run(method: MethodBase, seed: int = 1, workers: int = 1) -> Work:
    """One run on the Pagie grid, and what it did."""
    problem = gm.problems.load("pagie")
    gc.collect()
    began = time.process_time()
    run = gm.evolve(problem, method, seed, threads=workers)
    seconds = time.process_time() - began
    last = {name: int(run.history[name][-1]) for name in ("evaluations", "distinct", "node_rows")}
    return Work(seconds, last["evaluations"], last["distinct"], last["node_rows"], run.best.fitness)


def two_threads(rows: int, population: int) -> tuple[float, float]:
    """Seconds of wall clock of a run of TunedTrees in one thread, and in two."""
    X = np.random.default_rng(1).uniform(1, 5, (rows, 4))
    y = X[:, 0] * np.sin(X[:, 1]) + X[:, 2] ** 2 / X[:, 3] + np.random.default_rng(2).normal(0, 0.1, rows)
    problem = gm.Regression(X, y, gm.Grammar.from_columns(X))
    method = gm.TunedTrees(population=population, generations=100, rows=None, max_evaluations=None)
    one = repeat(lambda: gm.evolve(problem, method, 1), 1, time.perf_counter)
    two = repeat(lambda: gm.evolve(problem, method, 1, threads=2), 1, time.perf_counter)
    return one[0], two[0]


class Machine:
    """The bare machine on given programs and a table."""

    def __init__(self, programs: Sequence[Program], table: NDArray[np.float64]) -> None:
        language = Arithmetic(gm.problems.load("pagie").grammar, table.shape[1])
        words = [language.program(infix(program))[1] for program in programs]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(row) for row in words])])
        target = np.zeros(len(table))
        self._arguments = (
            np.concatenate(words),
            offsets,
            np.ascontiguousarray(table.T),
            target,
            np.zeros(0),
            False,
            np.empty(len(programs)),
            None,
        )
        self._node_rows = kernels.errors.sum_errors(*self._arguments)  # less than all where a program is not finite

    def time(self, repeats: int) -> Timing:
        """Nanoseconds per node and row."""
        return Timing.of(repeat(lambda: kernels.errors.sum_errors(*self._arguments), repeats), self._node_rows)


class TuningMachine:
    """The bare machine on programs with constants: derivatives and Gram matrices, and plain evaluation beside them."""

    def __init__(self, programs: Sequence[Program], table: NDArray[np.float64], seed: int = 1) -> None:
        grammar = gm.Grammar.from_text("<e> ::= x | y | <const>")
        language = Arithmetic(grammar, table.shape[1])
        texts = [infix(program).replace("c", "<const>").replace("<const>os", "cos") for program in programs]
        rows = [language.program(text)[1] for text in texts]
        offsets = np.concatenate([np.zeros(1, np.int64), np.cumsum([len(row) for row in rows])])
        words = np.concatenate(rows)
        counts, parameters, _, owners = kernels.terms.lay_out(words, offsets, 1)
        values = np.random.default_rng(seed).normal(size=len(owners))
        kernels.postfix.put_values(words, offsets, values, np.cumsum(parameters) - parameters)
        starts = np.concatenate([np.zeros(1, np.int64), np.cumsum((counts + parameters + 2) ** 2)])
        data = np.ascontiguousarray(table.T), np.zeros(len(table)), np.zeros(0)
        n = len(programs)
        self._plain = words, offsets, *data, False, np.empty(n), True
        memory = np.empty(starts[-1]), np.empty((n, 1))
        self._tuning = words, offsets, np.arange(n), *data, 1, parameters, starts, *memory
        self._node_rows = int(kernels.machine.sizes(words, offsets).sum()) * len(table)

    def plain(self, repeats: int) -> Timing:
        """Nanoseconds per node and row of plain evaluation."""
        node_rows = kernels.errors.sum_errors(*self._plain)  # less than all where a program is not finite
        return Timing.of(repeat(lambda: kernels.errors.sum_errors(*self._plain), repeats), node_rows)

    def tuning(self, repeats: int) -> Timing:
        """Nanoseconds per node and row of evaluation with all derivatives and their Gram matrix."""
        return Timing.of(repeat(lambda: kernels.gradients.gram_matrices(*self._tuning), repeats), self._node_rows)


def first_start_seconds(grammar: str, method: str) -> float:
    """Processor seconds of a short run in a process that finds nothing compiled."""
    import resource
    import tempfile

    lines = [
        "import numpy as np, gramarye as gm",
        "X = np.linspace(0, 1, 40)[:, None]",
        f"problem = gm.Regression(X, X[:, 0] ** 2, gm.Grammar.from_text({grammar!r}))",
        f"gm.evolve(problem, gm.{method}(population=20, generations=3), 1)",
    ]
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        environment = {**os.environ, "GRAMARYE_CACHE": folder}
        subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def map_population(method: MethodBase, population: int = 1000, repeats: int = 21) -> list[float]:
    """Seconds for mapping a random population, postfix code included."""
    problem = gm.problems.load("pagie")
    grammar, seed = problem.grammar, np.uint64(1)
    genotypes = method.representation.initial(grammar, population, seed)
    probabilities = np.array(grammar.uniform_probabilities())

    def work() -> None:
        _, derivations = method.representation.map(grammar, genotypes, probabilities, seed, 0, 0)
        problem.language.programs(derivations)

    return repeat(work, repeats)


def seconds_of(command: Sequence[str], repeats: int = 5) -> list[float]:
    """Seconds of wall clock for a command, once it has been run before."""
    return repeat(lambda: subprocess.run(command, check=True, capture_output=True), repeats, time.perf_counter)


def peak_megabytes(code: str) -> float:
    """The most memory that a Python process takes for some code (Linux: what getrusage tells includes the parent's)."""
    tail = "print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM')))"
    printed = subprocess.run([sys.executable, "-c", f"{code}\n{tail}"], check=True, capture_output=True, text=True)
    return float(printed.stdout.split()[-2]) / 1024


__all__ = [
    "Machine",
    "TuningMachine",
    "first_start_seconds",
    "map_population",
    "our_run",
    "peak_megabytes",
    "seconds_of",
    "two_threads",
]
