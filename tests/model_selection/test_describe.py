import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import GroupKFold, KFold, TimeSeriesSplit

from sklearn_rank.model_selection import (
    LeaveLastOut,
    LeaveRandomOut,
    TimeSplit,
    UserKFold,
    UserTimeSplit,
    describe_split,
)
from tests.model_selection.strategies import logs

SPLITTERS = [
    LeaveLastOut(2),
    LeaveRandomOut(2, 2, random_state=0),
    TimeSplit(2, 0.3),
    UserKFold(2),
    UserTimeSplit(2, test_size=0.4),
    KFold(2, shuffle=True, random_state=0),
    GroupKFold(2),
]


def describe_by_loops(log, train, test):
    users, items, times = (column.tolist() for column in log)
    pairs = {(users[row], items[row]) for row in train}
    row = {
        "train": len(train),
        "test": len(test),
        "dropped": len(users) - len(train) - len(test),
    }
    for name, column in (("users", users), ("items", items)):
        known, tested = {column[i] for i in train}, {column[i] for i in test}
        row[f"train_{name}"], row[f"test_{name}"] = len(known), len(tested)
        row[f"cold_{name}"] = len(tested - known) / len(tested)
        cold = [i for i in test if column[i] not in known]
        row[f"cold_{name.removesuffix('s')}_rows"] = len(cold) / len(test)
    row["repeated_pairs"] = sum((users[i], items[i]) in pairs for i in test)
    for part, rows in (("train", train), ("test", test)):
        row[f"{part}_start"] = min(times[i] for i in rows)
        row[f"{part}_end"] = max(times[i] for i in rows)
    row["later_train_of_user"] = sum(
        any(users[j] == users[i] and times[j] > times[i] for j in train) for i in test
    )
    row["later_train"] = sum(times[j] >= row["test_start"] for j in train)
    return row


@given(logs(min_rows=12), st.sampled_from(SPLITTERS))
def test_table_is_what_loops_count(log, cv):
    users, items, times = log
    columns = {"users": users, "items": items, "times": times}
    more = {"groups": users} if isinstance(cv, GroupKFold) else {}
    ours = cv.__module__.startswith("sklearn_rank")
    try:
        folds = list(cv.split(np.zeros(len(users)), **(columns if ours else more)))
    except ValueError:
        return  # this log cannot be split that way
    table = describe_split(cv, None, **columns, **more, check=None)
    for fold, (train, test) in enumerate(folds):
        expected = {"fold": fold, **describe_by_loops(log, train, test)}
        assert {name: column[fold] for name, column in table.items()} == expected


LOG = [["ann", "x", 1], ["bob", "y", 2], ["ann", "y", 3], ["cy", "z", 4], ["bob", "x", 5]]
COLUMNS = {"user": 0, "item": 1, "time": 2}


def test_leaks_are_raised_with_rows_and_times():
    with pytest.raises(ValueError, match=r"Fold 0 trains on the future of 1 test row") as e:
        describe_split([([1, 2, 3], [0])], LOG, **COLUMNS)
    assert "User 'ann' has train row 2 at 3, after test row 0 at 1" in str(e.value)
    with pytest.raises(ValueError, match=r"Fold 0 has 2 train .* row 4 at 5, test row 3"):
        describe_split([([0, 3, 4], [3])], LOG, **COLUMNS, check="fold")
    with pytest.raises(ValueError, match="Fold 0 has 1 train"):
        describe_split(LeaveLastOut(**COLUMNS), LOG, check="fold")


def test_splitters_that_leak_nothing_pass():
    describe_split(LeaveLastOut(**COLUMNS), LOG)
    describe_split(TimeSplit(2, 1, **COLUMNS), LOG, check="fold")
    describe_split(UserTimeSplit(2, 3, **COLUMNS), LOG, check="fold")
    describe_split(TimeSeriesSplit(2), LOG, **COLUMNS, check="fold")


