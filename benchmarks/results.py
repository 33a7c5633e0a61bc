"""Results of fits: one row of a CSV file each, appended as soon as a fit has ended."""

from __future__ import annotations

import csv
import math
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

Key = tuple[str, float, str, int]


@dataclass(frozen=True)
class Result:
    """One fit."""

    task: str
    family: str
    noise: float
    method: str
    seed: int
    limit: float  # seconds of processor time that it was given
    seconds: float  # and that it took
    train: float  # R² in training rows, against the target that was learned from
    test: float  # R² in test rows; -inf where a prediction is not finite or the fit has failed
    size: int  # in nodes
    recovered: str  # "yes", "by sign", "no", "time limit", "unreadable"; empty without true formula or without formula
    versions: str
    formula: str  # or what went wrong

    @property
    def key(self) -> Key:
        """What there is one fit of."""
        return self.task, self.noise, self.method, self.seed

    @property
    def is_recovered(self) -> bool:
        """Whether the formula is the true one up to a constant, for all numbers or in the test rows."""
        return self.recovered in ("yes", "by sign")

    @property
    def instance(self) -> tuple[str, float]:
        """What methods are compared on."""
        return self.task, self.noise


COLUMNS = tuple(field.name for field in fields(Result))
KINDS = {"noise": float, "seed": int, "limit": float, "seconds": float, "train": float, "test": float, "size": int}


def read(path: Path) -> list[Result]:
    """All fits of a file; none if there is no such file. A line that was cut off while it was written is left out."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [_result(row) for row in rows if None not in row.values()]


def _result(row: dict[str, str]) -> Result:
    values: dict[str, Any] = {name: KINDS.get(name, str)(row[name]) for name in COLUMNS}
    return Result(**values)


class Log:
    """A file that grows by a row for each fit."""

    def __init__(self, path: Path) -> None:
        self.path = path
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        if text and not text.endswith("\n"):  # cut off: the fit is made again
            path.write_text(text[: text.rfind("\n") + 1], encoding="utf-8")
        self._is_new = not text

    def add(self, result: Result) -> None:
        """Write a row, at once."""
        with self.path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            if self._is_new:
                writer.writeheader()
                self._is_new = False
            writer.writerow(asdict(result))


def coefficient(predicted: Any, y: Any) -> float:
    """R²; -inf where a prediction is not finite."""
    import numpy as np

    with np.errstate(all="ignore"):
        found = 1.0 - float(((predicted - y) ** 2).sum() / ((y - y.mean()) ** 2).sum())
    return found if math.isfinite(found) else -math.inf
