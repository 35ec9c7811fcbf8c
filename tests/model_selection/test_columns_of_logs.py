"""Every way in which users, items and times can come, and every way it can be wrong."""

import pickle
from datetime import UTC, date, datetime, timedelta, timezone

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank.model_selection import (
    Last,
    LeaveLastOut,
    LeaveRandomOut,
    TimeSplit,
    UserKFold,
    UserTimeSplit,
)
from tests.model_selection.strategies import describe

USERS = [1, 2, 1, 2, 1, 3]
ITEMS = [7, 7, 8, 9, 7, 8]
DAYS = [3, 1, 1, 5, 4, 2]
SPLITTERS = [
    (LeaveLastOut, {}),
    (LeaveLastOut, {"test_size": 0.5, "seen_items": "drop"}),
    (LeaveRandomOut, {"random_state": 0}),
    (TimeSplit, {"n_splits": 2}),
    (TimeSplit, {"cold_users": "drop", "cold_items": "drop"}),
    (UserKFold, {"n_splits": 2}),
    (UserTimeSplit, {"n_splits": 2, "test_size": 0.4}),
]


def dates():
    return [date(2024, 3, 30) + timedelta(days=day) for day in DAYS]


def datetimes():
    return [datetime(2024, 3, 30, 23, 30) + timedelta(days=day) for day in DAYS]


def frame_of(library, times=DAYS):
    package = pytest.importorskip(library, reason=f"{library} makes the frame")
    return package.DataFrame({"user": USERS, "item": ITEMS, "time": times})


def structured():
    rows = list(zip(USERS, ITEMS, DAYS, strict=True))
    return np.array(rows, dtype=[("user", "i4"), ("item", "i8"), ("time", "f4")])


def numbers():
    return np.column_stack([USERS, ITEMS, DAYS])


