"""Files are read up to a size, and written whole or not at all; what can go wrong later is found out before."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

from gramarye.errors import OutputError

DATABASE = "results.db"  # of an experiment, in its folder
LARGEST_TEXT = 64 * 2**20  # bytes of a grammar, an experiment or a list of programs
LARGEST_TABLE = 2 * 2**30


def read_limited(path: Path, most: int = LARGEST_TEXT) -> bytes:
    """The content of a file; an OSError where it is larger than anyone means it to be, as /dev/zero is."""
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most // 2**20:,} MB")
    return content


def write_text(path: Path, text: str) -> None:
    """Write a text in UTF-8, whole or not at all; half of a surrogate pair, which no file can hold, as an escape."""
    write_whole(path, text.encode("utf-8", "backslashreplace"))


def write_whole(path: Path, content: bytes) -> None:
    """Write a file; one that was there is replaced only when the new one is complete, also behind a symbolic link."""
    target = _target(path)
    try:
        if _is_device(target):
            target.write_bytes(content)
        else:
            _replace(target, content)
    except OSError as error:
        raise OutputError(f"{path}: can't be written ({error.strerror or error}); choose another place") from error


def _replace(target: Path, content: bytes) -> None:
    temporary = target.with_name(f"{target.name}.part")
    try:
        temporary.write_bytes(content)
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    except BaseException:  # Ctrl-C, too
        temporary.unlink(missing_ok=True)
        raise


def _target(path: Path) -> Path:
    """Where a file really is: a symbolic link stays one."""
    return Path(os.path.realpath(path)) if path.is_symlink() and not _is_device(path) else path


def _is_device(path: Path) -> bool:
    """Whether it is a pipe, /dev/stdout or the like, which can be written to, but not replaced."""
    return path.exists() and not path.is_file() and not path.is_dir()


def made_folder(folder: Path) -> Path:
    """A folder to write to, which is made where it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: can't be written ({error.strerror or error}); choose another place") from error
    if not os.access(folder, os.W_OK):
        raise OutputError(f"{folder}: no permission to write there; choose another place")
    return folder


def check_output(path: Path, ending: str = "") -> None:
    """Raise now what writing would raise later: no such folder, no permission."""
    if ending and path.suffix.lower() != ending:
        raise OutputError(f"{path}: only {ending} can be written; end the name in {ending}")
    target = _target(path)
    if not target.parent.is_dir():
        raise OutputError(f"{path}: there is no folder {target.parent}; create it, or choose another one")
    if path.is_dir():
        raise OutputError(f"{path}: this is a folder; give the name of a file")
    folder = [] if _is_device(target) else [target.parent]  # the new file is made beside the old one
    for barred in [target, *folder] if target.exists() else folder:
        if not os.access(barred, os.W_OK):
            raise OutputError(f"{path}: no permission to write to {barred}; choose another place")
