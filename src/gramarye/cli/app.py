"""The commands of `gramarye`, in the order of its help.

Nothing heavy is imported here: whoever asks for help must not wait for NumPy, Numba or Rich's tables.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from gramarye.cli.commands import analyse, catalogue, compare, fit, predict, prior, run, warm
from gramarye.cli.commands.map import EXAMPLES as MAP_EXAMPLES
from gramarye.cli.commands.map import map_
from gramarye.cli.console import errors_to, fail
from gramarye.cli.options import FAILED, MISUSED
from gramarye.cli.signals import INTERRUPTED, catching_interrupts
from gramarye.errors import GramaryeError, GrammarWarning, ObjectiveError

HELP = """Evolve programs from a grammar.

\b
Examples:
  gramarye fit houses.csv --target price    find a formula for a column of a table
  gramarye run pagie                        evolve a formula with PGE
  gramarye run boston --method sge --seed 1
  gramarye reproduce                        the experiments of the PGE paper
  gramarye compare experiment.toml          methods and problems of your own
  gramarye prior results.db --out p.bnf     probabilities that the next runs start from
  gramarye map pagie --genotype '[0.1, 0.9, 0.5]'
  gramarye analyse pagie --methods pge,ge   what small changes of genotypes do
  gramarye grammar my.bnf                   rules, shape, warnings
  gramarye methods pge                      the settings of a method
  gramarye warm                             compile now, so that runs start at once
"""


class Commands(TyperGroup):
    """All commands: a user's mistake ends in a line or two, never in a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; what went wrong on purpose becomes an exit code."""
        with catching_interrupts() as ctx.obj, warnings.catch_warnings():
            warnings.simplefilter("ignore", GrammarWarning)  # commands note themselves how they read a grammar
            try:
                return super().invoke(ctx)
            except GramaryeError as error:
                # The place in the user's function
                of_function = isinstance(error, ObjectiveError)
                where = getattr(error, "__notes__", ()) if of_function else ()
                fail("\n".join([str(error), *where]))
                raise typer.Exit(FAILED if of_function else MISUSED) from None
            except MemoryError as error:
                fail(f"there is not enough memory ({error}); choose a smaller --population, or smaller genotypes")
                raise typer.Exit(FAILED) from None
            except (Exception, KeyboardInterrupt) as error:
                if isinstance(error, typer.Exit) or not ctx.obj.explains(error):
                    raise
                errors_to().print("interrupted")
                raise typer.Exit(INTERRUPTED) from None


app = typer.Typer(
    cls=Commands,
    help=HELP,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            number = version("gramarye")
        except PackageNotFoundError:
            number = "(not installed)"
        typer.echo(f"gramarye {number}")
        raise typer.Exit


@app.callback()
def _all(
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None: ...


def _add(name: str, command: Callable[..., None], examples: str) -> None:
    # \b keeps Typer from joining the lines that follow; python -OO leaves no docstrings
    app.command(name, help=f"{inspect.getdoc(command) or ''}\n\n\b\nExamples:{examples}")(command)


_add("fit", fit.fit, fit.EXAMPLES)
_add("predict", predict.predict, predict.EXAMPLES)
_add("run", run.run, run.EXAMPLES)
_add("reproduce", compare.reproduce, compare.REPRODUCE_EXAMPLES)
_add("compare", compare.compare, compare.COMPARE_EXAMPLES)
_add("report", compare.report, compare.REPORT_EXAMPLES)
_add("prior", prior.prior, prior.EXAMPLES)
_add("map", map_, MAP_EXAMPLES)
_add("analyse", analyse.analyse, analyse.EXAMPLES)
_add("grammar", catalogue.grammar, catalogue.GRAMMAR_EXAMPLES)
_add("methods", catalogue.methods, catalogue.METHODS_EXAMPLES)
_add("problems", catalogue.problems, catalogue.PROBLEMS_EXAMPLES)
_add("warm", warm.warm, warm.EXAMPLES)
