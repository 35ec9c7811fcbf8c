"""Results that several fits share: what is one result, what stays, and for how long."""

from threading import Event, Thread

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from sklearn_rank._base._shared_work import (
    SharedWork,
    first_that_works,
    is_learned_once,
    room_for_shared,
    shared,
    sharing,
    values_of,
)
from sklearn_rank.recommenders import ItemNeighborsRecommender, PopularityRecommender


class Maker:
    """Counts its calls; returns a new array of some bytes."""

    def __init__(self, n_bytes=8):
        self.n_bytes, self.n_calls = n_bytes, 0

    def __call__(self):
        self.n_calls += 1
        return np.zeros(self.n_bytes, dtype=np.int8)


def test_outside_of_sharing_each_call_makes_a_result_of_its_own():
    make = Maker()
    assert shared("a", (1,), make) is not shared("a", (1,), make)
    with sharing(SharedWork(100)), sharing(None):
        assert shared("a", (1,), make).flags.writeable
    assert make.n_calls == 3
    assert room_for_shared() == 0


def test_the_same_inputs_have_one_result():
    make, X = Maker(), np.arange(3)
    with sharing(SharedWork(100)):
        first = shared("a", (X, 1, "x", None), make)
        assert shared("a", (X, 1, "x", None), make) is first
        assert room_for_shared() == 100
    assert make.n_calls == 1


def test_plain_inputs_differ_by_type_and_value_and_others_by_identity():
    make, X = Maker(), np.arange(3)
    inputs = [1, 1.0, True, np.float64(1), "1", b"1", 2, None, X, X.copy()]
    with sharing(SharedWork(1000)):
        for value in inputs:
            shared("a", (value,), make)
        shared("b", (1,), make)
    assert make.n_calls == len(inputs) + 1


def test_inputs_stay_alive_so_that_no_identity_is_used_twice():
    work, make = SharedWork(2**20), Maker()
    for _ in range(50):
        work.get("a", (np.arange(3),), make)
    assert make.n_calls == 50


def test_results_are_read_only_and_inputs_are_not():
    X, matrix = np.arange(3), sparse.csr_array(np.eye(2))

    class Holder:
        def __init__(self):
            self.values = np.arange(4)

    held, made = SharedWork(1000).get("a", (X,), lambda: ({"a": Holder()}, (matrix, X + 1)))
    for array in (held["a"].values, made[0].data, made[0].indices, made[1]):
        assert not array.flags.writeable
    assert X.flags.writeable


def test_an_error_is_not_kept():
    def fail():
        raise ValueError("no")

    work, make = SharedWork(100), Maker()
    with pytest.raises(ValueError, match="no"):
        work.get("a", (1,), fail)
    assert work.get("a", (1,), make) is work.get("a", (1,), make)


@pytest.mark.parametrize("raises", [False, True])
def test_the_second_of_two_threads_waits_and_calls_again_after_an_error(raises):
    work, begins, goes_on, later = SharedWork(100), Event(), Event(), Maker()
    found = []

    def slow():
        begins.set()
        assert goes_on.wait(60)
        if raises:
            raise ValueError("no")
        return np.ones(1)

    def run(make):
        try:
            found.append(work.get("a", (1,), make))
        except ValueError as error:
            found.append(error)

    first, second = Thread(target=run, args=(slow,)), Thread(target=run, args=(later,))
    first.start()
    assert begins.wait(60)
    second.start()
    second.join(0.05)
    assert second.is_alive()
    assert later.n_calls == 0
    goes_on.set()
    first.join(60)
    second.join(60)
    assert later.n_calls == raises
    assert (found[0] is found[1]) is not raises


def test_the_least_recently_used_results_go_first():
    work, make = SharedWork(25), Maker(10)
    work.get("a", (1,), make)
    work.get("a", (2,), make)
    work.get("a", (1,), make)
    work.get("a", (3,), make)  # 2 goes
    assert make.n_calls == 3
    work.get("a", (1,), make)
    work.get("a", (3,), make)
    assert make.n_calls == 3
    work.get("a", (2,), make)
    assert make.n_calls == 4


