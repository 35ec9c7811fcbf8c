"""SLIMRecommender against one elastic net for each item, and its conditions by hand."""

import warnings

import numpy as np
import pytest
from joblib import parallel_config
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import ElasticNet
from sklearn.metrics.pairwise import cosine_similarity
from sklearn.utils.parallel import Parallel

from sklearn_rank.datasets import make_interactions
from sklearn_rank.recommenders import EASERecommender, SLIMRecommender
from sklearn_rank.recommenders import _slim as nets_module


def as_log(weights):
    users, items = np.indices(weights.shape)
    return np.column_stack([users.ravel(), items.ravel()]), weights.ravel()


@pytest.fixture
def weights():
    rng = np.random.default_rng(0)
    tastes = rng.dirichlet(np.full(3, 0.2), 60) @ rng.dirichlet(np.full(9, 0.3), 3)
    weights = rng.poisson(4 * tastes)
    weights[0] += 1  # every item has a user
    return weights


@pytest.mark.parametrize(("alpha", "l1_ratio"), [(0.02, 0.1), (0.1, 0.5), (0.05, 1.0)])
def test_weights_are_elastic_nets_on_the_other_items(weights, alpha, l1_ratio):
    model = SLIMRecommender(alpha, l1_ratio, tol=1e-12, max_iter=10**5, weighting="sum")
    found = model.fit(*as_log(weights)).item_weights_.toarray()
    expected = np.zeros((9, 9))
    for item in range(9):
        others = np.delete(np.arange(9), item)
        net = ElasticNet(
            alpha,
            l1_ratio=l1_ratio,
            positive=True,
            fit_intercept=False,
            tol=1e-12,
            max_iter=10**5,
        )
        expected[others, item] = net.fit(weights[:, others], weights[:, item]).coef_
    assert_allclose(found, expected, atol=1e-8)
    assert np.count_nonzero(found) > 9
    X, _ = as_log(weights)
    assert_allclose(model.predict(X), (weights @ found).ravel())


def test_the_gradient_vanishes_where_there_is_a_weight(weights):
    """The conditions of Karush, Kuhn and Tucker."""
    alpha, l1_ratio, n_users = 0.05, 0.2, len(weights)
    model = SLIMRecommender(alpha, l1_ratio, tol=1e-12, max_iter=10**5, weighting="sum")
    found = model.fit(*as_log(weights)).item_weights_.toarray()
    gradient = weights.T @ (weights @ found - weights) / n_users
    gradient += alpha * l1_ratio + alpha * (1 - l1_ratio) * found
    off_diagonal = ~np.eye(9, dtype=bool)
    assert_allclose(gradient[(found > 0) & off_diagonal], 0, atol=1e-8)
    assert (gradient[(found == 0) & off_diagonal] > -1e-8).all()
    assert (found >= 0).all()


def test_only_the_nearest_items_have_weights(weights):
    model = SLIMRecommender(
        0.01, 0.01, n_neighbors=3, tol=1e-12, max_iter=10**5, weighting="sum"
    )
    found = model.fit(*as_log(weights)).item_weights_.toarray()
    cosines = cosine_similarity(weights.T)
    np.fill_diagonal(cosines, -1)
    for item in range(9):
        near = np.argsort(-cosines[item])[:3]
        net = ElasticNet(
            0.01,
            l1_ratio=0.01,
            positive=True,
            fit_intercept=False,
            tol=1e-12,
            max_iter=10**5,
        )
        net.fit(weights[:, near], weights[:, item])
        assert_allclose(found[near, item], net.coef_, atol=1e-8)
        assert set(np.flatnonzero(found[:, item])) <= set(near)


def test_a_lone_pair_by_hand():
    # Two of four users have tea and milk: w minimizes (2 (1 - w)² + 0.4 w + 0.4 w²) / 8,
    # so w = (2 - 0.2) / (2 + 0.2) with l1 = 0.05 and l2 = 0.05.
    X = [("ann", "tea"), ("ann", "milk"), ("bob", "tea"), ("bob", "milk")]
    X += [("eve", "cake"), ("kim", "jam")]
    model = SLIMRecommender(0.1, 0.5, tol=1e-12).fit(X)
    weights = model.item_weights_.toarray()  # cake, jam, milk, tea
    assert_allclose(weights[2:, 2:], [[0, 1.8 / 2.2], [1.8 / 2.2, 0]], rtol=1e-6)
    assert model.item_weights_.nnz == 2


def test_with_hardly_a_penalty_on_their_sum_weights_are_those_of_ease(weights):
    # Where these are positive; EASE divides by nothing.
    users = np.repeat(weights[:, :2] + 1, 2, axis=0)
    ease = EASERecommender(0.01 * len(users)).fit(*as_log(users)).item_weights_
    slim = SLIMRecommender(0.01, 1e-4, tol=1e-9).fit(*as_log(users)).item_weights_
    assert (ease[[0, 1], [1, 0]] > 0).all()
    assert_allclose(slim.toarray(), ease, rtol=1e-4)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_parts_and_processes_change_nothing(monkeypatch, weights, n_jobs):
    whole = SLIMRecommender(weighting="sum").fit(*as_log(weights)).item_weights_
    monkeypatch.setattr(nets_module, "_MANY_ITEMS", 2)
    monkeypatch.setattr(nets_module, "_ITEMS_PER_JOB", 2)
    monkeypatch.setattr(nets_module, "CHUNK_PRODUCTS", 10)
    parts = (
        SLIMRecommender(n_jobs=n_jobs, weighting="sum").fit(*as_log(weights)).item_weights_
    )
    assert (whole != parts).nnz == 0
    assert whole.nnz > 0


