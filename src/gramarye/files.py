"""Files that are written after a long wait: what can go wrong is found out before."""

from __future__ import annotations

import os
from pathlib import Path

from gramarye.errors import OutputError


def write_whole(path: Path, content: bytes) -> None:
    """Write a file; one that was there is replaced only when the new one is complete."""
    temporary = path.with_name(f"{path.name}.part")
    try:
        try:
            temporary.write_bytes(content)
            temporary.replace(path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise OutputError(f"{path}: can't be written ({error.strerror or error}); choose another place") from error


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
    if not path.parent.is_dir():
        raise OutputError(f"{path}: there is no folder {path.parent}; create it, or choose another one")
    if path.is_dir():
        raise OutputError(f"{path}: this is a folder; give the name of a file")
    barred = path if path.exists() else path.parent
    if not os.access(barred, os.W_OK):
        raise OutputError(f"{path}: no permission to write to {barred}; choose another place")
