"""`gramarye map`: how a genotype becomes a program, and what a grammar learns from it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from gramarye.cli.compile_notice import MAPPING, told_when_compiling
from gramarye.cli.console import errors_to, note, show, show_json
from gramarye.cli.inputs import build_method, read_genotype, read_grammar
from gramarye.cli.options import Json, MethodName, Source
from gramarye.errors import SettingsError
from gramarye.files import check_output, write_text

if TYPE_CHECKING:
    from gramarye.learners.alternating import AlternatingBest
    from gramarye.methods.base import MethodBase

EXAMPLES = """
  gramarye map my.bnf --genotype '[0.8, 0.2, 0.98, 0.45]'
  gramarye map my.bnf --genotype '[0.8, 0.2]' --set wraps=1 --learn 0.01
  gramarye map pagie --method ge --genotype '[7, 83, 3]' --svg tree.svg
  gramarye map quartic --method sge --genotype '{"<expr>": [2], "<var>": [0]}'
  gramarye map pagie --method whge --genotype 001101000010
"""


def map_(
    context: typer.Context,
    source: Source,
    genotype: Annotated[
        str,
        typer.Option(
            help="As JSON: a list; for SGE and similar methods, a list for each non-terminal; for WHGE, bits."
        ),
    ],
    method: MethodName = "pge",
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A setting, such as wraps=1.")
    ] = None,
    learn: Annotated[
        float | None,
        typer.Option(metavar="FACTOR", help="Also show what the grammar learns, with this learning factor."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed; lists that are too short are extended at random.")] = 0,
    svg: Annotated[Path | None, typer.Option(help="Draw the derivation tree into this SVG file.")] = None,
    as_json: Json = False,
) -> None:
    """Map a genotype step by step, as in the figures of the PGE paper."""
    context.obj.gentle = context.obj.slow = True
    from gramarye.engine.setup import check_seed
    from gramarye.engine.tracing import lessons, map_genotype
    from gramarye.records.mapping import document
    from gramarye.terminal.mapping import page
    from gramarye.terminal.screen import Screen

    context.obj.check()
    chosen = build_method(method, settings or [])
    learner = None if learn is None else _learner(chosen, learn)
    if svg:
        check_output(svg, ".svg")
    grammar = read_grammar(source)
    warn_of_ignored(grammar, chosen)
    given = read_genotype(genotype)
    with Screen(errors_to()) as screen, told_when_compiling(context.obj, screen, MAPPING):
        mapped = map_genotype(grammar, given, chosen, seed=check_seed(seed))
    if svg:
        write_text(svg, mapped.derivation.svg())
    learned = lessons(mapped, learner) if learner and mapped.valid else None
    if as_json:
        show_json(document(mapped, learned))
    else:
        show(page(mapped, learner, learned, svg))


def _learner(method: MethodBase, factor: float) -> AlternatingBest:
    from gramarye.learners.alternating import AlternatingBest

    if not isinstance(method.learner, AlternatingBest):
        how = "learns in another way" if method.learner.learns else "learns nothing"
        raise SettingsError(f"{method.name} {how}; --learn goes with --method pge")
    changed: Any = {"learning_factor": factor}
    return cast(AlternatingBest, replace(method, **changed).learner)


def warn_of_ignored(grammar: Any, method: MethodBase) -> None:
    """Say it where a grammar carries probabilities that neither mappings nor the first population depend on."""
    if grammar.probabilities is not None and not method.uses_probabilities:
        note(f"{method.name} ignores the probabilities that the grammar carries")
