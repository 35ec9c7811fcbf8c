import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.model_selection import GroupKFold

from sklearn_rank.model_selection import Last, Random, UserKFold, UserTimeSplit
from tests.model_selection.strategies import check_rows, describe, logs, rows_by_user

holdouts = st.one_of(
    st.sampled_from([1, 2, 3, 0.2, 0.5]).map(Last), st.sampled_from([1, 2, 0.3]).map(Random)
)


@given(logs(), st.integers(2, 4), st.booleans(), st.integers(0, 9))
def test_without_holdout_the_folds_partition_users_and_rows(log, n_splits, shuffle, seed):
    users, *_ = log
    assume(len(set(users.tolist())) >= n_splits)
    splitter = UserKFold(n_splits, shuffle=shuffle, random_state=seed)
    folds = list(splitter.split(None, users=users))
    check_rows(folds, len(users))
    assert len(folds) == splitter.get_n_splits()
    tested = np.concatenate([test for _, test in folds])
    assert sorted(tested) == list(range(len(users)))
    for train, test in folds:
        assert not set(users[train]) & set(users[test])
        assert len(train) + len(test) == len(users)
    assert describe(folds) == describe(splitter.split(None, users=users))


@given(logs(min_rows=10), st.integers(2, 4), holdouts, st.booleans(), st.booleans())
def test_holdouts_take_rows_of_the_fold_only(log, n_splits, holdout, fold_in, shuffle):
    users, _, times = log
    assume(len(set(users.tolist())) >= n_splits)
    splitter = UserKFold(n_splits, holdout, fold_in, shuffle, random_state=0)
    whole = UserKFold(n_splits, shuffle=shuffle, random_state=0)
    try:
        folds = list(splitter.split(None, users=users, times=times))
    except ValueError as error:
        (message,) = error.args
        folds = None
    if folds is None:
        assert "more rows than" in message
        return
    check_rows(folds, len(users))
    for (train, test), (others, own) in zip(
        folds, whole.split(None, users=users), strict=True
    ):
        assert set(test) < set(own)
        rest = set(own) - set(test)
        assert set(train) == set(others) | (rest if fold_in else set())
        for user, rows in rows_by_user(users, times).items():
            taken = [row for row in rows if row in set(test)]
            assert len(taken) < len(rows)
            if not isinstance(holdout, Random):
                assert taken == rows[len(rows) - len(taken) :], user


def test_folds_are_those_of_group_k_fold_where_no_two_users_have_as_many_rows():
    users = np.random.default_rng(0).permutation(np.repeat(np.arange(12), np.arange(1, 13)))
    ours = UserKFold(4).split(None, users=users)
    theirs = GroupKFold(4).split(users, groups=users)
    assert describe(ours) == describe(theirs)


@given(logs(), st.integers(2, 3), st.randoms(use_true_random=False))
def test_row_order_does_not_change_the_folds_of_users(log, n_splits, random):
    users, *_ = log
    assume(len(set(users.tolist())) >= n_splits)
    shuffled = np.array(random.sample(range(len(users)), len(users)))
    for shuffle in (False, True):
        splitter = UserKFold(n_splits, shuffle=shuffle, random_state=1)
        for (_, test), (_, moved) in zip(
            splitter.split(None, users=users),
            splitter.split(None, users=users[shuffled]),
            strict=True,
        ):
            assert sorted(shuffled[moved]) == test.tolist()


def user_time_split_by_loops(users, times, cutoff, gap, fold_in, fold_of_user):
    folds = []
    for fold in sorted(set(fold_of_user.values())):
        train, test = [], []
        for row, (user, time) in enumerate(zip(users.tolist(), times, strict=True)):
            own = fold_of_user.get(user) == fold
            if own and time >= cutoff:
                test.append(row)
            if time < cutoff - gap and (fold_in or not own):
                train.append(row)
        folds.append((train, test))
    return folds


@given(logs(min_rows=8), st.integers(2, 3), st.booleans(), st.booleans(), st.integers(0, 2))
def test_user_time_split_is_what_loops_say(log, n_splits, fold_in, shuffle, gap):
    users, _, times = log
    cutoff = int(np.median(times))
    assume(times.min() < cutoff - gap)
    later = set(users[times >= cutoff].tolist())
    assume(len(later) >= n_splits)
    splitter = UserTimeSplit(
        n_splits, cutoff, fold_in=fold_in, gap=gap, shuffle=shuffle, random_state=0
    )
    try:
        folds = list(splitter.split(None, users=users, times=times))
    except ValueError as error:
        (message,) = error.args
        folds = None
    if folds is None:
        assert "Nothing is left to train on" in message
        return
    check_rows(folds, len(users))
    assert len(folds) == splitter.get_n_splits()
    fold_of_user = {}
    for fold, (train, test) in enumerate(folds):
        assert times[train].max() < times[test].min() - gap
        for user in set(users[test].tolist()):
            assert fold_of_user.setdefault(user, fold) == fold
    assert set(fold_of_user) == later
    expected = user_time_split_by_loops(users, times, cutoff, gap, fold_in, fold_of_user)
    assert describe(folds) == expected


def test_user_time_split_balances_the_rows_of_the_window():
    # ann has most rows, but only one in the window: with cy she balances bob.
    users = ["ann"] * 9 + ["bob", "bob", "cy", "ann"]
    times = [1] * 9 + [5, 6, 5, 7]
    folds = UserTimeSplit(2, cutoff=5, fold_in=True).split(None, users=users, times=times)
    assert [test.tolist() for _, test in folds] == [[9, 10], [11, 12]]


def test_random_holdouts_follow_random_state():
    users = np.repeat(np.arange(4), 10)
    first, again, other = (
        describe(UserKFold(2, Random(3), random_state=seed).split(None, users=users))
        for seed in (0, 0, 1)
    )
    assert first == again
    assert first != other


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: UserKFold(1), "n_splits"),
        (lambda: UserTimeSplit(1), "n_splits"),
        (lambda: UserKFold(fold_in=True), "fold_in=True.*Last"),
        (lambda: UserKFold(holdout=1), r"Last\(test_size\), Random\(test_size\)"),
        (lambda: Last(0), "`test_size` must be an integer >= 1"),
        (lambda: Last(1.0), "above 0 and below 1"),
        (lambda: Random(1.5), "share above 0 and below 1"),
    ],
)
def test_wrong_options_are_refused_when_made(make, message):
    with pytest.raises((ValueError, TypeError), match=message):
        make()


def test_impossible_requests_say_which_number_to_change():
    users, times = ["a", "a", "b", "b"], [1, 2, 1, 2]
    log = {"users": ["a", "a", "b"], "times": [1, 2, 2]}
    with pytest.raises(ValueError, match=r"`n_splits=5` folds need as many .* found 2"):
        list(UserKFold().split(None, users=users))
    with pytest.raises(ValueError, match=r"holdout=Last\(test_size=2\).*lower"):
        list(UserKFold(2, Last(2)).split(None, users=users, times=times))
    with pytest.raises(ValueError, match=r"`n_splits=3` folds need as many .* found 2"):
        list(UserTimeSplit(3, cutoff=2).split(None, users=users, times=times))
    with pytest.raises(ValueError, match=r"Nothing is left .* `fold_in=True`"):
        list(UserTimeSplit(2, cutoff=2).split(None, **log))
