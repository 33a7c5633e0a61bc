"""`gramarye warm`: compile ahead of time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from gramarye.cli.compile_notice import FURTHER_METHOD, WARMING, told_when_compiling
from gramarye.cli.console import errors_to, note
from gramarye.errors import SettingsError

if TYPE_CHECKING:
    from gramarye.methods.base import MethodBase
    from gramarye.objectives.regression import Regression

EXAMPLES = """
  gramarye warm
  gramarye warm pge
  gramarye warm pge ge sge
  GRAMARYE_CACHE=/opt/cache gramarye warm   for a container image
"""

ALL = "all"
GENERATIONS = 10  # enough for all tables of a run to be enlarged, which has kernels of its own
SMALL = 100  # individuals


def warm(
    context: typer.Context,
    methods: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="METHODS|all",
            help="Methods, separated by blanks or commas (default: all); see `gramarye methods`.",
        ),
    ] = None,
) -> None:
    """Compile ahead of time what methods need, so that later runs start at once."""
    from gramarye.kernels import compiler

    chosen = _methods(methods or [ALL])
    if not compiler.COMPILED:
        note("nothing is compiled: Numba is missing, or NUMBA_DISABLE_JIT is set")
        return
    from gramarye.terminal.screen import Screen

    passes = WARMING + FURTHER_METHOD * (len(chosen) - 1)
    with Screen(errors_to()) as screen, told_when_compiling(context.obj, screen, passes) as compiling:
        for done, method in enumerate(chosen):
            what = f"{method.name} ({done + 1} of {len(chosen)})"
            screen.draw(what) if screen.is_live else screen.console.print(what)
            _use(method)
            context.obj.check()
    said = "compiled and ready" if compiling.seen else "ready, nothing had to be compiled"
    typer.echo(f"{', '.join(method.name for method in chosen)}: {said}")


def _methods(words: list[str]) -> list[MethodBase]:
    from gramarye.methods import METHODS, find

    names = " ".join(words).replace(",", " ").lower().split()
    if not names:
        raise SettingsError("METHODS names no method; write names separated by blanks or commas, or `all`")
    if ALL in names:
        return [kind() for kind in METHODS.values()]
    return [find(name)() for name in dict.fromkeys(names)]


def _use(method: MethodBase) -> None:
    """Compile by use: short runs call the same kernels as long ones; then a mapping, an encoding and an analysis."""
    import numpy as np

    from gramarye.analysis.analysis import analyse
    from gramarye.engine.encoding import encode
    from gramarye.engine.evolution import evolve
    from gramarye.engine.tracing import map_genotype
    from gramarye.problems import load
    from gramarye.representations.optional import Encodes

    pagie, weights = load("pagie"), np.ones(21)  # as many as `quartic` has points
    run = evolve(pagie, replace(method, generations=GENERATIONS), seed=0)
    for problem in (
        load("pagie", linear_scaling=True),
        load("boston"),
        load("boston", linear_scaling=True),
        load("quartic", sample_weight=weights),
        load("quartic", sample_weight=weights, linear_scaling=True),
    ):
        evolve(problem, replace(method, generations=2, population=SMALL), seed=0)
    for other in _variants(method):
        evolve(pagie, other, seed=0)
    for problem in _with_constants():
        evolve(problem, replace(method, generations=4, population=SMALL), seed=0)
    map_genotype(pagie.grammar, run.best.genotype, method)
    if isinstance(method.representation, Encodes):
        encode(pagie.grammar, "x", method)
    analyse(pagie.grammar, [method], bases=SMALL, neighbours=2, seed=0)


def _with_constants() -> Iterator[Regression]:
    """Problems whose grammar has constants to tune, and a function that the ready-made problems do without."""
    import numpy as np

    from gramarye.grammar import Grammar
    from gramarye.problems import load

    grammar = Grammar.from_text("<e> ::= <e> + <e> | <e> * <e> | exp(<e>) | tanh(<e>) | x / <const> | x | <const>")
    yield load("quartic", grammar)
    yield load("quartic", grammar, linear_scaling=True, error="mae")
    yield load("quartic", grammar, sample_weight=np.ones(21))


def _variants(method: MethodBase) -> Iterator[MethodBase]:
    """The method with other selections, begun with trees where it can, and with another population after a while."""
    from gramarye.representations.optional import Encodes
    from gramarye.selection import SELECTIONS

    small = replace(method, generations=2, population=SMALL)
    yield replace(small, restart_after=1, generations=8)
    if not method.samples:
        yield from (replace(small, selection=name) for name in SELECTIONS if name != "tournament")
    if isinstance(method.representation, Encodes):
        yield replace(small, initialisation="ramped")