NAMES = {"user": "user", "item": "item", "time": "time"}
PLACES = {"user": 0, "item": 1, "time": 2}
CONTAINERS = {
    "pandas": (lambda: frame_of("pandas"), NAMES),
    "pandas by place": (lambda: frame_of("pandas"), PLACES),
    "pandas with dates": (lambda: frame_of("pandas", dates()), NAMES),
    "pandas with datetimes": (lambda: frame_of("pandas", datetimes()), NAMES),
    "polars": (lambda: frame_of("polars"), NAMES),
    "polars with dates": (lambda: frame_of("polars", dates()), NAMES),
    "polars with datetimes": (lambda: frame_of("polars", datetimes()), NAMES),
    "structured": (structured, NAMES),
    "numbers": (numbers, PLACES),
    "floats": (lambda: numbers().astype(np.float32), PLACES),
    "objects": (lambda: numbers().astype(object), PLACES),
    "objects with dates": (
        lambda: np.array(list(zip(USERS, ITEMS, dates(), strict=True)), dtype=object),
        PLACES,
    ),
    "rows": (lambda: list(zip(USERS, ITEMS, datetimes(), strict=True)), PLACES),
    "sparse": (lambda: sparse.csr_array(numbers()), PLACES),
    "last place": (numbers, {"user": -3, "item": -2, "time": -1}),
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize(("splitter", "params"), SPLITTERS)
def test_columns_of_all_containers_give_the_same_folds(splitter, params, container):
    make, columns = CONTAINERS[container]
    passed = splitter(**params).split(
        np.zeros((6, 1)), users=USERS, items=ITEMS, times=DAYS
    )
    assert describe(splitter(**params, **columns).split(make())) == describe(passed)


def zoned_pandas():
    pd = pytest.importorskip("pandas")
    return pd.Series(datetimes()).dt.tz_localize("Europe/Paris")


def zoned_polars():
    pl = pytest.importorskip("polars")
    return pl.Series(datetimes()).dt.replace_time_zone("Europe/Paris")


def nanoseconds_of_pandas():
    pd = pytest.importorskip("pandas")
    return [pd.Timestamp(0) + pd.Timedelta(day, "ns") for day in DAYS]


TIMES = {
    "ints": lambda: DAYS,
    "floats": lambda: [day / 7 for day in DAYS],
    "unsigned": lambda: np.array(DAYS, dtype=np.uint8),
    "column": lambda: np.array(DAYS)[:, None],
    "dates": dates,
    "datetimes": datetimes,
    "zoned": lambda: [stamp.replace(tzinfo=UTC) for stamp in datetimes()],
    "datetime64[D]": lambda: np.array(dates(), dtype="M8[D]"),
    "datetime64[ns]": lambda: np.array(datetimes(), dtype="M8[ns]"),
    "big-endian": lambda: np.array(datetimes(), dtype=">M8[us]"),
    "pandas, zoned": zoned_pandas,
    "polars, zoned": zoned_polars,
    "pandas, nanoseconds": nanoseconds_of_pandas,
}


@pytest.mark.parametrize("kind", TIMES)
@pytest.mark.parametrize(("splitter", "params"), SPLITTERS)
def test_times_of_all_kinds_give_the_same_folds(splitter, params, kind):
    columns = {"users": USERS, "items": ITEMS}
    expected = splitter(**params).split(None, **columns, times=DAYS)
    got = splitter(**params).split(None, **columns, times=TIMES[kind]())
    assert describe(got) == describe(expected)


@pytest.mark.parametrize("kind", ["zoned", "pandas, zoned", "polars, zoned"])
def test_a_cutoff_without_zone_is_in_the_zone_of_the_times(kind):
    # 2024-03-31 is the day on which summer time begins in Paris.
    times = TIMES[kind]()
    zone = "+00:00" if kind == "zoned" else "+02:00"
    for cutoff in ("2024-04-02 23:30", f"2024-04-02 23:30{zone}"):
        ((_, test),) = TimeSplit(cutoff=cutoff).split(None, times=times)
        assert test.tolist() == [0, 3, 4]
    ((_, test),) = TimeSplit(cutoff="2024-04-02 23:31").split(None, times=times)
    assert test.tolist() == [3, 4]


def test_times_of_several_zones_are_compared_as_instants():
    east, west = timezone(timedelta(hours=9)), timezone(timedelta(hours=-8))
    noon = datetime(2024, 1, 1, 12)
    times = [noon.replace(tzinfo=west), noon.replace(tzinfo=UTC), noon.replace(tzinfo=east)]
    ((train, test),) = LeaveLastOut().split(None, users=[1, 1, 1], times=times)
    assert (train.tolist(), test.tolist()) == ([1, 2], [0])


def test_groups_are_users_and_users_win():
    X = np.zeros((6, 1))
    expected = describe(LeaveLastOut().split(X, users=USERS, times=DAYS))
    assert describe(LeaveLastOut().split(X, None, USERS, times=DAYS)) == expected
    both = LeaveLastOut().split(X, None, [0] * 6, users=USERS, times=DAYS)
    assert describe(both) == expected


def test_metadata_may_repeat_a_column_but_not_contradict_it():
    splitter = LeaveLastOut(user=0, time=2)
    expected = describe(splitter.split(numbers()))
    assert describe(splitter.split(numbers(), users=USERS, times=DAYS)) == expected
    with pytest.raises(ValueError, match="`users` was passed and `user` names"):
        list(splitter.split(numbers(), users=USERS[::-1]))


def nat_times():
    return np.array(
        ["2024-01-01", "NaT", "2024-01-02", "NaT", "2024-01-03", "NaT"], "M8[s]"
    )


@pytest.mark.parametrize(
    ("times", "message"),
    [
        ([1, 2, np.nan, 4, np.nan, 6], "`times` has 2 missing .* row 2"),
        (nat_times(), "`times` has 3 missing .* row 1"),
        ([*datetimes()[:5], None], "`times` has 1 missing .* row 5"),
        ([1, 2, 3, np.inf, 5, 6], r"`times` has 1 infinite value\(s\), the first at 3"),
        (["2024-01-01"] * 6, "strings for example with pandas.to_datetime"),
        ([date(2024, 1, 1)] * 5 + ["x"], "got str in row 5"),
        ([True] * 6, "must be numbers, dates or datetimes, got bool"),
        ([1j] * 6, "must be numbers, dates or datetimes, got complex"),
        (np.array(3), r"`times` must be a list, an array or a frame .* got array\(3\)"),
        (DAYS[:5], r"`times` has 5 values, but X has 6 rows"),
        (np.ones((6, 2)), "`times` must be 1-D"),
        (
            [*datetimes()[:5], datetime(2024, 1, 1, tzinfo=UTC)],
            "mixes datetimes with and without a time zone",
        ),
    ],
)
def test_bad_times_are_named(times, message):
    with pytest.raises((ValueError, TypeError), match=message):
        list(LeaveLastOut().split(np.zeros((6, 1)), users=USERS, times=times))


@pytest.mark.parametrize(
    ("users", "message"),
    [
        (USERS[:4], r"`users` has 4 values, but X has 6 rows"),
        (5, "`users` must be a list, an array or a frame .* got 5"),
        (np.array(5), r"`users` must be a list, an array or a frame .* got array\(5\)"),
        ("abcdef", "`users` must be a list, an array or a frame .* got 'abcdef'"),
        (dict.fromkeys(range(6)), "`users` must be a list, an array or a frame"),
        (iter(USERS), "`users` must be a list, an array or a frame"),
        ([[1], [2, 3], [1], [2], [1], [2]], "`users` must be 1-D.* unequal lengths"),
        (sparse.csr_array(np.ones((6, 1))), r"`users` must be 1-D.* shape \(6, 1\)"),
        ([1, 2, None, 1, 2, None], "`users` has 2 missing .* row 2"),
        ([[1], [2], {}, [1], [2], 1], "Values of `users` must be hashable"),
    ],
)
def test_bad_users_are_named(users, message):
    with pytest.raises((ValueError, TypeError), match=message):
        list(LeaveLastOut().split(np.zeros((6, 1)), users=users, times=DAYS))


def test_users_of_several_types_and_unsortable_ones_are_labels_like_others():
    mixed = ["a", 2, "a", 2, "a", (3, 4)]
    assert describe(LeaveLastOut().split(None, users=mixed, times=DAYS)) == describe(
        LeaveLastOut().split(None, users=USERS, times=DAYS)
    )
    complex_users = [1j * user for user in USERS]
    assert describe(UserKFold(3).split(None, users=complex_users)) == describe(
        UserKFold(3).split(None, users=USERS)
    )


def test_what_is_missing_says_how_to_give_it():
    with pytest.raises(ValueError, match=r"LeaveLastOut needs the times .*`time=`"):
        list(LeaveLastOut(user=0).split(numbers()))
    with pytest.raises(ValueError, match=r"TimeSplit needs the items .*`item=`"):
        list(TimeSplit(user=0, time=2, seen_items="drop").split(numbers()))
    with pytest.raises(ValueError, match=r"LeaveLastOut needs the users .*`user=`"):
        list(LeaveLastOut(user=0, time=2).split(None, times=DAYS))
    with pytest.raises(ValueError, match=r"'usr'.* 'user'"):
        list(LeaveLastOut(user="usr", time="time").split(frame_of("pandas")))
    with pytest.raises(ValueError, match="X has no column names"):
        list(LeaveLastOut(user="user", time="time").split(numbers()))
    with pytest.raises(ValueError, match=r"has 3 column\(s\)"):
        list(LeaveLastOut(user=3, time=0).split(numbers()))


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (5, "X must be a frame, an array or a list of rows.* got 5"),
        ("abc", "X must be a frame, an array or a list of rows.* got 'abc'"),
        ([1, 2, 3], "X must be a frame, an array or a list of rows"),
        (["abc", "abd"], "X must be a frame, an array or a list of rows"),
        ([np.ones((1, 2))], "X must be a frame, an array or a list of rows"),
        ({"user": None}, "X must be a frame, an array or a list of rows"),
        ([[1, 2, 3], [1, 2]], r"Row 1 of X has 2 value\(s\), but row 0 has 3"),
    ],
)
def test_what_is_no_table_is_named(X, message):
    with pytest.raises((ValueError, TypeError), match=message):
        next(LeaveLastOut(user=0, time=2).split(X))


