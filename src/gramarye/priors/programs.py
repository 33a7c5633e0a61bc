"""Programs to learn a prior from: the best ones of finished runs, or texts, each with the task that it solves."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from gramarye.comparison.comparison import Comparison
from gramarye.derivations import Derivation
from gramarye.derivations.parsing import parse
from gramarye.engine.run import Run
from gramarye.errors import GrammarError, SettingsError, did_you_mean
from gramarye.files import DATABASE
from gramarye.grammar import Grammar
from gramarye.models import Model
from gramarye.store import Results
from gramarye.store.cells import Cell

WANTED = "runs (model.runs_ of an estimator), a comparison, the path of a results.db or of a saved model, or texts"


class Solution(NamedTuple):
    """A program that was the best of a run, and what it solves."""

    task: Hashable
    name: str  # what an error calls it
    program: str | Derivation
    grammar: Grammar | None = None  # of the problem


def solutions(given: Any) -> list[Solution]:
    """The best program of each run, as far as a run has found a valid one; at least one."""
    if isinstance(given, str | PathLike):
        if isinstance(given, str) and not Path(given).exists():
            raise SettingsError(f"{given} does not exist (a text alone is read as a path; give a list of programs)")
        return read(Path(given))
    if isinstance(given, Comparison):
        given = given.results
    if isinstance(given, Results):
        return stored(given)
    if isinstance(given, Mapping):
        return _written(given)
    items = [given] if isinstance(given, Run) else list(given) if isinstance(given, Iterable) else None
    if items and all(isinstance(item, Run) for item in items):
        return _of_runs(items)
    if items and all(isinstance(item, str | Derivation) for item in items):
        return _written({"the task": items})
    raise SettingsError(f"cannot learn a prior from {_kind(given, items)}; give {WANTED}")


def _kind(given: Any, items: list[Any] | None) -> str:
    """What is no source of programs, in words."""
    if items is None:
        return type(given).__name__
    names = {Run: "runs", str: "texts"}
    kinds = sorted({names.get(type(item), type(item).__name__) for item in items})
    if len(kinds) > 1:
        return f"a mixture of {', '.join(kinds[:-1])} and {kinds[-1]}"
    return f"an empty {type(given).__name__}" if not kinds else f"a {type(given).__name__} of {kinds[0]}"


def holds_programs(path: Path) -> bool:
    """Whether a path is one to learn from, rather than a grammar file."""
    return path.is_dir() or path.suffix.lower() in (".db", ".json")


def read(path: Path, problems: Sequence[str] = (), methods: Sequence[str] = ()) -> list[Solution]:
    """The formulas of a saved model, or the best programs of the runs in a results.db or in a folder with one."""
    if path.suffix.lower() == ".json":
        if problems or methods:
            raise SettingsError(
                f"{path} is a saved model: it has no problems or methods to choose from; leave them out"
            )
        return _of_model(path)
    with Results.open(path / DATABASE if path.is_dir() else path) as results:
        return stored(results, problems, methods)


def _of_model(path: Path) -> list[Solution]:
    """The formulas that predict: one, or one for each of more than two classes."""
    model = Model.load(path)
    return [
        Solution(str(path), f"the formula of {path}", front.formula.derivation, model.grammar) for front in model.fronts
    ]


def stored(results: Results, problems: Sequence[str] = (), methods: Sequence[str] = ()) -> list[Solution]:
    """The best program of each run that is done, of some problems and methods, or of all."""
    for what, wanted, there in (("problem", problems, results.problems), ("method", methods, results.methods)):
        for name in wanted:
            if name not in there:
                near = did_you_mean(name, there) or f"; there are {', '.join(there)}"
                raise SettingsError(f"{results.path or 'the results'}: no {what} is called {name!r}{near}")
    cells = [
        cell
        for cell in results.cells
        if cell.problem in (problems or results.problems) and cell.method in (methods or results.methods)
    ]
    if not any(results.count(cell, "done") for cell in cells):
        raise SettingsError(f"{results.path or 'the results'}: no run is done; wait for one, or choose other runs")
    return _some([solution for cell in cells for solution in _of_cell(results, cell)])


def _of_cell(results: Results, cell: Cell) -> list[Solution]:
    grammar = Grammar.from_text(cell.problem_grammar, cell.problem)
    runs = f"the best program of {cell.method} on {cell.problem}"
    return [
        Solution(cell.problem, f"{runs}, seed {winner.seed}", winner.found.phenotype, grammar)
        for winner in results.winners(cell)
    ]


def _of_runs(runs: Sequence[Run]) -> list[Solution]:
    return _some(
        [
            Solution(_task(run), f"the best program of {run!r}", run.best.derivation, run.problem.grammar)
            for run in runs
            if run.best.phenotype is not None
        ]
    )


def _task(run: Run) -> Hashable:
    """What a run solves, whatever its grammar is."""
    return tuple((name, value) for name, value in run.problem.identity.items() if name != "grammar")


def _written(tasks: Mapping[Any, Any]) -> list[Solution]:
    """Programs by the name of the task that they solve."""
    found = []
    for task, programs in tasks.items():
        if isinstance(programs, str) or not isinstance(programs, Iterable):
            raise SettingsError(f"the programs of {task!r} are {programs!r}; give a list of texts")
        for number, program in enumerate(programs, 1):
            if not isinstance(program, str | Derivation):
                raise SettingsError(f"program {number} of {task!r} is of type {type(program).__name__}; give its text")
            found.append(Solution(task, f"program {number} of {task}", program))
    if not found:
        raise SettingsError("there are no programs to learn from; give at least one")
    return found


def _some(found: list[Solution]) -> list[Solution]:
    if not found:
        raise SettingsError("none of the runs has found a valid program: there is nothing to learn from")
    return found


def common_grammar(found: Sequence[Solution]) -> Grammar:
    """The grammar of all runs; a GrammarError where they have several, or where there are no runs."""
    first = found[0]
    if first.grammar is None:
        raise GrammarError("programs alone have no grammar; give the grammar that the prior is for")
    for other in found:
        if other.grammar != first.grammar:
            same_rules = other.grammar is not None and other.grammar.productions == first.grammar.productions
            differs = "has other probabilities than" if same_rules else "is not"
            what = f"the grammar of {first.name} {differs} that of {other.name}"
            raise GrammarError(f"{what}; choose runs of one grammar, or give the grammar that the prior is for")
    return first.grammar


def derivation(solution: Solution, grammar: Grammar) -> Derivation:
    """How a grammar derives a program; of its own derivations, as it was."""
    program = solution.program
    if isinstance(program, str):
        return parse(grammar, program, solution.name)
    if program.grammar.productions == grammar.productions:
        return program
    return parse(grammar, str(program.phenotype), solution.name)