def test_the_share_of_cold_rows_is_not_that_of_cold_users():
    # Two of three test users are new, and have five of the six test rows.
    users = ["ann", "ann", "bob", "bob", "bob", "cy", "cy"]
    table = describe_split(
        [([0], [1, 2, 3, 4, 5, 6])], None, users=users, items=users, check=None
    )
    assert table["cold_users"] == table["cold_items"] == [2 / 3]
    assert table["cold_user_rows"] == table["cold_item_rows"] == [5 / 6]
    lines = [line.split() for line in str(table).splitlines()]
    assert ["cold_users", "66.7%"] in lines
    assert ["cold_user_rows", "83.3%"] in lines


def test_float_times_are_no_percentages():
    times = [1.7e9, 1.7e9 + 2.5]
    table = describe_split(TimeSplit(test_size=1.5), None, times=times, check="fold")
    assert "%" not in str(table)
    assert ["train_end", "1700000000"] in [x.split() for x in str(table).splitlines()]
    assert ["test_end", "1700000002.5"] in [x.split() for x in str(table).splitlines()]


@pytest.mark.parametrize("cv", ["x", KFold, object(), 2.5, True, 0])
def test_what_is_no_splitter_is_named(cv):
    with pytest.raises((TypeError, ValueError), match=r"`cv` must be a splitter|n_splits"):
        describe_split(cv, LOG, check=None)


@pytest.mark.parametrize(
    ("cv", "message"),
    [
        ([], "`cv` has no folds"),
        ([([0], [1], [2])], "Fold 0 of `cv` must be a pair"),
        ([([0], [1]), None], "Fold 1 of `cv` must be a pair .* got None"),
        ([(0, 1)], r"Fold 0 of `cv` must have train rows .* shape \(\)"),
        ([([0], [0.5])], "must have test rows .* dtype float64"),
        ([([0], [10**400])], "must have test rows .* dtype object"),
        ([([True] * 3, [1])], "as a mask of 5 values, got dtype bool"),
        ([([0], [5])], r"Fold 0 of `cv` has test row 5, but X has 5 row"),
        ([([-6], [0])], "has train row -6"),
    ],
)
def test_folds_that_are_none_are_named(cv, message):
    with pytest.raises((TypeError, ValueError), match=message):
        describe_split(cv, LOG, **COLUMNS, check=None)


def test_rows_counted_from_the_end_are_rows():
    table = describe_split([([0], [-1])], LOG, **COLUMNS)
    assert table == describe_split([([0], [4])], LOG, **COLUMNS)


def test_a_split_needs_rows():
    with pytest.raises(ValueError, match="X is None, and there are no users"):
        describe_split(KFold(2), None, check=None)
    with pytest.raises(TypeError, match="`X` must be a list, an array or a frame"):
        describe_split(KFold(2), "x", check=None)


def test_what_is_not_known_is_left_out():
    table = describe_split(UserKFold(2, user=0), LOG, check=None)
    assert "cold_users" in table
    assert not {"cold_items", "repeated_pairs", "test_end"} & set(table)
    with pytest.raises(ValueError, match="needs the times"):
        describe_split(UserKFold(2, user=0), LOG)


def test_empty_folds_and_wrong_checks_are_refused():
    with pytest.raises(ValueError, match=r"Fold 0 .* needs rows to train and to test on"):
        describe_split([([0, 1], [])], LOG, **COLUMNS)
    with pytest.raises(ValueError, match="check"):
        describe_split(LeaveLastOut(**COLUMNS), LOG, check="users")


def test_frame_has_a_row_a_fold():
    pd = pytest.importorskip("pandas")
    times = pd.to_datetime(["2024-01-01", "2024-01-02", "2024-01-03"]).tz_localize("UTC")
    table = describe_split(TimeSplit(time=0), pd.DataFrame({"t": times}), check="fold")
    frame = table.to_frame()
    assert frame["train"].tolist() == [2]
    assert frame["test_start"].tolist() == [pd.Timestamp("2024-01-03")]
    assert "2024-01-03" in str(table)


def test_rows_counted_from_the_end():
    n_rows = len(LOG)
    folds = [([-n_rows, 1], [-1])]
    given = describe_split(folds, LOG, check=None)
    expected = describe_split([([0, 1], [n_rows - 1])], LOG, check=None)
    assert given.to_frame().equals(expected.to_frame())
