"""The Bunches that statistics return, with their fields."""

from __future__ import annotations

from typing import Any

from sklearn_rank._presentation._numbers_found import NumbersFound
from sklearn_rank.typing import Bunch


class Interval(NumbersFound):
    """A mean, and an interval of it."""

    mean: float
    standard_error: float
    df: float
    n_effective: float
    largest_cluster: float
    low: float
    high: float
    n_queries: int
    n_undefined: int
    method: str


class JudgedMean(NumbersFound):
    """A mean of the values of a judge, corrected by those of people."""

    mean: float
    standard_error: float
    df: float
    n_effective: float
    largest_cluster: float
    low: float
    high: float
    n_queries: int
    n_human: int
    judge_mean: float
    bias: float


class SystemInterval(NumbersFound):
    """A metric of all lists together, and an interval of it."""

    value: float
    standard_error: float
    low: float
    high: float
    n_queries: int


class Mover(Bunch):
    """A query, and its values by two models."""

    label: Any
    value: float
    value_baseline: float
    difference: float


class ComparisonRow(Bunch):
    """A row of a comparison of models; those of candidates have probabilities too."""

    metric: str
    model: str
    baseline: str
    n_queries: int
    n_clusters: int
    mean: float
    mean_baseline: float
    difference: float
    relative_difference: float
    sd: float
    standard_error: float
    df: float
    n_effective: float
    largest_cluster: float
    low: float
    high: float
    effect_size: float
    statistic: float
    p_value: float
    p_adjusted: float
    interval: str
    better: int
    equal: int
    worse: int
    n_different: int
    smallest_p: float
    p_better: float
    p_equivalent: float
    p_worse: float
    verdict: str
