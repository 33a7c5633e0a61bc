"""`gramarye grammar | methods | problems`: pages to look something up."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gramarye.cli.console import show, show_json
from gramarye.cli.inputs import read_grammar
from gramarye.files import check_output, write_text

Json = Annotated[bool, typer.Option("--json", help="Print machine-readable JSON.")]


GRAMMAR_EXAMPLES = """
  gramarye grammar my.bnf
  gramarye grammar pagie --codons 256
  gramarye grammar my.bnf --railroad my.svg
  gramarye grammar boston --bnf > boston.bnf
"""


def grammar(
    source: Annotated[str, typer.Argument(metavar="FILE|PROBLEM", help="A BNF file, or the name of a problem.")],
    codons: Annotated[int, typer.Option(min=0, max=10_000, help="Codons of a random genotype.")] = 128,
    railroad: Annotated[Path | None, typer.Option(help="Draw a railroad diagram into this SVG file.")] = None,
    bnf: Annotated[bool, typer.Option("--bnf", help="Print the grammar as BNF text only.")] = False,
    as_json: Json = False,
) -> None:
    """Show a grammar: its rules, its shape, and what may be wrong with it."""
    from gramarye.terminal.grammar import completion, facts, page

    if railroad:
        check_output(railroad, ".svg")
    read = read_grammar(source)
    if railroad:
        from gramarye.grammar.bnf import parse
        from gramarye.grammar.drawing import railroad_svg

        write_text(railroad, railroad_svg(parse(read.text, read.name)))
    if bnf:
        typer.echo(read.text, nl=not read.text.endswith("\n"))
    elif as_json:
        show_json(facts(read, completion(read, codons)))
    else:
        show(page(read, completion(read, codons), railroad))


METHODS_EXAMPLES = """
  gramarye methods
  gramarye methods pge
"""


def methods(
    name: Annotated[str | None, typer.Argument(help="One method, with its settings.", show_default=False)] = None,
    as_json: Json = False,
) -> None:
    """List the methods, or the settings of one."""
    from gramarye.methods import METHODS, find
    from gramarye.terminal import catalogue

    if name is None:
        chosen = list(METHODS.values())
        document = {method.__name__.lower(): catalogue.method_facts(method) for method in chosen}
        show_json(document) if as_json else show(catalogue.methods_page(chosen))
    else:
        method = find(name)
        show_json(catalogue.method_facts(method)) if as_json else show(catalogue.method_page(method))


PROBLEMS_EXAMPLES = """
  gramarye problems
  gramarye problems boston
"""


def problems(
    name: Annotated[str | None, typer.Argument(help="One problem, with its grammar.", show_default=False)] = None,
    as_json: Json = False,
) -> None:
    """List the ready-made problems, or show one."""
    from gramarye.problems import PROBLEMS, load
    from gramarye.terminal import catalogue

    if name is None:
        chosen = [load(each) for each in PROBLEMS]
        document = {problem.name: catalogue.problem_facts(problem) for problem in chosen}
        show_json(document) if as_json else show(catalogue.problems_page(chosen))
    else:
        problem = load(name)
        show_json(catalogue.problem_facts(problem)) if as_json else show(catalogue.problem_page(problem))
