"""What a grammar has to know of the columns of a table: their names, and whether they hold numbers, flags or texts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramarye.errors import DataError
from gramarye.text import brief, counted, is_number

MOST_LEVELS = 100  # different texts of a column; more than that is a key or a comment
_KINDS: dict[str, Literal["number", "flag"]] = {"i": "number", "u": "number", "f": "number", "b": "flag"}


class Column(NamedTuple):
    """A column: of numbers, of flags (true or false), or of texts, each of which is one of some levels."""

    name: str
    kind: Literal["number", "flag", "text"] = "number"
    levels: tuple[str, ...] = ()

    @property
    def flags(self) -> list[str]:
        """The variables of a formula that are 0 or 1 by it."""
        return [self.name] if self.kind == "flag" else [indicator(self.name, level) for level in self.levels]


def indicator(column: str, level: str) -> str:
    """The name of the variable that is 1 where a column has a text, and 0 elsewhere."""
    return f"{column}={level}"


def read_columns(columns: Any) -> list[Column]:
    """The columns of a data frame or array, of a mapping from names to kinds, or of a list of names; checked."""
    if hasattr(columns, "collect"):
        raise DataError("columns is lazy: give columns.collect()")
    if isinstance(columns, Mapping):
        found = [_described(str(name), kind) for name, kind in columns.items()]
    elif hasattr(columns, "columns"):
        found = frame_columns(columns)
    elif isinstance(columns, np.ndarray) and columns.ndim == 2:
        found = [Column(f"x{i}", _kind(f"x{i}", columns[:, i])[0]) for i in range(columns.shape[1])]
    elif isinstance(columns, Iterable) and not isinstance(columns, str | bytes):
        found = [_named(name) for name in columns]
    else:
        raise DataError(f"columns is {brief(str(columns))}: give a data frame, a list of names, or names with kinds")
    if not found:
        raise DataError("columns is empty: a grammar needs at least one column")
    _check_names(found)
    return found


def _named(name: Any) -> Column:
    if not isinstance(name, str):
        what = f"columns holds {brief(str(name))} of type {type(name).__name__}"
        raise DataError(f"{what}: give names, or a data frame or an array with rows and columns")
    return Column(name)


def _described(name: str, kind: Any) -> Column:
    """A column as a mapping has it: a dtype, or a list of levels."""
    if isinstance(kind, list | tuple):
        return Column(name, "text", _levels(name, kind))
    letter: str
    try:
        letter = np.dtype({"number": "f8", "boolean": "?"}.get(kind, kind) if isinstance(kind, str) else kind).kind
    except TypeError:
        letter = ""
    if letter not in _KINDS:
        fix = 'give "number", "boolean", a dtype of numbers, or a list of all texts that the column may hold'
        raise DataError(f"column {name!r}: the kind is {brief(str(kind))}; {fix}")
    return Column(name, _KINDS[letter])


def frame_columns(frame: Any) -> list[Column]:
    """The columns of a data frame; where it only numbers them, x0, x1 and so on."""
    labels = list(frame.columns)
    names = [str(label) for label in labels]
    _check_names([Column(name) for name in names])
    if all(is_number(name) for name in names):
        names = [f"x{i}" for i in range(len(names))]
    return [column_of(frame, label, name) for label, name in zip(labels, names, strict=True)]


def column_of(frame: Any, label: Any, name: str) -> Column:
    """One column of a data frame, looked at."""
    values = cells(frame, label)
    return Column(name, *_kind(name, values.astype(object) if is_category(frame, label) else values, frame, label))


def cells(frame: Any, label: Any) -> NDArray[Any]:
    """The values of one column of a data frame, as they are."""
    part = frame[[label]]
    return np.asarray(part.to_numpy() if hasattr(part, "to_numpy") else part)[:, 0]


def is_category(frame: Any, label: Any) -> bool:
    """Whether pandas or polars was told that the values are levels; those of pandas may be numbers."""
    kind = str(frame[label].dtype) if type(frame).__module__.startswith(("pandas", "polars")) else ""
    return kind.startswith(("category", "Categorical", "Enum"))


def _kind(
    name: str, values: NDArray[Any], frame: Any = None, label: Any = None
) -> tuple[Literal["number", "flag", "text"], tuple[str, ...]]:
    if values.dtype.kind in _KINDS:
        return _KINDS[values.dtype.kind], ()
    known = [value for value in values.tolist() if not is_missing(value)]
    if frame is not None and is_category(frame, label):
        return "text", _levels(name, [str(value) for value in known])
    if values.dtype.kind in "OUS" and known and all(isinstance(value, str) for value in known):
        return "text", _levels(name, known)
    if values.dtype.kind == "O" and all(isinstance(value, bool | np.bool_) for value in known):
        return "flag", ()
    wrong = next((value for value in known if not isinstance(value, int | float | np.number)), None)
    if values.dtype.kind != "O" or wrong is not None:
        wrong = wrong if values.dtype.kind == "O" else next(iter(values), None)  # `tolist` makes integers of times
        fix = "turn them into numbers, or all of them into texts"
        raise DataError(f"column {name!r} holds values such as {brief(str(wrong))}, {type(wrong).__name__}; {fix}")
    return "number", ()


def is_missing(value: Any) -> bool:
    """Whether a cell is empty, in the ways of Python, NumPy and pandas."""
    return value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and math.isnan(value))


def _levels(name: str, values: Sequence[Any]) -> tuple[str, ...]:
    """The different texts, in alphabetical order, so that they don't depend on the order of the rows."""
    wrong = next((value for value in values if not isinstance(value, str)), None)
    if wrong is not None:
        raise DataError(f"column {name!r}: the level {brief(str(wrong))} is of type {type(wrong).__name__}; give texts")
    levels = tuple(sorted(set(values)))
    if not 0 < len(levels) <= MOST_LEVELS:
        what = f"column {name!r} has {counted(len(levels), 'different text')}, and each becomes a variable"
        raise DataError(f"{what}; leave the column out, or group them into 1 to {MOST_LEVELS}")
    return levels


def _check_names(columns: Sequence[Column]) -> None:
    """Every variable of a formula needs a name of its own."""
    seen: dict[str, Column] = {}
    for column in columns:
        for name in column.flags or [column.name]:
            if not name.strip():
                raise DataError(f"a column is called {name!r}: give it a name")
            if name in seen:
                texts = [repr(one.name) for one in (seen[name], column) if one.kind == "text"]
                also = f" (by texts of the column {' and of the column '.join(texts)})" if texts else ""
                raise DataError(f"several columns are called {name!r}{also}: rename them")
            seen[name] = column
