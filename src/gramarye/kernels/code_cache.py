"""Where the machine code of kernels is kept: a folder for each version of a module and of what it imports.

Numba's own cache looks only at the file of the outermost function, so an edited helper would leave stale code behind.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import inspect
import os
import pickle
import re
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from gramarye.kernels import machine_code
from gramarye.kernels.compiler_hooks import loads
from gramarye.kernels.machine_code import Code

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
        path = _path(name)
        if path is not None:
            found.add(path)
            if name != module and name.startswith("gramarye.") and ".kernels" not in name:
                continue
            new = {other for other in _imports(name, path) if other.partition(".")[0] in ours} - seen
            seen |= new
            waiting.extend(new)
    return found


@functools.cache
def _path(name: str) -> Path | None:
    """The file of a module, loaded or not; None where the name is of something in a module."""
    top, *rest = name.split(".")
    root = Path(getattr(sys.modules.get(top), "__file__", None) or "")
    if not rest:
        return root if root.suffix == ".py" and root.is_file() else None
    path = root.parent.joinpath(*rest)
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


@functools.cache
def _imports(module: str, path: Path) -> frozenset[str]:
    """What a module imports, as full names of modules or of what is in them."""
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    return frozenset(_names(path.read_text(encoding="utf-8"), package))


def _names(text: str, package: str) -> Iterator[str]:
    for source, members, modules in _IMPORT.findall(text):
        if not source:
            yield from filter(None, _NAME.findall(modules))
            continue
        base = importlib.util.resolve_name(source, package) if source[0] == "." else source
        yield base
        yield from (f"{base}.{member}" for member in _NAME.findall(members) if member)


@functools.cache
def machine_hash() -> str:
    """A hash of what machine code depends on besides sources: versions of tools, the processor, Numba's settings."""
    import llvmlite
    import llvmlite.binding as llvm

    digest = hashlib.sha256((machine_code.numba_folder() / "_version.py").read_bytes())
    settings = sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_"))
    processor = (llvm.get_default_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten())
    digest.update(repr((llvmlite.__version__, sys.implementation.cache_tag, processor, settings)).encode())
    return digest.hexdigest()[:16]


def _file(function: Callable[..., Any], types: str) -> Path | None:
    """Where the machine code of a function for arguments of these types is, or will be."""
    if function.__module__ not in sys.modules or not Path(inspect.getfile(function)).exists():
        return None  # without sources, it can't be known whether they have changed
    line = function.__code__.co_firstlineno
    digest = hashlib.sha256(f"{function.__module__} {types} {machine_hash()}".encode()).hexdigest()[:16]
    return cache_folder(function.__module__) / f"{function.__name__}-{line}-{digest}.kernel"


def load(function: Callable[..., Any], types: str) -> Callable[..., Any] | None:
    """The machine code for arguments of these types, if it is there and can be read."""
    try:
        path = _file(function, types)
        if path is None or not path.exists():
            return None
        code = Code(*pickle.loads(path.read_bytes()))  # noqa: S301  (whoever writes there could write machine code)
        ready = machine_code.loaded(code, function)
    except Exception:  # whatever is wrong with a file, its kernel can be compiled
        return None
    for tell in loads:
        tell(code.passes)
    return ready


def save(function: Callable[..., Any], types: str, code: Code) -> None:
    """Keep machine code for later processes; where that can't be done, they compile it again."""
    path = _file(function, types)
    if path is None:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write(path, pickle.dumps(tuple(code)))
    except OSError as error:
        _tell(path.parent.parent, error.strerror or str(error))


def _write(path: Path, data: bytes) -> None:
    """All of it or nothing: other processes may be reading and writing the same file."""
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(temporary).replace(path)
    except OSError:
        Path(temporary).unlink(missing_ok=True)
        raise


@functools.cache
def _tell(folder: Path, error: str) -> None:
    warnings.warn(
        f"machine code can't be kept in {folder} ({error}), so that each process compiles it again; "
        "make room there, or set GRAMARYE_CACHE to another folder",
        stacklevel=2,
    )
