import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_rank.model_selection import (
    Last,
    LeaveLastOut,
    LeaveRandomOut,
    TimeSplit,
    UserKFold,
    UserTimeSplit,
)
from tests.model_selection.strategies import logs

FILTERS = ("cold_users", "cold_items", "seen_items")
MAKE = [
    lambda **drop: LeaveLastOut(2, **drop),
    lambda **drop: LeaveRandomOut(2, 2, random_state=0, **drop),
    lambda **drop: TimeSplit(2, 0.3, **drop),
    lambda **drop: UserKFold(2, **drop),
    lambda **drop: UserKFold(2, Last(2), fold_in=True, **drop),
    lambda **drop: UserTimeSplit(2, test_size=0.4, fold_in=True, **drop),
]


COLD = st.sampled_from(["keep", "drop", "only"])


@given(logs(min_rows=12), st.sampled_from(MAKE), COLD, COLD, st.booleans())
def test_filters_take_test_rows_as_loops_do(log, make, of_users, of_items, drops_seen):
    given = of_users, of_items, "drop" if drops_seen else "keep"
    filters = dict(zip(FILTERS, given, strict=True))
    users, items, times = log
    columns = {"users": users, "items": items, "times": times}
    try:
        plain = list(make().split(None, **columns))
    except ValueError:
        return  # this log cannot be split that way
    expected = [
        (train.tolist(), [row for row in test if stays(row, train, log, filters)])
        for train, test in plain
    ]
    folds = make(**filters).split(None, **columns)
    if not all(test for _, test in expected):
        with pytest.raises(ValueError, match=r"none of the \d+ test row.* set one of them"):
            list(folds)
        return
    assert [(train.tolist(), test.tolist()) for train, test in folds] == expected


def stays(row, train, log, filters):
    users, items, _ = log
    past = [(users[other], items[other]) for other in train]
    is_known = {
        "cold_users": any(user == users[row] for user, _ in past),
        "cold_items": any(item == items[row] for _, item in past),
        "seen_items": (users[row], items[row]) not in past,
    }
    wanted = {"keep": (True, False), "drop": (True,), "only": (False,)}
    return all(is_known[name] in wanted[filters[name]] for name in FILTERS)


def test_only_new_sessions_are_left():
    clicks = [("a", 1, 0), ("a", 2, 1), ("b", 1, 2), ("b", 2, 8), ("c", 1, 9), ("c", 3, 9)]
    columns = {"user": 0, "item": 1, "time": 2}
    cut = {"test_size": 0.5, **columns}
    ((_, test),) = TimeSplit(cold_users="only", **cut).split(np.array(clicks, dtype=object))
    assert test.tolist() == [4, 5]
    ((_, test),) = TimeSplit(cold_items="only", **cut).split(np.array(clicks, dtype=object))
    assert test.tolist() == [5]
    with pytest.raises(ValueError, match="With cold_users='only' none of the"):
        list(LeaveLastOut(cold_users="only", **columns).split(clicks))
    with pytest.raises(ValueError, match="`seen_items` got 'only'"):
        TimeSplit(seen_items="only")


def test_many_pairs_are_found_in_portions():
    random = np.random.default_rng(0)
    n_rows = 1_200_000
    users, items = random.integers(0, 5000, n_rows), random.integers(0, 1000, n_rows)
    times = np.arange(n_rows)
    splitter = TimeSplit(test_size=0.1, seen_items="drop")
    ((train, test),) = splitter.split(None, users=users, items=items, times=times)
    pairs = users * 1000 + items
    later = np.arange(n_rows - n_rows // 10, n_rows)
    np.testing.assert_array_equal(test, later[~np.isin(pairs[later], pairs[train])])
