"""What `gramarye fit` learns: one column of a CSV file from the others, as a number or as classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramarye.cli.console import note
from gramarye.cli.inputs import read_grammar
from gramarye.data import CSV, NamedColumns
from gramarye.data.cells import Cells, typed
from gramarye.data.frames import read_table
from gramarye.data.merged_rows import Rows, merged, numbers_of_rows
from gramarye.errors import DataError, SettingsError, did_you_mean
from gramarye.grammar import Grammar
from gramarye.grammar.columns import MOST_LEVELS, frame_columns, read_columns
from gramarye.models import Facts
from gramarye.objectives import Regression
from gramarye.priors.starting import started
from gramarye.text import counted


class Wanted(NamedTuple):
    """Which columns of a file are learned from which."""

    target: str | None = None  # None: the last one
    ignored: Sequence[str] = ()
    classify: bool | None = None  # None: if the target is not a number
    test: float = 0.0  # the share of rows that are held out
    weights: str | None = None  # the column with the weight of each row


class Formulas(NamedTuple):
    """What says which formulas are searched."""

    grammar: str | None = None  # a file
    preset: str | None = None
    template: str | None = None
    units: str | None = None  # m1=kg,r=m
    target_unit: str | None = None
    prior: Path | None = None


@dataclass(frozen=True)
class Task:
    """A table to learn from, and the rows that are held out."""

    path: Path
    target: str
    features: Cells
    values: NDArray[np.float64]  # [rows] of the target, or numbers of classes
    classes: NDArray[Any] | None
    train: NDArray[np.int64]  # rows
    test: NDArray[np.int64]  # rows
    weights: NDArray[np.float64] | None = None  # [rows]; None: all rows count alike

    @property
    def facts(self) -> Facts:
        """What a model remembers of it."""
        return Facts(tuple(frame_columns(self.features)), True, self.target, len(self.train))

    @property
    def observed(self) -> NDArray[Any]:
        """[rows] the target as it is in the file."""
        return self.values if self.classes is None else self.classes[self.values.astype(np.int64)]

    @property
    def labels(self) -> list[int]:
        """The classes that there are formulas for: the second one of two, or all; none where it is a number."""
        if self.classes is None:
            return []
        return [1] if len(self.classes) == 2 else list(range(len(self.classes)))

    def rows(self) -> tuple[NamedColumns, Rows]:
        """The rows to learn from, merged: as a problem takes them, and with their targets and weights."""
        columns, names = read_table(self.features, str(self.path))
        try:
            weights = self.weights_of(self.train)
            weights = np.ones(len(self.train)) if weights is None else weights
            weights = weights if self.classes is None else numbers_of_rows(weights)
            rows = merged(columns.T[self.train], self.values[self.train], weights)
        except DataError as error:
            raise DataError(f"{self.path}: {error}") from None
        return NamedColumns(rows.X, names or []), rows

    def weights_of(self, rows: NDArray[np.int64]) -> NDArray[np.float64] | None:
        """How much some rows count."""
        return None if self.weights is None else self.weights[rows]

    def problems(self, grammar: Grammar) -> list[Regression]:
        """One for each formula."""
        table, rows = self.rows()
        targets = [(rows.y == k).astype(np.float64) for k in self.labels] or [rows.y]
        name = self.path.stem
        return [Regression(table, y, grammar, sample_weight=rows.weights, clip=True, name=name) for y in targets]

    def title(self, k: int) -> str:
        """What the search for one of the formulas is called."""
        if self.classes is None:
            return f"searching for a formula for {self.target}"
        count = len(self.labels)
        which = f" ({k + 1} of {count})" if count > 1 else ""
        return f"searching for a formula for {self.target} = {self.classes[self.labels[k]]}{which}"


def read_task(path: Path, wanted: Wanted, seed: int) -> Task:
    """The task that a file holds."""
    table = CSV(path)
    target = table.columns[-1] if wanted.target is None else wanted.target
    left_out = [*wanted.ignored, *([] if wanted.weights is None else [wanted.weights])]
    for name in (target, *left_out):
        if name not in table.columns:
            near = did_you_mean(name, table.columns) or f"; it has {', '.join(table.columns)}"
            raise DataError(f"{path}: no column is called {name!r}{near}")
    features = [name for name in table.columns if name not in (target, *left_out)]
    if target == wanted.weights:
        raise DataError(f"{path}: the column {target!r} can't be the target and the weights at once; name another one")
    if target in wanted.ignored or not features:
        what = f"the target {target!r} can't be ignored" if features else "there is no column to learn from"
        raise DataError(f"{path}: {what}; name another target or ignore fewer columns")
    if len(table) < 2:
        raise DataError(f"{path}: it has {counted(len(table), 'row')}, which is too few to learn from; give at least 2")
    values, classes = _target(table, target, wanted.classify)
    cells = typed(table, features)
    _check_texts(path, cells)
    weights = None if wanted.weights is None else _weights(table, wanted.weights, values, classes)
    return Task(path, target, cells, values, classes, *_split(len(table), wanted.test, seed), weights)


def _weights(table: CSV, name: str, values: NDArray[np.float64], classes: NDArray[Any] | None) -> NDArray[np.float64]:
    """The weight of each row."""
    weights = table[[name]].to_numpy()[:, 0]
    for (line, text), weight in zip(table.cells(name), weights.tolist(), strict=True):
        if weight < 0:
            raise DataError(f"{table.place(line, name)}: the weight is {text.strip()}; weights must be ≥ 0")
    if classes is not None:
        absent = np.setdiff1d(np.arange(len(classes)), values[weights > 0])
        if len(absent):
            what = f"{table.path}: all rows of the class {classes[int(absent[0])]} have weight 0"
            raise DataError(f"{what}; drop these rows")
    return weights


def _check_texts(path: Path, cells: Cells) -> None:
    """An error where a column holds so many texts that it is rather a key or a comment."""
    for name in cells.columns:
        values = cells.values(name)
        if values.dtype.kind == "O" and (count := len(set(values.tolist()))) > MOST_LEVELS:
            what = f"{path}: the column {name!r} has {count:,} different texts, and each would become a variable"
            raise DataError(f"{what} (at most {MOST_LEVELS} are possible); leave it out with --ignore")
    try:
        read_columns(cells)
    except DataError as error:
        raise DataError(f"{path}: {error}") from None


def _target(table: CSV, name: str, classify: bool | None) -> tuple[NDArray[np.float64], NDArray[Any] | None]:
    """The target, and its classes where it has some."""
    numeric = classify is False
    values: NDArray[Any] = table[[name]].to_numpy()[:, 0] if numeric else typed(table, [name]).values(name)
    place = f"{table.path}: the target {name!r}"
    if values.dtype.kind == "f" and not classify:
        if (values == values[0]).all():
            raise DataError(f"{place} is {values[0]:g} in every row: there is nothing to learn")
        return values, None
    if values.dtype.kind == "f" and (values == np.round(values)).all():
        values = values.astype(np.int64)
    classes, labels = np.unique(values, return_inverse=True)
    if len(classes) == 1:
        raise DataError(f"{place} is {classes[0]} in every row: there is nothing to learn")
    if len(classes) > MOST_LEVELS:
        fix = "leave --classify out" if values.dtype.kind in "fi" else "name another target"
        raise DataError(f"{place} has {len(classes):,} different values, too many for classes; {fix}")
    return labels.astype(np.float64), _as_written(table, name, classes, labels)


def _as_written(table: CSV, name: str, classes: NDArray[Any], labels: NDArray[np.int64]) -> NDArray[Any]:
    """The classes as the file has them, such as true or 01; where it has one in several ways, by their values."""
    texts: dict[int, set[str]] = {}
    for (_, text), label in zip(table.cells(name), labels.tolist(), strict=True):
        texts.setdefault(label, set()).add(text.strip())
    written = [min(texts[label]) for label in range(len(classes))]
    plain = any(len(each) > 1 for each in texts.values()) or written == list(map(str, classes.tolist()))
    return np.array(classes.tolist() if plain else written)


def _split(rows: int, share: float, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows for training and for testing, drawn by the seed."""
    if not 0 <= share < 1:
        raise SettingsError(f"--test is {share:g}: it must be a fraction of the rows, at least 0 and less than 1")
    held = round(share * rows)
    if rows - held < 2 or (share > 0 and held == 0):
        raise SettingsError(f"--test {share:g} leaves {rows - held} of {rows} rows for training; use another fraction")
    order = np.random.default_rng(seed).permutation(rows)
    return np.sort(order[held:]), np.sort(order[:held])


