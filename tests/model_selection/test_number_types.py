"""NumPy's numbers are numbers: no parameter keeps the type that would overflow."""

from datetime import timedelta

import numpy as np
import pytest

from sklearn_rank.model_selection import (
    Last,
    LeaveLastOut,
    LeaveRandomOut,
    Random,
    TimeSplit,
    UserKFold,
    UserTimeSplit,
    k_core,
    plot_split,
)
from tests.model_selection.strategies import describe

# More rows than the largest float16, of users who have more of them than an int8 holds.
N_ROWS, N_USERS = 70_000, 300
USERS = np.arange(N_ROWS) % N_USERS
TIMES = np.arange(N_ROWS)
DAY = np.timedelta64(1, "D")


def folds(splitter):
    return describe(splitter.split(None, users=USERS, times=TIMES))


PAIRS = [
    (LeaveLastOut, {"test_size": 200}, {"test_size": np.uint8(200)}),
    (LeaveLastOut, {"test_size": 0.25}, {"test_size": np.float16(0.25)}),
    (
        LeaveLastOut,
        {"test_size": 100, "n_splits": 2, "min_train": 30},
        {"test_size": np.int8(100), "n_splits": np.int8(2), "min_train": np.uint8(30)},
    ),
    (
        LeaveRandomOut,
        {"test_size": 200, "n_splits": 2, "random_state": 0},
        {"test_size": np.uint8(200), "n_splits": np.int8(2), "random_state": 0},
    ),
    (TimeSplit, {"train_size": 0.25}, {"train_size": np.float16(0.25)}),
    (TimeSplit, {"test_size": 0.25}, {"test_size": np.float16(0.25)}),
    (TimeSplit, {"n_splits": 3}, {"n_splits": np.int8(3)}),
    (
        TimeSplit,
        {"n_splits": 2, "test_size": 200, "train_size": 250, "gap": 255},
        {
            "n_splits": np.int8(2),
            "test_size": np.uint8(200),
            "train_size": np.uint8(250),
            "gap": np.uint8(255),
        },
    ),
    (
        TimeSplit,
        {"n_splits": 3, "cutoff": 65_000, "test_size": 100},
        {"n_splits": np.uint8(3), "cutoff": np.uint16(65_000), "test_size": np.int8(100)},
    ),
    (
        UserTimeSplit,
        {"n_splits": 3, "test_size": 0.25, "train_size": 0.25, "gap": 200},
        {
            "n_splits": np.int8(3),
            "test_size": np.float16(0.25),
            "train_size": np.float16(0.25),
            "gap": np.uint8(200),
        },
    ),
    (
        UserKFold,
        {"n_splits": 3, "holdout": Last(200)},
        {"n_splits": np.int8(3), "holdout": Last(np.uint8(200))},
    ),
    (UserKFold, {"holdout": Last(0.25)}, {"holdout": Last(np.float16(0.25))}),
    (
        UserKFold,
        {"holdout": Random(200), "random_state": 0},
        {"holdout": Random(np.uint8(200)), "random_state": 0},
    ),
]


@pytest.mark.parametrize(("kind", "params", "numpy_params"), PAIRS)
def test_numbers_of_numpy_split_as_those_of_python(kind, params, numpy_params):
    ours, theirs = kind(**params), kind(**numpy_params)
    assert folds(theirs) == folds(ours)
    assert type(theirs.get_n_splits()) is int
    assert repr(theirs) == repr(ours)


@pytest.mark.parametrize(
    "make",
    [
        lambda one: LeaveLastOut(one),
        lambda one: LeaveLastOut(n_splits=one),
        lambda one: LeaveLastOut(min_train=one),
        lambda one: LeaveRandomOut(one),
        lambda one: LeaveRandomOut(n_splits=one),
        lambda one: TimeSplit(one),
        lambda one: UserKFold(one),
        lambda one: UserTimeSplit(one),
        Last,
        Random,
        lambda one: k_core([1], [1], min_user=one),
        lambda one: k_core([1], [1], min_item=one),
        lambda one: plot_split(LeaveLastOut(), None, users=[1, 1], times=[1, 2], bins=one),
    ],
)
@pytest.mark.parametrize("duration", [2 * DAY, timedelta(days=2)])
def test_a_duration_is_no_number(make, duration):
    with pytest.raises(TypeError, match=r"`\w+` must be an? .*got"):
        make(duration)


def test_a_duration_is_no_position_of_a_column():
    rows = np.column_stack([USERS[:10], TIMES[:10]])
    with pytest.raises(ValueError, match="names a column, but X has no column names"):
        next(LeaveLastOut(user=np.timedelta64(0, "D"), time=1).split(rows))


def test_a_duration_is_no_moment():
    with pytest.raises(TypeError, match="`cutoff` must be a number"):
        next(TimeSplit(cutoff=5 * DAY).split(None, times=np.arange(9)))


ZEROS = [timedelta(0), 0 * DAY, 0, 0.0, np.int8(0)]


@pytest.mark.parametrize("gap", ZEROS)
def test_a_gap_of_no_length_is_none(gap):
    days = np.datetime64("2024-01-01") + np.arange(10)
    ((train, test),) = TimeSplit(test_size=3 * DAY, gap=gap).split(None, times=days)
    assert (train.tolist(), test.tolist()) == (list(range(7)), [7, 8, 9])
    folds = UserTimeSplit(2, test_size=2 * DAY, gap=gap, fold_in=True)
    for train, _ in folds.split(None, users=[1, 2] * 5, times=days):
        assert train.tolist() == list(range(8))


