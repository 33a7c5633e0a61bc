"""What is known of a population after its programs were computed: one record, from the evaluator to all who read it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gramarye.derivations import Derivations, Status
from gramarye.populations.history import FAILURES


@dataclass(frozen=True)
class Work:
    """What an evaluation has cost."""

    distinct: int = 0  # programs actually computed
    node_rows: int = 0  # operations executed
    passes: int = 0  # over the data; of individuals whose numbers are tuned, several each
    failed: tuple[int, ...] = (0,) * len(FAILURES)  # individuals without a fitness, by what happened

    def __add__(self, other: Work) -> Work:
        return Work(
            self.distinct + other.distinct,
            self.node_rows + other.node_rows,
            self.passes + other.passes,
            tuple(a + b for a, b in zip(self.failed, other.failed, strict=True)),
        )


@dataclass(frozen=True)
class Evaluation:
    """Fitness and status of N individuals, and what else was found out on the way."""

    derivations: Derivations  # what was evaluated; an objective that tunes numbers returns them tuned
    fitness: NDArray[np.float64]  # [N], smaller is better; +inf: invalid
    status: NDArray[np.int8]  # [N] a `Status`: why an individual is invalid
    size: NDArray[np.int64]  # [N] nodes of the program; 0 where there is none
    weights: NDArray[np.float64] | None = None  # [N, 1 + T] intercept and weights of terms, where they are fitted
    work: Work = Work()

    def __len__(self) -> int:
        return len(self.fitness)

    @property
    def valid(self) -> NDArray[np.bool_]:
        """[N] which individuals have a fitness."""
        valid: NDArray[np.bool_] = self.status == Status.OK
        return valid

    @property
    def failed(self) -> tuple[int, ...]:
        """How many individuals have no fitness for each of the reasons in `FAILURES`."""
        return tuple(int((self.status == Status[name.upper()]).sum()) for name in FAILURES)

    def take(self, individuals: NDArray[np.int64]) -> Evaluation:
        """The evaluation of some individuals, as if it had cost nothing."""
        return replace(
            self,
            derivations=self.derivations.take(individuals),
            fitness=self.fitness[individuals],
            status=self.status[individuals],
            size=self.size[individuals],
            weights=None if self.weights is None else self.weights[individuals],
            work=Work(),
        )

    @classmethod
    def join(cls, parts: list[Evaluation]) -> Evaluation:
        """Several evaluations as one."""
        if len(parts) == 1:
            return parts[0]
        weights = [part.weights for part in parts if part.weights is not None]
        return cls(
            Derivations.join([part.derivations for part in parts]),
            np.concatenate([part.fitness for part in parts]),
            np.concatenate([part.status for part in parts]),
            np.concatenate([part.size for part in parts]),
            np.concatenate(weights) if weights else None,
            sum((part.work for part in parts), Work()),
        )
