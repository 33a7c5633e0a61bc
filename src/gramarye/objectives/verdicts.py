"""What is known of the texts of a run, also as arrays of its saved state: resumed runs evaluate none of them again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import accumulate, islice, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations import Status

Floats = NDArray[np.float64]

SAVED = 8 * 2**20  # bytes of a saved state, about; of more, those that were evaluated last
EACH = 256  # bytes of a text and its fitness, about
NAMES = ("texts", "ends", "fitness", "status", "errors")


class Verdict(NamedTuple):
    """What is known of one text."""

    fitness: float
    status: Status
    errors: Floats | None  # [C] per case; None: it failed, or the function returns single numbers


class Verdicts(Mapping[str, NDArray[Any]]):
    """What was known at some time, as arrays; they are made when they are saved, not in every generation."""

    def __init__(self, known: Mapping[str, Verdict], each: int) -> None:
        self._known, self._count, self._each = known, len(known), each

    @cached_property
    def _arrays(self) -> dict[str, NDArray[Any]]:
        most = SAVED // self._each
        known = dict(islice(self._known.items(), max(0, self._count - most), self._count))
        texts = [text.encode("utf-8", "surrogatepass") for text in known]
        cases = max((len(verdict.errors) for verdict in known.values() if verdict.errors is not None), default=0)
        nothing = np.full(cases, np.nan)
        return {
            "texts": np.frombuffer(b"".join(texts), np.uint8),
            "ends": np.array([*accumulate(map(len, texts), initial=0)], np.int64),
            "fitness": np.array([verdict.fitness for verdict in known.values()], np.float64),
            "status": np.array([verdict.status for verdict in known.values()], np.int8),
            "errors": np.array([nothing if v.errors is None else v.errors for v in known.values()], np.float64),
        }

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES) if self._count else 0


def verdicts_of(arrays: Mapping[str, NDArray[Any]]) -> dict[str, Verdict]:
    """What was known, from the arrays."""
    if not arrays:
        return {}
    content = arrays["texts"].tobytes()
    texts = [content[a:b].decode("utf-8", "surrogatepass") for a, b in pairwise(arrays["ends"].tolist())]
    rows = zip(arrays["fitness"].tolist(), arrays["status"].tolist(), arrays["errors"], strict=True)
    verdicts = (Verdict(f, Status(status), None if np.isnan(e).all() else e) for f, status, e in rows)  # [] is all NaN
    return dict(zip(texts, verdicts, strict=True))
