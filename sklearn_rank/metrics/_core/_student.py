"""Student's interval of a mean: the one that pictures and comparisons share."""

from typing import Any

import numpy as np
from scipy import stats


def half_width(standard_error: Any, df: Any, tail: float) -> np.ndarray:
    """Return the distance from the estimate to an end that leaves `tail` outside.

    By the tail and not by the level, which near 1 has fewer digits left.
    """
    with np.errstate(over="ignore"):  # an end beyond the floats is infinite
        return stats.t.isf(tail, df) * np.asarray(standard_error)
