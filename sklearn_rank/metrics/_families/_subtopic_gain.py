"""Gain of subtopics that fades with each repetition, for any discount of ranks."""

from collections.abc import Callable
from typing import Annotated, Any

import numpy as np

from sklearn_rank._ranking._diverse_ideal import diverse_ideal
from sklearn_rank._ranking._intents import (
    each_place,
    fading_gain,
    find_intents,
    n_subtopics,
)
from sklearn_rank._ranking._quotients import divide
from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank.metrics._core._parameters import Cutoff, Real

Alpha = Annotated[
    float,
    Real("a number from 0 to 1", above=np.nextafter(0, -1), below=np.nextafter(1, 2)),
]

# What a quotient of two sums of the same numbers may be from 1.
_ROUNDING = 1e-13

Discount = Callable[[np.ndarray], np.ndarray]


def discounted_gain(
    lists: RankedLists, k: Cutoff, alpha: float, discount: Discount
) -> np.ndarray:
    """Return the discounted gain per query, NaN where no subtopic has a relevant row."""
    intents = find_intents(lists, k)
    at = each_place(intents)
    gain = fading_gain(intents, at, 1 - alpha) * discount(at.rank)
    return np.where(n_subtopics(lists) > 0, lists.sum(at.query, gain), np.nan)


def over_ideal(lists: RankedLists, k: Cutoff, alpha: float, discount: Discount) -> Any:
    """Return the same over that of the ideal list; what is 1 but for rounding is 1."""
    ideal = diverse_ideal(lists, k, 1 - alpha, discount)
    value = divide(discounted_gain(lists, k, alpha, discount), ideal)
    return np.where(np.abs(value - 1) < _ROUNDING, 1.0, value)
