"""Scores of one run made comparable with those of others, query by query."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from sklearn_rank._arrays._runs import begins_run, ranges, sizes_of, starts_where


class Run(NamedTuple):
    """What one run retrieved: rows by query, and in each from the highest score down."""

    row: np.ndarray
    query: np.ndarray
    score: np.ndarray
    starts: np.ndarray  # where the rows of each query begin, and where the last end

    def of_rows(self, of_query: np.ndarray) -> np.ndarray:
        """Return for each row the value of its query."""
        return np.repeat(of_query, sizes_of(self.starts))

    def ranks(self) -> np.ndarray:
        """Return the ranks from 1; equal scores share the mean of their ranks."""
        starts = starts_where(begins_run(self.query, self.score))
        sizes = sizes_of(starts)
        place = ranges(1, sizes_of(self.starts))
        return np.repeat(place[starts[:-1]] + (sizes - 1) / 2, sizes)


def read_run(scores: np.ndarray, query: np.ndarray) -> Run:
    """Return what a run retrieved: its finite scores."""
    row = np.flatnonzero(np.isfinite(scores))
    order = row[np.lexsort((-scores[row], query[row]))]
    return Run(order, query[order], scores[order], starts_where(begins_run(query[order])))


def min_max(run: Run, if_equal: float = 1.0) -> np.ndarray:
    """Return scores from 0 to 1; `if_equal` if all scores of the query are equal."""
    above, span = _above_lowest(run)
    return np.divide(above, span, out=np.full(len(above), if_equal), where=span > 0)


def _sum(run: Run) -> np.ndarray:
    """Return scores above the lowest as shares of their sum, equal ones if that is 0."""
    above = min_max(run)
    return above / run.of_rows(_sums(run, above))


def z_score(run: Run) -> np.ndarray:
    """Return scores with the mean 0 and the standard deviation 1; 0 if all are equal."""
    scaled = min_max(run, if_equal=0.0)
    n = run.of_rows(sizes_of(run.starts))
    apart = scaled - run.of_rows(_sums(run, scaled)) / n
    deviation = np.sqrt(run.of_rows(_sums(run, apart**2)) / n)
    return np.divide(apart, deviation, out=np.zeros(len(apart)), where=deviation > 0)


def _rank(run: Run) -> np.ndarray:
    """Return 1 for the first of n rows, 1 - 1 / n for the second, and so on."""
    return 1 - (run.ranks() - 1) / run.of_rows(sizes_of(run.starts))


def _above_lowest(run: Run) -> tuple[np.ndarray, np.ndarray]:
    """Return scores above the lowest of their query, and the highest of these; halved.

    Half of the difference of two floats is a float.
    """
    half = run.score / 2
    first, last = run.starts[:-1], run.starts[1:] - 1
    lowest = run.of_rows(half[last])
    return half - lowest, run.of_rows(half[first]) - lowest


def _sums(run: Run, values: np.ndarray) -> np.ndarray:
    return np.add.reduceat(values, run.starts[:-1]) if len(values) else values


NORMALIZATIONS: Mapping[str | None, Callable[[Run], np.ndarray]] = {
    "min_max": min_max,
    "sum": _sum,
    "z_score": z_score,
    "rank": _rank,
    None: lambda run: run.score,
}
