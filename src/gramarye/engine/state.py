"""The state of a run between two generations: named arrays and plain values, saved without pickle."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass, fields
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations import Derivations
from gramarye.errors import OutputError
from gramarye.files import write_whole
from gramarye.populations.evaluation import Evaluation
from gramarye.populations.history import RECORDED
from gramarye.populations.population import Candidate, Memory
from gramarye.representations.base import Genotypes

FORMAT = 5


@dataclass(frozen=True)
class State:
    """A population that has been evaluated, and all that the next one depends on.

    `state.save(path)` and `State.load(path)` write and read an npz file; `Evolution(…, state=state)` resumes.

    Examples
    --------
    >>> import gramarye as gm
    >>> problem, method = gm.problems.load("quartic"), gm.GE(population=50, generations=4)
    >>> evolution = gm.Evolution(problem, method, seed=1)
    >>> evolution.advance()
    Generation(0: best 0.8175, 56% valid)
    >>> resumed = gm.Evolution(problem, method, state=gm.State.from_bytes(evolution.state.to_bytes()))
    >>> [generation.index for generation in resumed]
    [1, 2, 3]
    """

    seed: int
    generation: int
    genotypes: Genotypes  # of N individuals
    evaluation: Evaluation  # of N individuals; derivations are those of the method's own grammar
    born: NDArray[np.int64]  # [N] the generation that each individual was made for
    probabilities: NDArray[np.float64]  # [R] under which this population was mapped
    best_of_run: Candidate
    best_genotype: Genotypes  # a population of one
    test_fitness: float  # of the best of the run
    history: NDArray[np.float64]  # [generation + 1, len(RECORDED)]
    probability_history: NDArray[np.float64]  # [generation + 1, R] as the learner records them
    memory: Mapping[str, Memory]  # what the method's parts remember, by part and name
    front: Evaluation  # of the best program of every size, smallest first; derivations as above
    identity: str  # which problem and method it belongs to

    @property
    def fitness(self) -> NDArray[np.float64]:
        """[N], +inf: invalid."""
        return self.evaluation.fitness

    @property
    def derivations(self) -> Derivations:
        """Of N individuals, in the method's own grammar."""
        return self.evaluation.derivations

    def record(self) -> dict[str, float]:
        """What is recorded of this generation."""
        return dict(zip(RECORDED, self.history[-1].tolist(), strict=True))

    def to_bytes(self) -> bytes:
        """The state as the content of an npz file."""
        values: dict[str, Any] = {name: getattr(self, name) for name in _VALUES}
        values |= {"version": FORMAT, "best_fitness": self.best_of_run.fitness, "best_nodes": self.best_of_run.nodes}
        values |= {name: _name(type(getattr(self, name))) for name in _GENOTYPES}
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        for name in _GENOTYPES:
            arrays |= _fields(name, getattr(self, name))
        arrays |= _evaluation("", self.evaluation) | _evaluation("front.", self.front)
        arrays |= {"best.productions": self.best_of_run.productions, "best.values": self.best_of_run.values}
        if self.best_of_run.weights is not None:
            arrays |= {"best.weights": self.best_of_run.weights}
        for part, memory in self.memory.items():
            arrays |= {f"memory.{part}.{name}": _plain(part, name, array) for name, array in memory.items()}
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
            if values["version"] != FORMAT:
                which = f"format {values['version']}, this version reads format {FORMAT}"
                raise OutputError(f"it was written by another version of gramarye ({which}); start the run again")
            return cls(**_read(arrays, values))
        except OutputError as error:
            raise OutputError(f"{name} can't be read: {error}") from None
        except (OSError, EOFError, ValueError, TypeError, KeyError, zipfile.BadZipFile) as error:
            raise OutputError(f"{name} is not a saved state of a run, or is damaged: {error}") from None

    def save(self, path: str | PathLike[str]) -> None:
        """Write the state to a file (npz); a file that was there is replaced only when the new one is complete."""
        write_whole(Path(path), self.to_bytes())

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


_GENOTYPES = ("genotypes", "best_genotype")
_VALUES = ("seed", "generation", "test_fitness", "identity")
_ARRAYS = ("born", "probabilities", "history", "probability_history")


def _fields(name: str, nested: Any) -> dict[str, NDArray[Any]]:
    """The arrays of a nested record, each by a name of its own."""
    return {f"{name}.{field.name}": getattr(nested, field.name) for field in fields(nested)}


def _evaluation(prefix: str, evaluation: Evaluation) -> dict[str, NDArray[Any]]:
    """The arrays of an evaluation."""
    names = ["fitness", "status", "size", *(["weights"] if evaluation.weights is not None else [])]
    arrays = {f"{prefix}evaluation.{name}": getattr(evaluation, name) for name in names}
    return arrays | _fields(f"{prefix}derivations", evaluation.derivations)


def _plain(part: str, name: str, array: Any) -> NDArray[Any]:
    """What a part remembers, if it can be saved."""
    if not isinstance(array, np.ndarray) or array.dtype.hasobject:
        what = f"the {part} remembers {name!r} as {type(array).__name__}"
        raise OutputError(f"{what}, which can't be saved; make it an array of numbers")
    return array


def _name(layout: type[Any]) -> str:
    """The name by which a class of genotypes is found again."""
    if Genotypes.layouts.get(layout.__name__) is not layout:
        why = "it has the name of a later class"
        if not issubclass(layout, Genotypes):
            why = "derive it from gramarye.representations.Genotypes"
        raise OutputError(f"a state with genotypes of the class {layout.__name__} can't be saved: {why}")
    return layout.__name__


def _layout(name: str) -> Any:
    """The class of that name; whose it is must have been imported."""
    if name not in Genotypes.layouts:
        raise OutputError(f"its genotypes are of the class {name}, which is not there; import the module that has it")
    return Genotypes.layouts[name]


def _read(arrays: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
    """The fields of a state from what was saved."""

    def nested(layout: Any, name: str) -> Any:
        return layout(**{field.name: arrays[f"{name}.{field.name}"] for field in fields(layout)})

    def evaluation(prefix: str) -> Evaluation:
        fitness, status, size = (arrays[f"{prefix}evaluation.{name}"] for name in ("fitness", "status", "size"))
        weights = arrays.get(f"{prefix}evaluation.weights")
        return Evaluation(nested(Derivations, f"{prefix}derivations"), fitness, status, size, weights)

    memory: dict[str, dict[str, Any]] = {}
    for key, array in arrays.items():
        if key.startswith("memory."):
            _, part, name = key.split(".", 2)
            memory.setdefault(part, {})[name] = array
    return {
        **{name: arrays[name] for name in _ARRAYS},
        **{name: values[name] for name in _VALUES},
        **{name: nested(_layout(values[name]), name) for name in _GENOTYPES},
        "evaluation": evaluation(""),
        "front": evaluation("front."),
        "best_of_run": Candidate(
            arrays["best.productions"],
            values["best_fitness"],
            arrays.get("best.weights"),
            arrays["best.values"],
            values["best_nodes"],
        ),
        "memory": memory,
    }
