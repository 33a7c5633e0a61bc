"""Functions that a command or a file names as `module:function`."""

from __future__ import annotations

import contextlib
import importlib
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from gramarye.errors import SettingsError, did_you_mean


def function_named(text: str, what: str, folder: Path) -> Callable[..., Any]:
    """The function that `module:function` names; the module is also looked for in a folder.

    `what` is what errors call the text.
    """
    folder = folder.resolve()
    name, colon, attribute = text.partition(":")
    if not (colon and name and attribute):
        raise SettingsError(f"{what} is {text!r}: write MODULE:FUNCTION, such as mymodule:fitness")
    if name.endswith(".py"):
        raise SettingsError(f"{what} is {text!r}: name the module, not its file: {Path(name).stem}:{attribute}")
    module = _module(name, what, folder)
    found: Any = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            public = [each for each, value in vars(module).items() if callable(value) and not each.startswith("_")]
            file = Path(getattr(module, "__file__", None) or "Python itself")
            hint = did_you_mean(attribute, public)
            elsewhere = "" if file.is_relative_to(folder) else f"; it is a module of {file}, not of {folder}"
            raise SettingsError(f"{what}: {name} has no {attribute!r}{hint or elsewhere}")
        found = getattr(found, part)
    if not callable(found):
        raise SettingsError(f"{what}: {text} is {found!r}, which is not a function")
    return cast("Callable[..., Any]", found)


def _module(name: str, what: str, folder: Path) -> Any:
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))  # worker processes have the same path
    try:
        with contextlib.redirect_stdout(sys.stderr):  # what the module prints is not a result
            return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and (name == error.name or name.startswith(f"{error.name}.")):
            place = f"neither in {folder} nor among the installed packages"
            raise SettingsError(f"{what}: there is no module {error.name!r}, {place}") from None
        raise SettingsError(f"{what}: {name} can't be imported ({_told(error)})") from None
    except (Exception, SystemExit) as error:
        raise SettingsError(f"{what}: {name} can't be imported ({_told(error)})") from None


def _told(error: BaseException) -> str:
    """An error, and the last line of the user's that led to it."""
    told = traceback.format_exception_only(error)[-1].strip()
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "importlib" not in frame.filename]
    place = f"{Path(frames[-1].filename).name}, line {frames[-1].lineno}: " if len(frames) > 1 else ""
    if isinstance(error, SyntaxError) and error.filename:
        place = f"{Path(error.filename).name}, line {error.lineno}: "
    return f"{place}{told}"
