"""Splitters: durations as strings, moments as dates, columns by name or position."""

from datetime import date, timedelta
from typing import assert_type

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sklearn_rank.model_selection import (
    Last,
    LeaveLastOut,
    LeaveRandomOut,
    Random,
    TimeSplit,
    UserKFold,
    UserTimeSplit,
)

log = pd.DataFrame(
    {
        "user": ["ann", "ann", "ann", "bob", "bob", "eve", "eve"],
        "item": [1, 2, 3, 1, 3, 2, 3],
        "time": pd.date_range("2024-01-01", periods=7, freq="20D"),
    }
)
for train, test in TimeSplit(test_size="28D", time="time").split(log):
    assert_type(train, NDArray[np.intp])
    print(log.iloc[train], log.iloc[test])
for splitter in (
    TimeSplit(2, test_size=timedelta(days=28), gap="1D"),
    TimeSplit(test_size=pd.Timedelta(timedelta(days=28)), cutoff=date(2024, 3, 1)),
    TimeSplit(test_size=0.3, cold_users="drop"),
    UserTimeSplit(2, cutoff=pd.Timestamp("2024-03-01"), fold_in=True),
    LeaveLastOut(n_splits=2),
    LeaveRandomOut(0.5, random_state=np.random.RandomState(0)),
    UserKFold(2, holdout=Last(1), fold_in=True, time="time"),
    UserKFold(2, holdout=Last(0.5)),
    UserKFold(3, holdout=Random(1), shuffle=True, random_state=0),
):
    assert_type(splitter.get_n_splits(), int)
    print(splitter)
rows: list[list[object]] = [["ann", 1], ["bob", 2], ["ann", 2]]
print(next(LeaveLastOut(user=0, time=1).split(rows)))
print(next(LeaveLastOut().split(None, users=["ann", "ann", "bob"], times=[1, 2, 3])))
