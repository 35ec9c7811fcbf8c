"""Bounds of the highest values of each row of a matrix, without a sort or a partition."""

import numpy as np


def floors(values: np.ndarray, k: int, least: int) -> np.ndarray:
    """Return a value for each row that `k` of its values reach.

    Rows are folded in half, again and again, as long as `least` values are left, and the
    higher of two values is kept: that takes one reading. The k-th highest of these is no
    higher than the k-th highest of the row. `least` is k or more; with few values left the
    floor is low. An odd value at the end is left out, for a lower floor is not wrong.
    """
    while (half := values.shape[1] // 2) >= least:
        values = np.maximum(values[:, :half], values[:, half : 2 * half])
    place = values.shape[1] - k
    return np.partition(values, place, axis=1)[:, place]
