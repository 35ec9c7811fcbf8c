"""Histories in order, and the weights of rows by age and by order."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._base._messages import warn_caller
from sklearn_rank._base._runs import begins_run, sizes_of, starts_of
from sklearn_rank._base._validation import check_real, shorten
from sklearn_rank.inputs._times import Times, find_far_rows

# The rows of users, sorted by time.


@dataclass(frozen=True, eq=False)
class OrderedHistories:
    """Rows of a log by user, time and row number, repeated pairs included.

    The rows of user `u` are those from ``starts[u]`` to ``starts[u + 1]``.
    """

    starts: np.ndarray
    items: np.ndarray  # positions in `items_`
    times: np.ndarray  # numbers or datetime64
    weights: np.ndarray

    @classmethod
    def from_lists(
        cls, row: np.ndarray, items: np.ndarray, weights: np.ndarray, n_lists: int
    ) -> "OrderedHistories":
        """Return histories of ordered lists; each item has its own moment."""
        starts = starts_of(np.bincount(row, minlength=n_lists))
        return cls(starts, items, np.arange(len(items)), weights)

    @property
    def users(self) -> np.ndarray:
        """The user of each row, a position in `users_`."""
        sizes = sizes_of(self.starts)
        return np.arange(len(sizes)).repeat(sizes)

    def moments(self) -> np.ndarray:
        """Return the number of the user and moment of each row, ascending from 0."""
        return np.cumsum(begins_run(self.users, self.times)) - 1

    def count_later_moments(self) -> np.ndarray:
        """Return the number of later moments of the same user for each row."""
        moments = self.moments()
        ends = np.append(moments, moments.max(initial=-1) + 1)[self.starts[1:]]
        return (ends - 1).repeat(sizes_of(self.starts)) - moments


def order_histories(
    users: np.ndarray, items: np.ndarray, weights: np.ndarray, times: Times
) -> tuple[OrderedHistories, np.ndarray]:
    """Return the histories of rows of a log, and the row of each entry."""
    order = np.lexsort((times.values, users))
    columns = items[order], times.labels(times.values[order]), weights[order]
    return OrderedHistories(starts_of(np.bincount(users)), *columns), order


# Decay of weights: by the age of rows, and by the order of a history.

# Older rows weigh as much as this: with 0, items that have only such rows would be
# sorted by id.
MOST_HALF_LIVES = 1000
LEAST_WEIGHT = 2.0**-MOST_HALF_LIVES
# With a larger share of such rows, the half-life is in a wrong unit.
MOST_ALIKE = 0.99


def decay_by_half_lives(half_lives: np.ndarray | float) -> np.ndarray:
    """Return the weight after so many half-lives, never 0."""
    return np.exp2(-np.minimum(half_lives, MOST_HALF_LIVES))


def decay_weights(weights: np.ndarray, factor: float) -> np.ndarray:
    """Multiply weights by a factor; positive weights stay positive."""
    return np.where(weights > 0, np.maximum(weights * factor, LEAST_WEIGHT), 0.0)


def find_reference_time(times: Times, half_life: Any, reference_time: Any) -> float:
    """Return the moment from which ages count; raise if it is invalid."""
    duration = times.duration(half_life, name="half_life")
    if duration == 0:
        raise ValueError(f"`half_life` must be > 0 or None, got {shorten(half_life)}.")
    if reference_time is None:
        _check_newest(times, duration, half_life)
        _warn_of_short_half_life(times, duration, half_life)
        return times.values.max()
    moment = _read_reference(times, reference_time)
    if times.ages(moment).min() > MOST_HALF_LIVES * duration:
        raise ValueError(
            f"All rows are more than {MOST_HALF_LIVES:,} half-lives older than "
            f"`reference_time={shorten(reference_time)}`, so they count alike; give an "
            "earlier moment, in the unit of the times, or a longer `half_life` than "
            f"{shorten(half_life)}."
        )
    return moment


def decay_of_rows(times: Times, half_life: Any, moment: float) -> np.ndarray:
    """Return the weight of each row, 1 at the moment."""
    duration = times.duration(half_life, name="half_life")
    with np.errstate(over="ignore"):  # of half-lives near 0
        return decay_by_half_lives(times.ages(moment) / duration)


def recency_of_rows(history: OrderedHistories, recency: Any) -> np.ndarray:
    """Return the weight of each row by the number of later moments of its user.

    It is 1 for the newest rows; for all rows if `recency` is None.
    """
    if recency is None:
        return np.ones(len(history.items))
    recency = check_real("recency", recency, "a number > 0, or None", above=0)
    with np.errstate(over="ignore"):  # of numbers near 0
        return decay_by_half_lives(history.count_later_moments() / recency)


def _check_newest(times: Times, duration: float, half_life: Any) -> None:
    """Raise if the newest row is far after all others."""
    far = find_far_rows(times)
    # Within one half-life, rows lose less than half of their weight.
    if far is not None and far.gap > duration:
        raise ValueError(
            f"{far.describe()} Ages are measured from the newest row, so with "
            f"`half_life={shorten(half_life)}` all others would have almost no weight. "
            "Drop or correct them, or set `reference_time=` to the newest row or later."
        )


def _warn_of_short_half_life(times: Times, duration: float, half_life: Any) -> None:
    """Warn if hardly any row is so recent that its age counts."""
    limit = MOST_HALF_LIVES * duration
    if times.values.max().item() - times.values.min().item() <= limit:
        return  # mostly; ages of all rows take several times as long
    share = np.mean(times.ages() > limit)
    if share > MOST_ALIKE:
        warn_caller(
            f"{share:.1%} of the rows are more than {MOST_HALF_LIVES:,} half-lives old and "
            f"count alike: `half_life={shorten(half_life)}` is in the unit of `times`, and "
            "hardly any row is recent enough. Give a longer one."
        )


def _read_reference(times: Times, reference_time: Any) -> float:
    """Return the moment from which ages count; raise if a row is after it."""
    moment = times.moment(reference_time, name="reference_time")
    is_after = times.values > moment
    if is_after.any():
        n, row = np.count_nonzero(is_after), int(np.argmax(is_after))
        raise ValueError(
            f"`reference_time={shorten(reference_time)}` lies before {n:,} of "
            f"{len(is_after):,} rows, such as row {row}; the newest is at "
            f"{times.show(times.values.max())}. Give a later moment, or drop the rows."
        )
    return moment