@pytest.mark.parametrize("name", ["test_size", "train_size"])
@pytest.mark.parametrize("length", [timedelta(0), 0 * DAY, "0D"])
def test_windows_of_no_length_are_refused(name, length):
    days = np.datetime64("2024-01-01") + np.arange(10)
    for splitter in (TimeSplit(**{name: length}), UserTimeSplit(2, **{name: length})):
        with pytest.raises(ValueError, match=f"`{name}` must be longer than nothing"):
            next(splitter.split(None, users=[1, 2] * 5, times=days))


@pytest.mark.parametrize("length", [-DAY, timedelta(days=-1), "-1D"])
@pytest.mark.parametrize("name", ["test_size", "train_size", "gap"])
def test_lengths_below_zero_are_refused(name, length):
    days = np.datetime64("2024-01-01") + np.arange(10)
    with pytest.raises(ValueError, match=f"`{name}` must not be negative"):
        next(TimeSplit(**{name: length}).split(None, times=days))


@pytest.mark.parametrize(
    "gap", [np.timedelta64(2**62, "D"), np.timedelta64(2**62, "W"), timedelta.max]
)
def test_durations_beyond_their_unit_do_not_wrap_around(gap):
    days = np.datetime64("2024-01-01") + np.arange(10)
    with pytest.raises(ValueError, match="left to train on before 2024-01-09"):
        next(TimeSplit(gap=gap).split(None, times=days))
    ((train, _),) = TimeSplit(train_size=gap).split(None, times=days)
    assert train.tolist() == list(range(8))


def test_durations_are_rounded_up_to_ticks():
    times = np.datetime64("2024-01-01", "us") + np.arange(10)
    gap = np.timedelta64(1500, "ns")
    ((train, _),) = TimeSplit(cutoff=times[8], gap=gap).split(None, times=times)
    assert train.tolist() == list(range(6))


def test_a_cutoff_keeps_its_nanoseconds():
    times = np.datetime64("2024-01-01", "ns") + np.arange(10)
    ((train, _),) = TimeSplit(cutoff=times[8]).split(None, times=times)
    assert train.tolist() == list(range(8))
    # Between two ticks: what is not before it is in the test.
    later = np.datetime64("2024-01-01T00:00:00.000001500")
    coarse = np.datetime64("2024-01-01", "us") + np.arange(5)
    ((train, _),) = TimeSplit(cutoff=later).split(None, times=coarse)
    assert train.tolist() == [0, 1]
    with pytest.raises(ValueError, match="after the first and not after the last"):
        next(TimeSplit(cutoff="9999-01-01").split(None, times=times))


def test_a_cutoff_with_nanoseconds_is_in_the_zone_of_the_times():
    pd = pytest.importorskip("pandas")
    times = pd.Timestamp("2024-06-01", tz="Europe/Paris") + pd.to_timedelta(range(10), "ns")
    ((train, _),) = TimeSplit(cutoff=np.datetime64("2024-06-01T00:00:00.000000007")).split(
        None, times=pd.Series(times)
    )
    assert train.tolist() == list(range(7))


@pytest.mark.parametrize(
    ("times", "message"),
    [
        ([1, 10**400, 2], "integer of 1329 bits in row 1"),
        ([1.5, 10**400, 2], "integer of 1329 bits in row 1"),
        ([1, 2**64 + 1, 2], "18446744073709551617 in row 1"),
        ([0.5, 2**53 + 1, 2], "9007199254740993 in row 1"),
    ],
)
def test_times_that_no_type_holds_are_named(times, message):
    with pytest.raises(ValueError, match=f"`times` has .*{message}"):
        next(LeaveLastOut().split(None, users=[1, 1, 1], times=times))


def test_integer_times_are_shown_in_full():
    times = 1_700_000_000_000_000_000 + np.arange(10)
    with pytest.raises(ValueError, match="1700000000000000000 to 1700000000000000009"):
        next(TimeSplit(cutoff=5).split(None, times=times))


@pytest.mark.parametrize(
    "make",
    [
        lambda n: LeaveLastOut(n_splits=n),
        lambda n: LeaveLastOut(test_size=n),
        lambda n: LeaveLastOut(min_train=n),
        lambda n: LeaveRandomOut(n_splits=n),
        lambda n: LeaveRandomOut(test_size=n),
        lambda n: TimeSplit(n),
        lambda n: TimeSplit(n, test_size=1),
        lambda n: TimeSplit(n, test_size=1e-300),
        lambda n: TimeSplit(n, cutoff=5),
        lambda n: TimeSplit(n, cutoff=5, test_size=1),
        lambda n: UserKFold(n),
        lambda n: UserKFold(2, Last(n)),
        lambda n: UserTimeSplit(n),
    ],
)
@pytest.mark.parametrize("n", [10**9, 2**53, 2**62, 10**30, 10**400])
def test_numbers_beyond_all_data_are_refused_at_once(make, n):
    with pytest.raises(ValueError, match=r"n_splits|test_size|min_train|holdout"):
        next(make(n).split(None, users=[1, 2, 1, 2] * 3, times=np.arange(12)))


def test_random_folds_without_end_are_refused_when_made():
    with pytest.raises(ValueError, match=r"`n_splits` must be at most 1,000,000.* lower"):
        LeaveRandomOut(n_splits=10**9)
    assert LeaveRandomOut(n_splits=10**6).get_n_splits() == 10**6
