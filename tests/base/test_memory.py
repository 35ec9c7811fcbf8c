"""What does not fit is refused before it is allocated."""

import os

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from sklearn_rank._base import _machine
from sklearn_rank._base._machine import available_memory, require_memory
from sklearn_rank.datasets import make_interactions, make_ranking
from sklearn_rank.rankers import PairwiseRanker
from sklearn_rank.recommenders import EASERecommender, ItemNeighborsRecommender
from sklearn_rank.recommenders import _list_maker as lists


@pytest.fixture
def little_memory(monkeypatch):
    monkeypatch.setattr(_machine, "available_memory", lambda: 100_000)


def test_a_machine_has_some_memory():
    available = available_memory()
    assert available is None or 2**20 < available < 2**60


def test_a_linux_that_does_not_say_what_is_available(monkeypatch):
    monkeypatch.setattr(_machine.Path, "read_text", lambda *_: "MemTotal:  5 kB\n")
    numbers = {"SC_PHYS_PAGES": 3, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(os, "sysconf", numbers.get, raising=False)
    monkeypatch.setattr(os, "sysconf_names", numbers, raising=False)
    assert available_memory() == 3 * 4096


def test_a_system_other_than_linux(monkeypatch):
    monkeypatch.setattr(_machine, "_free_on_linux", lambda: None)
    monkeypatch.setattr(_machine, "_LIMITS", ())
    numbers = {"SC_PHYS_PAGES": 3, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(os, "sysconf", numbers.get, raising=False)
    monkeypatch.setattr(os, "sysconf_names", numbers, raising=False)
    assert available_memory() == 3 * 4096
    monkeypatch.delattr(os, "sysconf")  # Windows has none
    assert available_memory() is None


def test_without_knowledge_nothing_is_refused(monkeypatch):
    monkeypatch.setattr(_machine, "available_memory", lambda: None)
    require_memory(10**30, "It", "Do without.")


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [
        (100_001, "100 kB"),
        (999_999, "1,000 kB"),
        (2_500_000, "2.5 MB"),
        (48 * 10**10, "480 GB"),
        (10**16, "10,000 TB"),
    ],
)
@pytest.mark.usefixtures("little_memory")
def test_the_error_says_how_much_is_needed(n_bytes, text):
    with pytest.raises(ValueError, match=f"It needs at least {text} of memory, but 100 kB"):
        require_memory(n_bytes, "It", "Do without.")
    require_memory(100_000, "It", "Do without.")


@pytest.fixture
def log():
    rng = np.random.default_rng(0)
    return np.column_stack([rng.integers(0, 50, 900), np.arange(900) % 300])


@pytest.mark.usefixtures("little_memory")
def test_a_matrix_of_all_items_that_does_not_fit(log):
    with pytest.raises(
        ValueError, match=r"300 x 300 items needs at least 1.08 MB"
    ) as error:
        EASERecommender().fit(log)
    assert "100 kB are available" in str(error.value)
    assert "ItemNeighborsRecommender" in str(error.value)
    EASERecommender().fit(log[log[:, 1] < 90])
    with pytest.raises(ValueError, match=r"50 neighbors .* 300 items .*`n_neighbors`"):
        ItemNeighborsRecommender().fit(log)
    ItemNeighborsRecommender(20).fit(log)


@pytest.mark.usefixtures("little_memory")
def test_lists_that_do_not_fit(log, monkeypatch):
    recommender = ItemNeighborsRecommender(5).fit(log)
    recommender.recommend(recommender.users_, 200)  # not worth the question
    monkeypatch.setattr(lists, "_LARGE_BYTES", 0)
    with pytest.raises(ValueError, match=r"200 items to 50 users .* part of the users"):
        recommender.recommend(recommender.users_, 200)
    recommender.recommend(recommender.users_[:5], 200)


@pytest.mark.usefixtures("little_memory")
def test_pairs_that_do_not_fit():
    X, y, groups = make_ranking(1, (120, 120), random_state=0)
    ranker = PairwiseRanker(LogisticRegression(), max_pairs_per_query=None)
    with pytest.raises(ValueError, match=r"Learning from [\d,]+ pairs .* `max_pairs_per_"):
        ranker.fit(np.r_[X, X], np.r_[y, y], groups=np.r_[groups, groups + 1])


def test_data_that_no_machine_holds():
    with pytest.raises(
        ValueError, match=r"10,000,000,000,000 rows.* Lower `n_interactions`"
    ):
        make_interactions(10**12, 10**12, 10**13)
    with pytest.raises(
        ValueError, match=r"1,000,000,000,000 tastes needs at least 24,000 TB"
    ):
        make_interactions(n_tastes=10**12)
    with pytest.raises(ValueError, match=r"1,000,000,000,000 queries .* Lower `n_queries`"):
        make_ranking(10**12)
    with pytest.raises(ValueError, match=r"10,000,000,000,000 or more rows"):
        make_ranking(1, (10**13, 10**13))
