"""Evaluations by functions of the user's: what worker processes cost beside the function itself."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

import gramarye as gm
from gramarye.execution import Workers
from gramarye.execution.outcomes import Limits


def dispatch_microseconds(programs: int = 5000, workers: int = 2) -> float:
    """Seconds on the clock for a function that does nothing, for each program, in microseconds."""
    evaluations = Workers(workers).evaluations([lambda _: 0.0], Limits(seconds=10.0))
    texts = [f"x * (y + {k}.0) * sin(x + y)" for k in range(programs)]
    try:
        evaluations.outcomes(texts[:100])  # the workers start
        began = time.perf_counter()
        evaluations.outcomes(texts)
        return (time.perf_counter() - began) / programs * 1e6
    finally:
        evaluations.close()


def parallel_efficiency(seconds: float = 0.05, workers: int = 2) -> float:
    """How much of the time of all workers a run spends in a function that takes so long, starting them included.

    The function waits, as for a simulator: what else the machine does must not count.
    """

    def waiting(text: str) -> float:
        time.sleep(seconds)
        return float(len(text))

    leaves = " | ".join(f"x{k}" for k in range(100))  # nearly all programs are new
    grammar = gm.Grammar.from_text(f"<e> ::= <e> + <v> | <e> * <v> | <v>\n<v> ::= {leaves}\n")
    problem = gm.Objective(waiting, grammar, maximise=True, timeout=5.0)
    run = gm.evolve(problem, gm.CFGGP(population=100, generations=4), 1, workers=workers)
    return run.distinct * seconds / (workers * run.seconds)


def replacement_seconds(repeats: int = 5) -> list[float]:
    """Seconds from the end of a program that exits to the result of the next one, in a single worker."""
    evaluations = Workers(1).evaluations([_exit_or_measure], Limits())
    try:
        evaluations.outcomes([""])
        return [_timed(lambda: evaluations.outcomes(["exit", ""])) for _ in range(repeats)]
    finally:
        evaluations.close()


def _exit_or_measure(program: str) -> float:
    if program == "exit":
        os._exit(1)
    return float(len(program))


def _timed(call: Callable[[], object]) -> float:
    began = time.perf_counter()
    call()
    return time.perf_counter() - began
