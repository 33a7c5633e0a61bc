"""Files that the command line reads and writes."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gramarye.errors import GenotypeError, GrammarError, OutputError, did_you_mean

if TYPE_CHECKING:
    from gramarye.grammar import Grammar


def read_grammar(source: str) -> Grammar:
    """The grammar of a ready-made problem, or of a file; `./pagie` is always a file."""
    from gramarye.grammar import Grammar
    from gramarye.problems import PROBLEMS, load

    if source in PROBLEMS:
        return load(source).grammar
    near = did_you_mean(source, PROBLEMS)
    if near and not Path(source).exists():
        raise GrammarError(f"{source}: there is no such file, and no problem of that name{near}")
    return Grammar.from_file(source)


def read_genotype(text: str) -> Any:
    """A genotype written as JSON; single quotes are as good as double ones."""
    try:
        return json.loads(text.replace("'", '"'))
    except json.JSONDecodeError as error:
        what = f"the genotype is no JSON: {error.msg} at character {error.colno}"
    except (ValueError, RecursionError) as error:
        what = f"the genotype can't be read: {error}"
    raise GenotypeError(f"""{what}; write '[0.8, 0.2]', or '{{"<op>": [0, 1]}}' for lists""")


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


def write_text(path: Path, text: str) -> None:
    """Write a text file."""
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise OutputError(f"{path}: can't be written ({error.strerror or error}); choose another place") from None
