"""`--fitness mymodule:fitness`: a function of the user's as the objective of a run."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gramarye.cli.console import note
from gramarye.cli.inputs import read_grammar
from gramarye.errors import SettingsError

if TYPE_CHECKING:
    from gramarye.objectives.problem import Problem


@dataclass(frozen=True)
class FitnessOptions:
    """What the command line says of a fitness function, and of the processes that call it."""

    fitness: str | None
    settings: Mapping[str, Any]  # of the objective, by option; None or False: not given
    workers: int | None = None
    dask: str | None = None

    def objective(self, problem: str | None, grammar: str | None, data: Mapping[str, Any]) -> Problem | None:
        """The objective; None where the problem is another. `data` are options that don't go with it."""
        if self.fitness is None:
            return self._ready_made(problem, grammar, data)
        _refuse(data, "a table of data, not with --fitness")
        if problem is not None:
            raise SettingsError(f"--fitness defines the problem; leave out {problem!r}")
        if grammar is None:
            raise SettingsError("--fitness needs the grammar of the programs; give --grammar FILE")
        from gramarye.execution.named_functions import function_named
        from gramarye.objectives import Objective

        function = function_named(self.fitness, "--fitness", Path.cwd())
        options = _given(self.settings)
        test = options.pop("test_fitness", None)
        name = self.fitness.rpartition(":")[2]
        tested = None if test is None else function_named(test, "--test-fitness", Path.cwd())
        return Objective(function, read_grammar(grammar), test=tested, name=name, **options)

    def _ready_made(self, problem: str | None, grammar: str | None, data: Mapping[str, Any]) -> Problem | None:
        """A ready-made objective; None where the problem is not one."""
        from gramarye.problems import OBJECTIVES, load

        if problem not in OBJECTIVES:
            _refuse({**self.settings, "workers": self.workers, "dask": self.dask}, "--fitness MODULE:FUNCTION")
            return None
        of_function = {name: self.settings.get(name) for name in ("test_fitness", "maximise", "batch")}
        _refuse(of_function, "--fitness MODULE:FUNCTION")
        _refuse(data, f"a table of data, not with the problem {problem!r}")
        return load(problem, None if grammar is None else read_grammar(grammar), **_given(self.settings))

    @contextlib.contextmanager
    def processes(self, problem: Problem) -> Iterator[dict[str, Any]]:
        """The processes that evaluate programs, as `Evolution` takes them: all cores unless something else is said."""
        from gramarye.execution import cores, dask_executor

        if problem.compiled:
            yield {}
        elif self.settings.get("batch"):  # called in this process, whoever evaluates for it
            _refuse({"workers": self.workers, "dask": self.dask}, "a function of one program, not with --batch")
            yield {}
        elif self.dask is None:
            yield {"workers": cores() if self.workers is None else self.workers}
        else:
            with dask_executor(self.dask, self.workers, note) as executor:
                yield {"executor": executor}


def _refuse(options: Mapping[str, Any], what: str) -> None:
    """An error where options are given that go with something else."""
    for name in _given(options):
        raise SettingsError(f"--{name.replace('_', '-')} goes with {what}")


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given: a flag that was not is False, any other None."""
    return {name: value for name, value in options.items() if value is not None and value is not False}