def test_an_array_or_a_missing_value_is_no_name_of_a_column():
    pd = pytest.importorskip("pandas")
    for column in (np.array([0]), pd.Series([1, 2]), pd.NA, sparse.eye_array(2)):
        with pytest.raises(ValueError, match=r"(?s)`user=.* is not a column of X"):
            next(LeaveLastOut(user=column, time="time").split(frame_of("pandas")))
        with pytest.raises(
            ValueError, match=r"(?s)`cold_users` got .* Valid: 'keep', 'drop'"
        ):
            LeaveLastOut(cold_users=column)


@pytest.mark.parametrize("splitter", [UserKFold, UserTimeSplit])
@pytest.mark.parametrize("value", ["no", None, 2, np.array([True])])
def test_switches_are_true_or_false(splitter, value):
    with pytest.raises(ValueError, match="`shuffle` got"):
        splitter(shuffle=value)
    with pytest.raises(ValueError, match="`fold_in` got"):
        splitter(fold_in=value)


def test_an_empty_log_is_refused():
    with pytest.raises(ValueError, match="X has no rows"):
        list(LeaveLastOut(user=0, time=2).split(np.empty((0, 3))))


def test_inputs_are_left_alone():
    X = numbers()
    X.flags.writeable = False
    for splitter, params in SPLITTERS:
        list(splitter(**params, **PLACES).split(X))
    np.testing.assert_array_equal(X, numbers())


@pytest.mark.parametrize(("splitter", "params"), SPLITTERS)
def test_splitters_survive_pickling(splitter, params):
    one = splitter(**params, **PLACES)
    other = pickle.loads(pickle.dumps(one))
    assert repr(other) == repr(one)
    assert describe(other.split(numbers())) == describe(one.split(numbers()))


def test_repr_is_the_call_that_made_it():
    text = repr(TimeSplit(2, "7D", user="u"))
    assert text.startswith("TimeSplit(")
    assert "test_size='7D'" in text
    assert "holdout=Last(test_size=1)" in repr(UserKFold(2, holdout=Last(1)))
