"""The parameters that recommenders share."""

from dataclasses import dataclass
from typing import Literal

from sklearn_rank.typing import Column, Duration, Estimator, Moment, Weighting


@dataclass(init=False, eq=False, repr=False, kw_only=True)
class LogParameters:
    """Parameters for reading and weighting a log, and for making lists.

    A subclass that is a dataclass takes all of these by keyword. A subclass with its own
    constructor may take some; the others keep their defaults.
    """

    weighting: Weighting = "binary"
    half_life: Duration | None = None
    time: Column | None = None
    reference_time: Moment | None = None
    recency: float | None = None
    exclude_seen: bool = True
    new_users: Estimator | Literal["popularity"] = "popularity"
    user: Column | None = None
    item: Column | None = None
