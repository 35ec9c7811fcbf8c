"""The Bunches that tests of experiments return, with their fields."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from sklearn_rank._display._result import NumbersFound
from sklearn_rank.typing import Bunch, Floats, Integers


class VariantRow(Bunch):
    """A row of a comparison of variants."""

    outcome: str
    role: str
    variant: Any
    control: Any
    n_units: int
    n_units_control: int
    value: float
    value_control: float
    difference: float
    lift: float
    lift_low: float
    lift_high: float
    standard_error: float
    df: float
    statistic: float
    low: float
    high: float
    p_value: float
    p_adjusted: float
    margin: float
    relative: bool
    lower_is_better: bool
    largest_share: float
    n_capped: int
    verdict: str


class PreferenceRow(Bunch):
    """A row of a comparison of rankers by interleaved lists."""

    ranker: str
    other: str
    n_impressions: int
    n_users: int
    wins: int
    ties: int
    losses: int
    preference: float
    standard_error: float
    df: float
    n_effective: float
    largest_cluster: float
    low: float
    high: float
    p_value: float
    p_adjusted: float


class SampleRatio(NumbersFound):
    """Whether variants have as many units as planned."""

    counts: dict[Any, int]
    expected: dict[Any, float]
    statistic: float
    p_value: float
    mismatch: bool


class PolicyValue(NumbersFound):
    """The value of another ranker, estimated from a log."""

    value: float
    estimator: str
    standard_error: float
    df: float
    n_effective: float
    largest_cluster: float
    low: float
    high: float
    n_slates: int
    effective_sample_size: Floats
    mean_weight: Floats
    largest_weight: Floats


class PositionPropensities(NumbersFound):
    """How often each position is looked at."""

    position: NDArray[Any]
    propensity: Floats
    ratio: Floats
    standard_error: Floats
    low: Floats
    high: Floats
    n_shown: Integers


class InterleavedList(Bunch):
    """The items of a list, and the ranker that drafted each."""

    item: NDArray[Any]
    team: Integers
