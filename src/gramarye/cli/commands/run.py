"""`gramarye run`: one run, watched, with what it leaves behind."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from gramarye.cli.commands.map import warn_of_ignored
from gramarye.cli.console import note
from gramarye.cli.fitness import FitnessOptions
from gramarye.cli.inputs import build_method, read_problem, read_programs
from gramarye.cli.options import Json, MethodName
from gramarye.cli.outputs import Checkpoint, Outputs
from gramarye.cli.running import driven, finish

# Options of the groups that the help shows.
Common = partial(typer.Option, rich_help_panel="Settings of every method")
Limits = partial(typer.Option, rich_help_panel="When the run stops: by the limit that is reached first")
Data = partial(typer.Option, rich_help_panel="Data")
Fitness = partial(typer.Option, rich_help_panel="A fitness function of your own")
Files = partial(typer.Option, rich_help_panel="Files")

EVALUATIONS = "Evaluations after which a run stops: of individuals, or passes over the data where constants are tuned"

EXAMPLES = """
  gramarye run pagie
  gramarye run pagie --method pge --seed 1 --plot pagie.png
  gramarye run boston --method sge --population 500 --set max_depth=10
  gramarye run pagie --save-grammar learned.bnf
  gramarye run pagie --grammar learned.bnf --json > run.json
  gramarye run boston --generations 5000 --checkpoint boston.npz
  gramarye run pagie --initial-programs programs.txt
  gramarye run boston --method cfggp --selection epsilon-lexicase
  gramarye run fizz-buzz --method sge --workers 4 --out best.py
  gramarye run houses.csv --target price --grammar houses.bnf --linear-scaling
  gramarye run houses.csv --target price --grammar houses.bnf --predict new.csv predicted.csv
  gramarye run houses.csv --grammar houses.bnf --method tunedtrees --max-evaluations 1000000
  gramarye run pagie --method sge --max-evaluations 100000 --target-fitness 0.01
  gramarye run --grammar my.bnf --fitness mymodule:fitness --timeout 1 --memory 512MB
