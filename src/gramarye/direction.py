"""Which direction is better. Inside, fitness is always minimised; people see the sign that the objective returned."""

from __future__ import annotations

from typing import Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

Direction = Literal["minimise", "maximise"]
Values = TypeVar("Values", float, NDArray[np.float64])


def signed(values: Values, direction: Direction) -> Values:
    """Minimised fitness as people see it, and back: negated if larger is better."""
    return values if direction == "minimise" else 0.0 - values  # never -0.0
