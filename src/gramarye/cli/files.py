"""Files that the command line reads and writes."""

from __future__ import annotations

import json
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


def write_text(path: Path, text: str) -> None:
    """Write a text file."""
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise OutputError(f"{path}: can't be written ({error.strerror or error}); choose another place") from None
