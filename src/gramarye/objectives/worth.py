"""What the size of a formula costs when one is picked from a front.

With n rows, a formula costs n ln(squared error) and the price of its nodes. Criteria that charge for fitted numbers
(H. Akaike. IEEE Transactions on Automatic Control 19(6), 1974; G. Schwarz. The Annals of Statistics 6(2), 1978) do not
charge for the choice among the many formulas of one size, of which a search keeps the one that fits best.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

CHOICE = 3.0  # the price of a node: one of several productions was chosen for it
PARAMETERS = 0.25  # fitted numbers that a node stands for
PICKS_BY = "n ln(squared error) and a price for each node"
CLASSES_PICKED_BY = "log loss and a price for each node"


def price(nodes: Any, rows: int) -> NDArray[np.float64]:
    """3 nodes − 2n ln(1 − nodes / 4n): infinite where there are so many nodes that they could fit any target.

    The logarithm turns the error into that of generalised cross-validation (P. Craven and G. Wahba. Numerische
    Mathematik 31, 1979), which matters where rows are few.
    """
    left = np.maximum(1 - PARAMETERS * np.asarray(nodes, np.float64) / rows, 0.0)
    with np.errstate(divide="ignore"):
        found: NDArray[np.float64] = CHOICE * np.asarray(nodes) - 2 * rows * np.log(left)
    return found
