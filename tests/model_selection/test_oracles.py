"""The splitters against those of other libraries, and against their published rules."""

from datetime import timedelta

import numpy as np
import pytest

from sklearn_rank.model_selection import LeaveLastOut, TimeSplit
from tests.model_selection.strategies import describe

pd = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def frame():
    """Return a log without ties, in which each user has more than ten rows."""
    random = np.random.default_rng(0)
    users = np.repeat(np.arange(40), random.integers(11, 40, 40))
    frame = pd.DataFrame(
        {
            "user_id": random.permutation(users),
            "item_id": random.integers(0, 30, len(users)),
        }
    )
    minutes = random.choice(80 * 24 * 60, len(users), replace=False)
    start = pd.Timestamp("2024-01-01")
    frame["datetime"] = start + pd.to_timedelta(minutes, unit="min")
    return frame.assign(weight=1)


COLUMNS = {"user": "user_id", "item": "item_id", "time": "datetime"}


def rectools_folds(frame, splitter):
    dataset = pytest.importorskip("rectools.dataset")
    folds = splitter.split(dataset.Interactions(frame))
    return [(np.sort(train).tolist(), np.sort(test).tolist()) for train, test, _ in folds]


def rectools_splitter(name, *args, **drop):
    module = pytest.importorskip("rectools.model_selection")
    names = {
        "cold_users": "filter_cold_users",
        "cold_items": "filter_cold_items",
        "seen_items": "filter_already_seen",
    }
    options = {theirs: drop.get(ours) == "drop" for ours, theirs in names.items()}
    return getattr(module, name)(*args, **options)


DROPS = [
    {},
    {"seen_items": "drop"},
    {"cold_items": "drop"},
    {"cold_users": "drop", "cold_items": "drop", "seen_items": "drop"},
]


@pytest.mark.parametrize("drop", DROPS)
@pytest.mark.parametrize(("test_size", "n_splits"), [(1, 1), (2, 3), (5, 2)])
def test_leave_last_out_is_rectools_last_n_splitter(frame, test_size, n_splits, drop):
    theirs = rectools_splitter("LastNSplitter", test_size, n_splits, **drop)
    ours = LeaveLastOut(test_size, n_splits, **COLUMNS, **drop)
    assert describe(ours.split(frame)) == rectools_folds(frame, theirs)


@pytest.mark.parametrize("drop", DROPS)
@pytest.mark.parametrize(("days", "n_splits"), [(7, 1), (7, 4), (1, 3)])
def test_time_split_is_rectools_time_range_splitter(frame, days, n_splits, drop):
    theirs = rectools_splitter("TimeRangeSplitter", f"{days}D", n_splits, **drop)
    # Theirs count back from the midnight that follows the last row.
    end = frame["datetime"].max().ceil("D")
    ours = TimeSplit(
        n_splits,
        f"{days}D",
        cutoff=end - timedelta(days=days * n_splits),
        **COLUMNS,
        **drop,
    )
    assert describe(ours.split(frame)) == rectools_folds(frame, theirs)


def test_leave_last_out_is_the_chronological_split_of_recommenders(frame):
    # Microsoft's python_chrono_split trains on rank <= round(ratio * count) of each user.
    # It rounds where we round the test up, so take counts for which both are exact.
    frame = frame.groupby("user_id").head(8).reset_index(drop=True)
    rank = frame.groupby("user_id")["datetime"].rank(method="first")
    count = frame.groupby("user_id")["user_id"].transform("size")
    in_train = rank <= (0.75 * count).round()
    ((train, test),) = LeaveLastOut(0.25, **COLUMNS).split(frame)
    np.testing.assert_array_equal(train, np.flatnonzero(in_train))
    np.testing.assert_array_equal(test, np.flatnonzero(~in_train))


def test_time_split_is_a_global_cut_of_the_sorted_rows(frame):
    # RePlay's TimeSplitter and LensKit's split_temporal_fraction cut the sorted log.
    order = np.argsort(frame["datetime"].to_numpy())
    n_test = -(-len(frame) // 5)
    ((train, test),) = TimeSplit(test_size=0.2, **COLUMNS).split(frame)
    np.testing.assert_array_equal(train, np.sort(order[:-n_test]))
    np.testing.assert_array_equal(test, np.sort(order[-n_test:]))
