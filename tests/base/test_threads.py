"""Blocks of work in threads: how many, in which order, and where there is one only."""

from threading import Barrier, get_ident

import numpy as np
import pytest
from joblib import Parallel, cpu_count, delayed

from sklearn_rank._base import _threads
from sklearn_rank._base._threads import run_in_threads, threads_for
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    SLIMRecommender,
    UserNeighborsRecommender,
    _list_maker,
    _similarity,
)

MANY = 2**30
OWN, OPENMP = "SKLEARN_RANK_NUM_THREADS", "OMP_NUM_THREADS"


@pytest.fixture
def no_variables(monkeypatch):
    monkeypatch.delenv(OWN, raising=False)
    monkeypatch.delenv(OPENMP, raising=False)


@pytest.fixture
def three(monkeypatch):
    monkeypatch.setenv(OWN, "3")


@pytest.mark.usefixtures("no_variables")
def test_the_own_variable_comes_before_that_of_openmp(monkeypatch):
    assert threads_for(MANY) == min(cpu_count(), 8)
    monkeypatch.setenv(OPENMP, "5,2")
    assert threads_for(MANY) == 5
    monkeypatch.setenv(OWN, " 12 ")
    assert threads_for(MANY) == 12


@pytest.mark.usefixtures("no_variables")
@pytest.mark.parametrize("name", [OWN, OPENMP])
@pytest.mark.parametrize("given", ["0", "-1", "two", "1.5", ","])
def test_a_variable_that_is_no_number_of_threads(monkeypatch, name, given):
    monkeypatch.setenv(name, given)
    with pytest.raises(ValueError, match=f"{name} must be an integer >= 1"):
        threads_for(1)


@pytest.mark.usefixtures("three")
def test_one_thread_for_little_work():
    assert [threads_for(n) for n in (2**22 - 1, 2**22)] == [1, 3]


@pytest.mark.usefixtures("three")
@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_one_thread_in_a_job(backend):
    jobs = [delayed(threads_for)(MANY)] * 2
    assert Parallel(n_jobs=2, backend=backend)(jobs) == [1, 1]
    assert Parallel(n_jobs=1)(jobs) == [3, 3]


@pytest.mark.usefixtures("three")
def test_one_thread_in_a_block():
    assert run_in_threads(threads_for, [MANY, MANY], 2) == [1, 1]
    assert run_in_threads(threads_for, [MANY, MANY], 1) == [3, 3]
    assert threads_for(MANY) == 3


def test_results_in_the_order_of_blocks():
    meeting = Barrier(2, timeout=60)

    def run(block):
        if block < 2:
            meeting.wait()  # both run at the same time
        return block, get_ident()

    found = run_in_threads(run, range(5), 2)
    assert [block for block, _ in found] == list(range(5))
    assert get_ident() not in {thread for _, thread in found}
    assert run_in_threads(lambda block: get_ident(), [0], 2) == [get_ident()]


def test_an_error_of_a_block_is_raised():
    with pytest.raises(ZeroDivisionError):
        run_in_threads(lambda block: 1 / block, [1, 0, 2], 2)


class Doubled(EASERecommender):
    def score_histories(self, histories):
        self.threads_.add(get_ident())
        return 2 * super().score_histories(histories)


MODELS = {
    "cosine": ItemNeighborsRecommender(7),
    "jaccard": ItemNeighborsRecommender(7, similarity="jaccard"),
    "users": UserNeighborsRecommender(7),
    "slim": SLIMRecommender(0.001, n_neighbors=9),
    "ease": EASERecommender(2.0),
}


def some_pairs():
    rng = np.random.default_rng(0)
    return np.column_stack([rng.integers(0, 150, 1500), rng.zipf(1.6, 1500) % 60])


@pytest.fixture
def small_blocks(monkeypatch):
    """Cut even small work into many blocks."""
    monkeypatch.setattr(_threads, "_MANY_PRODUCTS", 0)
    monkeypatch.setattr(_similarity, "_NEIGHBOR_PRODUCTS", 300)
    monkeypatch.setattr(_list_maker, "rows_per_chunk", lambda bytes_a_row: 4)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("name", MODELS)
def test_results_do_not_depend_on_threads(monkeypatch, name):
    seen = set()

    def results(n_threads):
        monkeypatch.setenv(OWN, str(n_threads))
        seen.clear()
        model = MODELS[name].fit(some_pairs())
        lists = model.recommend(model.users_, 5, return_scores=True)
        parts = "data", "indices", "indptr"
        matrix = getattr(model, "similarity_", model.interactions_)
        learned = [getattr(matrix, part) for part in parts]
        return [one.tolist() for one in (*learned, *lists)]

    run = _list_maker.run_in_threads
    monkeypatch.setattr(
        _list_maker,
        "run_in_threads",
        lambda function, blocks, n: seen.add(n) or run(function, blocks, n),
    )
    alone = results(1)
    assert seen == {1}
    assert results(3) == alone
    assert seen == ({1} if name == "users" else {1, 3})


@pytest.mark.usefixtures("small_blocks", "three")
def test_a_subclass_that_scores_otherwise_runs_in_one_thread():
    model = Doubled(2.0).fit(some_pairs())
    model.threads_ = set()
    model.recommend(model.users_, 5)
    assert model.threads_ == {get_ident()}
