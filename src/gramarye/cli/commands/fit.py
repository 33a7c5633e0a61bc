"""`gramarye fit`: a formula for one column of a CSV file, watched, saved and reported."""

from __future__ import annotations

from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gramarye.cli.console import note, show, show_json
from gramarye.cli.options import Json
from gramarye.cli.signals import INTERRUPTED
from gramarye.errors import GramaryeError
from gramarye.files import check_output, write_text

if TYPE_CHECKING:
    from gramarye.cli.learning_task import Task
    from gramarye.models.fit import Fit

EVALUATIONS = 100_000  # by default, as in the estimators

Data = partial(typer.Option, rich_help_panel="Data")
Form = partial(typer.Option, rich_help_panel="The form of the formula")
Limits = partial(typer.Option, rich_help_panel="When the search stops: by the limit that is reached first")
Files = partial(typer.Option, rich_help_panel="Files")

EXAMPLES = """
  gramarye fit houses.csv --target price
  gramarye fit houses.csv --target price --time 60 --out model.json
  gramarye fit houses.csv --target price --preset polynomial --ignore id
  gramarye fit houses.csv --target price --template 'a * area + f(age)'
  gramarye fit houses.csv --target price --grammar houses.bnf --test 0.25
  gramarye fit falls.csv --target t --units 'h=m,g=m/s**2' --target-unit s
  gramarye fit houses.csv --target price --grammar houses.bnf --prior prior.bnf
  gramarye fit flowers.csv --target species --report report.html
  gramarye fit houses.csv --target sold --classify --json > fit.json
  gramarye predict model.json new.csv       # what it predicts for other rows
"""


def fit(
    context: typer.Context,
    data: Annotated[
        Path, typer.Argument(metavar="CSV", help="A table whose first line names the columns; texts become indicators.")
    ],
    target: Annotated[str | None, Data(metavar="COLUMN", help="The column to predict (default: the last).")] = None,
    ignore: Annotated[
        list[str] | None, Data(metavar="COLUMN", help="A column to leave out; may be given several times.")
    ] = None,
    weights: Annotated[str | None, Data(metavar="COLUMN", help="The column with the weight of each row.")] = None,
    classify: Annotated[
        bool | None,
        Data(
            "--classify/--regress",
            help="Predict classes, or a number (default: a number if all values of the target are numbers).",
            show_default=False,
        ),
    ] = None,
    test: Annotated[
        float,
        Data(
            metavar="FRACTION",
            help="Fraction of the rows held out for testing, chosen by the seed (default: none).",
            show_default=False,
        ),
    ] = 0.0,
    grammar: Annotated[str | None, Form(metavar="FILE", help="A grammar file (default: from the columns).")] = None,
    preset: Annotated[
        str | None,
        Form(
            metavar="NAME",
            help="Operators and functions: polynomial, rational, trigonometric, exponential or full (default).",
        ),
    ] = None,
    template: Annotated[
        str | None,
        Form(metavar="TEXT", help="The form of the formula, with holes for the search: 'a * f(x1) + g(x2, x3)'."),
    ] = None,
    units: Annotated[
        str | None,
        Form(
            metavar="TEXT", help="The unit of each column of numbers, such as 'm1=kg,r=m'; other names are constants."
        ),
    ] = None,
    target_unit: Annotated[str | None, Form(metavar="UNIT", help="The unit of the target, with --units.")] = None,
    prior: Annotated[
        Path | None,
        Form(
            metavar="FILE",
            help="Probabilities to start from: a file of `gramarye prior --out`, results.db, or a saved model.",
        ),
    ] = None,
    seconds: Annotated[
        float | None, Limits("--time", "--max-time", metavar="SECONDS", help="Seconds after which the search stops.")
    ] = None,
    max_evaluations: Annotated[
        int | None,
        Limits(help=f"Evaluations after which it stops, for each formula (default: {EVALUATIONS:,} without --time)."),
    ] = None,
    runs: Annotated[
        int, typer.Option(min=1, help="Independent runs for each formula; they share its evaluations and time.")
    ] = 1,
    seed: Annotated[
        int | None,
        typer.Option(help="Random seed. Fits with the same seed are identical (default: a fresh one, recorded)."),
    ] = None,
    threads: Annotated[int, typer.Option(help="Number of threads; they never change the result.")] = 1,
    as_json: Json = False,
    out: Annotated[Path | None, Files(metavar="FILE", help="Save the model (.json).")] = None,
    report: Annotated[Path | None, Files(metavar="FILE", help="Write a report on one page (.html).")] = None,
) -> None:
    """Find a formula for a column of a table; Ctrl-C stops early and keeps the best so far.

    Of all formulas on the front of error against size, one that is worth its size is picked.
    """
    context.obj.gentle = context.obj.slow = True
    from gramarye.cli.fitting import Search
    from gramarye.cli.learning_task import Formulas, Wanted, build_grammar, read_task
    from gramarye.engine.setup import check_seed
    from gramarye.methods import TunedTrees
    from gramarye.models.joined import seeds_of

    context.obj.check()
    _check_files(out, report)
    seed = check_seed(seed)
    task = read_task(data, Wanted(target, ignore or (), classify, test, weights), seed)
    limits = {"max_evaluations": max_evaluations, "max_time": seconds}
    given: dict[str, Any] = {name: limit for name, limit in limits.items() if limit is not None}
    kept: dict[str, Any] = {} if template is None else {"terms": 0}  # the form of a template
    method = TunedTrees(**(given or {"max_evaluations": EVALUATIONS}), **kept)
    _say_what_is_done(task, target, classify)
    search = Search(method, seeds_of(seed, runs), threads, context.obj)
    form = Formulas(grammar, preset, template, units, target_unit, prior)
    found = search.fit(task, build_grammar(task, form))
    files, failures = _write(found, out, report)
    if as_json:
        show_json(found.document(files))
    else:
        from gramarye.terminal.fit import page

        show(page(found, files, ", compilation included" if search.compiled else ""))
    for failure in failures:
        raise failure
    if not found.ended:
        raise typer.Exit(INTERRUPTED)


def _check_files(out: Path | None, report: Path | None) -> None:
    """Raise now what can't be written later."""
    if out is not None:
        check_output(out, ".json")
    if report is not None:
        from gramarye.models.report import check_report_path

        check_report_path(report)


def _say_what_is_done(task: Task, target: str | None, classify: bool | None) -> None:
    """Report what was decided for the user; an error where classes need what is not installed."""
    if task.classes is not None:
        import_module("gramarye.sklearn")  # raises now that scikit-learn is missing
    which = f"predicting {task.target!r}" + (", the last column" if target is None else "")
    if task.classes is not None and classify is None:
        note(f"{which}: it does not hold numbers, so its {len(task.classes)} values are classes")
    elif target is None:
        note(which)


def _write(found: Fit, out: Path | None, report: Path | None) -> tuple[dict[str, Path], list[GramaryeError]]:
    """Write what was asked for; what fails comes after the result, which must not be lost."""
    from gramarye.models.report import report_page

    files: dict[str, Path] = {}
    failures: list[GramaryeError] = []
    writers = {"model": (out, found.model.save), "report": (report, lambda path: write_text(path, report_page(found)))}
    for what, (path, write) in writers.items():
        if path is not None:
            try:
                write(path)
                files[what] = path
            except GramaryeError as error:
                failures.append(error)
    return files, failures
