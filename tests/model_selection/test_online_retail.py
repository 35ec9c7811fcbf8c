"""The splitters on real purchases, against pandas."""

import numpy as np

from sklearn_rank.model_selection import LeaveLastOut, TimeSplit

COLUMNS = {"user": "CustomerID", "item": "StockCode", "time": "InvoiceDate"}


def test_leave_last_out_takes_the_last_row_of_each_customer(online_retail):
    ((train, test),) = LeaveLastOut(**COLUMNS).split(online_retail)
    last = online_retail.groupby("CustomerID").tail(1)  # the log is sorted by time
    size = online_retail.groupby("CustomerID")["StockCode"].transform("size")
    expected = last.index[size[last.index] > 1]
    np.testing.assert_array_equal(test, np.sort(expected))
    assert len(train) + len(test) == len(online_retail)


def test_the_last_four_weeks_are_held_out(online_retail):
    times = online_retail["InvoiceDate"]
    week, day = np.timedelta64(7, "D"), np.timedelta64(1, "D")
    end = times.max()
    folds = list(TimeSplit(4, "7D", gap="1D", **COLUMNS).split(online_retail))
    for step, (train, test) in zip(range(4, 0, -1), folds, strict=True):
        in_week = (times > end - step * week) & (times <= end - (step - 1) * week)
        np.testing.assert_array_equal(test, np.flatnonzero(in_week))
        # A minute is the resolution of the log.
        assert times[train].max() <= end - step * week - day
        assert times[test].min() - times[train].max() > day


def test_filters_leave_known_users_and_items_and_new_pairs(online_retail):
    kept = TimeSplit(cutoff="2011-11-01", **COLUMNS)
    ((train, test),) = kept.split(online_retail)
    drop = dict.fromkeys(("cold_users", "cold_items", "seen_items"), "drop")
    ((same, few),) = TimeSplit(cutoff="2011-11-01", **COLUMNS, **drop).split(online_retail)
    past, future = online_retail.iloc[train], online_retail.iloc[test]
    known = future["CustomerID"].isin(past["CustomerID"])
    known &= future["StockCode"].isin(past["StockCode"])
    pair = ["CustomerID", "StockCode"]
    seen = future.set_index(pair).index.isin(past.set_index(pair).index)
    np.testing.assert_array_equal(few, test[known.to_numpy() & ~seen])
    np.testing.assert_array_equal(same, train)
