"""All published methods beside PGE: one default run each on the Pagie grid, seed by seed, the methods in turns.

A *node mapped* is one step of a derivation that a mapping completed, in the grammar that the method works on; every
mapping of the run counts, elites that are mapped again included. Invalid individuals add none, but their time counts.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rich import box
from rich.table import Table

import gramarye as gm
from gramarye.methods import PUBLISHED
from gramarye.methods.base import MethodBase

SEEDS = range(1, 8)
MOST = 3  # times PGE's time per node


@dataclass(frozen=True)
class MethodWork:
    """What a run of one method cost and what it did for it."""

    seconds: float  # of CPU, the whole run
    mapping: float  # of them, in the mapping of genotypes to derivations
    evaluations: int
    distinct: int  # programs actually computed
    mapped: int  # individuals
    nodes: int
    validity: float  # the mean share of a population that has a fitness

    @property
    def size(self) -> float:
        """Nodes of a mapped individual."""
        return self.nodes / self.mapped

    @property
    def per_node(self) -> float:
        """Nanoseconds of the run for each node mapped."""
        return 1e9 * self.seconds / self.nodes

    @property
    def mapping_per_node(self) -> float:
        """Nanoseconds of mapping for each node mapped."""
        return 1e9 * self.mapping / self.nodes


class _Watched:
    """A representation that counts and times its mappings, and is otherwise as it was."""

    def __init__(self, representation: Any) -> None:
        self._representation = representation
        self.seconds, self.mapped, self.nodes = 0.0, 0, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._representation, name)

    @property  # type: ignore[misc]  # nobody assigns it
    def __class__(self) -> Any:
        """What `isinstance` looks at: it has the same interfaces."""
        return type(self._representation)

    def map(self, *arguments: Any) -> Any:
        """Map as ever: the two looks at the clock are all that this adds."""
        began = time.process_time()
        genotypes, derivations = self._representation.map(*arguments)
        self.seconds += time.process_time() - began
        self.mapped += len(derivations)
        self.nodes += len(derivations.productions)
        return genotypes, derivations


def method_run(method: MethodBase, seed: int) -> MethodWork:
    """One run on the Pagie grid, watched from outside."""
    problem, method = gm.problems.load("pagie"), replace(method)  # a copy, which may be watched
    watched = _Watched(method.representation)
    vars(method)["representation"] = watched  # where the cached property keeps it
    gc.collect()
    began = time.process_time()
    run = gm.evolve(problem, method, seed)
    seconds = time.process_time() - began
    return MethodWork(
        seconds,
        watched.seconds,
        int(run.history["evaluations"][-1]),
        int(run.history["distinct"][-1]),
        watched.mapped,
        watched.nodes,
        1 - float(run.history["invalid"].mean()) / method.population,
    )


def method_works(seeds: Sequence[int] = SEEDS) -> dict[str, list[MethodWork]]:
    """A run of each method for each seed; all methods take their turn before the next seed."""
    for method in PUBLISHED.values():
        method_run(method(generations=3), 1)  # compiles
    works: dict[str, list[MethodWork]] = {name: [] for name in PUBLISHED}
    for seed in seeds:
        for name, method in PUBLISHED.items():
            works[name].append(method_run(method(), seed))
    return works


def ratio_to_pge(
    works: dict[str, list[MethodWork]], name: str, cost: Callable[[MethodWork], float]
) -> float:  # the median over the rounds
    """How many times PGE's cost of the same round a method's is."""
    return statistics.median(cost(work) / cost(pge) for work, pge in zip(works[name], works["pge"], strict=True))


def method_table(works: dict[str, list[MethodWork]]) -> Table:
    """A line for each method: medians over the seeds; it fits into 80 columns."""
    rounds = len(works["pge"])
    title = (
        f"published methods, 1000 × 50 on Pagie, {rounds} seeds in turns; a node is a step of a completed derivation"
    )
    table = Table("method", title=title, box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for heading in (
        "CPU s", "evalua-\ntions", "dis-\ntinct", "mean\nsize", "valid",
        "ns per\nnode", f"× PGE\n(≤ {MOST})", "map-\nping", "× PGE",
    ):  # fmt: skip
        table.add_column(heading, justify="right", no_wrap=True)
    for name, mine in works.items():
        table.add_row(
            PUBLISHED[name].__name__,
            f"{statistics.median(work.seconds for work in mine):.2f}",
            f"{statistics.median(work.evaluations for work in mine):,.0f}",
            f"{statistics.median(work.distinct for work in mine):,.0f}",
            f"{statistics.median(work.size for work in mine):.1f}",
            f"{statistics.median(work.validity for work in mine):.1%}",
            f"{statistics.median(work.per_node for work in mine):.0f}",
            f"{ratio_to_pge(works, name, lambda work: work.per_node):.2f}",
            f"{statistics.median(work.mapping_per_node for work in mine):.0f}",
            f"{ratio_to_pge(works, name, lambda work: work.mapping_per_node):.2f}",
        )
    return table


__all__ = ["MOST", "MethodWork", "method_run", "method_table", "method_works", "ratio_to_pge"]
