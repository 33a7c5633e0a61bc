"""Restarts: where a population no longer gains, another one begins.

Three fresh populations are followed by one that is made of the best thirds of their last generations; then again. When
a population has gained too little depends on its generations alone, not on time, so that runs stay reproducible.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramarye import kernels
from gramarye.engine.first_population import first_genotypes
from gramarye.engine.setup import Setup
from gramarye.engine.state import State
from gramarye.kernels import codes
from gramarye.populations.population import Memory
from gramarye.representations.base import Genotypes

GAIN = 0.01  # of the best fitness; what is less counts as no gain
FRESH = 3  # populations, before one is made of their best


def begun(setup: Setup) -> Memory:
    """What is remembered of a run's first population before it is evaluated."""
    return {} if setup.method.restart_after is None else _segment(0)


def _segment(number: int) -> dict[str, NDArray[Any]]:
    return {"number": np.array(number), "best": np.array(np.inf), "waited": np.array(0)}


def noted(memory: Memory, best: float) -> Memory:
    """What is remembered after a generation whose best fitness is this."""
    if not memory:
        return memory
    before = float(memory["best"])
    if best < (before - GAIN * abs(before) if before < np.inf else np.inf):
        return {**memory, "best": np.array(best), "waited": np.array(0)}
    return {**memory, "waited": np.array(memory["waited"] + 1)}


def is_due(setup: Setup, memory: Memory) -> bool:
    """Whether the population has waited too long for a gain."""
    return setup.method.restart_after is not None and bool(memory["waited"] >= setup.method.restart_after)


def next_population(setup: Setup, state: State, memory: Memory) -> tuple[Genotypes, Memory]:
    """The genotypes of another population, and what is remembered before it is evaluated."""
    number = int(memory["number"]) + 1
    rank = setup.method.parts.replacement.rank(state.evaluation)
    size = setup.method.population
    third = np.argsort(rank, kind="stable")[: -(-size // FRESH)]
    parts = [*_saved(memory, type(state.genotypes)), state.genotypes.take(third)]
    if number % (FRESH + 1) == FRESH:
        return type(state.genotypes).join(parts).take(np.arange(size)), _segment(number)
    seed = int(kernels.random.stream(setup.key, number, codes.RESTART, 0))
    fresh = first_genotypes(replace(setup, seed=seed, initial_programs=()))
    kept = {} if number % (FRESH + 1) == 0 else _packed(parts)
    return fresh, {**_segment(number), **kept}


def _packed(parts: list[Genotypes]) -> dict[str, NDArray[Any]]:
    """Populations as arrays that can be saved."""
    return {f"{k}.{each.name}": getattr(part, each.name) for k, part in enumerate(parts) for each in fields(part)}  # type: ignore[arg-type]


def _saved(memory: Memory, layout: type[Genotypes]) -> list[Genotypes]:
    """The same, read back."""
    count = len({name.partition(".")[0] for name in memory if "." in name})
    names = [each.name for each in fields(layout)]  # type: ignore[arg-type]
    return [layout(**{name: memory[f"{k}.{name}"] for name in names}) for k in range(count)]
