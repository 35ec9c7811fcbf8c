"""Whether a difference is real: comparisons, intervals, and how many queries are needed."""

from sklearn_rank.statistics._candidates import compare_candidates
from sklearn_rank.statistics._compare import compare_models
from sklearn_rank.statistics._display import ModelComparisonDisplay
from sklearn_rank.statistics._interval import confidence_interval
from sklearn_rank.statistics._judge import judge_assisted_mean
from sklearn_rank.statistics._power import detectable_difference, sample_size
from sklearn_rank.statistics._result import ModelComparison

__all__ = [
    "ModelComparison",
    "ModelComparisonDisplay",
    "compare_candidates",
    "compare_models",
    "confidence_interval",
    "detectable_difference",
    "judge_assisted_mean",
    "sample_size",
]
