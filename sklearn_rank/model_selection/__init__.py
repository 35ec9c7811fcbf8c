"""Splitters that hold out by user and by time, for scikit-learn's tools."""

from sklearn_rank.model_selection._leave_out import LeaveLastOut, LeaveRandomOut
from sklearn_rank.model_selection._time_split import TimeSplit

__all__ = ["LeaveLastOut", "LeaveRandomOut", "TimeSplit"]
