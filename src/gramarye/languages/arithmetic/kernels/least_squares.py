"""Weights of terms and steps of constants, from Gram matrices: elimination in a written order, without BLAS.

Weights are linear, and are solved for exactly wherever the constants are (variable projection; G. Golub, V. Pereyra.
SIAM J. Numer. Anal. 10(2), 1973, in the form of L. Kaufman. BIT 15, 1975). The constants take a step by D. W. Marquardt
(SIAM J. Appl. Math. 11(2), 1963).
"""

from __future__ import annotations

import numpy as np

from gramarye.kernels.compiler import kernel, stays_apart

DEPENDENT = 1e-10  # a column of which less than this is left, squared, depends on those before it
TINIEST = 1e-300  # a column of which less than this is left, squared, has lost digits to underflow
ROUNDING = 1e-24  # of its square: a term that varies by less, squared, is a number that was computed in several ways
RIDGE = 1e-9  # of the diagonal, added to it
NEGLIGIBLE = 1e-26  # of the target's spread: what adds less to predictions, squared, is rounding, and weighs 0
BLUR = 1e-12  # of what was subtracted from each other: what is left below has few digits


@kernel
def eliminate(matrix: np.ndarray, first: int, stop: int, least: np.ndarray) -> None:
    """Eliminate the columns from `first` to `stop` of a symmetric matrix, of which the upper triangle counts.

    Column k is left out, and its pivot set to 0, where not more than least[k] of it is left.
    """
    stays_apart()
    n = len(matrix)
    for k in range(first, stop):
        pivot = matrix[k, k]
        if not pivot > least[k]:
            matrix[k, k] = 0.0
            continue
        for i in range(k + 1, n):
            factor = matrix[k, i] / pivot
            for j in range(i, n):
                matrix[i, j] -= factor * matrix[k, j]


@kernel
def substitute(matrix: np.ndarray, first: int, stop: int, solution: np.ndarray) -> None:
    """Solve for the columns from `first` to `stop`, which were eliminated; the last column is the right-hand side.

    What was left out, because it is not finite for example, has the solution 0 and does not touch the others.
    """
    last = len(matrix) - 1
    for k in range(stop - 1, first - 1, -1):
        solution[k] = 0.0
        if matrix[k, k] > 0.0:
            value = matrix[k, last]
            for j in range(k + 1, stop):
                if matrix[j, j] > 0.0:
                    value -= matrix[k, j] * solution[j]
            solution[k] = value / matrix[k, k]


@kernel
def solve(
    which: np.ndarray,  # the programs that are meant
    grams: np.ndarray,
    starts: np.ndarray,  # [P+1] where the matrix of each program begins
    terms: np.ndarray,  # [P] how many terms each has
    parameters: np.ndarray,  # [P] how many constants are tuned, derivatives by which are in the matrix
    owners: np.ndarray,  # [total] the term of each of these constants, those of program p from first[p] on
    first: np.ndarray,  # [P+1]
    pivots: np.ndarray,  # [P, most terms] what was taken from each term
    mean: float,  # what was taken from the target
    weighted: bool,  # whether terms have weights; otherwise a program has one term, as it is
    damping: np.ndarray,  # [P] lambda
    weights: np.ndarray,  # [P, 1 + most terms], written: the intercept and the weight of each term
    errors: np.ndarray,  # [P], written: the sum of squared errors with these weights; NaN where a term is not finite
    blur: np.ndarray,  # [P], written: errors below have few digits
    steps: np.ndarray,  # [total], written
    moves: np.ndarray,  # [P], written: whether the step is not 0
) -> None:
    """The weights of each of these programs, its error, and a step of its constants."""
    for p in which:
        t, m = terms[p], parameters[p]
        c = t + m + 2
        gram = grams[starts[p] : starts[p] + c * c].reshape((c, c))
        if not are_finite(gram, t):
            weights[p, :], errors[p], blur[p], moves[p] = np.nan, np.nan, 0.0, False
            continue
        own, step = owners[first[p] : first[p] + m], steps[first[p] : first[p] + m]
        if weighted:
            matrix, least = centred(gram)
            for k in range(t):
                least[k] = max(least[k], ROUNDING * pivots[p, k] * pivots[p, k] * gram[0, 0])
            spread = matrix[t + m, t + m]
            eliminate(matrix, 0, t, least)
            blur[p] = BLUR * subtracted(matrix, t, least, spread)
            weigh(matrix, gram, pivots[p], mean, t, weights[p])
        else:
            matrix, least = of_residuals(gram, mean - pivots[p, 0])
            t = 0
            weights[p, 0], weights[p, 1] = 0.0, 1.0
            blur[p] = BLUR * (gram[c - 1, c - 1] + gram[1, 1])
        errors[p] = matrix[t + m, t + m]
        moves[p] = m > 0 and step_of(matrix, t, least, own, weights[p, 1:], damping[p], step)


@kernel
def are_finite(gram: np.ndarray, terms: int) -> bool:
    """Whether the squares of all terms have a sum."""
    for k in range(1, 1 + terms):
        if not gram[k, k] < np.inf:
            return False
    return True


