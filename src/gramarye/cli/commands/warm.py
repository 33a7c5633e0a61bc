"""`gramarye warm`: compile ahead of time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from gramarye.cli.compile_notice import told_when_compiling
from gramarye.cli.console import errors_to, note
from gramarye.errors import SettingsError

if TYPE_CHECKING:
    from gramarye.methods.base import MethodBase

EXAMPLES = """
  gramarye warm
  gramarye warm pge
  gramarye warm pge,ge,sge
  GRAMARYE_CACHE=/opt/cache gramarye warm   in an image, for instance
"""

ALL = "all"
GENERATIONS = 10  # enough for all tables of a run to be enlarged, which has kernels of its own


def warm(
    context: typer.Context,
    methods: Annotated[
        str, typer.Argument(metavar="METHODS|all", help="Methods, with commas between them; see `gramarye methods`.")
    ] = ALL,
) -> None:
    """Compile what methods need, so that later runs start at once."""
    from gramarye.kernels import compiler

    chosen = _methods(methods)
    if not compiler.COMPILED:
        note("nothing is compiled: Numba is missing, or NUMBA_DISABLE_JIT is set")
        return
    from gramarye.terminal.analysis import watching

    with told_when_compiling(context.obj) as compiling, watching(errors_to()) as watch:
        for done, method in enumerate(chosen):
            watch(done, len(chosen), method.name)
            _use(method)
            context.obj.check()
    said = "compiled and ready" if compiling.seen else "ready, nothing had to be compiled"
    typer.echo(f"{', '.join(method.name for method in chosen)}: {said}")


def _methods(text: str) -> list[MethodBase]:
    from gramarye.methods import METHODS, find

    if text.strip().lower() == ALL:
        return [kind() for kind in METHODS.values()]
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise SettingsError("METHODS names no method; write the names with commas between them, or `all`")
    return [find(name)() for name in names]


def _use(method: MethodBase) -> None:
    """Compile by doing: a short run calls what a long one does."""
    from gramarye.engine.evolution import evolve
    from gramarye.problems import load

    evolve(load("pagie"), replace(method, generations=GENERATIONS), seed=0)
