"""Splitters that hold out by user and by time, for scikit-learn's tools."""

from sklearn_rank._hints._explain import explain_missing as _explain_missing
from sklearn_rank.model_selection._cross_validate_per_query import cross_validate_per_query
from sklearn_rank.model_selection._describe_split import SplitDescription, describe_split
from sklearn_rank.model_selection._k_core import k_core
from sklearn_rank.model_selection._leave_out import (
    Last,
    LeaveLastOut,
    LeaveRandomOut,
    Random,
)
from sklearn_rank.model_selection._plot_split import plot_split
from sklearn_rank.model_selection._refit import RefitWithinError
from sklearn_rank.model_selection._time_split import TimeSplit, UserKFold, UserTimeSplit
from sklearn_rank.model_selection._train_valid_test import train_valid_test_split

__all__ = [
    "Last",
    "LeaveLastOut",
    "LeaveRandomOut",
    "Random",
    "RefitWithinError",
    "SplitDescription",
    "TimeSplit",
    "UserKFold",
    "UserTimeSplit",
    "cross_validate_per_query",
    "describe_split",
    "k_core",
    "plot_split",
    "train_valid_test_split",
]

_explain_missing(__name__)
