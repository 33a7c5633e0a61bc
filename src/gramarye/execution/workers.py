"""Where functions of the user's are called: in this process, in worker processes, or by an executor."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass

from gramarye.errors import SettingsError
from gramarye.execution.capacity import slots
from gramarye.execution.evaluation_workers import InWorkers
from gramarye.execution.evaluations import Evaluations, Functions, Here, packed
from gramarye.execution.outcomes import Limits
from gramarye.execution.remote import ByExecutor


def check_count(count: int, what: str = "workers") -> None:
    """Raise unless it is a number of threads, or of worker processes."""
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise SettingsError(f"{what} is {count!r}: it must be an integer ≥ 1")


@dataclass(frozen=True)
class Workers:
    """Who evaluates programs by a function of the user's."""

    count: int | None = None  # worker processes; None: this process, or one worker where there are limits
    executor: Executor | None = None  # used instead of processes of this machine

    def __post_init__(self) -> None:
        if self.count is not None:
            check_count(self.count)
            if self.executor is not None:
                raise SettingsError("give workers or an executor, not both")
        if self.executor is not None and not isinstance(self.executor, Executor):
            raise SettingsError(f"executor is {self.executor!r}: it must be a concurrent.futures.Executor")

    @property
    def slots(self) -> int:
        """How many evaluations run at the same time, as far as is known."""
        return (self.count or 1) if self.executor is None else slots(self.executor)

    def evaluations(self, functions: Functions, limits: Limits) -> Evaluations:
        """Evaluations by these functions."""
        if self.executor is not None:
            return ByExecutor(functions, limits, self.executor)
        if self.count is None and limits == Limits():
            return Here(functions)
        return InWorkers(packed(functions, limits), limits, self.count or 1)


HERE = Workers()
