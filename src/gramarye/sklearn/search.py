"""The search of a fit: watched, and stopped early by a callback or by Ctrl-C."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from sklearn.exceptions import ConvergenceWarning

from gramarye.derivations import Derivation
from gramarye.derivations.parsing import parse
from gramarye.engine.evolution import Evolution
from gramarye.engine.run import Generation, Run
from gramarye.engine.stopping import Limit
from gramarye.errors import GrammarError, SettingsError, warn
from gramarye.grammar import Grammar
from gramarye.methods import MethodBase
from gramarye.objectives import Regression
from gramarye.terminal.screen import REFRESH, every
from gramarye.text import number

AGAIN = 2.0  # seconds in which another Ctrl-C means more than one fit


class Search:
    """The runs of one fit. Once one of them was stopped, the others get one generation only."""

    interrupted = -math.inf  # when Ctrl-C last ended a search: the next one may belong to another fit

    def __init__(self, callback: Callable[[Generation], Any] | None, verbose: int, threads: int) -> None:
        self.callback = callback
        self.verbose = verbose
        self.threads = threads
        self.stopped = False

    def run(self, problem: Regression, method: MethodBase, seed: int, programs: list[Derivation], title: str) -> Run:
        """One run, to its end or until it is stopped."""
        programs = programs[: method.population]
        with (
            Evolution(problem, method, seed, threads=self.threads, initial_programs=programs) as evolution,
            _bar(title, self.verbose > 0) as show,
        ):
            try:
                for generation in evolution:
                    show(generation, evolution.limit)
                    if self.callback is not None and self.callback(generation):
                        self.stopped = True
                    if self.stopped:
                        break
            except KeyboardInterrupt:
                again = time.monotonic() - Search.interrupted < AGAIN
                if evolution.state is None or again:
                    raise
                self.stopped, Search.interrupted = True, time.monotonic()
                what = "the search was interrupted: the model is the best that was found so far"
                more = (
                    f"Ctrl-C again within {AGAIN:g} seconds also ends what the fit is part of, such as cross_val_score"
                )
                warn(f"{what}; {more}", ConvergenceWarning)
            run = evolution.run
        if run.picked.phenotype is None:
            what = f"the search found no valid formula in {run.evaluations:,} evaluations"
            raise SettingsError(f"{what}; give it more of them, or another grammar")
        return run


@contextmanager
def _bar(title: str, shown: bool) -> Iterator[Callable[[Generation, Limit], None]]:
    """A bar of what the nearest limit has used up, with the least error so far; in terminals and notebooks."""
    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[state]}")
    bar = Progress(*columns, TimeElapsedColumn(), disable=not shown)
    task = bar.add_task(title, total=1.0, state="")

    def update(generation: Generation, limit: Limit) -> None:
        state = f"of {limit.name}, error {number(generation.best_of_run.fitness)}"
        bar.update(task, completed=limit.share, state=state)

    if not (shown and bar.console.is_jupyter):
        with bar:
            yield update
        return
    output = import_module("IPython.display").display(bar, display_id=True)  # Rich's own needs widgets
    draw = every(REFRESH, output.update, at_once=True)

    def update_and_draw(generation: Generation, limit: Limit) -> None:
        update(generation, limit)
        draw(bar)

    yield update_and_draw
    output.update(bar)


def shared_time(seconds: float | None, parts: int) -> Iterator[float | None]:
    """The seconds of each part, when its turn comes: those that are left share the time that is left."""
    began = time.perf_counter()
    for k in range(parts):
        left = None if seconds is None else seconds - (time.perf_counter() - began)
        yield None if left is None or seconds is None else max(left / (parts - k), seconds * 0.01)


def programs_of(run: Run, grammar: Grammar) -> list[Derivation]:
    """The programs of a run's front in a grammar, as far as it has them."""
    found = []
    for member in run.front:
        try:
            same = member.derivation.grammar == grammar
            found.append(member.derivation if same else parse(grammar, str(member.phenotype)))
        except GrammarError:  # such as a column that was there before
            continue
    return found
