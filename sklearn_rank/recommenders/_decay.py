"""How much an interaction counts by its age."""

from typing import Any

import numpy as np

from sklearn_rank._tables._columns import take_column
from sklearn_rank._tables._times import read_times
from sklearn_rank._validation import shorten

# Of the oldest rows: weights beyond would be 0, and items that have only such rows would
# be in the order of their ids.
MOST_HALF_LIVES = 1000


def decay_of_rows(X: Any, *, half_life: Any, time: Any) -> np.ndarray | None:
    """Return what each row counts, 1 for the newest; None where all count alike."""
    if half_life is None:
        return None
    if time is None:
        raise ValueError(
            f"`half_life={shorten(half_life)}` needs the time of each interaction; name "
            "its column of X with `time=`."
        )
    times = read_times(take_column(X, time, name="time"))
    duration = times.duration(half_life, name="half_life")
    if duration == 0:
        raise ValueError(f"`half_life` must be > 0 or None, got {shorten(half_life)}.")
    return np.exp2(-np.minimum(times.ages() / duration, MOST_HALF_LIVES))
