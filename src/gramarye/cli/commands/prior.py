"""`gramarye prior`: a grammar whose probabilities are learned from the runs of an experiment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gramarye.cli.console import note, show
from gramarye.cli.inputs import read_grammar
from gramarye.cli.options import DATABASE
from gramarye.errors import SettingsError
from gramarye.files import check_output, write_text
from gramarye.text import counted

if TYPE_CHECKING:
    from gramarye.priors.programs import Solution

EXAMPLES = """
  gramarye prior results.db                     how probabilities would change
  gramarye prior results.db --out prior.bnf
  gramarye prior study --problem pagie --method PGE --out prior.bnf
  gramarye prior results.db --grammar my.bnf --shrinkage auto --out prior.bnf
  gramarye run pagie --grammar prior.bnf        start a run from a prior
"""


def prior(
    file: Annotated[Path, typer.Argument(metavar="RESULTS", help="results.db of an experiment, or its folder.")],
    grammar: Annotated[
        str | None,
        typer.Option(metavar="FILE|PROBLEM", help="The grammar of the prior (default: that of the runs)."),
    ] = None,
    problem: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Learn from this problem only; may be given several times.")
    ] = None,
    method: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Learn from this method only; may be given several times.")
    ] = None,
    shrinkage: Annotated[
        str,
        typer.Option(
            metavar="NUMBER|auto",
            help="Number of problems that the probabilities of the grammar count as (uniform ones if it has none).",
        ),
    ] = "1",
    context: Annotated[
        str, typer.Option(metavar="NAME", help="What probabilities of a rule depend on: none, parent or slot.")
    ] = "none",
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the prior to a grammar file (.bnf).")] = None,
) -> None:
    """Learn the probabilities of a grammar from the best programs of the runs of an experiment.

    Without --out, it shows them next to those of the grammar. Runs that are not done yet are left out.
    """
    if out is not None:
        check_output(out, ".bnf")
    from gramarye.priors.learning import contexts_of, prior_of
    from gramarye.priors.programs import common_grammar, stored
    from gramarye.store import Results

    with Results.open(file / DATABASE if file.is_dir() else file) as results:
        found = stored(results, problem or (), method or ())
    base = common_grammar(found) if grammar is None else read_grammar(grammar)
    choice: Any = context  # which is checked there
    learned = prior_of(found, base, _number(shrinkage), choice)
    if out is None:
        from gramarye.terminal.prior import page

        show(page(contexts_of(base, choice).grammar, learned, _source(found)))
    else:
        write_text(out, learned.text)
        note(f"the prior learned from {_source(found)} was written to {out}")


def _number(text: str) -> Any:
    """The shrinkage: "auto", or a number, whose range is checked later."""
    try:
        return text if text == "auto" else float(text)
    except ValueError:
        raise SettingsError(f"--shrinkage is {text!r}: it must be a number, or auto") from None


def _source(found: Sequence[Solution]) -> str:
    """What a prior was learned from, in words."""
    return f"{counted(len(found), 'program')} for {counted(len({each.task for each in found}), 'problem')}"
