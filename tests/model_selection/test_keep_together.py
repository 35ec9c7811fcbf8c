"""Whole queries as what is held out, and words where queries are cut."""

import warnings
from inspect import signature

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import Ridge
from sklearn.model_selection import GroupKFold, KFold

from sklearn_rank.model_selection import (
    Last,
    LeaveLastOut,
    LeaveRandomOut,
    Random,
    TimeSplit,
    UserKFold,
    UserTimeSplit,
    cross_validate_per_query,
    describe_split,
    plot_split,
)
from tests.model_selection.strategies import logs

COLUMNS = {"user": 0, "time": 1}
SPLITTERS = [
    TimeSplit(2, 0.2, **COLUMNS),
    TimeSplit(1, 0.3, gap=2, cold_users="drop", **COLUMNS),
    UserTimeSplit(2, test_size=0.4, fold_in=True, **COLUMNS),
    LeaveLastOut(**COLUMNS),
    LeaveLastOut(0.2, n_splits=2, **COLUMNS),
    LeaveRandomOut(random_state=0, n_splits=2, **COLUMNS),
    UserKFold(2, holdout=Last(1), fold_in=True, **COLUMNS),
    UserKFold(2, holdout=Last(0.3), **COLUMNS),
    UserKFold(2, holdout=Random(1), fold_in=True, random_state=0, **COLUMNS),
    UserKFold(2, **COLUMNS),
]


def together(splitter, column=2):
    """Return the splitter with the same parameters that keeps queries whole."""
    params = {name: getattr(splitter, name) for name in signature_of(splitter)}
    return type(splitter)(**{**params, "keep_together": column})


def signature_of(splitter):
    return signature(type(splitter)).parameters


def sessions():
    """Return (user, time, session): sessions of a user follow each other, and overlap
    those of others."""
    rng = np.random.default_rng(0)
    users = np.repeat(np.arange(6), 12)
    session = users * 4 + np.tile(np.repeat(np.arange(4), 3), 6)
    times = np.tile(np.arange(12), 6) * 10 + rng.integers(0, 30, 6).repeat(12)
    order = rng.permutation(len(users))
    return np.column_stack([users, times, session])[order]


def cut(log, train, test):
    return set(log[train, 2].tolist()) & set(log[test, 2].tolist())


@pytest.mark.parametrize("splitter", SPLITTERS, ids=repr)
def test_no_query_is_cut(splitter):
    log = sessions()
    whole = together(splitter)
    folds = list(whole.split(log))
    assert len(folds) == whole.get_n_splits()
    for train, test in folds:
        assert len(train)
        assert len(test)
        assert not cut(log, train, test)
        for query in set(log[test, 2].tolist()):
            assert set(np.flatnonzero(log[:, 2] == query)) <= set(test.tolist())


@pytest.mark.parametrize(
    "splitter", [SPLITTERS[0], SPLITTERS[2], SPLITTERS[3]], ids=["time", "users", "last"]
)
def test_without_it_some_are(splitter):
    log = sessions()
    assert any(cut(log, *fold) for fold in splitter.split(log))


def test_a_query_is_where_it_ends_so_train_knows_no_future():
    log = sessions()
    for train, test in together(SPLITTERS[0]).split(log):
        ends = [log[log[:, 2] == query, 1].max() for query in set(log[test, 2].tolist())]
        assert log[train, 1].max() < min(ends)


def test_by_hand():
    # Session "b" begins before the cutoff and ends after it.
    log = [["ann", 1, "a"], ["ann", 2, "b"], ["bob", 3, "c"], ["ann", 5, "b"]]
    ((train, test),) = TimeSplit(cutoff=4, time=1, keep_together=2).split(log)
    assert (train.tolist(), test.tolist()) == ([0, 2], [1, 3])
    ((train, test),) = LeaveLastOut(user=0, time=1, keep_together=2).split(log)
    assert (train.tolist(), test.tolist()) == ([0, 2], [1, 3])


@settings(deadline=None, max_examples=40)
@given(log=logs(min_rows=8), data=st.data())
def test_queries_of_one_row_change_nothing(log, data):
    users, _, times = log
    splitter = data.draw(st.sampled_from(SPLITTERS[:2] + SPLITTERS[3:5]))
    codes = np.unique(users, return_inverse=True)[1]
    X = np.column_stack([codes, times, np.arange(len(users))])

    def folds(cv):
        try:
            return [(a.tolist(), b.tolist()) for a, b in cv.split(X)]
        except ValueError as error:
            return str(error)

    assert folds(together(splitter)) == folds(splitter)