def test_processes_start_for_many_items_alone(monkeypatch, weights):
    n_started = []

    def started(n_jobs):
        n_started.append(n_jobs)
        return Parallel(n_jobs=1)

    monkeypatch.setattr(nets_module, "Parallel", started)
    SLIMRecommender(n_jobs=2).fit(*as_log(weights))
    assert n_started == []
    monkeypatch.setattr(nets_module, "_MANY_ITEMS", 9)
    monkeypatch.setattr(nets_module, "_ITEMS_PER_JOB", 4)
    SLIMRecommender(n_jobs=1).fit(*as_log(weights))
    assert n_started == []
    SLIMRecommender(n_jobs=2).fit(*as_log(weights))
    assert n_started == [2]


def test_products_are_there_once_in_the_row_of_the_item_with_fewer_users(weights):
    items = sparse.csr_array(weights.T.astype(float))
    near = np.ones((9, 9)) - np.eye(9)
    found = nets_module.needed_gram(items, sparse.csr_array(near)).toarray()
    products = (weights.T @ weights).astype(float)
    n_users = np.count_nonzero(weights, axis=0)
    for one in range(9):
        for other in range(9):
            is_there = (n_users[one], one) <= (n_users[other], other)
            assert found[one, other] == (products[one, other] if is_there else 0)


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_items_that_have_not_converged_are_counted_once(monkeypatch, weights, n_jobs):
    monkeypatch.setattr(nets_module, "_MANY_ITEMS", 2)
    monkeypatch.setattr(nets_module, "_ITEMS_PER_JOB", 5)
    model = SLIMRecommender(1e-4, tol=1e-12, max_iter=1, n_jobs=n_jobs)
    with pytest.warns(
        ConvergenceWarning, match=r"of [1-9] of 9 item.* max_iter=1 "
    ) as seen:
        model.fit(*as_log(weights))
    assert len(seen) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SLIMRecommender(weighting="sum").fit(*as_log(weights))


def test_threads_leave_the_filters_of_warnings_alone(monkeypatch):
    monkeypatch.setattr(nets_module, "_MANY_ITEMS", 2)
    monkeypatch.setattr(nets_module, "_ITEMS_PER_JOB", 2)
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 50, 2000), rng.integers(0, 100, 2000)])
    model = SLIMRecommender(1e-4, tol=1e-12, max_iter=1)
    with parallel_config(backend="threading", n_jobs=4):
        for _ in range(10):
            with pytest.warns(ConvergenceWarning, match="of 100 item"):
                model.fit(X)


def test_items_without_neighbors_have_no_weights():
    log = [("ann", "tea"), ("bob", "milk"), ("eve", "cake")]
    model = SLIMRecommender().fit(log, [1, 0, 2])
    assert model.item_weights_.nnz == 0
    assert SLIMRecommender().fit(log[:1]).item_weights_.shape == (1, 1)


def test_weights_whose_products_overflow_are_named():
    log = [("ann", "tea"), ("ann", "milk"), ("bob", "tea")]
    with pytest.raises(ValueError, match=r"weights up to 1e\+100.* weighting='log'"):
        SLIMRecommender(weighting="sum").fit(log, [1e200, 1, 1])
    SLIMRecommender(weighting="log").fit(log, [1e200, 1, 1])
    tiny = SLIMRecommender(weighting="sum").fit(log, [1e-200, 1e-200, 1])
    assert np.isfinite(tiny.item_weights_.data).all()


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"alpha": 0}, ValueError, "`alpha` must be a number > 0"),
        ({"l1_ratio": 0}, ValueError, "`l1_ratio` must be a number > 0 and at most 1"),
        ({"l1_ratio": 1.5}, ValueError, "`l1_ratio` must be a number > 0 and at most 1"),
        ({"n_neighbors": 0}, ValueError, "`n_neighbors` must be an integer >= 1"),
        ({"max_iter": 0.5}, TypeError, "`max_iter` must be an integer >= 1"),
        ({"tol": -1}, ValueError, "`tol` must be a number > 0"),
    ],
)
def test_bad_parameters_are_named(parameters, error, message):
    with pytest.raises(error, match=message):
        SLIMRecommender(**parameters).fit([("ann", "tea"), ("bob", "milk")])


def test_weights_do_not_depend_on_whether_all_products_are_kept(monkeypatch):
    X = make_interactions(200, 60, 2_000, random_state=0, as_frame=True)
    usual = SLIMRecommender(0.01, n_neighbors=10).fit(X).item_weights_
    monkeypatch.setattr(nets_module, "_DENSE_BYTES", 0)
    found = SLIMRecommender(0.01, n_neighbors=10).fit(X).item_weights_
    np.testing.assert_array_equal(found.toarray(), usual.toarray())
    assert found.nnz > 0
