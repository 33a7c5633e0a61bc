"""What all statistics share: samples that are checked, and notes on what was done with them."""

from __future__ import annotations

import importlib
import operator
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gramarye.errors import DataError, MissingExtraError, SettingsError


def load_scipy() -> ModuleType:
    """SciPy's statistics, loaded by the first test that needs them: half a second that others are spared."""
    try:
        return importlib.import_module("scipy.stats")
    except ModuleNotFoundError as error:
        raise MissingExtraError("SciPy", "report") from error


def as_sample(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """The values of the runs as an array [n]; infinities are values like others, NaN is refused."""
    numbers = as_numbers(values, name)
    if numbers.ndim != 1:
        raise DataError(f"{name} has {numbers.ndim} dimensions: a sample is a list with one number for each run")
    missing = np.flatnonzero(np.isnan(numbers))
    if len(missing):
        raise DataError(f"run {missing[0] + 1} of {name} is NaN: leave it out, or make it inf if the run failed")
    return numbers


def as_numbers(values: ArrayLike, name: str) -> NDArray[np.float64]:
    """An array of floats, of whatever shape."""
    try:
        raw = np.asarray(values)
        if raw.dtype.kind in "biufO":
            return raw.astype(np.float64)
    except (TypeError, ValueError, OverflowError):
        pass
    raise DataError(f"{name} is {values!r:.80}: it must hold numbers only")


def as_samples(samples: Mapping[str, ArrayLike] | Sequence[ArrayLike]) -> dict[str, NDArray[np.float64]]:
    """Several samples by their names; those of a sequence are called sample 1, sample 2 and so on."""
    if isinstance(samples, Mapping):
        named = {repr(name): values for name, values in samples.items()}
    else:
        named = {f"sample {number}": values for number, values in enumerate(samples, 1)}
    if len(named) < 2:
        raise DataError(f"there is {len(named) or 'no'} sample: at least two are needed for a comparison")
    return {name: as_sample(values, name) for name, values in named.items()}


def is_number(value: object) -> bool:
    """Whether a value may be compared with numbers, of Python or of NumPy."""
    return isinstance(value, int | float | np.integer | np.floating)


def check_share(name: str, value: float) -> None:
    """A level of confidence or of significance lies between 0 and 1."""
    if not (is_number(value) and 0 < value < 1):
        raise SettingsError(f"{name} is {value!r}: it must lie between 0 and 1, as 0.95 or 0.05 do")


def check_whole(name: str, value: SupportsIndex, least: int) -> None:
    """A count is an integer, and not too small."""
    try:
        fits = operator.index(value) >= least
    except TypeError:
        fits = False
    if not fits:
        raise SettingsError(f"{name} is {value!r}: it must be an integer, {least} or more")


def constant(*samples: NDArray[np.float64]) -> bool:
    """Whether there are values, and all of them are the same."""
    values = np.concatenate(samples)
    return len(values) > 0 and bool((values == values[0]).all())


def ranks_of(*samples: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Each value as its place among all distinct values: what a rank test sees, always finite."""
    places = np.unique(np.concatenate(samples), return_inverse=True)[1].astype(np.float64)
    return np.split(places, np.cumsum([len(sample) for sample in samples])[:-1])


def scaled(sample: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """A sample divided by a power of two, and that power: squares neither overflow nor vanish, no digit is lost."""
    exponent = int(np.frexp(np.abs(sample).max())[1]) - 1
    return np.ldexp(sample, -exponent), 2.0**exponent


def joined(*notes: str) -> str:
    """Several notes as one; the empty ones are left out."""
    return "; ".join(note for note in notes if note)


def ranked_infinities(*samples: NDArray[np.float64]) -> str:
    """A note on what a statistic of ranks does with infinite values."""
    largest = sum(int((sample == np.inf).sum()) for sample in samples)
    smallest = sum(int((sample == -np.inf).sum()) for sample in samples)
    return joined(
        f"infinite values ({largest}) are tied as the worst" if largest else "",
        f"values of -inf ({smallest}) are tied as the best" if smallest else "",
    )


def without_infinities(sample: NDArray[np.float64], what: str) -> tuple[NDArray[np.float64], str]:
    """The finite values, and a note on those that were left out of `what`."""
    finite = sample[np.isfinite(sample)]
    left_out = len(sample) - len(finite)
    return finite, f"infinite values ({left_out} of {len(sample)}) are left out of {what}" if left_out else ""
