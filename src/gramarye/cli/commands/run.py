"""`gramarye run`: one run, watched, with what it leaves behind."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gramarye.cli.commands.map import warn_of_ignored
from gramarye.cli.compile_notice import told_when_compiling
from gramarye.cli.console import errors_to, note, show, show_json
from gramarye.cli.inputs import read_programs
from gramarye.cli.method_options import build_method
from gramarye.cli.outputs import Checkpoint, Outputs
from gramarye.cli.problem_argument import read_problem
from gramarye.cli.signals import INTERRUPTED, Interrupts

if TYPE_CHECKING:
    from gramarye.engine.evolution import Evolution

FAILED = 1
COMMON = "Settings of every method"
FILES = "Files"
DATA = "Data"


EXAMPLES = """
  gramarye run pagie
  gramarye run pagie --method pge --seed 1 --plot pagie.png
  gramarye run boston --method sge --population 500 --set max_depth=10
  gramarye run pagie --save-grammar learned.bnf
  gramarye run pagie --grammar learned.bnf --json > run.json
  gramarye run boston --generations 5000 --checkpoint boston.npz
  gramarye run pagie --initial-programs programs.txt
  gramarye run boston --method cfggp --selection epsilon-lexicase
  gramarye run houses.csv --target price --grammar houses.bnf --linear-scaling
  gramarye run houses.csv --target price --grammar houses.bnf --predict new.csv predicted.csv
