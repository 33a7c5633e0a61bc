"""`gramarye prior`: a grammar whose probabilities are learned from the runs of an experiment, or from saved models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from gramarye.cli.console import note, show, show_json
from gramarye.cli.inputs import read_grammar
from gramarye.cli.options import Json
from gramarye.errors import SettingsError
from gramarye.files import check_output, write_text
from gramarye.text import counted

EXAMPLES = """
  gramarye prior results.db                     how probabilities would change
  gramarye prior results.db --out prior.bnf
  gramarye prior study --problem pagie --method PGE --out prior.bnf
  gramarye prior results.db --grammar my.bnf --shrinkage auto --out prior.bnf
  gramarye prior houses.json flats.json --out prior.bnf    from saved models
  gramarye run pagie --grammar prior.bnf        start a run from a prior
"""


def prior(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE", help="results.db of an experiment, its folder, or models of `gramarye fit --out`."
        ),
    ],
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
    as_json: Json = False,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the prior to a grammar file (.bnf).")] = None,
) -> None:
    """Learn the probabilities of a grammar from the best programs of an experiment's runs, or from saved models.

    Without --out, it shows them next to those of the grammar. Runs that are not done yet are left out.
    """
    if out is not None:
        check_output(out, ".bnf")
    from gramarye.priors.learning import contexts_of, prior_of
    from gramarye.priors.programs import common_grammar, read

    found = [each for file in files for each in read(file, problem or (), method or ())]
    base = common_grammar(found) if grammar is None else read_grammar(grammar)
    choice: Any = context  # which is checked there
    learned = prior_of(found, base, _number(shrinkage), choice)
    before, problems = contexts_of(base, choice).grammar, len({each.task for each in found})
    source = f"{counted(len(found), 'program')} on {counted(problems, 'problem')} with shrinkage {learned.shrinkage:g}"
    if out is not None:
        write_text(out, learned.grammar.text)
        note(f"the prior learned from {source} was written to {out}")
    if as_json:
        from gramarye.records.prior import document

        facts = {"programs": len(found), "problems": problems, "shrinkage": learned.shrinkage, "context": context}
        show_json(document(before, learned.grammar, facts))
    elif out is None:
        from gramarye.terminal.prior import page

        show(page(before, learned.grammar, source))


def _number(text: str) -> Any:
    """The shrinkage: "auto", or a number, whose range is checked later."""
    try:
        return text if text == "auto" else float(text)
    except ValueError:
        raise SettingsError(f"--shrinkage is {text!r}: it must be a number, or auto") from None
