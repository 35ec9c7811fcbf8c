"""Durations as text: exact, without another library, and never by a guess."""

import sys
import warnings
from datetime import timedelta

import numpy as np
import pandas as pd
import pytest

from sklearn_rank.model_selection import TimeSplit
from sklearn_rank.recommenders import PopularityRecommender

DAYS = pd.date_range("2024-01-01", periods=12, freq="12h")
LOG = pd.DataFrame({"user": [1, 2] * 6, "item": range(12), "time": DAYS})


def rows_held_out(duration):
    """Return the test rows of the last window of a length."""
    ((_, test),) = TimeSplit(time="time", test_size=duration).split(LOG)
    return test.tolist()


@pytest.mark.parametrize(
    ("text", "duration"),
    [
        ("2D", timedelta(days=2)),
        ("2 days", timedelta(days=2)),
        ("1 d", timedelta(days=1)),
        ("0.2W", timedelta(days=1.4)),
        ("36h", timedelta(hours=36)),
        ("1.5 D", timedelta(hours=36)),
        (".5D", timedelta(hours=12)),
        ("1440min", timedelta(days=1)),
        ("86400s", timedelta(days=1)),
        ("86400000 ms", timedelta(days=1)),
        ("1D12h", timedelta(hours=36)),
        ("1 day, 12 hours", timedelta(hours=36)),
        ("1 days 12:00:00", timedelta(hours=36)),
        ("12:00:00.5", timedelta(hours=12, seconds=0.5)),
        (" 48H ", timedelta(days=2)),
    ],
)
def test_text_is_the_same_as_a_duration(text, duration):
    assert rows_held_out(text) == rows_held_out(duration)


def test_it_is_exact():
    times = np.array([0, 999, 1000, 1001], dtype="M8[ns]")
    X = pd.DataFrame({"user": 0, "item": range(4), "time": times})
    ((_, test),) = TimeSplit(time="time", test_size="0.001us").split(X)
    assert test.tolist() == [3]
    ((_, test),) = TimeSplit(time="time", test_size="1ns").split(X)
    assert test.tolist() == [3]
    ((_, test),) = TimeSplit(time="time", test_size="2ns").split(X)
    assert test.tolist() == [2, 3]


@pytest.mark.parametrize(
    "text", ["", "D", "15", "1M", "1Y", "1 month", "1e3s", "1D-2h", "NaT", "2:30", "1D x"]
)
def test_other_text_is_an_error_with_the_units(text):
    with pytest.raises(
        ValueError, match=r"not a duration of fixed length.*minutes \(min\)"
    ):
        rows_held_out(text)


def test_a_duration_below_0_is_an_error():
    with pytest.raises(ValueError, match="must not be negative, got '-1D'"):
        rows_held_out("-1D")


@pytest.mark.parametrize("text", ["3D", "4d", "2 H"])
def test_no_library_warns(text):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rows_held_out(text)
        PopularityRecommender(half_life=text, time="time").fit(LOG)


def test_pandas_is_not_needed(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    X = np.array([[0, 0, 1], [0, 1, 2], [0, 2, 3]])
    times = np.array(["2024-01-01", "2024-01-02", "2024-01-03"], dtype="M8[D]")
    ((_, test),) = TimeSplit(test_size="1D").split(X, times=times)
    assert test.tolist() == [2]