def test_a_result_that_does_not_fit_is_not_kept_and_drops_no_other():
    work, small, large = SharedWork(25), Maker(10), Maker(30)
    work.get("a", (1,), small)
    work.get("b", (1,), large)
    work.get("b", (1,), large)
    work.get("a", (1,), small)
    assert (small.n_calls, large.n_calls) == (1, 2)
    nothing = SharedWork(0)
    nothing.get("a", (1,), small)
    nothing.get("a", (1,), small)
    assert small.n_calls == 3


def test_an_array_counts_once_and_inputs_that_are_no_results_count():
    one = np.zeros(100, dtype=np.int8)
    work, make = SharedWork(150), Maker(10)
    for value in range(5):
        work.get("a", (value,), lambda: (one, one[:50]))
    work.get("b", (one,), make)
    work.get("a", (0,), make)  # nothing went
    assert make.n_calls == 1
    work.get("c", (np.zeros(100, dtype=np.int8),), make)  # with its input it goes beyond
    work.get("b", (one,), make)
    assert make.n_calls == 3


@pytest.mark.parametrize(
    "frame",
    [pd.DataFrame({"a": np.zeros(100)}), pl.DataFrame({"a": np.zeros(100)}), [0.0] * 100],
    ids=["pandas", "polars", "list"],
)
def test_frames_and_lists_count_as_inputs(frame):
    make = Maker(1)
    work = SharedWork(700)
    work.get("a", (frame,), make)
    work.get("a", (frame,), make)
    assert make.n_calls == 2
    work = SharedWork(2000)
    work.get("a", (frame,), make)
    work.get("a", (frame,), make)
    assert make.n_calls == 3


def check(value):
    if not isinstance(value, int):
        raise TypeError("not an integer")
    if value < 1:
        raise ValueError("not positive")
    return value


def candidate(kind=ItemNeighborsRecommender, **params):
    return kind, kind(**params).get_params(deep=False)


def test_values_of_are_those_of_candidates_that_differ_in_them_alone():
    own = ItemNeighborsRecommender(5, similarity="tfidf")
    same = {"similarity": "tfidf"}
    candidates = [
        candidate(n_neighbors=3, **same),
        candidate(n_neighbors=9, recency=2, exclude_seen=False, **same),
        candidate(n_neighbors=9, **same),
        candidate(n_neighbors=0, **same),
        candidate(n_neighbors="x", **same),
        candidate(n_neighbors=11, weighting="log", **same),
        candidate(n_neighbors=12),
        candidate(PopularityRecommender),
        (ItemNeighborsRecommender, {"n_neighbors": 13}),
    ]
    assert values_of(own, "n_neighbors", check) == [5]
    with sharing(SharedWork(0, candidates)):
        assert values_of(own, "n_neighbors", check) == [5, 3, 9]


def test_the_value_asked_for_is_tried_where_more_raises():
    def compute(value):
        if value > 2:
            raise ValueError(value)
        return value

    assert first_that_works((2, 1), compute) == 2
    assert first_that_works((3, 1), compute) == 1
    with pytest.raises(ValueError, match="4"):
        first_that_works((3, 4), compute)


def test_results_with_some_names_are_forgotten():
    work, make = SharedWork(25), Maker(10)
    for name in "abc":
        work.get(name, (1,), make)
    work.forget("bd")
    for name in "cba":  # a went when c came
        work.get(name, (1,), make)
    assert make.n_calls == 5
    assert work._n_bytes == 20


def test_a_model_that_one_candidate_learns():
    def described(**params):
        model = ItemNeighborsRecommender(**params)
        return type(model), model.get_params(deep=False)

    work = SharedWork(100, [described(), described(recency=2.0), described(n_neighbors=7)])
    assert not is_learned_once(ItemNeighborsRecommender(n_neighbors=7))
    with sharing(work):
        assert is_learned_once(ItemNeighborsRecommender(n_neighbors=7))
        assert not is_learned_once(ItemNeighborsRecommender())
        assert not is_learned_once(ItemNeighborsRecommender(n_neighbors=8))
