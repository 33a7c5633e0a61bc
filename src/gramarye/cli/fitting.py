"""The search of `gramarye fit`: a run for each formula, watched, until Ctrl-C; and the model that it gives."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

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
from gramarye.models.joined import joined_front, picked
from gramarye.models.simplified import simplified
from gramarye.terminal.fit import watching
from gramarye.terminal.screen import Screen

LEAST_SHARE = 0.01  # of the time, for a formula whose turn comes late


class Search:
    """The runs of one fit. Once one of them was stopped, the others get one generation only."""

    def __init__(self, method: MethodBase, seeds: Sequence[int], threads: int, interrupts: Interrupts) -> None:
        self.method = method
        self.seeds = seeds  # of the runs for each formula, which share its evaluations
        self.threads = threads
        self.interrupts = interrupts
        self.compiled = False  # whether kernels had to be compiled

    def fit(self, task: Task, grammar: Grammar) -> Fit:
        """Search for the formulas of a task."""
        problems = task.problems(grammar)
        count, all_runs = len(self.seeds), len(problems) * len(self.seeds)
        began, searched = time.perf_counter(), []
        with Screen(errors_to()) as screen, told_when_compiling(self.interrupts, screen, RUN + TUNING) as compiling:
            for k, problem in enumerate(problems):
                runs: list[Run] = []
                for i, seed in enumerate(self.seeds):
                    if runs and self.interrupts.asked:
                        break
                    method = self._method(all_runs - k * count - i, time.perf_counter() - began)
                    title = task.title(k) + (f", run {i + 1} of {count}" if count > 1 else "")
                    with Evolution(problem, method, seed, threads=self.threads) as evolution:
                        watch = watching(screen, evolution, title, marks=task.classes is None)
                        runs.append(self._run(evolution, screen, watch))
                searched.append(tuple(runs))
        self.compiled = compiling.seen
        return fitted(task, searched)

    def _method(self, left: int, seconds: float) -> MethodBase:
        """The method of the next run, when so many are left and so many seconds have passed."""
        method = self.method
        limits: dict[str, Any] = {}
        if method.max_time is not None:  # those that are left share the time that is left
            limits["max_time"] = max((method.max_time - seconds) / left, LEAST_SHARE * method.max_time)
        if method.max_evaluations is not None:
            limits["max_evaluations"] = max(method.max_evaluations // len(self.seeds), 1)
        return replace(method, **limits)

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


def fitted(task: Task, searched: Sequence[tuple[Run, ...]]) -> Fit:
    """The model of some runs for each formula, and what it predicts."""
    members = [joined_front(runs) for runs in searched]
    if task.classes is None:
        members = [simplified(front, runs[0].tunes) for front, runs in zip(members, searched, strict=True)]
    fronts = [Front.of(front, picked(front)) for front in members]
    calibration = None if task.classes is None else _picked_and_calibrated(task, fronts)
    model = Model.of(task.facts, fronts, [run for runs in searched for run in runs], task.classes, calibration)
    parts = {"training": task.train, "test": task.test}
    samples = [
        Sample(name, task.observed[rows], model.predict(task.features.take(rows)), task.weights_of(rows))
        for name, rows in parts.items()
        if len(rows)
    ]
    firsts = tuple(replace(runs[0], front=front) for runs, front in zip(searched, members, strict=True))
    return Fit(task.path.name, model, firsts, tuple(searched), tuple(samples))


def _picked_and_calibrated(task: Task, fronts: Sequence[Front]) -> Calibration:
    """Pick a formula for each class, and make probabilities of what they give."""
    from gramarye.sklearn.logistic import calibrated, picked_for_class

    table, rows = task.rows()
    for label, front in zip(task.labels, fronts, strict=True):
        front.picked = picked_for_class(front.formulas, table, (rows.y == label).astype(np.int64), rows.weights)
    outputs = np.array([front.formula.predict(table) for front in fronts]).T
    return calibrated(outputs, rows.y.astype(np.int64), rows.weights)
