from datetime import date, datetime, timedelta
from itertools import pairwise
from math import ceil

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_rank.model_selection import TimeSplit
from tests.model_selection.strategies import check_rows, logs

sizes = st.one_of(st.sampled_from([0.1, 0.2, 0.3, 0.49]), st.integers(1, 300))
options = st.fixed_dictionaries(
    {
        "n_splits": st.integers(1, 3),
        "test_size": sizes,
        "train_size": st.one_of(st.none(), sizes),
        "gap": st.sampled_from([0, 1, 2.5, 100]),
    }
)


@given(logs(), options)
def test_train_is_earlier_than_test_by_more_than_the_gap(log, params):
    *_, times = log
    splitter = TimeSplit(**params)
    try:
        folds = list(splitter.split(None, times=times))
    except ValueError:
        return  # an impossible request; what it says is tested below
    check_rows(folds, len(times))
    assert len(folds) == splitter.get_n_splits()
    for train, test in folds:
        assert times[train].max() < times[test].min() - params["gap"]
    for (_, test), (_, later) in pairwise(folds):
        assert times[test].max() < times[later].min()
    assert times[folds[-1][1]].max() == times.max()


@given(logs(min_rows=20), st.sampled_from([0.1, 0.2, 0.3]), st.integers(1, 3))
def test_shares_hold_at_least_that_many_rows_and_whole_ties(log, share, n_splits):
    *_, times = log
    n_test = ceil(round(share * len(times), 9))
    starts = [np.sort(times)[::-1][step * n_test - 1] for step in range(n_splits, 0, -1)]
    stops = [*starts[1:], np.inf]
    splitter = TimeSplit(n_splits, share)
    if len(set(starts)) < n_splits or starts[0] == times.min():
        with pytest.raises(ValueError, match="lower"):
            list(splitter.split(None, times=times))
        return
    for fold, (train, test) in enumerate(splitter.split(None, times=times)):
        in_window = (times >= starts[fold]) & (times < stops[fold])
        np.testing.assert_array_equal(test, np.flatnonzero(in_window))
        np.testing.assert_array_equal(train, np.flatnonzero(times < starts[fold]))


@given(logs(), st.integers(1, 20), st.integers(1, 3))
def test_durations_are_counted_back_from_the_last_time(log, length, n_splits):
    *_, times = log
    last = times.max()
    try:
        folds = list(TimeSplit(n_splits, length).split(None, times=times))
    except ValueError:
        return
    for step, (train, test) in zip(range(n_splits, 0, -1), folds, strict=True):
        start, stop = last - step * length, last - (step - 1) * length
        np.testing.assert_array_equal(
            test, np.flatnonzero((times > start) & (times <= stop))
        )
        np.testing.assert_array_equal(train, np.flatnonzero(times <= start))


@given(logs(), st.randoms(use_true_random=False))
def test_row_order_does_not_matter(log, random):
    *_, times = log
    times = np.append(times, times.max() + 1)  # so that one window is possible
    shuffled = np.array(random.sample(range(len(times)), len(times)))
    splitter = TimeSplit(test_size=1)
    ((train, test),) = splitter.split(None, times=times)
    ((moved_train, moved_test),) = splitter.split(None, times=times[shuffled])
    assert sorted(shuffled[moved_train]) == train.tolist()
    assert sorted(shuffled[moved_test]) == test.tolist()


def test_a_cutoff_holds_out_all_that_follows():
    times = np.arange(10)
    ((train, test),) = TimeSplit(cutoff=6).split(None, times=times)
    assert (train.tolist(), test.tolist()) == ([0, 1, 2, 3, 4, 5], [6, 7, 8, 9])
    folds = [test.tolist() for _, test in TimeSplit(2, cutoff=6).split(None, times=times)]
    assert folds == [[6, 7], [8, 9]]
    folds = TimeSplit(3, 1, cutoff=6).split(None, times=times)
    assert [test.tolist() for _, test in folds] == [[6], [7], [8]]


def test_a_size_of_one_is_a_duration():
    times = np.arange(10) / 2
    ((train, test),) = TimeSplit(test_size=1.0, train_size=1.0).split(None, times=times)
    assert (train.tolist(), test.tolist()) == ([6, 7], [8, 9])


def test_as_many_windows_as_rows_leave_none_to_train_on():
    for n_splits in (4, 5):
        with pytest.raises(
            ValueError, match=f"`n_splits={n_splits}` windows .* a row each"
        ):
            next(TimeSplit(n_splits, 1).split(None, times=np.arange(4)))
    with pytest.raises(ValueError, match="take 1 rows each, of 1 in all"):
        next(TimeSplit().split(None, times=[3]))


def test_windows_after_a_cutoff_share_its_rows():
    tests = [
        test.tolist() for _, test in TimeSplit(3, cutoff=5).split(None, times=range(13))
    ]
    assert tests == [[5, 6], [7, 8, 9], [10, 11, 12]]


def test_train_slides_with_train_size():
    times = np.arange(10)
    by_duration = TimeSplit(2, 2, train_size=3).split(None, times=times)
    assert [train.tolist() for train, _ in by_duration] == [[3, 4, 5], [5, 6, 7]]
    by_share = TimeSplit(2, 2, train_size=0.3, gap=1).split(None, times=times)
    assert [train.tolist() for train, _ in by_share] == [[2, 3, 4], [4, 5, 6]]


