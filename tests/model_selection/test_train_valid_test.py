import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.model_selection import KFold

from sklearn_rank.model_selection import (
    Last,
    LeaveLastOut,
    LeaveRandomOut,
    TimeSplit,
    UserKFold,
    UserTimeSplit,
    train_valid_test_split,
)
from tests.model_selection.strategies import logs

RULES = [
    {"splitter": LeaveLastOut()},
    {"splitter": LeaveLastOut(), "valid": 0.3, "test": 2},
    {"splitter": LeaveRandomOut(random_state=0), "test": 2},
    {"splitter": TimeSplit()},
    {"splitter": TimeSplit(gap=1), "valid": 0.3, "test": 1},
    {"valid": LeaveLastOut(), "test": TimeSplit(test_size=0.3)},
    {"splitter": UserKFold(2, Last(1), fold_in=True)},
    {"splitter": UserTimeSplit(2, fold_in=True), "valid": 0.4, "test": 0.3},
]


@given(logs(min_rows=20), st.sampled_from(RULES))
def test_parts_are_disjoint_and_test_is_split_off_first(log, rules):
    users, _, times = log
    columns = {"users": users, "times": times}
    try:
        parts = train_valid_test_split(
            np.zeros(len(users)), **rules, **columns, return_indices=True
        )
    except ValueError:
        return  # this log cannot be split that way
    train, valid, test = parts
    together = np.concatenate(parts)
    assert len(set(together.tolist())) == len(together)
    for part in parts:
        assert len(part) > 0
        assert (np.diff(part) > 0).all()
    for splitter in rules.values():
        if isinstance(splitter, TimeSplit):
            assert times[train].max() < times[test].min()
            assert times[valid].max() < times[test].min()


def test_valid_lies_between_train_and_test():
    times = np.random.default_rng(0).permutation(100)
    train, valid, test = train_valid_test_split(
        times, splitter=TimeSplit(), valid=10, test=20, times=times
    )
    assert sorted(train) == list(range(70))
    assert sorted(valid) == list(range(70, 80))
    assert sorted(test) == list(range(80, 100))


def test_the_row_before_the_last_is_the_validation():
    parts = train_valid_test_split(
        list(range(5)), splitter=LeaveLastOut(), users=[1] * 5, times=[5, 4, 3, 2, 1]
    )
    assert parts == [[2, 3, 4], [1], [0]]


def frames():
    pd = pytest.importorskip("pandas")
    pl = pytest.importorskip("polars")
    columns = {"user": [1, 1, 1, 2, 2, 2], "time": [1, 2, 3, 4, 5, 6]}
    return [pd.DataFrame(columns, index=list("abcdef")), pl.DataFrame(columns)]


@pytest.mark.parametrize("place", [0, 1])
def test_parts_of_frames_are_frames(place):
    X = frames()[place]
    splitter = LeaveLastOut(user="user", time="time")
    parts = train_valid_test_split(X, X["time"], splitter=splitter)
    assert all(type(part) is type(X) for part in parts[:3])
    assert all(type(part) is type(X["time"]) for part in parts[3:])
    assert [list(part) for part in parts[3:]] == [[1, 4], [2, 5], [3, 6]]
    assert [list(part["time"]) for part in parts[:3]] == [[1, 4], [2, 5], [3, 6]]


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
def test_parts_of_sparse_are_sparse(kind):
    X = kind(np.array([[1, 1], [1, 2], [1, 3]]))
    train, valid, test = train_valid_test_split(X, splitter=LeaveLastOut(user=0, time=1))
    assert sparse.issparse(train)
    parts = (train, valid, test)
    assert [part.toarray().tolist() for part in parts] == [[[1, 1]], [[1, 2]], [[1, 3]]]


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("y", range(5), r"`y` has 5 values, but X has 6 rows"),
        ("y", np.array(5), r"`y` must be a list, an array or a frame .* got array\(5\)"),
        ("y", "abcdef", "`y` must be a list"),
        ("users", range(7), r"`users` has 7 values, but X has 6 rows"),
        ("times", range(7), r"`times` has 7 values, but X has 6 rows"),
        ("groups", 3, "`groups` must be a list"),
        ("X", None, "`X` must be a list"),
        ("X", np.array(6), "`X` must be a list"),
    ],
)
def test_lengths_that_differ_are_named(name, values, message):
    given = {"X": np.zeros((6, 1)), "users": [1] * 6, name: values}
    with pytest.raises((ValueError, TypeError), match=message):
        train_valid_test_split(**given, splitter=LeaveRandomOut())


def test_a_validation_that_cannot_be_is_told_from_the_test():
    log = {"users": [1, 1, 2, 2], "times": range(4)}
    with pytest.raises(ValueError, match=r"No validation part in the 2 row.* test_size=1"):
        train_valid_test_split(np.zeros(4), splitter=LeaveLastOut(), **log)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({}, "`test` needs a rule"),
        ({"valid": 0.2, "test": LeaveLastOut()}, "`valid` needs a rule"),
        ({"splitter": KFold()}, "a splitter of sklearn_rank.model_selection.* got KFold"),
        ({"splitter": UserKFold(), "test": 2}, "UserKFold has no size"),
        ({"splitter": TimeSplit(), "valid": 0}, "test_size"),
        ({"splitter": TimeSplit(), "test": KFold()}, "`test` needs a rule.* got KFold"),
    ],
)
def test_wrong_rules_are_named(rules, message):
    with pytest.raises((TypeError, ValueError), match=message):
        train_valid_test_split(np.zeros(9), users=[1] * 9, times=range(9), **rules)
