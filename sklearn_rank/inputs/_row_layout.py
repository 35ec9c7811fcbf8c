"""Where rows go: users one after the other, each list before what it missed."""

from typing import NamedTuple

import numpy as np

from sklearn_rank._arrays._blocks import VALUES
from sklearn_rank._arrays._runs import ranges, starts_of


class Layout(NamedTuple):
    """The rows of users: each has items in a list, and relevant items that it missed."""

    sizes: np.ndarray  # rows of each user
    starts: np.ndarray  # first row of each user
    missed: np.ndarray  # rows of missed items
    absent: np.ndarray  # rows of users with nothing

    @property
    def n_rows(self) -> int:
        return int(self.sizes.sum())

    def is_listed(self) -> np.ndarray:
        """Return whether each row is of an item in a list."""
        is_listed = np.ones(self.n_rows, dtype=bool)
        is_listed[self.missed] = False
        is_listed[self.absent] = False
        return is_listed

    def of_rows(self, of_lists: np.ndarray, of_missed: np.ndarray) -> np.ndarray:
        """Return codes of rows from those of lists and of what was missed.

        The row of a user with nothing, which is not retrieved, has some code.
        """
        codes = np.zeros(self.n_rows, dtype=np.result_type(of_lists, of_missed))
        codes[self.is_listed()] = of_lists
        codes[self.missed] = of_missed
        return codes

    def scores(self, of_lists: np.ndarray | None = None) -> np.ndarray:
        """Return the scores of items in lists (None: minus their ranks), -inf of others."""
        if of_lists is not None:
            score = np.full(self.n_rows, -np.inf)
            score[self.is_listed()] = of_lists
            return score
        # Each user's first row less the row; wrong for what was missed, but faster for all.
        score = np.repeat(self.starts - 1.0, self.sizes)
        for start in range(0, len(score), VALUES):
            part = score[start : start + VALUES]
            part -= np.arange(start, start + len(part), dtype=np.float64)
        score[self.missed] = -np.inf
        score[self.absent] = -np.inf
        return score


def lay_out(list_sizes: np.ndarray, n_missed: np.ndarray) -> Layout:
    """Return the rows of users with so many items in their lists, and so many missed.

    A user with neither gets one row that is neither relevant nor retrieved, so that
    metrics count the user as undefined and do not forget it.
    """
    n_items = list_sizes + n_missed
    sizes = np.maximum(n_items, 1)
    starts = starts_of(sizes)[:-1]
    missed = ranges(starts + list_sizes, n_missed)
    return Layout(sizes, starts, missed, starts[n_items == 0])