DAYS = np.datetime64("2024-03-29") + np.arange(8)


@pytest.mark.parametrize(
    "two_days",
    ["2D", "48h", timedelta(days=2), np.timedelta64(48, "h"), np.timedelta64(2, "D")],
)
@pytest.mark.parametrize("unit", ["D", "s", "us", "ns"])
def test_durations_of_datetimes_in_any_form(two_days, unit):
    splitter = TimeSplit(2, two_days, gap=timedelta(days=1))
    folds = list(splitter.split(None, times=DAYS.astype(f"M8[{unit}]")))
    assert [test.tolist() for _, test in folds] == [[4, 5], [6, 7]]
    assert [train.tolist() for train, _ in folds] == [[0, 1, 2], [0, 1, 2, 3, 4]]


@pytest.mark.parametrize(
    "cutoff",
    [
        "2024-04-03",
        "2024-04-03 00:00",
        date(2024, 4, 3),
        datetime(2024, 4, 3),
        np.datetime64("2024-04-03"),
    ],
)
def test_cutoffs_of_datetimes_in_any_form(cutoff):
    ((train, test),) = TimeSplit(cutoff=cutoff).split(None, times=DAYS)
    assert test.tolist() == [5, 6, 7]
    assert train.tolist() == [0, 1, 2, 3, 4]


def test_a_month_begins_with_its_first_day():
    ((_, test),) = TimeSplit(cutoff=np.datetime64("2024-04")).split(None, times=DAYS)
    assert test.tolist() == [3, 4, 5, 6, 7]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_splits": 0}, "n_splits"),
        ({"test_size": 0}, "test_size"),
        ({"test_size": None}, "test_size"),
        ({"train_size": 0.0}, "train_size"),
        ({"gap": -1}, "gap"),
        ({"cutoff": 5, "test_size": 0.3}, "leave `test_size` out"),
        ({"seen_items": "remove"}, r"seen_items.*'keep', 'drop'"),
    ],
)
def test_wrong_numbers_are_refused_when_made(params, message):
    with pytest.raises((ValueError, TypeError), match=message):
        TimeSplit(**params)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"n_splits": 5}, "`n_splits=5` windows of `test_size=0.2` take 2 rows each"),
        ({"test_size": 50}, "period of `times`, 0 to 9"),
        ({"test_size": 2, "gap": 9}, "Nothing is left to train on before 8 less `gap=9`"),
        ({"cutoff": 0}, "after the first.*0 to 9"),
        ({"cutoff": 10}, "not after the last.*0 to 9"),
        ({"cutoff": 9, "test_size": 1, "n_splits": 3}, "No row lies in the test window"),
        ({"test_size": "7D"}, "`times` are numbers"),
        ({"cutoff": "2024-01-01"}, "`cutoff` must be a number"),
    ],
)
def test_impossible_requests_say_which_number_to_change(params, message):
    with pytest.raises((ValueError, TypeError), match=message):
        list(TimeSplit(**params).split(None, times=np.arange(10)))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"test_size": 28}, "`test_size` must be a share .* for days give '28D', got 28"),
        ({"gap": 1.5}, "`gap` must be a duration, .* for days give '1.5D', got 1.5"),
        ({"gap": 1}, "`gap` must be a duration"),
        ({"test_size": "soon"}, "'soon'.*such as '7D'"),
        ({"test_size": np.timedelta64(1, "M")}, "of fixed length"),
        ({"cutoff": 20240403}, "`cutoff` must be a date"),
        ({"cutoff": "April"}, "'2011-11-01'"),
        ({"cutoff": "2024-04-03T00:00+02:00"}, "has a time zone"),
        ({"cutoff": "2025-01-01"}, "2024-03-29 to 2024-04-05"),
        ({"test_size": "30D"}, "2024-03-29 to 2024-04-05"),
    ],
)
def test_impossible_requests_of_datetimes(params, message):
    with pytest.raises((ValueError, TypeError), match=message):
        list(TimeSplit(**params).split(None, times=DAYS))


def test_equal_times_everywhere_leave_nothing_to_train():
    message = "left to train on before 3 less `gap=0`, as times begin at 3"
    with pytest.raises(ValueError, match=message):
        list(TimeSplit().split(None, times=[3] * 10))
    with pytest.raises(ValueError, match="Two windows would begin at 3"):
        list(TimeSplit(2).split(None, times=[1] + [3] * 9))


@given(st.floats(1e-3, 1e15), st.integers(2, 30))
def test_float_times_never_let_train_touch_test(scale, n_rows):
    times = np.linspace(0, 1, n_rows) * scale
    ((train, test),) = TimeSplit(test_size=0.5, gap=scale / 7).split(None, times=times)
    assert times[train].max() < times[test].min() - scale / 7


@pytest.mark.parametrize("share", [1e-12, 1e-300])
def test_a_tiny_share_is_one_row(share):
    times = np.arange(400)
    ((train, test),) = TimeSplit(test_size=share).split(None, times=times)
    assert (len(train), len(test)) == (399, 1)
    ((train, test),) = TimeSplit(train_size=share).split(None, times=times)
    assert (len(train), len(test)) == (1, 80)
