"""Each user's rows in order of time, counted from the newest."""

from typing import Any

import numpy as np

from sklearn_rank._validation import check_integer, check_real


def count_newer(users: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """Return how many rows of the same user come after each row, by `keys`.

    Rows with equal keys keep their order. `users` are codes from 0.
    """
    order = np.lexsort((keys, users))
    small = np.int32 if len(users) <= np.iinfo(np.int32).max else np.int64
    length = np.bincount(users)
    newer = np.repeat(np.cumsum(length).astype(small), length)
    newer -= np.arange(1, len(users) + 1, dtype=small)
    placed = np.empty_like(newer)
    placed[order] = newer
    return placed


def check_amount(name: str, value: object) -> float:
    """Return a number of rows as int, or a share of them as float; else raise."""
    if isinstance(value, float | np.floating):
        needed = "a share above 0 and below 1, or a number of rows (int)"
        return check_real(name, value, needed, above=0, below=1)
    return check_integer(name, value)


def count_held_out(amount: float, length: np.ndarray) -> np.ndarray:
    """Return how many of each user's rows `amount` is: so many, or a share of them.

    More than any user has is as good as all that the longest history has.
    """
    if isinstance(amount, float):
        return share_of(amount, length)
    return np.full(len(length), min(amount, length.max()))


def share_of(share: float, n_rows: Any) -> Any:
    """Return that share of a number of rows (or of each of several), rounded up."""
    # Rounded first: 0.07 * 100 is a little more than 7 in binary.
    rounded_up = np.ceil(np.round(share * n_rows, 9))
    return np.maximum(rounded_up, np.minimum(n_rows, 1)).astype(np.intp)


def hold_out(users: np.ndarray, keys: np.ndarray, amount: float) -> np.ndarray:
    """Return the mask of the last `amount` rows of each user who has more, by `keys`."""
    length = np.bincount(users)
    held_out = count_held_out(amount, length)
    held_out[held_out >= length] = 0
    return count_newer(users, keys) < held_out[users]
