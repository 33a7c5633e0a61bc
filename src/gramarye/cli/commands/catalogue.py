"""`gramarye grammar | methods | problems`: pages to look something up."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gramarye.cli.console import show, show_json
from gramarye.cli.inputs import read_grammar
from gramarye.cli.options import Json, Source
from gramarye.files import check_output, write_text

GRAMMAR_EXAMPLES = """
  gramarye grammar my.bnf
  gramarye grammar theirs.txt --dialect sge --bnf > ours.bnf
  gramarye grammar pagie --codons 256
  gramarye grammar my.bnf --railroad my.svg
  gramarye grammar boston --bnf > boston.bnf
"""


def grammar(
    source: Source,
    dialect: Annotated[
        str | None,
        typer.Option(help="System that the file was written for: gramarye, ponyge2, sge, grape, geva or ebnf."),
    ] = None,
    codons: Annotated[int, typer.Option(min=0, max=10_000, help="Number of codons of a random genotype.")] = 128,
    railroad: Annotated[Path | None, typer.Option(help="Draw a railroad diagram into this SVG file.")] = None,
    bnf: Annotated[bool, typer.Option("--bnf", help="Print the grammar as BNF text only.")] = False,
    as_json: Json = False,
) -> None:
    """Show a grammar: its rules, its shape, and what may be wrong with it."""
    from gramarye.records.grammar import document
    from gramarye.terminal.grammar import page

    if railroad:
        check_output(railroad, ".svg")
    read = read_grammar(source, dialect, warn=bnf)  # the page and the document have the warnings
    if railroad:
        from gramarye.grammar.bnf import parse
        from gramarye.grammar.drawing import railroad_svg

        write_text(railroad, railroad_svg(parse(read.text, read.name)))
    if bnf:
        typer.echo(read.text, nl=not read.text.endswith("\n"))
    elif as_json:
        show_json(document(read, codons))
    else:
        show(page(read, codons, railroad))


METHODS_EXAMPLES = """
  gramarye methods
  gramarye methods pge
"""


def methods(
    name: Annotated[str | None, typer.Argument(help="Show the settings of this method.")] = None,
    as_json: Json = False,
) -> None:
    """List the methods, or the settings of one."""
    from gramarye.methods import METHODS, find
    from gramarye.records import catalogue as records
    from gramarye.terminal import catalogue as pages

    if name is None:
        chosen = list(METHODS.values())
        show_json(records.methods(chosen)) if as_json else show(pages.methods_page(chosen))
    else:
        method = find(name)
        show_json(records.method(method)) if as_json else show(pages.method_page(method))


PROBLEMS_EXAMPLES = """
  gramarye problems
  gramarye problems boston
"""


def problems(
    name: Annotated[str | None, typer.Argument(help="Show this problem and its grammar.")] = None,
    as_json: Json = False,
) -> None:
    """List the ready-made problems, or show one."""
    from gramarye.problems import PROBLEMS, load
    from gramarye.records import catalogue as records
    from gramarye.terminal import catalogue as pages

    if name is None:
        chosen = [load(each) for each in PROBLEMS]
        show_json(records.problems(chosen)) if as_json else show(pages.problems_page(chosen))
    else:
        problem = load(name)
        show_json(records.problem(problem)) if as_json else show(pages.problem_page(problem))
