"""Methods side by side: from random genotypes, from trees that all of them share, along runs."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace

import numpy as np

from gramarye.analysis.behaviour import behaviour
from gramarye.analysis.plan import Plan, Source
from gramarye.analysis.sampling import Reading, population_bases, random_bases, tree_bases
from gramarye.analysis.stability import stability
from gramarye.analysis.subject import PARTS, Subject, Watch
from gramarye.engine.evolution import Evolution
from gramarye.engine.state import State
from gramarye.errors import GramaryeError
from gramarye.execution import Threads
from gramarye.grammar import Grammar
from gramarye.methods.base import MethodBase
from gramarye.objectives.problem import Problem
from gramarye.records.analysis import Locality
from gramarye.representations.optional import encoder


def study(
    grammar: Grammar,
    methods: Mapping[str, MethodBase],
    plan: Plan,
    seed: int,
    source: Source,
    threads: Threads,
    watch: Watch,
) -> tuple[list[Locality], dict[str, str]]:
    """All methods from one source; and why some are left out, which can't work with the grammar or start from there."""
    readings: dict[str, Reading] = {}
    left_out: dict[str, str] = {}
    for label, method in methods.items():
        try:
            if source == "trees":
                encoder(method.representation, method.name)  # a GenotypeError where it can't
            readings[label] = Reading.start(method, grammar, seed, threads)
        except GramaryeError as error:
            left_out[label] = str(error)
    samples = iter(tree_bases(list(readings.values()), plan.bases)) if source == "trees" and readings else None
    found = []
    for label, reading in readings.items():
        watch(f"{label}: {PARTS[0]}")
        sample = next(samples) if samples else random_bases(reading, max(plan.sample, plan.bases))
        found.append(Subject(label, reading, sample, plan, source).whole(watch))
    return found, left_out


def follow(
    problem: Problem, label: str, method: MethodBase, plan: Plan, seed: int, threads: int, watch: Watch
) -> list[Locality]:
    """One method along a run: its population at some generations, read by the probabilities of then."""
    wanted = sorted({min(generation, method.generations - 1) for generation in plan.generations})
    found = []
    with Evolution(problem, method, seed, threads=threads) as evolution, closing(Threads(threads)) as pool:
        for generation in evolution:
            if generation.index in wanted and evolution.state is not None:
                watch(f"{label}: {problem.name}, generation {generation.index}")
                found.append(_at(label, problem, method, evolution.state, plan, pool))
    return found


def _at(label: str, problem: Problem, method: MethodBase, state: State, plan: Plan, threads: Threads) -> Locality:
    """What can be told of one generation."""
    reading = Reading(method, problem.grammar, state.probabilities, state.seed, threads)
    genotypes = state.genotypes
    if method.samples and state.generation > 0:  # its elites are kept as programs: their genotypes mean nothing
        genotypes = genotypes.take(np.arange(len(genotypes) - method.elites))
    bases = population_bases(reading, genotypes, plan.bases)
    subject = Subject(label, reading, bases, plan, "run")
    best = problem.shown(state.best_of_run.fitness)
    found = replace(subject.local(), problem=problem.name, generation=state.generation, best=best)
    if not len(bases):
        return found
    moves = stability(reading, bases, subject.resampled, state)
    acts = behaviour(problem, reading, bases, subject.one, subject.resampled)
    return replace(found, measures={**found.measures, **moves, **acts})
