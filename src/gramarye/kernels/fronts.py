"""Non-dominated sorting of two objectives, and crowding (NSGA-II).

K. Deb, A. Pratap, S. Agarwal, T. Meyarivan. A fast and elitist multiobjective genetic algorithm: NSGA-II. IEEE
Trans. Evol. Comput. 6(2), 2002, 182-197.
"""

from __future__ import annotations

import numpy as np

from gramarye.kernels.compiler import kernel


@kernel
def front_numbers(errors: np.ndarray, order: np.ndarray) -> np.ndarray:
    """[N] the front of each individual, 0 for those whom nobody dominates.

    `order` sorts them by size, then by error, then by number: of two with the same size and error, the later is
    dominated. Those with an infinite error come last in it, and are the last front.
    """
    n = len(errors)
    fronts = np.empty(n, np.int64)
    least = np.empty(n)  # the least error in each front so far; it grows from front to front
    count = 0
    for k in range(n):
        i = order[k]
        if errors[i] == np.inf:
            fronts[i] = count
            continue
        low, high = 0, count
        while low < high:  # the first front that does not dominate it
            middle = (low + high) // 2
            if least[middle] <= errors[i]:
                low = middle + 1
            else:
                high = middle
        count = max(count, low + 1)
        least[low] = errors[i]
        fronts[i] = low
    return fronts


@kernel
def crowding(errors: np.ndarray, sizes: np.ndarray, fronts: np.ndarray, order: np.ndarray) -> np.ndarray:
    """[N] how far apart the two neighbours of an individual in its front are, by error and by size; ends: infinite.

    In a front, errors fall while sizes grow, so that `order`, by size, gives the neighbours by error as well.
    """
    n = len(errors)
    count = 0
    for i in range(n):
        count = max(count, fronts[i] + 1)
    first, last, before = np.full(count, -1), np.full(count, -1), np.full(n, -1)
    for k in range(n):
        i = order[k]
        if first[fronts[i]] < 0:
            first[fronts[i]] = i
        before[i] = last[fronts[i]]
        last[fronts[i]] = i
    apart = np.full(n, np.inf)
    after = np.full(count, -1)
    for k in range(n - 1, -1, -1):
        i = order[k]
        f = fronts[i]
        if before[i] >= 0 and after[f] >= 0:
            height, width = errors[first[f]] - errors[last[f]], sizes[last[f]] - sizes[first[f]]
            apart[i] = (sizes[after[f]] - sizes[before[i]]) / width if width > 0 else 0.0
            apart[i] += (errors[before[i]] - errors[after[f]]) / height if height > 0.0 else 0.0
        after[f] = i
    return apart
