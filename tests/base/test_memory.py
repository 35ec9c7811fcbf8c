"""What does not fit is refused before it is allocated."""

import math
import os
import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from sklearn_rank import metrics
from sklearn_rank._base import _machine
from sklearn_rank._base._machine import available_memory, require_memory
from sklearn_rank.datasets import make_interactions, make_ranking
from sklearn_rank.rankers import PairwiseRanker
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    TwoStageRecommender,
)
from sklearn_rank.recommenders import _list_maker as lists
from sklearn_rank.statistics import abstention_threshold, system_confidence_interval


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


@pytest.fixture
def peak():
    """Return the most bytes that Python and NumPy had at once, as a function."""
    tracemalloc.start()
    yield lambda: tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()


FAR = sparse.csr_array((np.ones(4), (range(4), np.arange(4) * 10**9)), shape=(4, 10**12))
GRADES, SCORES = np.eye(4), np.arange(16.0).reshape(4, 4)


def test_a_cutoff_far_beyond_the_lists(peak):
    subtopics = np.ones((4, 2))
    rows = {"y_true": subtopics, "y_score": [4, 3, 2, 1], "groups": ["q"] * 4}
    for alpha in (0, 1e-9, 0.5, 1):
        found = metrics.err_ia_score(**rows, alpha=alpha, k=10**9)
        assert peak() < 2**26
        near = metrics.err_ia_score(**rows, alpha=alpha, k=4)
        if alpha == 0:  # the sum of 1 / rank
            assert found / near == pytest.approx(
                (25 / 12) / (math.log(10**9) + 0.577215665)
            )
        assert 0 < found <= near
    # A million ranks are summed; beyond that is an integral.
    ends = [metrics.err_ia_score(**rows, alpha=1e-7, k=2**20 + more) for more in (0, 1)]
    total = (25 / 12) / np.array(ends)
    assert total[1] - total[0] == pytest.approx(0.9 / 2**20, rel=1e-3)


def test_more_thresholds_or_bins_than_queries(peak):
    y_true = (np.arange(100) < 80)[:, None] * [1, 0]
    y_score = np.c_[100 - np.arange(100), np.zeros(100)]
    few, many = (
        abstention_threshold(y_true, y_score, metric="hit_rate@1", thresholds=n)
        for n in (1000, 10**9)
    )
    assert dict(few) == dict(many)
    assert peak() < 2**26


def test_more_bins_than_users():
    pytest.importorskip("matplotlib")
    found = metrics.per_query_scores(GRADES, SCORES, metrics="mrr")
    by = {label: place for place, label in enumerate(found.groups.tolist())}
    display = metrics.MetricBySegmentDisplay.from_scores(found, by, bins=2**53)
    assert len(display.ax_.get_xticks()) == 4


def test_more_candidates_than_items():
    log = make_interactions(60, 40, 600, random_state=0, as_frame=True)
    lists = [
        TwoStageRecommender(
            [("near", ItemNeighborsRecommender(3)), ("ease", EASERecommender())],
            make_pipeline(StandardScaler(), LogisticRegression()),
            n_candidates=n,
            time="time",
        )
        .fit(log)
        .recommend(log["user"].unique()[:5], k=9)
        for n in (40, 2**53)
    ]
    assert lists[0].tolist() == lists[1].tolist()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: metrics.category_coverage_at_k_score(GRADES, SCORES, categories=FAR),
            "1,000,000,000,000 columns of `categories` needs at least 8 TB",
        ),
        (
            lambda: metrics.novel_share_at_k_score(FAR, FAR, history=FAR),
            "columns of `history` needs at least 8 TB",
        ),
        (
            lambda: metrics.personalization_at_k_score(FAR, FAR),
            "columns of `y_true` needs at least 8 TB",
        ),
        (
            lambda: metrics.expected_exposure_relevance_score(FAR, FAR),
            "columns of `y_true` needs at least 8 TB",
        ),
        (
            lambda: metrics.intra_list_distance_at_k_score(GRADES, SCORES, features=FAR),
            "columns of `features` needs at least 8 TB",
        ),
        (
            lambda: system_confidence_interval(
                GRADES, SCORES, metrics="gini@2", n_resamples=10**13
            ),
            "`n_resamples` = 10,000,000,000,000 of 4 users needs at least 640 TB",
        ),
    ],
)
def test_sizes_of_a_few_rows_that_no_machine_holds(call, said):
    with pytest.raises(ValueError, match=said):
        call()


@pytest.mark.usefixtures("little_memory")
def test_a_sample_of_a_large_catalogue():
    rows = {"y_true": [0, 1], "y_score": [4, 3], "groups": ["q"] * 2, "metrics": "mrr"}
    with pytest.raises(
        ValueError, match="with `n_items` = 1,000,000 needs at least 120 MB"
    ):
        metrics.sampled_per_query_scores(**rows, n_negatives=1, n_items=10**6)
