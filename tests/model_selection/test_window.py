"""The windows of time against loops: every size with every other, in both splitters."""

from itertools import pairwise
from math import ceil, inf

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sklearn_rank.model_selection import TimeSplit, UserTimeSplit
from tests.model_selection.strategies import check_rows, describe, logs

shares = st.sampled_from([0.05, 0.1, 0.2, 0.3, 0.49, 0.7])
durations = st.integers(1, 12)
options = st.fixed_dictionaries(
    {
        "n_splits": st.integers(1, 4),
        "test_size": st.one_of(shares, durations),
        "train_size": st.one_of(st.none(), shares, durations),
        "gap": st.sampled_from([0, 0, 1, 3]),
    }
)


def share_of(share, n_rows):
    return ceil(round(share * n_rows, 9))


def edges_by_loops(times, n_splits, test_size, cutoff):
    """Return where each window begins, and where the last one ends."""
    ordered, is_share = sorted(times), isinstance(test_size, float)
    if cutoff is None and is_share:
        places = [
            len(times) - step * share_of(test_size, len(times))
            for step in range(n_splits, 0, -1)
        ]
        return [ordered[place] if place >= 0 else -inf for place in places] + [inf]
    if cutoff is None:
        return [ordered[-1] + 1 - step * test_size for step in range(n_splits, -1, -1)]
    if is_share:
        later = [time for time in ordered if time >= cutoff]
        places = [step * len(later) // n_splits for step in range(1, n_splits)]
        return [cutoff, *(later[place] for place in places if later), inf]
    return [cutoff + step * test_size for step in range(n_splits + 1)]


def train_by_loops(times, start, gap, train_size):
    earlier = sorted(time for time in times if time < start - gap)
    if isinstance(train_size, float):
        n_train = share_of(train_size, len(times))
        begin = earlier[-n_train] if n_train < len(earlier) else -inf
    else:
        begin = -inf if train_size is None else start - gap - train_size
    return [row for row, time in enumerate(times) if begin <= time < start - gap]


def time_split_by_loops(times, n_splits, test_size, train_size, gap, cutoff=None):
    """Return the folds, None where one of them would lack a part."""
    edges = edges_by_loops(times, n_splits, test_size, cutoff)
    folds = []
    for start, stop in pairwise(edges):
        test = [row for row, time in enumerate(times) if start <= time < stop]
        train = train_by_loops(times, start, gap, train_size)
        folds.append((train, test))
    return folds if all(train and test for train, test in folds) else None


def split_or_none(splitter, **columns):
    try:
        return list(splitter.split(None, **columns))
    except ValueError:
        return None


@given(logs(min_rows=8), options)
def test_time_split_is_what_loops_say(log, params):
    *_, times = log
    folds = split_or_none(TimeSplit(**params), times=times)
    expected = time_split_by_loops(times.tolist(), **params)
    assert (folds is None) == (expected is None)
    if folds is not None:
        check_rows(folds, len(times))
        assert describe(folds) == expected


@given(logs(min_rows=8), options, st.data())
def test_time_split_at_a_cutoff_is_what_loops_say(log, params, data):
    *_, times = log
    if isinstance(params["test_size"], float):
        params = {**params, "test_size": 0.2}  # stands for all that follows
    cutoff = data.draw(st.integers(times.min().item(), times.max().item() + 1))
    folds = split_or_none(TimeSplit(**params, cutoff=cutoff), times=times)
    expected = time_split_by_loops(times.tolist(), **params, cutoff=cutoff)
    assert (folds is None) == (expected is None)
    if folds is not None:
        assert describe(folds) == expected


@given(logs(min_rows=8), options, st.integers(2, 3), st.booleans())
def test_user_time_split_cuts_as_time_split_does(log, params, n_folds, fold_in):
    users, _, times = log
    params = {**params, "n_splits": 1}
    splitter = UserTimeSplit(**{**params, "n_splits": n_folds}, fold_in=fold_in)
    folds = split_or_none(splitter, users=users, times=times)
    expected = time_split_by_loops(times.tolist(), **params)
    if folds is None:
        return  # too few users, or nothing to train on: what it says is tested elsewhere
    ((earlier, later),) = expected
    assert sorted(np.concatenate([test for _, test in folds])) == later
    for train, test in folds:
        tested = set(users[test].tolist())
        assert test.tolist() == [row for row in later if users[row] in tested]
        kept = [row for row in earlier if fold_in or users[row] not in tested]
        assert train.tolist() == kept


def test_a_slide_of_both_sizes_in_shares():
    # 20 rows: tests of 4, trains of 6, a row apart.
    folds = TimeSplit(2, test_size=0.2, train_size=0.3, gap=1).split(
        None, times=np.arange(20)
    )
    assert describe(folds) == [
        (list(range(5, 11)), list(range(12, 16))),
        (list(range(9, 15)), list(range(16, 20))),
    ]