def build_grammar(task: Task, form: Formulas) -> Grammar:
    """The grammar of a file, or one from the columns; with the probabilities of a prior, if there is one."""
    if form.grammar is None:
        units = None if form.units is None else _units(form.units)
        options: dict[str, Any] = {"template": form.template, "units": units, "target_unit": form.target_unit}
        grammar = Grammar.from_columns(task.features, preset=form.preset or "full", **options)
    else:
        for name in ("preset", "template", "units", "target_unit"):
            if getattr(form, name) is not None:
                option = name.replace("_", "-")
                raise SettingsError(f"--grammar and --{option} can't be combined; leave one of them out")
        grammar = read_grammar(form.grammar)
    if form.prior is None:
        return grammar
    found, remark = started(grammar, form.prior)
    if remark:
        note(remark)
    return found


def _units(text: str) -> dict[str, str]:
    """m1=kg,r=m as a mapping."""
    found: dict[str, str] = {}
    for pair in text.split(","):
        name, equals, unit = (part.strip() for part in pair.rpartition("="))
        if not (name and equals and unit):
            raise SettingsError(f"--units has {pair.strip()!r}; write name=unit, such as --units 'm1=kg,r=m,angle=1'")
        if name in found:
            raise SettingsError(
                f"--units gives {name!r} two units, {found[name]!r} and {unit!r}; leave one of them out"
            )
        found[name] = unit
    return found
