"""Random logs, and plain loops that say what a split must be."""

from collections import Counter

import numpy as np
from hypothesis import strategies as st


@st.composite
def logs(draw, min_rows=4, max_rows=40):
    """Draw (users, items, times): unsorted, with ties in time and one-row users."""
    n_rows = draw(st.integers(min_rows, max_rows))

    def column(values):
        return draw(st.lists(values, min_size=n_rows, max_size=n_rows))

    users = column(st.sampled_from(["ann", "bob", "cy", "dee", "eve", "Zoë"]))
    items = column(st.integers(0, 5))
    times = column(st.integers(0, draw(st.sampled_from([3, 12, 1000]))))
    return np.array(users), np.array(items), np.array(times)


def rows_by_user(users, times):
    """Return each user's rows from the oldest to the newest, ties by row."""
    return {
        user: sorted(np.flatnonzero(users == user), key=lambda row: (times[row], row))
        for user in set(users.tolist())
    }


def describe(split):
    """Return a split in plain lists, to compare with."""
    return [(train.tolist(), test.tolist()) for train, test in split]


def check_rows(folds, n_rows):
    """Check what holds for each splitter: rows ascending, in one part at most."""
    for train, test in folds:
        assert len(train) > 0
        assert len(test) > 0
        for part in (train, test):
            assert np.issubdtype(part.dtype, np.integer)
            assert (np.diff(part) > 0).all()
            assert part.min() >= 0
            assert part.max() < n_rows
        assert max(Counter([*train.tolist(), *test.tolist()]).values()) == 1
