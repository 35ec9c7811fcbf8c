"""Attention: how much a user looks at each rank, for metrics of exposure."""

from collections.abc import Callable
from typing import Annotated, Literal

import numpy as np

from sklearn_rank._ranking._tied_places import Places
from sklearn_rank.metrics._core._parameters import Tried
from sklearn_rank.metrics._families._gain_and_discount import discounts


def _try_discount(discount: Callable) -> None:
    discounts(discount, 2, np.array([1, 2]))


Attention = Annotated[
    Literal["log", "jarvelin", "reciprocal", "geometric"]
    | Callable[[np.ndarray], np.ndarray],
    Tried(_try_discount),
]


def attention(discount: Attention, persistence: float, rank: np.ndarray) -> np.ndarray:
    """Return the attention to each rank."""
    if discount == "geometric":
        with np.errstate(under="ignore"):
            return persistence ** (rank - 1.0)
    return discounts(discount, 2, rank)


def mean_attention(places: Places, discount: Attention, persistence: float) -> np.ndarray:
    """Return the expected attention to a row of each block: the mean over its places."""
    at_place = attention(discount, persistence, places.rank)
    if places.tied is None:
        return at_place
    return np.bincount(places.block, at_place, len(places.size)) / places.size
