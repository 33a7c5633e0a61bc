"""Which columns matter: how many formulas use each, and how much worse predictions get when it is permuted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.inspection import permutation_importance
from sklearn.metrics import check_scoring

from gramarye.errors import warn
from gramarye.show.tables.table import Table
from gramarye.statistics import mean_interval
from gramarye.text import counted

CLEAR = 0.1  # of the largest importance: smaller differences do not order two columns
MOST_NAMED = 3  # pairs of columns that a warning names


def importance_table(
    names: Sequence[str],  # [F]
    shares: NDArray[np.float64],  # [runs, F]
    losses: NDArray[np.float64],  # [repeats, F]
) -> Table:
    """A row for each column, those that most formulas use first."""
    share, loss = shares.mean(axis=0), losses.mean(axis=0)
    by_share, by_loss = _ranks(share), _ranks(loss)
    order = np.lexsort([-loss, -share])
    intervals = [mean_interval(shares[:, column]) for column in order]
    columns = {
        "feature": [names[column] for column in order],
        "share": share[order],
        "low": [interval.low for interval in intervals],
        "high": [interval.high for interval in intervals],
        "permutation": loss[order],
        "std": losses.std(axis=0)[order],
        "rank": [by_share[column] for column in order],
        "permutation rank": [by_loss[column] for column in order],
    }
    title = "Importances: share of formulas that use a column, and loss of score when it is permuted"
    formats = dict.fromkeys(("share", "low", "high"), ".2f") | dict.fromkeys(("permutation", "std"), ".3f")
    return Table("importances", title, columns, formats, _note(len(shares), len(losses)))


def losses_by_permutation(
    model: Any, X: Any, y: Any, *, n_repeats: int, scoring: Any, sample_weight: Any, random_state: Any
) -> NDArray[np.float64]:
    """[repeats, F] how much lower the score is after a column was permuted."""
    scorer = check_scoring(model, scoring)
    if hasattr(X, "columns") and not hasattr(X, "iloc"):  # scikit-learn would make an array of it
        X, scorer = np.tile(np.arange(len(X))[:, None], len(X.columns)), _scorer_of_places(X, scorer)
    found = permutation_importance(
        model, X, y, scoring=scorer, n_repeats=n_repeats, sample_weight=sample_weight, random_state=random_state
    )
    return np.asarray(found.importances.T)


def _scorer_of_places(frame: Any, scorer: Callable[..., float]) -> Callable[..., float]:
    """A scorer that takes, for each column of a polars frame, the numbers of its rows [rows, F]."""

    def score(model: Any, places: NDArray[np.int64], y: Any, **more: Any) -> float:
        series = [frame[name][places[:, column]] for column, name in enumerate(frame.columns)]
        return scorer(model, frame.with_columns(series), y, **more)

    return score


def warn_of_disagreements(names: Sequence[str], shares: NDArray[np.float64], losses: NDArray[np.float64]) -> None:
    """A warning with the pairs of columns that have one order by formulas and the other one by permutations."""
    pairs = disagreements(shares, losses)
    if not pairs:
        return
    share, loss = shares.mean(axis=0), losses.mean(axis=0)
    told = [
        f"more formulas use {names[a]} than {names[b]} ({share[a]:.2f} and {share[b]:.2f}), "
        f"but permuting {names[b]} costs more ({loss[b]:.2g} and {loss[a]:.2g})"
        for a, b in pairs[:MOST_NAMED]
    ]
    more = [f"and {counted(len(pairs) - MOST_NAMED, 'more pair')}"] if len(pairs) > MOST_NAMED else []
    warn(f"importances by formulas and by permutation disagree: {'; '.join(told + more)}")


def disagreements(shares: NDArray[np.float64], losses: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Pairs of columns: clearly more formulas use the first, but permuting the second clearly costs more.

    Pairs that are farthest apart come first.
    """
    by_formulas, by_permutation = _apart(shares), _apart(losses)
    inverted = np.where((by_formulas > 0) & (by_permutation.T > 0), by_formulas * by_permutation.T, 0.0)
    order = np.argsort(-inverted, axis=None, kind="stable")[: np.count_nonzero(inverted)]
    columns = inverted.shape[1]
    return [(int(place) // columns, int(place) % columns) for place in order]


def _apart(samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """[F, F] how far each column is above each other one, as a part of the largest; 0 where it is not clear.

    It is clear if it is more than a tenth of the largest, and more than two standard errors if there are several
    samples.
    """
    count, columns = samples.shape
    largest = float(samples.mean(axis=0).max())
    found = np.zeros((columns, columns))
    if largest <= 0:
        return found
    for column in range(columns):
        above = samples[:, column, None] - samples  # [samples, F]
        error = above.std(axis=0, ddof=1) / np.sqrt(count) if count > 1 else np.zeros(columns)
        mean = above.mean(axis=0)
        found[column] = np.where(mean > np.maximum(CLEAR * largest, 2 * error), mean / largest, 0.0)
    return found


def _ranks(values: NDArray[np.float64]) -> list[int]:
    """1 for the largest; equals have the same rank."""
    return [int((values > value).sum()) + 1 for value in values]


def _note(runs: int, repeats: int) -> str:
    if runs == 1:
        formulas = "share: of one run, so without an interval; fit with runs=10 to get one"
    else:
        few = "; with fewer than 10 runs, they are likely too narrow" if runs < 10 else ""
        formulas = f"share: mean of {runs} runs, with 95 % intervals{few}"
    return f"{formulas}. permutation: mean and standard deviation of {counted(repeats, 'repeat')}"
