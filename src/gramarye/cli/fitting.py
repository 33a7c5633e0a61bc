"""The search of `gramarye fit`: a run for each formula, watched, until Ctrl-C; and the model that it gives."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import typer

from gramarye.cli.compile_notice import RUN, TUNING, told_when_compiling
from gramarye.cli.console import errors_to, note
from gramarye.cli.diagnosis import why_nothing_is_valid
from gramarye.cli.learning_task import Task
from gramarye.cli.options import FAILED
from gramarye.cli.signals import INTERRUPTED, Interrupts
from gramarye.engine.evolution import Evolution
from gramarye.engine.run import Generation, Run
from gramarye.grammar import Grammar
from gramarye.methods import MethodBase
from gramarye.models import Calibration, Front, Model
from gramarye.models.fit import Fit, Sample
from gramarye.models.simplified import with_simpler_numbers
from gramarye.terminal.fit import watching
from gramarye.terminal.screen import Screen

LEAST_SHARE = 0.01  # of the time, for a formula whose turn comes late


class Search:
    """The runs of one fit. Once one of them was stopped, the others get one generation only."""

    def __init__(self, method: MethodBase, seed: int, threads: int, interrupts: Interrupts) -> None:
        self.method = method
        self.seed = seed
        self.threads = threads
        self.interrupts = interrupts
        self.compiled = False  # whether kernels had to be compiled

    def fit(self, task: Task, grammar: Grammar) -> Fit:
        """Search for the formulas of a task."""
        problems = task.problems(grammar)
        began, runs = time.perf_counter(), []
        with Screen(errors_to()) as screen, told_when_compiling(self.interrupts, screen, RUN + TUNING) as compiling:
            for k, problem in enumerate(problems):
                method = self.method
                if method.max_time is not None:  # those that are left share the time that is left
                    left = method.max_time - (time.perf_counter() - began)
                    share = max(left / (len(problems) - k), LEAST_SHARE * method.max_time)
                    method = replace(method, max_time=share)
                with Evolution(problem, method, self.seed, threads=self.threads) as evolution:
                    watch = watching(screen, evolution, task.title(k), marks=task.classes is None)
                    runs.append(self._run(evolution, screen, watch))
        self.compiled = compiling.seen
        return fitted(task, runs)

    def _run(self, evolution: Evolution, screen: Screen, watch: Callable[[Generation], None]) -> Run:
        """One run, to its end or until Ctrl-C."""
        try:
            for generation in evolution:
                watch(generation)
                self.interrupts.slow = False
                if self.interrupts.asked:
                    break
        except (Exception, KeyboardInterrupt) as error:
            if not self.interrupts.explains(error):
                raise
        if evolution.state is None:
            note("interrupted before the first generation was evaluated: there is no result", screen.console)
            raise typer.Exit(INTERRUPTED)
        run = evolution.run
        if run.picked.phenotype is None:
            note(
                f"no valid formula was found: {why_nothing_is_valid(evolution.setup, evolution.state)}", screen.console
            )
            raise typer.Exit(FAILED)
        return run


def fitted(task: Task, runs: Sequence[Run]) -> Fit:
    """The model of some runs, and what it predicts."""
    if task.classes is None:
        runs = [with_simpler_numbers(run) for run in runs]
    fronts = [Front.of(run.front or (run.best,), run.picked) for run in runs]
    calibration = None if task.classes is None else _picked_and_calibrated(task, fronts)
    model = Model.of(task.facts, fronts, runs, task.classes, calibration)
    parts = {"training": task.train, "test": task.test}
    samples = [
        Sample(name, task.observed[rows], model.predict(task.features.take(rows)))
        for name, rows in parts.items()
        if len(rows)
    ]
    return Fit(task.path.name, model, tuple(runs), tuple(samples))


def _picked_and_calibrated(task: Task, fronts: Sequence[Front]) -> Calibration:
    """Pick a formula for each class, and make probabilities of what they give."""
    from gramarye.sklearn.logistic import calibrated, picked_for_class

    table, rows = task.rows()
    for label, front in zip(task.labels, fronts, strict=True):
        front.picked = picked_for_class(front.formulas, table, (rows.y == label).astype(np.int64), rows.weights)
    outputs = np.array([front.formula.predict(table) for front in fronts]).T
    return calibrated(outputs, rows.y.astype(np.int64), rows.weights)
