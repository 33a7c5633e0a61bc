"""The search of a fit: watched, and stopped early by a callback or by Ctrl-C."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from sklearn.exceptions import ConvergenceWarning

from gramarye.derivations import Derivation
from gramarye.derivations.parsing import parse
from gramarye.engine.evolution import Evolution
from gramarye.engine.run import Generation, Run
from gramarye.errors import GrammarError, SettingsError, warn
from gramarye.grammar import Grammar
from gramarye.methods import MethodBase
from gramarye.objectives import Regression
from gramarye.text import number


class Search:
    """The runs of one fit. Once one of them was stopped, the others get one generation only."""

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
            _progress(self.verbose > 0) as progress,
        ):
            task = progress.add_task(title, total=1.0, best="", limit="")
            try:
                for generation in evolution:
                    best, limit = generation.best_of_run.fitness, evolution.limit
                    progress.update(task, completed=limit.share, best=f"error {number(best)}", limit=limit.name)
                    if self.callback is not None and self.callback(generation):
                        self.stopped = True
                    if self.stopped:
                        break
            except KeyboardInterrupt:
                if evolution.state is None:
                    raise
                self.stopped = True
                what = "the search was interrupted: the model is the best that was found so far"
                warn(what, ConvergenceWarning)
            run = evolution.run
        if run.picked.phenotype is None:
            what = f"the search found no valid formula in {run.evaluations:,} evaluations"
            raise SettingsError(f"{what}; give it more of them, or another grammar")
        return run


def _progress(shown: bool) -> Progress:
    """A bar of what the nearest limit has used up, with the least error so far; in terminals and notebooks."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("of {task.fields[limit]}"),
        TextColumn("{task.fields[best]}"),
        TimeElapsedColumn(),
        disable=not shown,
    )


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
