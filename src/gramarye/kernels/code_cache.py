"""Where the machine code of kernels is kept: a folder for each version of a module and of what it imports.

Numba itself looks only at the file of the outermost function, so an edited helper would leave stale code behind.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import inspect
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator

_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)|import[ \t]+([^\n]*))", re.MULTILINE
)
_NAME = re.compile(r"(?:#[^\n]*)|([\w.]+)(?:[ \t]+as[ \t]+\w+)?")


def cache_root() -> Path:
    """Where programs keep what they can make again; `GRAMARYE_CACHE` names another place."""
    if "GRAMARYE_CACHE" in os.environ:
        return Path(os.environ["GRAMARYE_CACHE"])
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", "~")).expanduser()
    if sys.platform == "darwin":
        return Path("~/Library/Caches").expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")).expanduser()


def cache_folder(module: str) -> Path:
    """Where the machine code of a module's kernels is kept."""
    return cache_root() / "gramarye" / "kernels" / f"{module.rpartition('.')[2]}-{source_hash(module)}"


@functools.cache
def source_hash(module: str) -> str:
    """A hash of the sources of a module, and of what it imports from its own package and from this one.

    Of our own modules, only kernels are asked what they import in turn: of others they use but layouts and constants.
    """
    digest = hashlib.sha256()
    for path in sorted(_sources(module)):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _sources(module: str) -> set[Path]:
    ours = {__name__.partition(".")[0], module.partition(".")[0]}
    found: set[Path] = set()
    seen, waiting = {module}, [module]
    while waiting:
        name = waiting.pop()
        path = Path(getattr(sys.modules.get(name), "__file__", None) or "")
        if path.suffix == ".py" and path.is_file():
            found.add(path)
            if name != module and name.startswith("gramarye.") and ".kernels" not in name:
                continue
            new = {other for other in _imports(name, path) if other.partition(".")[0] in ours} - seen
            seen |= new
            waiting.extend(new)
    return found


@functools.cache
def _imports(module: str, path: Path) -> frozenset[str]:
    """What a module imports, as full names of modules or of what is in them."""
    return frozenset(_names(path.read_text(encoding="utf-8"), sys.modules[module].__spec__))


def _names(text: str, spec: Any) -> Iterator[str]:
    for source, members, modules in _IMPORT.findall(text):
        if not source:
            yield from filter(None, _NAME.findall(modules))
            continue
        base = importlib.util.resolve_name(source, spec.parent if spec else None) if source[0] == "." else source
        yield base
        yield from (f"{base}.{member}" for member in _NAME.findall(members) if member)


@functools.cache
def _tell(folder: Path, error: str) -> None:
    warnings.warn(
        f"machine code can't be kept in {folder} ({error}), so that each process compiles it again; "
        "make room there, or set GRAMARYE_CACHE to another folder",
        stacklevel=2,
    )


class _Locator(_CacheLocator):  # type: ignore[misc]  # Numba ships no types
    """Keeps the machine code of a kernel in the folder of its module."""

    def __init__(self, function: Callable[..., Any], path: str) -> None:
        self._module, self._path = function.__module__, path
        self._line = function.__code__.co_firstlineno

    def get_cache_path(self) -> str:
        return str(cache_folder(self._module))

    def get_source_stamp(self) -> str:
        return source_hash(self._module)

    def get_disambiguator(self) -> str:
        return f"{self._module}-{self._line}"

    def ensure_cache_path(self) -> None:
        Path(self.get_cache_path()).mkdir(parents=True, exist_ok=True)

    @classmethod
    def from_function(cls, function: Callable[..., Any], path: str) -> _Locator:
        return cls(function, path)


class _Cached(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = [_Locator]  # noqa: RUF012  (Numba's own attribute)


class Cache(FunctionCache):  # type: ignore[misc]
    """The machine code of one kernel on disk; what can't be read or written is compiled all the same."""

    _impl_class = _Cached

    def load_overload(self, signature: Any, target: Any) -> Any:
        try:
            return super().load_overload(signature, target)
        except OSError:
            return None

    def save_overload(self, signature: Any, result: Any) -> None:
        try:
            super().save_overload(signature, result)
        except OSError as error:
            _tell(Path(self.cache_path), error.strerror or str(error))


def can_be_kept(function: Callable[..., Any]) -> bool:
    """Whether a function has a file, by which its machine code is found again."""
    return function.__module__ in sys.modules and Path(inspect.getfile(function)).exists()
