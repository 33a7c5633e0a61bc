"""The state of a run between two generations: named arrays and plain values, saved without pickle."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass, fields
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramarye.derivation import Derivations
from gramarye.errors import OutputError
from gramarye.learners.base import Candidate
from gramarye.representations.base import Genotypes
from gramarye.run import RECORDED

_VERSION = 2


@dataclass(frozen=True)
class State:
    """A population that has been evaluated, and all that the next one depends on."""

    seed: int
    generation: int
    genotypes: Any  # of N individuals
    fitness: NDArray[np.float64]  # [N]
    derivations: Derivations  # of N individuals, elites last
    probabilities: NDArray[np.float64]  # [R] under which this population was mapped
    best: Candidate  # of the run
    best_genotype: Any  # a population of one
    test_fitness: float  # of the best of the run
    best_offspring: Candidate
    best_of_all: Candidate
    best_in_population: int
    history: NDArray[np.float64]  # [generation + 1, len(RECORDED)]
    probability_history: NDArray[np.float64]  # [generation + 1, R]
    identity: str  # which problem and method it belongs to

    def record(self) -> dict[str, float]:
        """What is recorded of this generation."""
        return dict(zip(RECORDED, self.history[-1].tolist(), strict=True))

    def to_bytes(self) -> bytes:
        """The state as the content of an npz file."""
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        values: dict[str, Any] = {name: getattr(self, name) for name in _VALUES} | {"version": _VERSION}
        for name in _NESTED:
            nested = getattr(self, name)
            values[name] = _name(type(nested))
            arrays |= {f"{name}.{field.name}": getattr(nested, field.name) for field in fields(nested)}
        for name in _CANDIDATES:
            candidate = getattr(self, name)
            values[f"{name}.fitness"] = candidate.fitness
            arrays[f"{name}.productions"] = candidate.productions
        buffer = io.BytesIO()
        np.savez(buffer, values=np.array(json.dumps(values)), **arrays)
        return buffer.getvalue()

    @classmethod
    def from_bytes(cls, content: bytes, name: str = "the state") -> State:
        """Read a state back; `name` is what an error calls it."""
        try:
            with zipfile.ZipFile(io.BytesIO(content)):  # NumPy takes other things than npz for pickles
                arrays = dict(np.load(io.BytesIO(content), allow_pickle=False))
            values = json.loads(str(arrays["values"]))
            if values["version"] != _VERSION:
                raise OutputError(f"it was written by another version of gramarye (format {values['version']})")
            return cls(**_read(arrays, values))
        except OutputError as error:
            raise OutputError(f"{name} can't be read: {error}") from None
        except (OSError, EOFError, ValueError, TypeError, KeyError, zipfile.BadZipFile) as error:
            raise OutputError(f"{name} is no saved state of a run, or is damaged: {error}") from None

    def save(self, path: str | PathLike[str]) -> None:
        """Write the state to a file (npz); a file that was there is replaced only when the new one is complete."""
        target, content = Path(path), self.to_bytes()
        temporary = target.with_name(target.name + ".part")
        try:
            temporary.write_bytes(content)
            temporary.replace(target)
        except OSError as error:
            raise OutputError(f"{target} can't be written: {error.strerror or error}") from None

    @classmethod
    def load(cls, path: str | PathLike[str]) -> State:
        """Read a state back from a file."""
        try:
            content = Path(path).read_bytes()
        except FileNotFoundError:
            raise OutputError(f"{path} does not exist") from None
        except OSError as error:
            raise OutputError(f"{path} can't be read: {error.strerror or error}") from None
        return cls.from_bytes(content, str(path))


_NESTED = ("genotypes", "best_genotype", "derivations")
_CANDIDATES = ("best", "best_offspring", "best_of_all")
_VALUES = ("seed", "generation", "test_fitness", "best_in_population", "identity")
_ARRAYS = tuple(f.name for f in fields(State) if f.name not in (*_NESTED, *_CANDIDATES, *_VALUES))


def _name(layout: type[Any]) -> str:
    """The name by which a class of genotypes is found again."""
    if layout is not Derivations and Genotypes.layouts.get(layout.__name__) is not layout:
        why = "it has the name of a later class"
        if not issubclass(layout, Genotypes):
            why = "derive it from gramarye.representations.Genotypes"
        raise OutputError(f"a state with genotypes of the class {layout.__name__} can't be saved: {why}")
    return layout.__name__


def _layout(name: str) -> Any:
    """The class of that name; whose it is must have been imported."""
    if name == Derivations.__name__:
        return Derivations
    if name not in Genotypes.layouts:
        raise OutputError(f"its genotypes are of the class {name}, which is not there; import the module that has it")
    return Genotypes.layouts[name]


def _read(arrays: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    state: dict[str, Any] = {name: arrays[name] for name in _ARRAYS} | {name: values[name] for name in _VALUES}
    for name in _NESTED:
        layout = _layout(values[name])
        state[name] = layout(**{f.name: arrays[f"{name}.{f.name}"] for f in fields(layout)})
    for name in _CANDIDATES:
        state[name] = Candidate(arrays[f"{name}.productions"], values[f"{name}.fitness"])
    return state
