"""The record of a log: pairs in order, rows of it, and what its fits keep."""

from threading import Event, Thread

import numpy as np
import pytest
from scipy import sparse

from sklearn_rank._base._labels import encode_labels
from sklearn_rank.datasets import make_interactions
from sklearn_rank.experiments import tune_models
from sklearn_rank.inputs._coded_labels import CodedLabels, PairOrder
from sklearn_rank.inputs._interaction_log import Log
from sklearn_rank.inputs._kept import Kept
from sklearn_rank.recommenders import EASERecommender, PopularityRecommender
from tests.counted_frame import Counted


def coded(values):
    return CodedLabels(*encode_labels(values, name="ids"))


@pytest.fixture
def record():
    rng = np.random.default_rng(0)
    users, items = rng.integers(0, 40, 500), rng.integers(0, 30, 500)
    return Log(500, coded(users), coded(items), y=rng.random(500))


def test_sums_of_pairs_are_those_of_scipy_to_the_last_bit(record):
    values, pairs = np.random.default_rng(1).random(500), record.pairs
    sums = pairs.sums(values)
    codes = record.users.codes, record.items.codes
    table = sparse.coo_array((values, codes), pairs.shape)
    expected = table.tocsr()
    expected.sum_duplicates()
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(sums, part), getattr(expected, part))
    largest = pairs.largest(values)
    rows = zip(record.users.codes, record.items.codes, values, strict=True)
    by_pair = {}
    for user, item, value in rows:
        by_pair[user, item] = max(value, by_pair.get((user, item), 0))
    assert largest.tolist() == [by_pair[pair] for pair in sorted(by_pair)]


def test_pairs_where_some_users_have_no_row():
    pairs = PairOrder.from_codes(np.array([2, 0, 2]), np.array([1, 0, 1]), (4, 2))
    sums = pairs.sums(np.array([1.0, 2.0, 4.0]))
    assert sums.toarray().tolist() == [[2, 0], [0, 0], [0, 5], [0, 0]]


def test_rows_keep_their_codes_and_compact_gives_those_that_occur(record):
    rows = np.flatnonzero(record.users.codes % 3 == 1)
    some = record[rows]
    assert len(some) == len(rows)
    np.testing.assert_array_equal(some.users.codes, record.users.codes[rows])
    np.testing.assert_array_equal(some.y, record.y[rows])
    labels, codes = encode_labels(record.users.values[record.users.codes[rows]], name="ids")
    np.testing.assert_array_equal(some.compact.users.values, labels)
    np.testing.assert_array_equal(some.compact.users.codes, codes)
    assert record.compact is record


def test_one_result_of_each_name_is_kept():
    kept, made = Kept(), []

    def make():
        made.append(len(made))
        return made[-1]

    assert [kept.get("a", key, make) for key in (1, 1, 2, 2, 1)] == [0, 0, 1, 1, 2]
    assert kept.get("b", 1, make) == 3
    assert kept.get("a", 0, make, lambda last, key: last > key) == 2
    kept.forget(but=["b"])
    assert [kept.get(name, 1, make) for name in "ab"] == [4, 3]


def test_an_error_is_not_kept():
    kept = Kept()
    with pytest.raises(ZeroDivisionError):
        kept.get("a", 1, lambda: 1 // 0)
    assert kept.get("a", 1, lambda: 7) == 7


def test_the_second_of_two_threads_waits_for_the_first():
    kept, begins, goes_on, results = Kept(), Event(), Event(), []

    def slow():
        begins.set()
        assert goes_on.wait(60)
        return "slow"

    def run(make):
        results.append(kept.get("a", 1, make))

    threads = [Thread(target=run, args=(make,)) for make in (slow, lambda: "later")]
    threads[0].start()
    assert begins.wait(60)
    threads[1].start()
    goes_on.set()
    for thread in threads:
        thread.join(60)
    assert results == ["slow", "slow"]


@pytest.mark.parametrize(
    ("cv", "n_splits"),
    [("time", 1), ("time", 3), ("last", 1), ("last", 2), ("random", 2), ("user", 3)],
)
def test_a_search_reads_each_column_once(cv, n_splits):
    log = make_interactions(200, 80, 3_900, random_state=0, as_frame=True)
    models = {"popularity": PopularityRecommender(), "ease": EASERecommender()}
    Counted.reads = {}
    options = {"n_splits": n_splits, "models": models, "cv": cv}
    tuned = tune_models(Counted(log), user="user", item="item", time="time", **options)
    reads = dict(Counted.reads)
    assert reads.pop("time", 0) <= 1
    assert reads == {"user": 1, "item": 1}
    plain = tune_models(log, user="user", item="item", time="time", **options)
    assert str(tuned) == str(plain)