def test_describe_split_counts_and_refuses_cut_queries():
    log = sessions()
    found = describe_split(SPLITTERS[0], log, query=2)
    folds = list(SPLITTERS[0].split(log))
    assert found["cut_queries"] == [len(cut(log, *fold)) for fold in folds]
    assert max(found["cut_queries"]) > 0
    assert describe_split(together(SPLITTERS[0]), log)["cut_queries"] == [0, 0]
    assert "cut_queries" not in describe_split(SPLITTERS[0], log)
    first = min(fold for fold in (0, 1) if found["cut_queries"][fold])
    with pytest.raises(ValueError, match=rf"Fold {first} cuts \d+ of its \d+ test queries"):
        describe_split(SPLITTERS[0], log, query=2, check="query")
    describe_split(together(SPLITTERS[0]), log, check="query")
    with pytest.raises(ValueError, match=r"cuts .* test queries"):
        describe_split(KFold(3), log, query=2, check="query")
    with pytest.raises(ValueError, match="`check='query'` needs the query of each row"):
        describe_split(KFold(3), log, check="query")


def evaluate(cv, groups=2):
    log = sessions()
    y = (log[:, 1] % 3 == 0) * 1
    return cross_validate_per_query(Ridge(), log, y, metrics="mrr", groups=groups, cv=cv)


def test_values_per_query_come_with_a_warning_where_queries_are_cut():
    for cv in (TimeSplit(2, 0.2, time=1), SPLITTERS[0], SPLITTERS[3]):
        with pytest.warns(UserWarning, match="queries have rows in .*together="):
            evaluate(cv)


@pytest.mark.parametrize(
    ("cv", "groups"),
    [
        (together(SPLITTERS[0]), 2),
        (together(SPLITTERS[3]), 2),
        (SPLITTERS[0], 0),
        (SPLITTERS[3], 0),
        (LeaveLastOut(time=1), sessions()[:, 0]),
        (UserKFold(2, user=2), 2),
        (GroupKFold(2), 2),
    ],
)
def test_no_warning_where_they_are_whole_or_users(cv, groups):
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        evaluate(cv, groups)


def test_a_picture_of_whole_queries():
    pytest.importorskip("matplotlib")
    axes = plot_split(together(TimeSplit(1, 0.3, gap=20, **COLUMNS)), sessions())
    assert len(axes) == 2


class ItemTimeSplit(TimeSplit):
    """Hold out the first half of the items, by label, and all that is late."""

    _uses = ("items", "times")

    def _iter_folds(self, log):
        for train, test in super()._iter_folds(log):
            is_early = log.items.codes < len(log.items.values) / 2
            yield train & ~is_early, test & is_early


def test_a_splitter_of_items_gets_those_of_queries():
    log = [("d", 1, 1), ("d", 2, 1), ("a", 3, 2), ("d", 4, 3), ("a", 5, 4), ("a", 6, 4)]
    cv = ItemTimeSplit(cutoff=5, item=0, time=1, keep_together=2)
    ((train, test),) = cv.split(log)
    assert (train.tolist(), test.tolist()) == ([0, 1, 3], [4, 5])
    with pytest.raises(
        ValueError, match=r"Query 4 .* of several items, .* of one item each"
    ):
        next(cv.split([*log, ("d", 7, 4)]))


def test_frames_and_bad_columns():
    pandas = pytest.importorskip("pandas")
    log = sessions()
    frame = pandas.DataFrame(log, columns=["user", "time", "session"])
    by_name = TimeSplit(time="time", keep_together="session")
    ((train, _),) = by_name.split(frame)
    ((expected, _),) = TimeSplit(time=1, keep_together=2).split(log)
    assert np.array_equal(train, expected)
    with pytest.raises(ValueError, match="`keep_together='query'` is not a column of X"):
        next(TimeSplit(time="time", keep_together="query").split(frame))
    with pytest.raises(ValueError, match="names a column of X, but X is None"):
        next(TimeSplit(keep_together="query").split(None, times=log[:, 1]))
    with pytest.raises(TypeError, match="`keep_together` must be a column of X"):
        TimeSplit(keep_together=log[:, 2])
    mixed = frame.assign(session=1)
    with pytest.raises(ValueError, match=r"Query 1 of `keep_together` has rows of several"):
        next(LeaveLastOut(user="user", time="time", keep_together="session").split(mixed))
