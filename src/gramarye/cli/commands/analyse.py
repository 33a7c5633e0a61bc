"""`gramarye analyse`: how local and how redundant methods are on a grammar."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gramarye.cli.compile_notice import ANALYSIS, ANALYSIS_OF_RUNS, FURTHER_METHOD, told_when_compiling
from gramarye.cli.console import errors_to, show, show_json
from gramarye.cli.inputs import read_grammar
from gramarye.cli.options import Json, Source
from gramarye.errors import SettingsError

EXAMPLES = """
  gramarye analyse pagie
  gramarye analyse my.bnf --methods pge,ge,sge --bases 200
  gramarye analyse pagie --methods pge,sge --problem pagie --out folder
  gramarye analyse pagie --methods pge,ge --problem pagie,quartic,boston
  gramarye analyse pagie --source trees --seed 1 --json > analysis.json
"""


def analyse(
    context: typer.Context,
    source: Source,
    methods: Annotated[
        str | None, typer.Option(metavar="NAME,NAME,…", help="The methods (default: all published ones).")
    ] = None,
    bases: Annotated[int, typer.Option(help="Number of valid genotypes for each method.")] = 1000,
    neighbours: Annotated[int, typer.Option(help="Number of neighbours of each genotype.")] = 20,
    start: Annotated[
        str,
        typer.Option(
            "--source",
            metavar="random|trees",
            help="Start from random genotypes, or from the same trees for all methods.",
        ),
    ] = "random",
    problem: Annotated[
        str | None, typer.Option(metavar="NAME,…", help="Also analyse a run of each method on these problems.")
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(help="Random seed. The same seed gives the same numbers (default: a fresh one, reported)."),
    ] = None,
    threads: Annotated[int | None, typer.Option(help="Number of threads (default: all cores).")] = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Write a report with tables and figures to this folder.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure locality and redundancy: what a small change of a genotype does to its program."""
    context.obj.gentle = context.obj.slow = True
    from gramarye.analysis.analysis import analyse as measure
    from gramarye.comparison.report_files import check_extras
    from gramarye.files import made_folder
    from gramarye.methods import PUBLISHED
    from gramarye.problems import load
    from gramarye.terminal.analysis import page, watching
    from gramarye.terminal.screen import Screen

    context.obj.check()
    if out is not None:  # what writing would raise is raised before the work
        check_extras()
        made_folder(out)
    names = None if methods is None else _listed(methods, "--methods", "method")
    grammar = read_grammar(source)
    tasks = [] if problem is None else _listed(problem, "--problem", "problem")
    task = [load(name) for name in tasks] if len(tasks) > 1 else load(tasks[0], grammar) if tasks else None
    passes = (ANALYSIS_OF_RUNS if tasks else ANALYSIS) + FURTHER_METHOD * (len(names or PUBLISHED) - 1)
    with Screen(errors_to()) as screen, told_when_compiling(context.obj, screen, passes):
        analysis = measure(
            grammar,
            names,
            bases=bases,
            neighbours=neighbours,
            source=start,  # type: ignore[arg-type]  # checked there
            problem=task,
            seed=seed,
            threads=threads,
            watch=context.obj.before(watching(screen)),
        )
    files = [] if out is None else analysis.write(out)
    if as_json:
        show_json(analysis.facts())
    else:
        show(page(analysis, files, out))


def _listed(text: str, option: str, what: str) -> list[str]:
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise SettingsError(f"{option} names no {what}; write the names with commas between them")
    return names
