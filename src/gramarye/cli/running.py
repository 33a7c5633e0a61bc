"""The run of `gramarye run`: its generations, watched, until Ctrl-C; and what is written and printed at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from gramarye.cli.compile_notice import RUN, TUNING, told_when_compiling
from gramarye.cli.console import errors_to, note, show, show_json
from gramarye.cli.options import FAILED
from gramarye.cli.outputs import Checkpoint, Outputs
from gramarye.cli.signals import INTERRUPTED, Interrupts

if TYPE_CHECKING:
    from gramarye.engine.evolution import Evolution


def driven(evolution: Evolution, saving: Checkpoint, interrupts: Interrupts) -> bool:
    """Go through the generations, until Ctrl-C; whether kernels had to be compiled."""
    from gramarye.terminal.live import watching
    from gramarye.terminal.screen import Screen

    fits = evolution.problem.grammar.has_constants or evolution.method.tuning.terms > 0
    with Screen(errors_to()) as screen, told_when_compiling(interrupts, screen, RUN + TUNING * fits) as compiling:
        watch = watching(screen, evolution)
        try:
            interrupts.check()
            for generation in evolution:
                watch(generation)
                for failure in generation.failures:
                    note(str(failure), screen.console)
                saving.after_a_while(evolution)
                interrupts.slow = False
                if interrupts.asked:
                    break
        except (Exception, KeyboardInterrupt) as error:
            if not interrupts.explains(error):
                raise
    return compiling.seen


def finish(evolution: Evolution, outputs: Outputs, saving: Checkpoint, remark: str, as_json: bool) -> None:
    """Write what was asked for, then print the result: whatever can't be written, the result is not lost."""
    from gramarye.cli.diagnosis import why_nothing_is_valid
    from gramarye.records.run import document
    from gramarye.terminal.run import page

    if evolution.state is None:
        note("interrupted before the first generation was evaluated: there is no result")
        raise typer.Exit(INTERRUPTED)
    saving.save(evolution)
    run = evolution.run
    outputs.write(run)
    files = outputs.written | saving.written
    if as_json:
        show_json(document(run, files))
    else:
        show(page(run, files, remark, outputs.front))
    if run.best.phenotype is None:
        note(why_nothing_is_valid(evolution.setup, evolution.state))
    for error in (*outputs.errors, *saving.errors):
        raise error
    if run.ended_by is None:
        raise typer.Exit(INTERRUPTED)
    if run.best.phenotype is None:
        raise typer.Exit(FAILED)
