"""Locality and redundancy of methods, side by side: `analyse` gives tables, figures and files."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gramarye.analysis.plan import SOURCES, Plan, Source
from gramarye.analysis.study import PARTS, Locality, follow, study
from gramarye.drawing import brief
from gramarye.errors import OutputError, SettingsError
from gramarye.evolution import check_problem, check_seed
from gramarye.execution import Workers, cores
from gramarye.grammar import Grammar
from gramarye.methods import METHODS, MethodBase, check_method, find
from gramarye.objectives.base import Problem, check_grammar
from gramarye.report import analysis_figures, analysis_tables
from gramarye.report.figures import save
from gramarye.report.table import Table, write_tables

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Watch = Callable[[int, int, str], None]  # done, of how many, what comes next


@dataclass(frozen=True, repr=False)
class Analysis:
    """What was measured of some methods on one grammar."""

    grammar: Grammar
    problem: Problem | None  # of the runs that were followed
    plan: Plan
    seed: int
    found: tuple[Locality, ...]  # one for each method
    runs: tuple[Locality, ...]  # one for each method and generation that was looked at
    seconds: float

    @property
    def table(self) -> Table:
        """What one change does, a row for each method."""
        return analysis_tables.locality(self.found, self.title)

    @property
    def tables(self) -> list[Table]:
        """All tables: locality, causality and crossover, redundancy, runs, and every number with its interval."""
        return analysis_tables.tables(self.found, self.runs, self.title)

    @property
    def title(self) -> str:
        """What was analysed."""
        return f"{self.grammar.name}, seed {self.seed}"

    def figures(self) -> dict[str, Figure]:
        """All figures by name; needs the extra `report`."""
        return analysis_figures.figures(self.found, self.runs, self.title)

    def facts(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return {
            "grammar": self.grammar.name,
            "problem": None if self.problem is None else self.problem.name,
            "seed": self.seed,
            "plan": dict(vars(self.plan)),
            "methods": [analysis_tables.facts(each) for each in self.found],
            "runs": [analysis_tables.facts(each) for each in self.runs],
            "seconds": self.seconds,
        }

    def write(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write tables (CSV, LaTeX, Markdown), figures (PDF, SVG, PNG) and `analysis.json` into a folder."""
        target = Path(folder)
        written = write_tables(target, self.tables)
        path = target / "analysis.json"
        try:
            path.write_text(json.dumps(analysis_tables.plain(self.facts()), indent=1) + "\n", encoding="utf-8")
        except OSError as error:
            raise OutputError(f"{path}: can't be written ({error.strerror or error}); choose another place") from error
        figures = [place for name, figure in self.figures().items() for place in save(figure, target, name)]
        return [*written, path, *figures]

    def __str__(self) -> str:
        return str(self.table)

    def __repr__(self) -> str:
        return f"Analysis({self.title}: {', '.join(each.label for each in self.found)})"

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


def analyse(
    grammar: Grammar,
    methods: Sequence[MethodBase | str] | None = None,
    *,
    bases: int = 1000,
    neighbours: int = 20,
    sample: int | None = None,
    source: Source = "random",
    problem: Problem | None = None,
    generations: Sequence[int] = (0, 10, 25, 50),
    seed: int | None = None,
    workers: int | None = None,
    watch: Watch | None = None,
) -> Analysis:
    """How local and how redundant methods are on a grammar: all of them, where none are named.

    `bases` valid genotypes have `neighbours` each; `sample` genotypes (five for each base) tell how redundant a method
    is. With source "trees" all methods start from the same programs. With a problem, a run of each method is followed,
    and its population is looked at in some generations. The same seed gives the same numbers.
    """
    grammar = check_grammar(grammar)
    chosen = labelled(methods if methods is not None else list(METHODS))
    plan = Plan(bases, neighbours, sample=5 * bases if sample is None else sample, generations=tuple(generations))
    if source not in SOURCES:
        raise SettingsError(f"source is {source!r}: it must be one of {', '.join(map(repr, SOURCES))}")
    if problem is not None and check_problem(problem).grammar != grammar:
        raise SettingsError(f"the problem {problem.name} has another grammar; load it with the one to be analysed")
    number, threads = check_seed(seed), cores() if workers is None else workers
    began = time.perf_counter()
    tell = _Telling(watch, len(chosen) * (len(PARTS) + (0 if problem is None else 1 + len(set(plan.generations)))))
    with closing(Workers(threads)) as pool:
        found = study(grammar, chosen, plan, number, source, pool, tell)
    runs: list[Locality] = []
    if problem is not None:
        for label, method in chosen.items():
            tell(f"{label}: run")
            runs += follow(problem, label, method, plan, number, threads, tell)
    tell.end()
    return Analysis(grammar, problem, plan, number, tuple(found), tuple(runs), time.perf_counter() - began)


class _Telling:
    """Counts the parts of an analysis, and tells who watches."""

    def __init__(self, watch: Watch | None, total: int) -> None:
        self._watch, self._total, self._done = watch, total, -1

    def __call__(self, what: str) -> None:
        self._done += 1
        if self._watch is not None:
            self._watch(min(self._done, self._total), self._total, what)

    def end(self) -> None:
        """All parts are done."""
        if self._watch is not None:
            self._watch(self._total, self._total, "done")


def labelled(methods: Sequence[MethodBase | str]) -> Mapping[str, MethodBase]:
    """Methods by what reports call them; the second PGE is called PGE 2."""
    if isinstance(methods, str | MethodBase) or not isinstance(methods, Sequence) or not methods:
        raise SettingsError(f'methods is {brief(repr(methods))}: give a list, such as ["pge", gm.GE(wraps=1)]')
    named: dict[str, MethodBase] = {}
    for given in methods:
        method = find(given)() if isinstance(given, str) else check_method(given)
        name = type(method).__name__
        count = 1 + sum(type(other).__name__ == name for other in named.values())
        named[name if count == 1 else f"{name} {count}"] = method
    return named
