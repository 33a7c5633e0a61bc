"""`gramarye reproduce | compare | report`: experiments, and what they show."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gramarye.cli.compile_notice import FURTHER_METHOD, RUN, TUNING, told_when_compiling
from gramarye.cli.console import errors_to, fail, note, show
from gramarye.cli.inputs import note_reading
from gramarye.cli.options import FAILED
from gramarye.cli.signals import INTERRUPTED, Interrupts
from gramarye.errors import OutputError, SettingsError
from gramarye.files import DATABASE

if TYPE_CHECKING:
    from gramarye.experiment import Experiment
    from gramarye.store import Results

REPRODUCE_EXAMPLES = """
  gramarye reproduce                          the whole paper: 600 runs
  gramarye reproduce --runs 10 --out trial    a first look
  gramarye reproduce --dask local             on a Dask cluster of this machine
"""
COMPARE_EXAMPLES = """
  gramarye compare --example > experiment.toml
  gramarye compare experiment.toml
  gramarye compare experiment.toml --workers 8 --out study
  gramarye compare experiment.toml --dask tcp://head:8786
"""
REPORT_EXAMPLES = """
  gramarye report reproduction/results.db
  gramarye report study --out other
"""

Out = Annotated[Path | None, typer.Option("--out", metavar="FOLDER", help="Output folder.")]
Workers = Annotated[
    int | None, typer.Option(help="Worker processes (default: all cores). They never change the result.")
]
DaskAddress = Annotated[
    str | None, typer.Option("--dask", metavar="ADDRESS", help="A Dask cluster: tcp://host:port, or local.")
]


def reproduce(
    context: typer.Context,
    runs: Annotated[int, typer.Option(help="Runs of each method on each problem.")] = 100,
    out: Out = None,
    workers: Workers = None,
    dask: DaskAddress = None,
    seed: Annotated[
        int, typer.Option(help="Random seed of the first run; the following runs use seed + 1, seed + 2, …")
    ] = 1,
) -> None:
    """Run the experiments of the PGE paper and show each number next to the paper's.

    PGE, GE and SGE on Pagie and Boston. It can be stopped at any time: run the same command again to resume.
    """
    from gramarye.studies.pge2021.plan import paper_experiment

    _carry_out(context.obj, paper_experiment(runs, seed), out or Path("reproduction"), workers, dask)


def compare(
    context: typer.Context,
    file: Annotated[Path | None, typer.Argument(metavar="FILE", help="The experiment, in TOML.")] = None,
    example: Annotated[bool, typer.Option("--example", help="Print a commented experiment to start from.")] = False,
    out: Out = None,
    workers: Workers = None,
    dask: DaskAddress = None,
) -> None:
    """Compare methods on problems: runs, statistics, figures and a report.

    It can be stopped at any time: run the same command again to resume.
    """
    from gramarye.experiment import EXAMPLE, read_experiment

    if example:
        typer.echo(EXAMPLE, nl=False)
        return
    if file is None:
        raise SettingsError(
            "missing argument: the TOML file of the experiment; gramarye compare --example prints one to start from"
        )
    folder = file.with_suffix("") if file.suffix else file.with_name(f"{file.name}-results")
    experiment = read_experiment(file)
    for name, problem in experiment.problems.items():
        note_reading(problem.grammar, f"the grammar of {name}")
    _carry_out(context.obj, experiment, out or folder, workers, dask)


def report(
    file: Annotated[Path, typer.Argument(metavar="RESULTS", help="results.db, or its folder.")],
    out: Out = None,
) -> None:
    """Write the report of an experiment again, even while it is running."""
    from gramarye.comparison.report_files import check_extras
    from gramarye.store import Results

    check_extras()
    path = file / DATABASE if file.is_dir() else file
    with Results.open(path) as results:
        _report(results, out or path.parent)


def _carry_out(
    interrupts: Interrupts, experiment: Experiment, folder: Path, workers: int | None, dask: str | None
) -> None:
    from gramarye.comparison.report_files import check_extras
    from gramarye.execution.workers import check_count
    from gramarye.experiment import carry_out
    from gramarye.experiment.watching import watching
    from gramarye.files import DATABASE, made_folder
    from gramarye.store import Store
    from gramarye.terminal.screen import Screen

    check_extras()
    if workers is not None:
        check_count(workers)  # before anything is made
    made_folder(folder)
    with Store(folder / DATABASE) as store:
        try:
            fits = any(problem.grammar.has_constants for problem in experiment.problems.values())
            fits = fits or any(method.tuning.terms for method in experiment.methods.values())
            passes = RUN + TUNING * fits + FURTHER_METHOD * (len(experiment.methods) - 1)
            with Screen(errors_to()) as screen, told_when_compiling(interrupts, screen, passes):
                watch = interrupts.before(watching(screen, experiment.name))
                carry_out(experiment, store, workers, dask=dask, watch=watch, apart=True)
        except (Exception, KeyboardInterrupt) as error:
            if not interrupts.explains(error):
                raise
            _say_where_it_stopped(store.results(), folder)
            raise typer.Exit(INTERRUPTED) from None
        _report(store.results(), folder)


def _say_where_it_stopped(results: Results, folder: Path) -> None:
    try:
        whole = results.facts.get("runs", 0) * len(results.cells)
    except OutputError:  # it has not been written down yet
        note("stopped before the first run")
        return
    done = sum(results.count(cell, "done") for cell in results.cells)
    where = folder / DATABASE
    note(f"stopped: {done} of {whole} runs are done and safe in {where}; run the same command again to resume")


def _report(results: Results, folder: Path) -> None:
    """Write the report, show its tables, and say what has failed."""
    import numpy as np

    from gramarye.comparison.comparison import Comparison
    from gramarye.terminal.comparison import page
    from gramarye.text import counted

    with errors_to().status("writing the report"):
        comparison = Comparison(results)
        if results.facts["paper"]:
            from gramarye.studies.pge2021.report import write_reproduction

            written, tables, words = write_reproduction(comparison, folder)
        else:
            written, tables = comparison.write(folder), comparison.headlines
            words = [comparison.table.note] if comparison.table.note else []
    show(page(tables, words, written))
    failures = results.failures
    if failures:
        fail(f"{counted(len(failures), 'run')} failed, the first is {failures[0]}; the report shows them all")
        raise typer.Exit(FAILED)
    finals = [values for data in comparison.data for values in data.finals.values()]
    if finals and not any(np.isfinite(values).any() for values in finals):
        fail("no run has found a program with a finite fitness; try `gramarye run`, which says why")
        raise typer.Exit(FAILED)
