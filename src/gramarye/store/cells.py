"""What a file of results knows of an experiment: cells of its grid, sessions that worked on it."""

from __future__ import annotations

import json
import os
import platform
import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from gramarye.direction import Direction, Values, signed
from gramarye.execution.versions import versions_of
from gramarye.populations.history import LEARNED, LIMITS, Wording

PACKAGES = ("gramarye", "numpy", "numba", "scipy")


@dataclass(frozen=True)
class Cell:
    """One method on one problem: a cell of the grid."""

    method: str  # how it is called in this experiment
    problem: str
    kind: str  # which of the methods it is
    settings: dict[str, Any]
    facts: dict[str, Any]  # of the problem: description, direction, error measure, rows; what is recorded
    grammar: str  # the method's own, to which probabilities belong
    generations: int  # at most: a run may end earlier
    learns: bool
    identity: str  # a run is resumed only with the problem and method that it began with

    @property
    def limits(self) -> dict[str, float | None]:
        """What ends its runs, by setting; None: it does not."""
        return {name: self.generations if name == "generations" else self.settings.get(name) for name in LIMITS}

    @property
    def tests(self) -> bool:
        """Whether programs are tested, on rows that are kept for it or by another function."""
        return bool(self.facts.get("test_rows") or self.facts.get("tests"))

    @property
    def direction(self) -> Direction:
        """Which fitness is better; files of older versions say it as `maximise`, or not at all."""
        maximised = self.facts.get("direction") == "maximise" or self.facts.get("maximise")
        return "maximise" if maximised else "minimise"

    @property
    def wording(self) -> Wording | None:
        """What the recorded probabilities are called; None: there are none. Files of older versions don't say it."""
        if "recorded" not in self.facts:
            return LEARNED if self.learns else None
        return None if self.facts["recorded"] is None else Wording(**self.facts["recorded"])

    @property
    def problem_grammar(self) -> str:
        """The grammar that its programs are written in; files of older versions have only the method's own."""
        grammar: str = self.facts.get("problem_grammar", self.grammar)
        return grammar

    def shown(self, fitness: Values) -> Values:
        """Minimised fitness with the sign that people see."""
        return signed(fitness, self.direction)

    def row(self) -> tuple[Any, ...]:
        """As the table of cells holds it."""
        packed = json.dumps(self.settings), json.dumps(self.facts)
        return self.method, self.problem, self.kind, *packed, self.grammar, self.generations, self.learns, self.identity

    @classmethod
    def of(cls, row: sqlite3.Row) -> Cell:
        """From the table of cells."""
        names = ("method", "problem", "kind", "grammar", "generations", "identity")
        packed = {name: json.loads(row[name]) for name in ("settings", "facts")}
        return cls(**{name: row[name] for name in names}, **packed, learns=bool(row["learns"]))


@dataclass(frozen=True)
class Session:
    """A process that worked on an experiment, on which machine, with which programs."""

    began: str
    process: int
    versions: dict[str, str]
    machine: dict[str, str]

    @classmethod
    def here(cls) -> Session:
        """This process on this machine."""
        machine = {
            "host": platform.node(),
            "system": f"{platform.system()} {platform.release()}",
            "processor": _processor(),
            "cores": str(os.cpu_count()),
        }
        return cls(datetime.now(UTC).isoformat(timespec="seconds"), os.getpid(), versions_of(*PACKAGES), machine)


def _processor() -> str:
    """The processor's name, which Linux does not tell through `platform`."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())
