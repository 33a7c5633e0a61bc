"""A run: its settings, its best program, its history, its grammar with what was recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gramarye.engine.individual import Individual
from gramarye.engine.run import Failure, Run
from gramarye.records.document import head


def document(run: Run, files: dict[str, Path]) -> dict[str, Any]:
    """Everything about a run."""
    best, picked, wording = run.best, run.picked, run.method.wording
    last = {name: column[-1] for name, column in run.history.items()}
    return {
        **head("run", version=1),
        "problem": run.problem.name,
        "method": run.method.name,
        "settings": run.settings,
        "seed": run.seed,
        "finished": run.ended_by is not None,
        "ended_by": run.ended_by,
        "generations": run.generations,
        "error": getattr(run.problem, "error", None),
        "direction": run.problem.direction,
        "best": {
            "phenotype": best.phenotype,
            "formula": best.formula,
            "fitness": best.fitness,
            "test_fitness": best.test_fitness,
            "size": best.size,
            "depth": best.depth,
            "genotype": best.genotype,
        },
        "front": [_sized(member) for member in run.front],
        "picked": next((i for i, member in enumerate(run.front) if member is picked), None),
        "history": run.table,
        "grammar": run.grammar.text,
        "probabilities_are": None if wording is None else wording.whole,
        "counters": {
            "evaluations": run.evaluations,
            "distinct": int(last["distinct"]),
            "node_rows": int(last["node_rows"]),
            "invalid": int(run.history["invalid"].sum()),
            "remembered": run.remembered,
        },
        "objective_share": run.objective_share,
        "failures": [_failure(failure) for failure in run.failures],
        "seconds": run.seconds,
        "versions": run.versions,
        "files": {what: str(path) for what, path in files.items()},
    }


def _failure(failure: Failure) -> dict[str, Any]:
    """A reason why individuals had no fitness."""
    first = failure.first
    return {
        "reason": failure.reason,
        "individuals": failure.individuals,
        "first_program": None if first is None else first.program,
        "message": str(failure),
    }


def _sized(member: Individual) -> dict[str, Any]:
    """A program of the front."""
    return {
        "nodes": member.nodes,
        "fitness": member.fitness,
        "test_fitness": member.test_fitness,
        "phenotype": member.phenotype,
        "formula": member.formula,
    }
