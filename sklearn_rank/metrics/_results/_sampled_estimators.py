"""Estimate full-catalogue metrics from sampled ranks.

An estimator takes a function that gives the metrics by the rank in the catalogue, a column
each, and returns them by the rank in the sample. Ranks are counted from 0.
"""

from collections.abc import Callable, Iterator
from typing import Literal

import numpy as np
from scipy.linalg import qr, solve
from scipy.optimize import lsq_linear
from scipy.special import gammaln

from sklearn_rank._base._runs import CHUNK_CHANCES

# Limits of the table of probabilities, sample ranks by catalogue ranks: a gigabyte and a
# few minutes.
MOST_ITEMS = 10_000_000
MOST_SAMPLED = 5_000
MOST_CELLS = 1_000_000_000

MetricsByRank = Callable[[np.ndarray], np.ndarray]


def check_sizes(estimator: str, n_negatives: int, n_items: int) -> None:
    """Raise if the catalogue is too large for an estimator that goes through all of it."""
    if estimator == "rank":
        return
    cells = n_items * (n_negatives + 1)
    if n_items > MOST_ITEMS or n_negatives > MOST_SAMPLED or cells > MOST_CELLS:
        raise ValueError(
            f"estimator={estimator!r} goes through every rank of the catalogue for every "
            f"rank of the sample, which is too much for `n_items` = {n_items} and "
            f"`n_negatives` = {n_negatives}: at most {MOST_ITEMS} items, {MOST_SAMPLED} "
            f"sampled, and {MOST_CELLS} for n_items * (n_negatives + 1). Rank all items, "
            "or use estimator='rank', whose cost depends on `n_negatives` alone."
        )


def _interpolate_at_expected_rank(
    metrics_of: MetricsByRank, n_items: int, n_negatives: int, gamma: float
) -> np.ndarray:
    above = np.arange(n_negatives + 1) * ((n_items - 1) / n_negatives)
    lower = np.minimum(above.astype(np.int64), n_items - 2)
    at_lower, at_upper = metrics_of(lower), metrics_of(lower + 1)
    return at_lower + (at_upper - at_lower) * (above - lower)[:, None]


def _least_squares(
    metrics_of: MetricsByRank, n_items: int, n_negatives: int, gamma: float
) -> np.ndarray:
    exact, width = metrics_of(np.arange(n_items)), n_negatives + 1
    triangle = np.zeros((0, width + exact.shape[1]))
    for ranks, chance in _chances(len(exact), n_negatives):
        rows = np.vstack([triangle, np.column_stack([chance, exact[ranks]])])
        triangle = qr(rows, mode="r", overwrite_a=True)[0][: rows.shape[1]]
    sides = triangle[:width, width:].T
    columns = [
        _solve_bounded(triangle[:width, :width], side, column.min(), column.max())
        for side, column in zip(sides, exact.T, strict=True)
    ]
    return np.column_stack(columns)


def _solve_bounded(
    matrix: np.ndarray, side: np.ndarray, lowest: float, highest: float
) -> np.ndarray:
    """Return the least squares solution with all values from lowest to highest."""
    if lowest == highest:
        return np.full(len(side), lowest)
    return lsq_linear(matrix, side, (lowest, highest), method="bvls").x


def _bias_variance(
    metrics_of: MetricsByRank, n_items: int, n_negatives: int, gamma: float
) -> np.ndarray:
    """Return the solution of ((1 - gamma) A'A + gamma diag(A'1)) E = A'M.

    If all ranks in the catalogue are equally likely, so are all ranks in the sample: A'1 is
    constant.
    """
    exact, width = metrics_of(np.arange(n_items)), n_negatives + 1
    gram, side = np.zeros((width, width)), np.zeros((width, exact.shape[1]))
    for ranks, chance in _chances(len(exact), n_negatives):
        gram += chance.T @ chance
        side += chance.T @ exact[ranks]
    system = (1 - gamma) * gram
    system[np.diag_indices(width)] += gamma * len(exact) / width
    return solve(system, side, assume_a="pos")


def _chances(n_items: int, n_negatives: int) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield catalogue ranks, and the probabilities of 0, 1, ... sampled rows above."""
    step = max(CHUNK_CHANCES // (n_negatives + 1), 1)
    log_factorial = gammaln(np.arange(n_items) + 1)
    for start in range(0, n_items, step):
        above = np.arange(start, min(start + step, n_items))[:, None]
        chance = _hypergeometric(above, n_negatives, log_factorial)
        yield slice(start, start + len(above)), chance


def _hypergeometric(
    above: np.ndarray, n_negatives: int, log_factorial: np.ndarray
) -> np.ndarray:
    """Return the probabilities that the sample has 0, 1, ... of the `above` higher items.

    `log_factorial` is a table up to the number of irrelevant items.
    """
    sampled = np.arange(n_negatives + 1)
    below = len(log_factorial) - 1 - above
    possible = (sampled <= above) & (n_negatives - sampled <= below)
    log = -log_factorial[sampled] - log_factorial[n_negatives - sampled]
    log = log - log_factorial[np.maximum(above - sampled, 0)]
    log -= log_factorial[np.maximum(below - n_negatives + sampled, 0)]
    log[~possible] = -np.inf
    chance = np.exp(log - log.max(axis=1, keepdims=True))
    return chance / chance.sum(axis=1, keepdims=True)


Estimator = Literal["bias_variance", "least_squares", "rank"]
ESTIMATORS = {
    "bias_variance": _bias_variance,
    "least_squares": _least_squares,
    "rank": _interpolate_at_expected_rank,
}
