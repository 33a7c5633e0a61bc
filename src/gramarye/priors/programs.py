"""Programs to learn a prior from: the best ones of finished runs, or texts, each with the task that it solves."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, NamedTuple

from gramarye.derivations import Derivation
from gramarye.derivations.parsing import parse
from gramarye.engine.run import Run
from gramarye.errors import GrammarError, SettingsError, did_you_mean
from gramarye.grammar import Grammar
from gramarye.store import Results
from gramarye.store.cells import Cell

WANTED = "runs, the path of a results.db, gm.Results (as comparison.results), or programs as texts"


class Solution(NamedTuple):
    """A program that was the best of a run, and what it solves."""

    task: Hashable
    name: str  # what an error calls it
    program: str | Derivation
    grammar: Grammar | None = None  # of the problem


def solutions(given: Any) -> list[Solution]:
    """The best program of each run, as far as a run has found a valid one; at least one."""
    if isinstance(given, str | PathLike):
        with Results.open(given) as results:
            return stored(results)
    if isinstance(given, Results):
        return stored(given)
    if isinstance(given, Mapping):
        return _written(given)
    items = [given] if isinstance(given, Run) else list(given) if isinstance(given, Iterable) else None
    if items and all(isinstance(item, Run) for item in items):
        return _of_runs(items)
    if items and all(isinstance(item, str | Derivation) for item in items):
        return _written({"the task": items})
    kinds = ", ".join(sorted({type(item).__name__ for item in items or ()}))
    what = f"of type {type(given).__name__}" if items is None else f"holding {kinds}" if items else "without elements"
    raise SettingsError(f"no prior can be learned from a value {what}; give {WANTED}")


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