@kernel
def centred(gram: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The matrix of all columns but the first, which are all ones, without their means; and what counts as nothing."""
    stays_apart()
    n = len(gram) - 1
    matrix, least = np.empty((n, n)), np.empty(n)
    for i in range(n):
        for j in range(i, n):
            matrix[i, j] = gram[i + 1, j + 1] - gram[0, i + 1] * (gram[0, j + 1] / gram[0, 0])
        least[i] = max(DEPENDENT * matrix[i, i], TINIEST)
    return matrix, least


@kernel
def subtracted(matrix: np.ndarray, terms: int, least: np.ndarray, spread: float) -> float:
    """What the error was left of: the target's spread, and what each term explains, times how little of it was left."""
    total = spread
    last = len(matrix) - 1
    for k in range(terms):
        if matrix[k, k] > 0.0:
            share = matrix[k, last] / matrix[k, k]
            total += share * share * (least[k] / DEPENDENT)
    return total


@kernel
def of_residuals(gram: np.ndarray, shift: float) -> tuple[np.ndarray, np.ndarray]:
    """The matrix of derivatives and residuals, target less term; and what counts as nothing."""
    stays_apart()
    last = len(gram) - 1
    n = last - 1
    matrix, least = np.empty((n, n)), np.zeros(n)
    for i in range(n - 1):
        for j in range(i, n - 1):
            matrix[i, j] = gram[i + 2, j + 2]
        matrix[i, n - 1] = gram[i + 2, last] - gram[1, i + 2] + shift * gram[0, i + 2]
    apart = gram[last, last] - 2.0 * gram[1, last] + gram[1, 1]
    matrix[n - 1, n - 1] = apart + shift * (2.0 * (gram[0, last] - gram[0, 1]) + shift * gram[0, 0])
    return matrix, least


@kernel
def weigh(
    matrix: np.ndarray, gram: np.ndarray, pivots: np.ndarray, mean: float, terms: int, weights: np.ndarray
) -> None:
    """Intercept and weights, once the terms are eliminated."""
    stays_apart()
    substitute(matrix, 0, terms, weights[1:])
    left = gram[0, len(gram) - 1]
    for k in range(terms):
        left -= weights[k + 1] * gram[0, k + 1]
    weights[0] = mean + left / gram[0, 0]
    for k in range(terms):
        weights[0] -= weights[k + 1] * pivots[k]
    for k in range(terms, len(weights) - 1):
        weights[k + 1] = 0.0


@kernel
def clear_rounding(
    grams: np.ndarray,
    starts: np.ndarray,  # [P+1]
    terms: np.ndarray,  # [P]
    parameters: np.ndarray,  # [P]
    pivots: np.ndarray,  # [P, most terms]
    weights: np.ndarray,  # [P, 1 + most terms], in place
) -> None:
    """Weights and intercepts that add only rounding to the predictions become 0; the mean prediction stays."""
    for p in range(len(terms)):
        last = terms[p] + parameters[p] + 1
        gram = grams[starts[p] : starts[p + 1]].reshape((last + 1, last + 1))
        rows = gram[0, 0]
        negligible = NEGLIGIBLE * (gram[last, last] - gram[0, last] * (gram[0, last] / rows))
        for k in range(1, terms[p] + 1):
            spread = gram[k, k] - gram[0, k] * (gram[0, k] / rows)
            if weights[p, k] * spread * weights[p, k] < negligible:
                weights[p, 0] += weights[p, k] * (pivots[p, k - 1] + gram[0, k] / rows)
                weights[p, k] = 0.0
        if weights[p, 0] * rows * weights[p, 0] < negligible:
            weights[p, 0] = 0.0


@kernel
def step_of(
    matrix: np.ndarray,  # [C, C] with the terms eliminated
    terms: int,
    least: np.ndarray,  # [C] of a column that does not depend on the terms
    owners: np.ndarray,  # [m]
    weights: np.ndarray,  # of the terms
    damping: float,
    step: np.ndarray,  # [m], written
) -> bool:
    """A step of the constants, by what is left of their derivatives without the terms; whether it is not 0."""
    stays_apart()
    m = len(step)
    inner, needed = np.empty((m + 1, m + 1)), np.zeros(m + 1)
    for i in range(m):
        own = weights[owners[i]]
        for j in range(i, m):
            inner[i, j] = own * weights[owners[j]] * matrix[terms + i, terms + j]
        inner[i, m] = own * matrix[terms + i, terms + m]
        needed[i] = own * own * least[terms + i]
        inner[i, i] += (damping + RIDGE) * inner[i, i]
    inner[m, m] = 0.0
    eliminate(inner, 0, m, needed)
    substitute(inner, 0, m, step)
    moves = False
    for i in range(m):
        moves = moves or step[i] != 0.0
    return moves


@kernel
def take_over(which: np.ndarray, bounds: np.ndarray, source: np.ndarray, target: np.ndarray) -> None:
    """Copy what belongs to some programs: that of program p from bounds[p] to bounds[p + 1]."""
    for p in which:
        for i in range(bounds[p], bounds[p + 1]):
            target[i] = source[i]
