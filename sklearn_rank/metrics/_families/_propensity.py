"""Propensities beside rows: the column, and the weights that are their inverse."""

from typing import Annotated, Any

import numpy as np

from sklearn_rank._ranking._queries import SideColumn
from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank.metrics._core._columns_beside import Column, read_numbers
from sklearn_rank.metrics._core._parameters import Real

Clip = Annotated[
    float | None,
    Real("a number in (0, 1] or None", above=0, most=1, or_none=True),
]

# The sum of the inverses of smaller propensities may be infinite.
_LEAST_PROPENSITY = 1e-100


def _read_propensity(values: Any, name: str, shape: tuple[int, ...]) -> SideColumn:
    """Return the propensities: one a row, or in the 2-D form one an item."""
    propensity = read_numbers(values, name, shape).values
    # What np.broadcast_to repeats is read once.
    once = tuple(slice(None) if stride else slice(1) for stride in propensity.strides)
    wrong = ~((propensity[once] > 0) & (propensity[once] <= 1))
    if wrong.any():
        place = tuple(map(int, np.argwhere(wrong)[0]))
        where = place[0] if len(place) == 1 else place
        raise ValueError(
            f"`{name}` has {int(wrong.sum())} value(s) outside (0, 1], the first at "
            f"{where} ({propensity[place]}); it is the probability that a relevant row is "
            "observed as relevant."
        )
    return SideColumn(propensity)


PROPENSITY = Column(
    "propensity",
    "the probability that a relevant row is observed",
    _read_propensity,
    example=lambda grades: np.full(len(grades), 0.5),
)


def inverse_propensity(lists: RankedLists, clip: float | None) -> np.ndarray:
    """Return the weight of each nonzero row."""
    of_row = lists.column("propensity").astype(np.float64)
    least = of_row.min(initial=1.0)
    if max(least, clip or 0) < _LEAST_PROPENSITY:
        raise ValueError(
            f"`propensity` has the value {least}, whose inverse is too large a weight to "
            "be added to others; set `clip`, for example to 0.01."
        )
    return 1 / np.maximum(of_row, clip or 0)