"""


def run(
    context: typer.Context,
    problem: Annotated[
        str | None,
        typer.Argument(
            metavar="PROBLEM|CSV",
            help="A problem (see `gramarye problems`), or a CSV file together with --grammar; not with --fitness.",
            show_default=False,
        ),
    ] = None,
    method: MethodName = "pge",
    seed: Annotated[
        int | None,
        typer.Option(help="Random seed. Runs with the same seed are identical (default: a fresh one, recorded)."),
    ] = None,
    grammar: Annotated[
        str | None, typer.Option(metavar="FILE", help="A grammar file to use instead of the problem's own.")
    ] = None,
    initial_programs: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A file with programs to start from, one per line."),
    ] = None,
    threads: Annotated[int, typer.Option(help="Number of threads; they never change the result.")] = 1,
    as_json: Json = False,
    fitness: Annotated[
        str | None,
        Fitness(
            metavar="MODULE:FUNCTION",
            help="Takes the text of a program and returns a number, or a list of errors; smaller is better.",
        ),
    ] = None,
    test_fitness: Annotated[
        str | None, Fitness(metavar="MODULE:FUNCTION", help="A function that tests the best program on unseen data.")
    ] = None,
    maximise: Annotated[bool, Fitness("--maximise", help="Larger numbers are better.")] = False,
    timeout: Annotated[float | None, Fitness(metavar="SECONDS", help="Seconds that one evaluation may take.")] = None,
    memory: Annotated[
        str | None, Fitness(metavar="SIZE", help="Memory limit of one evaluation, such as 512MB (Linux).")
    ] = None,
    noisy: Annotated[bool, Fitness("--noisy", help="Evaluate a program whenever it appears, instead of once.")] = False,
    on_error: Annotated[
        str | None,
        Fitness(metavar="worst|raise", help="Whether exceptions and NaN give the worst fitness or stop the run."),
    ] = None,
    batch: Annotated[
        bool,
        Fitness("--batch", help="The function takes a list of programs and returns a list; no limits, no workers."),
    ] = False,
    workers: Annotated[
        int | None, Fitness(help="Worker processes (default: all cores). They never change the result.")
    ] = None,
    dask: Annotated[
        str | None, Fitness(metavar="ADDRESS", help="A Dask cluster that evaluates: tcp://host:port, or local.")
    ] = None,
    target: Annotated[str | None, Data(metavar="COLUMN", help="The column to predict (default: the last).")] = None,
    sample_weight: Annotated[str | None, Data(metavar="COLUMN", help="The column with the weight of each row.")] = None,
    error: Annotated[str | None, Data(metavar="NAME", help="Error measure: rrse, rmse, mae or 1-r2.")] = None,
    test_rows: Annotated[int | None, Data(help="Number of rows held out for testing, chosen by the seed.")] = None,
    linear_scaling: Annotated[
        bool | None, Data("--linear-scaling", help="Fit intercept and slope to every formula by least squares.")
    ] = None,
    clip: Annotated[
        bool | None,
        Data(
            "--clip", help="Limit predictions to the range of the training target, extended by its width at both ends."
        ),
    ] = None,
    precedence: Annotated[
        str | None,
        Data(
            metavar="ordinary|authors",
            help="How tightly |_div| of the SGE family binds: as / does, or more weakly than + - *.",
        ),
    ] = None,
    predict: Annotated[
        tuple[Path, Path] | None,
        Data(metavar="IN.csv OUT.csv", help="Apply a program to a table; write it with a column of predictions."),
    ] = None,
    pick: Annotated[
        str,
        Data(
            metavar="best|front",
            help="Which program --predict and --out take: the best, or the one of the front that is worth its size.",
        ),
    ] = "best",
    population: Annotated[int | None, Common(help="Number of individuals.")] = None,
    generations: Annotated[int | None, Common(help="Number of populations evaluated, including the first.")] = None,
    elitism: Annotated[
        float | None,
        Common(help="Elites kept: a fraction of the population if < 1, a number of individuals if ≥ 1."),
    ] = None,
    selection: Annotated[
        str | None,
        Common(
            metavar="NAME",
            help="How parents are chosen: epsilon-lexicase, or with settings lexicase,downsample=0.1; "
            "see `gramarye methods NAME`.",
        ),
    ] = None,
    tournament: Annotated[int | None, Common(help="Individuals drawn for each tournament.")] = None,
    crossover: Annotated[float | None, Common(help="Crossover probability per child.")] = None,
    mutation: Annotated[float | None, Common(help="Mutation probability, in most methods per codon.")] = None,
    max_evaluations: Annotated[
        str | None,
        Limits(metavar="NUMBER", help=f"{EVALUATIONS}; none lifts a limit that the method has by default."),
    ] = None,
    max_time: Annotated[
        float | None,
        Limits(metavar="SECONDS", help="Seconds after which a run stops, checked between generations."),
    ] = None,
    target_fitness: Annotated[
        float | None, Limits(metavar="FITNESS", help="Fitness at which a run stops (the setting `target`).")
    ] = None,
    settings: Annotated[
        list[str] | None,
        Common("--set", metavar="NAME=VALUE", help="Any other setting, such as wraps=1; see `gramarye methods NAME`."),
    ] = None,
    front: Annotated[
        bool | None,
        typer.Option(
            "--front/--no-front",
            help="Show the best program of each size, also in --plot (default: if the method searches for them).",
        ),
    ] = None,
    plot: Annotated[Path | None, Files(help="Draw the run (.png, .svg or .pdf).")] = None,
    plot_rule: Annotated[
        str | None, Files(metavar="RULE", help="The rule whose probabilities are drawn, such as '<var>'.")
    ] = None,
    out: Annotated[
        Path | None,
        Files(
            metavar="FILE",
            help="Write the best program (see --pick), to a .py file as Python source that runs alone, else as text.",
        ),
    ] = None,
    save_grammar: Annotated[
        Path | None, Files(help="Save the grammar with the probabilities that the run recorded.")
    ] = None,
    checkpoint: Annotated[
        Path | None,
        Files(help="Save the state of the run every few seconds; if the file exists, resume from it."),
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
        "max_time": max_time,
        "target": target_fitness,
    }
    read = [] if max_evaluations is None else [f"max_evaluations={max_evaluations}"]  # it may be "none"
    chosen = build_method(method, read + (settings or []), options)
    measured = {
        "error": error,
        "test_rows": test_rows,
        "linear_scaling": linear_scaling,
        "clip": clip,
        "precedence": precedence,
    }
    judged = {
        "test_fitness": test_fitness,
        "maximise": maximise,
        "timeout": timeout,
        "memory": memory,
        "noisy": noisy,
        "on_error": on_error,
        "batch": batch,
    }
    calls = FitnessOptions(fitness, judged, workers, dask)
    columns = {"target": target, "sample_weight": sample_weight}
    task = calls.objective(problem, grammar, columns | measured | {"predict": predict}) or read_problem(
        problem, grammar, columns, measured
    )
    front = chosen.parts.replacement.seeks_front if front is None else front
    outputs = Outputs(plot, plot_rule, save_grammar, predict, pick, front, out)
    saving = Checkpoint(checkpoint)
    state = saving.load()
    warn_of_ignored(task.grammar, chosen)
    programs = {} if initial_programs is None else read_programs(initial_programs, task.grammar, chosen)
    context.obj.gentle = task.compiled  # a generation may take hours where a function of the user's is called
    begun: dict[str, Any] = {"threads": threads, "state": state, "initial_programs": programs}
    with calls.processes(task) as processes, Evolution(task, chosen, seed, **begun, **processes) as evolution:
        outputs.check(evolution.setup)
        if state is not None:
            note(f"resuming from {checkpoint} after generation {state.generation + 1}")
        remark = ", compilation included" if driven(evolution, saving, context.obj) else ""
        remark += "" if state is None else f", since generation {state.generation + 1}"
        finish(evolution, outputs, saving, remark, as_json)
