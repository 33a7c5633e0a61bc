"""`gramarye fit` on a terminal: the front while it grows, and the formula at the end."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from gramarye.engine.evolution import Evolution
from gramarye.engine.run import Generation
from gramarye.models.fit import Fit
from gramarye.objectives.worth import CLASSES_PICKED_BY
from gramarye.terminal.front import front_table
from gramarye.terminal.live import LINE, Clock, Progress, bars, line
from gramarye.terminal.parts import heading, pairs, program
from gramarye.terminal.screen import Screen, clock_time, display
from gramarye.text import counted, large, measure_name, number

REFRESH = 0.25  # seconds between two pictures: all formulas of the front are written for each


def watching(screen: Screen, evolution: Evolution, title: str, *, marks: bool) -> Callable[[Generation], None]:
    """A function to be called with every generation; it shows how far the run is, and its front.

    It marks the formula that would be picked now, unless that is decided at the end, as for classes.
    """
    clock = Clock()

    def written(progress: Progress) -> str:
        return f"{title}, {line(progress)}"

    def drawn(progress: Progress) -> RenderableType:
        return picture(progress, evolution, title, screen.console.width, marks)

    shown = display(screen, written, LINE, drawn, REFRESH)
    return lambda generation: shown(clock.progress(generation, evolution.limit))


def picture(progress: Progress, evolution: Evolution, title: str, width: int, marks: bool) -> RenderableType:
    """Progress and the front, as a page that is drawn again and again."""
    left = "–" if progress.remaining is None else clock_time(progress.remaining)
    speed = "–" if progress.rate is None else f"{large(progress.rate)} evaluations/s"
    far = pairs([*bars(progress, width), ("speed", speed), ("time left", f"{left}; Ctrl-C keeps the best so far")])
    run = evolution.run
    front = front_table(run, run.picked if marks else None, "The front so far")[:2] if run.front else []
    return Group(Text(title, style="bold"), far, *front)


def page(fit: Fit, files: dict[str, Path], remark: str = "") -> RenderableType:
    """The formulas, how well they predict, and their fronts."""
    parts: list[RenderableType] = [Text.assemble((_title(fit), "bold"))]
    if not fit.ended:
        parts.append(Text("stopped early: this is the best so far", style="yellow"))
    for label, front in zip(fit.labels, fit.model.fronts, strict=True):
        text = f"Formula for {label}, larger where it is more likely" if fit.model.classes_ is not None else "Formula"
        formula = str(front.formula)
        parts += [heading(text), program(formula if fit.model.classes_ is not None else f"{label} ≈ {formula}")]
    parts += [Text(""), pairs([*_scores(fit), *_work(fit, remark), *files.items()])]
    for label, run, front in zip(fit.labels, fit.runs, fit.model.fronts, strict=True):
        if run.front:
            which = "" if len(fit.runs) == 1 else f" for {label}"
            title = f"The front{which}: the best formula of each size"
            picked_by = "" if fit.model.classes_ is None else CLASSES_PICKED_BY
            parts += front_table(run, run.front[front.picked], title, picked_by)
    return Group(*parts)


def _title(fit: Fit) -> str:
    facts = fit.model.facts
    columns = counted(len(facts.columns), "column")
    return f"{facts.target} from {columns} and {counted(facts.rows, 'row')} of {fit.source}, seed {fit.runs[0].seed}"


def _scores(fit: Fit) -> list[tuple[str, str]]:
    """Scores, and errors as the fronts have them."""
    scores = [(f"{fit.score_name} in {name}", number(score)) for name, score in fit.scores.items()]
    if fit.model.classes_ is not None:
        return scores
    picked = fit.model.fronts[0].formula
    size = (f"{measure_name(fit.model.measure)}", f"{number(picked.error)}, {counted(picked.nodes, 'node')}")
    return [size, *scores]


def _work(fit: Fit, remark: str) -> list[tuple[str, str]]:
    asked = "passes over the data" if fit.runs[0].tunes else "programs"
    return [("evaluations", f"{fit.evaluations:,} {asked}"), ("time", f"{fit.seconds:.2f} s{remark}")]
