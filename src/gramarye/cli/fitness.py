"""`--fitness mymodule:fitness`: a function of the user's as the objective of a run."""

from __future__ import annotations

import contextlib
import importlib
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from gramarye.cli.console import note
from gramarye.cli.inputs import read_grammar
from gramarye.errors import SettingsError, did_you_mean

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
        from gramarye.objectives import Objective

        function = _function("fitness", self.fitness)
        options = _given(self.settings)
        test = options.pop("test_fitness", None)
        name = getattr(function, "__name__", "fitness")
        tested = None if test is None else _function("test-fitness", test)
        return Objective(function, read_grammar(grammar), test=tested, name=name, **options)

    def _ready_made(self, problem: str | None, grammar: str | None, data: Mapping[str, Any]) -> Problem | None:
        """A ready-made objective; None where the problem is not one."""
        from gramarye.problems import OBJECTIVES, load

        if problem not in OBJECTIVES:
            _refuse({**self.settings, "workers": self.workers, "dask": self.dask}, "--fitness MODULE:FUNCTION")
            return None
        of_function = {name: self.settings.get(name) for name in ("test_fitness", "maximise")}
        _refuse(of_function, "--fitness MODULE:FUNCTION")
        _refuse(data, f"a table of data, not with the problem {problem!r}")
        return load(problem, None if grammar is None else read_grammar(grammar), **_given(self.settings))

    @contextlib.contextmanager
    def processes(self, problem: Problem) -> Iterator[dict[str, Any]]:
        """The processes that evaluate programs, as `Evolution` takes them: all cores unless something else is said."""
        from gramarye.execution import cores, dask_executor

        if problem.compiled:
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


def _function(option: str, text: str) -> Callable[..., Any]:
    """The function that `module:function` names."""
    name, colon, attribute = text.partition(":")
    if not (colon and name and attribute):
        raise SettingsError(f"--{option} is {text!r}: write MODULE:FUNCTION, such as mymodule:fitness")
    if name.endswith(".py"):
        raise SettingsError(f"--{option} is {text!r}: name the module, not its file: {Path(name).stem}:{attribute}")
    module = _module(option, name)
    found: Any = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            public = [each for each in vars(module) if not each.startswith("_")]
            raise SettingsError(f"--{option}: {name} has no {attribute!r}{did_you_mean(attribute, public)}")
        found = getattr(found, part)
    if not callable(found):
        raise SettingsError(f"--{option}: {text} is {found!r}, which is not a function")
    return cast("Callable[..., Any]", found)


def _module(option: str, name: str) -> Any:
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))  # as `python -m` does
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            place = f"neither in {Path.cwd()} nor among the installed packages"
            raise SettingsError(f"--{option}: there is no module {error.name!r}, {place}") from None
        raise SettingsError(f"--{option}: {name} can't be imported ({_told(error)})") from None
    except (Exception, SystemExit) as error:
        raise SettingsError(f"--{option}: {name} can't be imported ({_told(error)})") from None


def _told(error: BaseException) -> str:
    """An error, and the last line of the user's that led to it."""
    what = traceback.format_exception_only(error)[-1].strip()
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "importlib" not in frame.filename]
    place = f"{Path(frames[-1].filename).name}, line {frames[-1].lineno}: " if len(frames) > 1 else ""
    if isinstance(error, SyntaxError) and error.filename:
        place = f"{Path(error.filename).name}, line {error.lineno}: "
    return f"{place}{what}"