"""


def run(
    context: typer.Context,
    problem: Annotated[
        str,
        typer.Argument(
            metavar="PROBLEM|CSV",
            help="A problem, see `gramarye problems`; or a table, with --grammar.",
            show_default=False,
        ),
    ],
    method: Annotated[str, typer.Option(help="The method; see `gramarye methods`.")] = "pge",
    seed: Annotated[
        int | None,
        typer.Option(
            help="Random seed. Runs with the same seed are identical (default: a fresh one, recorded).",
            show_default=False,
        ),
    ] = None,
    grammar: Annotated[
        str | None, typer.Option(metavar="FILE", help="Another grammar for the problem.", show_default=False)
    ] = None,
    initial_programs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Programs that the first population begins with, one per line.", show_default=False
        ),
    ] = None,
    threads: Annotated[int, typer.Option(help="Number of threads; they never change the result.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print machine-readable JSON.")] = False,
    target: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="The column to learn (default: the last).", rich_help_panel=DATA),
    ] = None,
    sample_weight: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="A column that says how much each row counts.", rich_help_panel=DATA),
    ] = None,
    error: Annotated[
        str | None, typer.Option(metavar="NAME", help="rrse, rmse, mae or 1-r2.", rich_help_panel=DATA)
    ] = None,
    test_rows: Annotated[
        int | None, typer.Option(help="Rows kept for testing, drawn by the seed.", rich_help_panel=DATA)
    ] = None,
    linear_scaling: Annotated[
        bool | None,
        typer.Option(
            "--linear-scaling",
            help="Fit intercept and slope to every formula by least squares.",
            rich_help_panel=DATA,
            show_default=False,
        ),
    ] = None,
    predict: Annotated[
        tuple[Path, Path] | None,
        typer.Option(
            metavar="IN.csv OUT.csv",
            help="Apply the best program to a table; write it with a column of predictions.",
            rich_help_panel=DATA,
            show_default=False,
        ),
    ] = None,
    population: Annotated[int | None, typer.Option(help="Number of individuals.", rich_help_panel=COMMON)] = None,
    generations: Annotated[
        int | None, typer.Option(help="Number of populations evaluated, including the first.", rich_help_panel=COMMON)
    ] = None,
    elitism: Annotated[
        float | None,
        typer.Option(
            help="Elites kept: a fraction of the population if < 1, a number of individuals if ≥ 1.",
            rich_help_panel=COMMON,
        ),
    ] = None,
    selection: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="How parents are chosen: epsilon-lexicase, or with settings lexicase,downsample=0.1; "
            "see `gramarye methods NAME`.",
            rich_help_panel=COMMON,
        ),
    ] = None,
    tournament: Annotated[
        int | None, typer.Option(help="Individuals drawn for each tournament.", rich_help_panel=COMMON)
    ] = None,
    crossover: Annotated[
        float | None, typer.Option(help="Crossover probability per child.", rich_help_panel=COMMON)
    ] = None,
    mutation: Annotated[
        float | None, typer.Option(help="Mutation probability; of what depends on the method.", rich_help_panel=COMMON)
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Any other setting, such as wraps=1; see `gramarye methods NAME`.",
            rich_help_panel=COMMON,
        ),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(help="A picture of the run (.png, .svg, .pdf).", rich_help_panel=FILES)
    ] = None,
    plot_rule: Annotated[
        str | None,
        typer.Option(metavar="RULE", help="The rule whose probabilities it shows: '<var>'.", rich_help_panel=FILES),
    ] = None,
    save_grammar: Annotated[
        Path | None, typer.Option(help="The grammar with the probabilities it learned.", rich_help_panel=FILES)
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            help="The state of the run, saved every few seconds; if the file exists, the run is resumed.",
            rich_help_panel=FILES,
        ),
    ] = None,
) -> None:
    """Evolve a program; Ctrl-C stops early and shows the best so far."""
    context.obj.gentle = context.obj.slow = True
    from gramarye.engine.evolution import Evolution

    context.obj.check()
    options = {
        "population": population,
        "generations": generations,
        "elitism": elitism,
        "selection": selection,
        "tournament": tournament,
        "crossover": crossover,
        "mutation": mutation,
    }
    chosen = build_method(method, settings or [], options)
    measured = {"error": error, "test_rows": test_rows, "linear_scaling": linear_scaling}
    task = read_problem(problem, grammar, {"target": target, "sample_weight": sample_weight}, measured)
    outputs = Outputs(plot, plot_rule, save_grammar, predict)
    saving = Checkpoint(checkpoint)
    state = saving.load()
    warn_of_ignored(task.grammar, chosen)
    programs = {} if initial_programs is None else read_programs(initial_programs, task.grammar, chosen)
    with Evolution(task, chosen, seed, threads=threads, state=state, initial_programs=programs) as evolution:
        outputs.check(evolution.setup)
        if state is not None:
            note(f"resuming from {checkpoint} after generation {state.generation + 1}")
        remark = ", compilation included" if _drive(evolution, saving, context.obj) else ""
        remark += "" if state is None else f", since generation {state.generation + 1}"
        _finish(evolution, outputs, saving, remark, as_json)


def _drive(evolution: Evolution, saving: Checkpoint, interrupts: Interrupts) -> bool:
    """Go through the generations, until Ctrl-C; whether kernels had to be compiled."""
    from gramarye.terminal.live import watching

    console = errors_to()
    with told_when_compiling(interrupts, console) as compiling:
        try:
            interrupts.check()
            with watching(console, evolution) as watch:
                for generation in evolution:
                    watch(generation)
                    saving.after_a_while(evolution)
                    interrupts.slow = False
                    if interrupts.asked:
                        break
        except (Exception, KeyboardInterrupt) as error:
            if not interrupts.explains(error):
                raise
    return compiling.seen


def _finish(evolution: Evolution, outputs: Outputs, saving: Checkpoint, remark: str, as_json: bool) -> None:
    """Write what was asked for, then print the result: whatever can't be written, the result is not lost."""
    from gramarye.cli.diagnosis import why_nothing_is_valid
    from gramarye.records.run import document
    from gramarye.terminal.run import page

    if evolution.state is None:
        note("interrupted before the first generation was evaluated: there is no result")
        raise typer.Exit(INTERRUPTED)
    saving.save(evolution)
    run = evolution.run
    finished = run.generations == run.method.generations
    outputs.write(run)
    files = outputs.written | saving.written
    if as_json:
        show_json(document(run, finished, files))
    else:
        show(page(run, finished, files, remark))
    if run.best.phenotype is None:
        note(why_nothing_is_valid(evolution.setup, evolution.state))
    for error in (*outputs.errors, *saving.errors):
        raise error
    if not finished:
        raise typer.Exit(INTERRUPTED)
    if run.best.phenotype is None:
        raise typer.Exit(FAILED)
