"""Files that are written after a long wait: what can go wrong is found out before."""

from __future__ import annotations

import os
from pathlib import Path

from gramarye.errors import OutputError


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
