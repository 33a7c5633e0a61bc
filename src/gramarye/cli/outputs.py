"""The files that a run leaves behind, checked before it starts and written when it has ended."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from gramarye.cli.console import note
from gramarye.errors import DataError, GramaryeError, OutputError, SettingsError, did_you_mean
from gramarye.files import check_output, write_text

if TYPE_CHECKING:
    from gramarye.derivations.rewriting import Rewriting
    from gramarye.engine.evolution import Evolution
    from gramarye.engine.individual import Individual
    from gramarye.engine.run import Run
    from gramarye.engine.setup import Setup
    from gramarye.engine.state import State
    from gramarye.grammar import Grammar
    from gramarye.methods.base import MethodBase
    from gramarye.objectives.problem import Problem
    from gramarye.show.figures.fronts import Front

PICKS = ("best", "front")
EVERY = 5.0  # seconds between two savings of a state


@dataclass
class Outputs:
    """A picture, a grammar, predictions and a program, if they were asked for."""

    plot: Path | None
    plot_rule: str | None
    grammar: Path | None
    predict: tuple[Path, Path] | None = None  # a table, and the file for its predictions
    pick: str = "best"  # which program predicts and is written
    front: bool = False  # whether the front is drawn, too
    program: Path | None = None  # as Python if its name ends so, or else as its text
    written: dict[str, Path] = field(default_factory=dict)
    errors: list[GramaryeError] = field(default_factory=list)

    def check(self, setup: Setup) -> None:
        """Raise now what can't be done later."""
        method = setup.method
        if self.pick not in PICKS:
            raise SettingsError(f"--pick is {self.pick!r}: it must be one of {', '.join(map(repr, PICKS))}")
        if self.predict is None and self.program is None and self.pick != PICKS[0]:
            raise SettingsError("--pick goes with --predict IN.csv OUT.csv, or with --out FILE")
        if self.predict is not None:
            check_output(self.predict[1], ".csv")
            if self.predict[1].exists() and self.predict[1].samefile(self.predict[0]):
                raise SettingsError(f"--predict: {self.predict[1]} would be overwritten by its own predictions")
            self._check_table(setup.problem, self.predict[0])
        if self.plot_rule is not None:
            if self.plot is None:
                raise SettingsError("--plot-rule goes with --plot FILE, which draws the picture; give both, or neither")
            self.plot_rule = _rule(self.plot_rule, setup.grammar, method)
        if self.plot is not None:
            from gramarye.show.figures.picture import check_picture_path

            check_picture_path(self.plot)
        if self.program is not None:
            check_output(self.program)
        if self.grammar is not None:
            check_output(self.grammar)
            if method.wording is None:
                note(f"{method.name} learns nothing: the grammar is saved as it was")

    def _check_table(self, problem: Problem, path: Path) -> None:
        from gramarye.data import CSV

        try:
            problem.check_columns(CSV(path))
        except DataError as error:
            raise DataError(str(error) if str(path) in str(error) else str(error).replace("X", str(path), 1)) from None

    def write(self, run: Run) -> None:
        """Write them; what fails is noted in `errors`."""
        if self.grammar is not None:
            path = self.grammar
            self._try("grammar", path, lambda: write_text(path, run.grammar.text))
        if self.plot is not None:
            picture = self.plot
            self._try("picture", picture, lambda: _draw(run, picture, self.plot_rule, self.front))
        if run.best.phenotype is None:
            return
        chosen = run.best if self.pick == "best" else run.picked
        if self.predict is not None:
            source, target = self.predict
            self._try("predictions", target, lambda: write_text(target, _predictions(chosen, source)))
        if self.program is not None:
            program = self.program
            is_python = program.suffix.lower() == ".py"
            self._try(
                "program", program, lambda: write_text(program, str(chosen.python() if is_python else chosen.formula))
            )

    def _try(self, what: str, path: Path, write: Callable[[], None]) -> None:
        try:
            write()
            self.written[what] = path
        except OutputError as error:
            self.errors.append(error)
        except GramaryeError as error:
            self.errors.append(OutputError(f"{path}: not written: {error}"))


