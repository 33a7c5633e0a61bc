"""The result of a run."""

from __future__ import annotations

from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from gramarye.engine.run import Run
from gramarye.terminal.parts import heading, pairs, program, rules_table
from gramarye.text import counted, large, measure_name, number


def page(run: Run, finished: bool, files: dict[str, Path], remark: str = "") -> RenderableType:
    """The best program, its error, the work, and what was learned; `remark` stands behind the time."""
    parts: list[RenderableType] = [title(run.method.name, run.problem.name, run.seed)]
    if not finished:
        parts.append(Text(f"stopped after generation {run.generations} of {run.method.generations}", style="yellow"))
    if run.best.phenotype is None:
        parts += [heading("No valid program was found"), pairs([*_work(run, remark), *files.items()])]
        return Group(*parts)
    parts += [heading("Best program"), program(run.best.phenotype)]
    if run.best.formula != run.best.phenotype:
        parts += [heading("Formula, with intercept and slope fitted by least squares"), program(str(run.best.formula))]
    parts.append(Text(""))
    parts.append(pairs([*_error(run), *_work(run, remark), *files.items()]))
    if run.method.learner.learns:
        parts += [heading("The grammar with the probabilities it learned"), rules_table(run.grammar)]
    return Group(*parts)


def title(method: str, problem: str, seed: int) -> Text:
    """What ran on what."""
    return Text.assemble((method.upper(), "bold"), " on ", (problem, "bold"), f", seed {seed}")


def _error(run: Run) -> list[tuple[str, RenderableType]]:
    name = measure_name(getattr(run.problem, "error", "fitness"))
    best = run.best
    rows: list[tuple[str, RenderableType]] = [(name, number(best.fitness, 6))]
    if best.test_fitness == best.test_fitness:  # NaN where there are no rows for testing
        rows.append((f"{name} in test", number(best.test_fitness, 6)))
    return [*rows, ("size", f"{best.size} nodes, depth {best.depth} (derivation tree)")]


def _work(run: Run, remark: str) -> list[tuple[str, RenderableType]]:
    last = {name: column[-1] for name, column in run.history.items()}
    work = f"{run.evaluations:,} requested, {last['distinct']:,.0f} distinct programs computed"
    invalid = counted(int(run.history["invalid"].sum()), "individual")
    return [
        ("evaluations", f"{work}, {large(last['node_rows'])} node·rows"),
        ("invalid", f"{invalid}, {int(last['invalid']):,} in the last generation"),
        ("time", f"{run.seconds:.2f} s{remark}"),
    ]
