from math import ceil

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sklearn_rank.model_selection import LeaveLastOut, LeaveRandomOut
from tests.model_selection.strategies import check_rows, describe, logs, rows_by_user

amounts = st.one_of(st.integers(1, 4), st.sampled_from([0.1, 0.25, 0.5, 0.9]))


def amount_of(amount, n_rows):
    return amount if isinstance(amount, int) else ceil(amount * n_rows)


def leave_last_out_by_loops(users, times, test_size, n_splits, min_train):
    folds = []
    for back in range(n_splits, 0, -1):
        train, test = [], []
        for rows in rows_by_user(users, times).values():
            held = amount_of(test_size, len(rows))
            start = len(rows) - back * held
            if start < min_train:
                train += rows
            else:
                train += rows[:start]
                test += rows[start : start + held]
        folds.append((sorted(train), sorted(test)))
    return folds


@given(logs(), amounts, st.integers(1, 3), st.integers(1, 3))
def test_leave_last_out_is_what_loops_say(log, test_size, n_splits, min_train):
    users, _, times = log
    expected = leave_last_out_by_loops(users, times, test_size, n_splits, min_train)
    splitter = LeaveLastOut(test_size, n_splits, min_train)
    if all(test for _, test in expected):
        folds = list(splitter.split(None, users=users, times=times))
        check_rows(folds, len(users))
        assert describe(folds) == expected
        assert len(folds) == splitter.get_n_splits()
    else:
        with pytest.raises(ValueError, match="No user has enough rows"):
            list(splitter.split(None, users=users, times=times))


@given(logs(), st.integers(1, 3), st.integers(1, 2))
def test_no_user_is_tested_before_own_train_rows(log, test_size, n_splits):
    users, _, times = log
    assume(max(map(len, rows_by_user(users, times).values())) > test_size * n_splits)
    splitter = LeaveLastOut(test_size, n_splits)
    for train, test in splitter.split(None, users=users, times=times):
        for row in test:
            own = times[train][users[train] == users[row]]
            assert len(own) >= 1
            assert own.max() <= times[row]


@given(logs(), st.randoms(use_true_random=False))
def test_row_order_does_not_matter_without_ties(log, random):
    users, _, _ = log
    times = np.arange(len(users))
    assume(max(map(len, rows_by_user(users, times).values())) > 1)
    shuffled = np.array(random.sample(range(len(users)), len(users)))
    ((_, test),) = LeaveLastOut().split(None, users=users, times=times)
    ((_, moved),) = LeaveLastOut().split(None, users=users[shuffled], times=times[shuffled])
    assert sorted(shuffled[moved]) == test.tolist()


def test_of_equal_times_the_later_row_is_the_newer():
    ((train, test),) = LeaveLastOut().split(None, users=["a"] * 3, times=[5, 7, 7])
    assert (train.tolist(), test.tolist()) == ([0, 1], [2])


@given(logs(), amounts, st.integers(1, 3), st.integers(0, 99))
def test_leave_random_out_takes_as_many_rows_of_each_user(log, test_size, n_splits, seed):
    users, _, times = log
    rows = rows_by_user(users, times)
    held = {user: amount_of(test_size, len(own)) for user, own in rows.items()}
    assume(any(held[user] < len(own) for user, own in rows.items()))
    splitter = LeaveRandomOut(test_size, n_splits, random_state=seed)
    folds = list(splitter.split(None, groups=users))
    check_rows(folds, len(users))
    assert len(folds) == splitter.get_n_splits() == n_splits
    for train, test in folds:
        assert len(train) + len(test) == len(users)
        for user, own in rows.items():
            expected = held[user] if held[user] < len(own) else 0
            assert np.count_nonzero(users[test] == user) == expected
    assert describe(folds) == describe(splitter.split(None, users=users))


def test_leave_random_out_draws_each_row_about_as_often():
    users = np.repeat(["a", "b"], 5)
    splitter = LeaveRandomOut(1, n_splits=1000, random_state=0)
    drawn = np.concatenate([test for _, test in splitter.split(None, users=users)])
    # 200 of 1000 folds are expected; the standard deviation is below 13.
    assert np.abs(np.bincount(drawn) - 200).max() < 65


def test_a_share_is_rounded_up_without_binary_noise():
    users = ["a"] * 100
    ((_, test),) = LeaveLastOut(0.07).split(None, users=users, times=range(100))
    assert len(test) == 7


@pytest.mark.parametrize("value", [0, -1, 1.0, 0.0, 1.5, True, "1", None])
def test_amounts_are_checked_when_made(value):
    with pytest.raises((ValueError, TypeError), match="test_size"):
        LeaveLastOut(value)
    with pytest.raises((ValueError, TypeError), match="test_size"):
        LeaveRandomOut(value)


def test_too_short_histories_say_which_number_to_change():
    with pytest.raises(ValueError, match=r"test_size=3, n_splits=2 and min_.* 2 row"):
        next(LeaveLastOut(3, 2).split(None, users=[1, 1, 2], times=[1, 2, 3]))
    with pytest.raises(ValueError, match=r"test_size=1, .* train on: .* has 1 row"):
        next(LeaveRandomOut().split(None, users=[1, 2, 3]))


@pytest.mark.parametrize(
    ("share", "n_splits", "most"),
    [(0.5, 3, 1), (0.5, 2, 1), (0.3, 4, 3), (np.float32(0.25), 4, 3)],
)
def test_shares_that_take_whole_histories_say_which_number_to_change(share, n_splits, most):
    columns = {"users": np.repeat([1, 2], 100), "times": np.arange(200)}
    advice = f"Lower `n_splits` to {most}, or `test_size` below 1/{n_splits}"
    with pytest.raises(ValueError, match=f"No user has enough rows .* {advice}") as error:
        next(LeaveLastOut(share, n_splits).split(None, **columns))
    assert "column" not in str(error.value)
    assert len(list(LeaveLastOut(share, most).split(None, **columns))) == most