def _predictions(chosen: Individual, path: Path) -> str:
    """A table once more, as CSV, with a column for what a program predicts."""
    from gramarye.data import CSV

    table = CSV(path)
    predicted = chosen.predict(table)
    name = "prediction"
    while name in table.columns:
        name += "_"
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*table.columns, name])
    writer.writerows([*row, y] for row, y in zip(table.rows, predicted.tolist(), strict=True))
    return text.getvalue()


def _rule(name: str, grammar: Grammar, method: MethodBase) -> str:
    """The non-terminal that was meant, with or without its brackets."""
    if method.wording is None:
        raise SettingsError(f"{method.name} learns nothing, so no probabilities are drawn; leave --plot-rule out")
    bracketed = name if name.startswith("<") else f"<{name}>"
    if bracketed not in grammar.nonterminals:
        near = did_you_mean(bracketed, grammar.nonterminals) or f"; it has {', '.join(grammar.nonterminals)}"
        raise SettingsError(f"--plot-rule {name!r}: {grammar.name} has no such rule{near}")
    return bracketed


def _draw(run: Run, path: Path, rule: str | None, front: bool) -> None:
    from gramarye.show.figures.picture import save_picture

    rewriting = run.setup.rewriting
    grammar = rewriting.grammar
    rule = rule or _shown_rule(run.problem.grammar, rewriting)
    wording = run.method.wording
    save_picture(
        path,
        generations=run.table["generation"],
        best=run.history["best_so_far"],
        mean=run.history["mean"],
        median=run.history["median"],
        probabilities=None if wording is None else run.probabilities[:, grammar.spans[rule]],
        labels=[production.text for production in grammar.rules[rule]],
        heading="" if wording is None else wording.rule.format(rule),
        title=f"{run.method.name.upper()} on {run.problem.name}, seed {run.seed}",
        direction=run.problem.direction,
        front=_front(run) if front and run.front else None,
    )


def _front(run: Run) -> Front:
    """The front of a run, for a picture."""
    from gramarye.show.figures.fronts import Front

    picked, members = run.picked, run.front
    return Front(
        [member.nodes for member in members],
        [member.fitness for member in members],
        [member.test_fitness for member in members],
        next(i for i, member in enumerate(members) if member is picked),
        run.problem.measure,
    )


def _shown_rule(grammar: Grammar, rewriting: Rewriting) -> str:
    """<op>, or the first rule that stands for it in a rewritten grammar; else the largest rule."""
    rules = rewriting.grammar.rules
    for name, rule in rules.items():
        first = rule[0].id if rewriting.templates is None else rewriting.templates[rule[0].id][0]
        if grammar.productions[first].nonterminal == "<op>":
            return name
    return max(rules, key=lambda name: len(rules[name]))


class Checkpoint:
    """The state of a run on disk, if that was asked for."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.written: dict[str, Path] = {}
        self.errors: list[GramaryeError] = []
        self._saved = time.monotonic()

    def load(self) -> State | None:
        """The state to go on from, or None; a path that can't be written is an error now."""
        if self.path is None:
            return None
        check_output(self.path)
        if not self.path.exists():
            return None
        from gramarye.engine.state import State

        return State.load(self.path)

    def after_a_while(self, evolution: Evolution) -> None:
        """Save the state if the last time was some seconds ago."""
        if time.monotonic() - self._saved >= EVERY:
            self.save(evolution)

    def save(self, evolution: Evolution) -> None:
        """Save the state; a disk that is full must not end the run."""
        if self.path is None or evolution.state is None:
            return
        self.errors.clear()
        try:
            evolution.state.save(self.path)
            self.written["checkpoint"] = self.path
        except GramaryeError as error:
            self.errors.append(error)
        self._saved = time.monotonic()
