"""The same search in threads, in processes and on a Dask cluster, to the last digit."""

import os

import joblib
import numpy as np
import pytest
from sklearn import config_context
from sklearn.decomposition import TruncatedSVD
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold

from sklearn_rank.datasets import make_interactions, make_ranking
from sklearn_rank.metrics import make_ranking_scorer, make_recommender_scorer
from sklearn_rank.model_selection import TimeSplit, cross_validate_per_query
from sklearn_rank.rankers import GroupRanker
from sklearn_rank.recommenders import MatrixFactorizationRecommender


def tune_ranker():
    X, y, groups = make_ranking(n_queries=30, shuffle=True, random_state=0)
    with config_context(enable_metadata_routing=True):
        return GridSearchCV(
            GroupRanker(Ridge()),
            {"estimator__alpha": [0.1, 10.0, 1000.0]},
            scoring=make_ranking_scorer(["ndcg@10", "mrr"], replace_undefined_by=0.0),
            refit="ndcg@10",
            cv=GroupKFold(3),
            error_score="raise",
        ).fit(X, y, groups=groups)


def tune_recommender():
    log = make_interactions(120, 90, 2000, random_state=0, as_frame=True)
    factors = TruncatedSVD(random_state=0)
    return GridSearchCV(
        MatrixFactorizationRecommender(factors, user="user", item="item"),
        {"estimator__n_components": [2, 8], "weighting": ["sum", "log"]},
        scoring=make_recommender_scorer("ndcg@10", user="user", item="item"),
        cv=TimeSplit(2, time="time"),
        error_score="raise",
    ).fit(log)


def tuned_scores(search):
    """Return all that a search found but the times."""
    return {
        name: values
        for name, values in search.cv_results_.items()
        if name.startswith(("split", "mean_test", "std_test", "rank_test"))
    } | {"best": search.best_index_}


def values_per_query():
    X, y, groups = make_ranking(n_queries=30, shuffle=True, random_state=0)
    found = cross_validate_per_query(Ridge(), X, y, groups=groups, cv=GroupKFold(3))
    return {"groups": found.groups, "fold": found.fold, **found.scores}


JOBS = {
    "ranker": lambda: tuned_scores(tune_ranker()),
    "recommender": lambda: tuned_scores(tune_recommender()),
    "values per query": values_per_query,
}


@pytest.fixture(scope="module")
def dask_client():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            host="127.0.0.1",
            dashboard_address="127.0.0.1:0",  # None is a port, which may be in use
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


@pytest.fixture(params=["loky", "threading", pytest.param("dask", marks=pytest.mark.slow)])
def backend(request):
    """Run what joblib runs in the test by one of its backends."""
    if request.param == "dask":
        client = request.getfixturevalue("dask_client")
        # Asked of the scheduler: what the client remembers of it may be behind.
        client.wait_for_workers(2, timeout=60)
        assert len(client.nthreads()) == 2
    with joblib.parallel_config(request.param, n_jobs=2):
        yield request.param


@pytest.mark.parametrize("job", JOBS)
def test_every_backend_finds_the_same(job, backend):
    with joblib.parallel_config("sequential"):
        expected = JOBS[job]()
    found = JOBS[job]()
    assert set(found) == set(expected)
    assert all(not np.isnan(values).any() for values in expected.values())
    for name in expected:
        np.testing.assert_array_equal(found[name], expected[name])


def test_the_backends_are_the_ones_they_are_said_to_be(backend):
    here = os.getpid()
    processes = joblib.Parallel()(joblib.delayed(os.getpid)() for _ in range(8))
    assert (here in processes) == (backend == "threading")
