"""The result of a run."""

from __future__ import annotations

from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from gramarye.engine.individual import Individual
from gramarye.engine.run import Run
from gramarye.settings import INT_MAX
from gramarye.terminal.front import front_part
from gramarye.terminal.parts import heading, pairs, program, rules_table
from gramarye.text import counted, large, measure_name, number


def page(run: Run, files: dict[str, Path], remark: str = "", front: bool = False) -> RenderableType:
    """The best program, its error, the work, the front if it is wanted, and the probabilities.

    `remark` is added to the time.
    """
    parts: list[RenderableType] = [title(run.method.name, run.problem.name, run.seed), *_ending(run)]
    if run.best.phenotype is None:
        parts += [heading("No valid program was found"), pairs([*_work(run, remark), *files.items()])]
        return Group(*parts)
    parts += [heading("Best program"), program(run.best.phenotype)]
    if run.best.formula != run.best.phenotype:
        parts += [heading(_fitted(run.best)), program(str(run.best.formula))]
    parts.append(Text(""))
    parts.append(pairs([*_error(run), *_work(run, remark), *files.items()]))
    if front and run.front:
        parts += front_part(run)
    wording = run.method.wording
    if wording is not None:
        parts += [heading(f"The grammar with {wording.whole}"), rules_table(run.grammar)]
    return Group(*parts)


def _ending(run: Run) -> list[RenderableType]:
    """Why a run ended before its last generation."""
    method = run.method
    if run.ended_by is None:
        last = "" if method.generations == INT_MAX else f" of {method.generations}"
        return [Text(f"stopped after generation {run.generations}{last}", style="yellow")]
    own = " (the method's default)" if method.max_evaluations == method.default("max_evaluations") else ""
    reached = {
        "generations": "",
        "max_evaluations": f"the limit of {method.max_evaluations:,} evaluations{own}"
        if method.max_evaluations
        else "",
        "max_time": f"the limit of {method.max_time:g} s" if method.max_time is not None else "",
        "target": f"the target fitness of {method.target:g}" if method.target is not None else "",
    }[run.ended_by]
    return [Text(f"ended after generation {run.generations}: {reached} was reached", style="dim")] if reached else []


def _fitted(individual: Individual) -> str:
    """What a formula has that its program has not."""
    line = individual.weights is not None and len(individual.weights) == 2
    what = "intercept and slope" if line else "intercept and weights of its terms"
    return f"Formula, with {what} fitted by least squares"


def title(method: str, problem: str, seed: int) -> Text:
    """What ran on what."""
    return Text.assemble((method.upper(), "bold"), " on ", (problem, "bold"), f", seed {seed}")


def _error(run: Run) -> list[tuple[str, RenderableType]]:
    name = measure_name(getattr(run.problem, "error", "fitness"))
    best = run.best
    rows: list[tuple[str, RenderableType]] = [(name, number(best.fitness, 6))]
    if best.test_fitness == best.test_fitness:  # NaN where there are no rows for testing
        rows.append((f"{name} in test", number(best.test_fitness, 6)))
    if run.problem.summary.get("clip"):
        rows.append(("predictions", "limited to the range of the training target, extended by its width at both ends"))
    return [*rows, ("size", f"{counted(best.size, 'node')}, depth {best.depth} (derivation tree)")]


def _work(run: Run, remark: str) -> list[tuple[str, RenderableType]]:
    last = {name: column[-1] for name, column in run.history.items()}
    asked = "passes over the data" if run.tunes else "requested"
    work = f"{run.evaluations:,} {asked}, {counted(int(last['distinct']), 'distinct program')} computed"
    invalid = counted(int(run.history["invalid"].sum()), "individual")
    time = f"{run.seconds:.2f} s{remark}"
    if run.problem.compiled:
        work += f", {large(last['node_rows'])} node·rows"
    else:
        work += f", {run.remembered:.0%} remembered"
    if run.objective_share is not None and run.rate is not None:
        time += f", {run.objective_share:.0%} of it in the objective; {large(run.rate)} evaluations/s"
    return [
        ("evaluations", work),
        ("invalid", f"{invalid}, {int(last['invalid']):,} in the last generation"),
        *failures(run),
        ("time", time),
    ]


def failures(run: Run) -> list[tuple[str, RenderableType]]:
    """Why individuals had no fitness where a function of the user's was called."""
    if run.problem.compiled or not run.failures:
        return []
    counts = ", ".join(f"{failure.words} {failure.individuals:,}" for failure in run.failures)
    first = [Text(str(failure)) for failure in run.failures if failure.first is not None]
    return [("failed", Group(counts, *first))]
