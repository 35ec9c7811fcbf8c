"""MatrixFactorizationRecommender against what the decomposition itself returns."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.decomposition import (
    NMF,
    PCA,
    FactorAnalysis,
    LatentDirichletAllocation,
    MiniBatchNMF,
    TruncatedSVD,
)
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV

from sklearn_rank.recommenders import MatrixFactorizationRecommender


@pytest.fixture
def log():
    rng = np.random.default_rng(0)
    return np.column_stack([rng.integers(0, 30, 300), rng.integers(0, 12, 300)])


def all_pairs(recommender):
    users, items = np.meshgrid(recommender.users_, recommender.items_, indexing="ij")
    return np.column_stack([users.ravel(), items.ravel()])


@pytest.mark.parametrize(
    "estimator",
    [
        TruncatedSVD(4, random_state=0),
        NMF(3, random_state=0, max_iter=2000),
        MiniBatchNMF(3, random_state=0, tol=0.1, max_no_improvement=2),
        PCA(4, svd_solver="arpack", whiten=True, random_state=0),
    ],
    ids=repr,
)
def test_scores_are_the_reconstruction(estimator, log):
    recommender = MatrixFactorizationRecommender(estimator).fit(log)
    factors = recommender.user_factors_
    expected = recommender.estimator_.inverse_transform(factors)
    assert_allclose(recommender.score_users(np.arange(30)), expected, atol=1e-10)
    assert_allclose(
        recommender.predict(all_pairs(recommender)), expected.ravel(), atol=1e-10
    )
    assert not hasattr(estimator, "components_"), "the estimator itself is not fitted"


class SinglePrecision(TruncatedSVD):
    """Factors in float32."""

    def fit_transform(self, X, y=None):
        factors = super().fit_transform(X).astype(np.float32)
        self.components_ = self.components_.astype(np.float32)
        return factors


def test_factors_in_single_precision_give_many_users_the_same_as_one():
    rng = np.random.default_rng(0)
    log = np.column_stack([rng.integers(0, 200, 3000), rng.integers(0, 80, 3000)])
    estimator = SinglePrecision(8, random_state=0)
    recommender = MatrixFactorizationRecommender(estimator).fit(log)
    assert recommender.user_factors_.dtype == np.float32
    together = recommender.recommend(recommender.users_, 10)
    alone = [recommender.recommend([user], 10)[0] for user in recommender.users_]
    assert_array_equal(together, alone)


def test_a_decomposition_without_way_back_scores_by_its_components(log):
    lda = LatentDirichletAllocation(3, random_state=0)
    recommender = MatrixFactorizationRecommender(lda).fit(log)
    expected = recommender.user_factors_ @ recommender.estimator_.components_
    assert_allclose(recommender.score_users(np.arange(30)), expected)


def test_all_components_reconstruct_the_data(log):
    recommender = MatrixFactorizationRecommender().fit(log)
    weights = recommender.interactions_.toarray()
    assert_allclose(recommender.score_users(np.arange(30)), weights, atol=1e-8)


def test_folding_in_the_training_row_of_a_user_gives_the_scores_of_that_user(log):
    recommender = MatrixFactorizationRecommender(TruncatedSVD(4, random_state=0)).fit(log)
    rows = recommender.interactions_
    lists = [
        dict(zip(recommender.items_[row.indices], row.data, strict=True))
        for row in (rows[[user]] for user in range(30))
    ]
    folded = recommender.recommend_for_items(lists, 5, return_scores=True)
    known = recommender.recommend(recommender.users_, 5, return_scores=True)
    finite = np.isfinite(known[1])
    assert_allclose(folded[1][finite], known[1][finite], atol=1e-8)


def test_parameters_of_the_decomposition_are_tunable(log):
    search = GridSearchCV(
        MatrixFactorizationRecommender(TruncatedSVD(random_state=0)),
        {"estimator__n_components": [1, 2], "weighting": ["sum", "binary"]},
        scoring="neg_mean_squared_error",
        cv=2,
        error_score="raise",
    ).fit(log, np.ones(len(log)))
    n_components = search.best_params_["estimator__n_components"]
    assert search.best_estimator_.user_factors_.shape == (30, n_components)


def test_a_catalog_of_one_item_cannot_be_factorised():
    with pytest.raises(ValueError, match="at least 2 items, got 1"):
        MatrixFactorizationRecommender().fit([("ann", "tea"), ("bob", "tea")])


class Overflowing(TruncatedSVD):
    def fit_transform(self, X, y=None):
        return super().fit_transform(X) * np.inf


@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
def test_factors_that_overflow_are_named(log):
    recommender = MatrixFactorizationRecommender(Overflowing(2), weighting="sum")
    with pytest.raises(
        ValueError, match=r"Overflowing found factors .* not finite.* 1e\+20"
    ):
        recommender.fit(log, np.r_[1e20, np.ones(len(log) - 1)])


@pytest.mark.parametrize(
    ("log", "weights"),
    [
        ([["ann", "tea"], ["ann", "milk"], ["ann", "cake"]], [3, 2, 1]),
        ([["ann", "tea"], ["ann", "milk"], ["bob", "tea"], ["bob", "milk"]], [2, 1, 2, 1]),
        ([["ann", "tea"], ["bob", "milk"]], [0, 0]),
    ],
    ids=["one user", "users who do not differ", "weights of 0"],
)
@pytest.mark.parametrize("estimator", [None, TruncatedSVD(1)], ids=repr)
def test_users_who_do_not_differ_are_factorized_without_a_warning(log, weights, estimator):
    options = {"weighting": "sum", "exclude_seen": False}
    recommender = MatrixFactorizationRecommender(estimator, **options).fit(log, weights)
    found, scores = recommender.recommend(["ann"], 2, return_scores=True)
    assert_allclose(scores, [weights[:2]], atol=1e-12)
    assert found.tolist() == [["tea", "milk"] if any(weights) else ["milk", "tea"]]


def test_a_decomposition_of_dense_data_only_says_so(log):
    with pytest.raises(TypeError, match="dense data is required"):
        MatrixFactorizationRecommender(FactorAnalysis(2)).fit(log)


def test_an_estimator_that_is_no_decomposition_is_named(log):
    with pytest.raises(TypeError, match=r"got Ridge\(\)"):
        MatrixFactorizationRecommender(Ridge()).fit(log)


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e-20, 1.0, 1e14, 1e150])
@pytest.mark.parametrize("spread", [0.0, 1e-9, 1e-5, 1.0])
@pytest.mark.parametrize("offset", [0.0, 1.0])
def test_lists_of_many_users_are_those_of_exact_scores(scale, spread, offset):
    rng = np.random.default_rng(0)
    n_users, n_items, k = 120, 1500, 4
    log = np.column_stack([np.arange(3000) % n_users, np.arange(3000) % n_items])
    recommender = MatrixFactorizationRecommender(weighting="binary").fit(log)
    # Items alike but for digits that single precision does not hold, some the same.
    factors = rng.normal(size=(n_items, 5)) * spread + 1
    factors[700:1400:2] = factors[701:1400:2]
    recommender.item_factors_ = factors * scale
    recommender.user_factors_ = rng.normal(size=(n_users, 5)) * scale
    recommender.item_offset_ = rng.normal(size=n_items) * offset * scale**2
    pairs = (code.ravel() for code in np.indices((n_users, n_items)))
    exact = recommender.score_pairs(*pairs).reshape(n_users, n_items)
    exact[recommender.seen_.toarray()] = -np.inf
    popularity = np.broadcast_to(recommender.popularity_, exact.shape)
    expected = np.lexsort((-popularity, -exact))[:, :k]
    items, scores = recommender.recommend(recommender.users_, k, return_scores=True)
    # Products of matrices round other than single products: near ties may change places.
    close = {"rtol": 0, "atol": 1e-13 * scale**2}
    assert_allclose(scores, np.take_along_axis(exact, expected, axis=1), **close)
    assert_allclose(scores, np.take_along_axis(exact, items, axis=1), **close)
    assert all(len(set(row)) == k for row in items.tolist())
    if spread == scale == 1.0:
        assert_array_equal(items, expected)


def test_a_subclass_of_many_users_may_score_in_its_own_way():
    class Reversed(MatrixFactorizationRecommender):
        def score_users(self, users):
            return -super().score_users(users)

    log = np.column_stack([np.arange(3000) % 120, np.arange(3000) % 1500])
    recommender = Reversed().fit(log)
    scores = recommender.score_users(np.arange(120))
    _, best = recommender.recommend(
        recommender.users_, 1, exclude_seen=False, return_scores=True
    )
    assert_allclose(best[:, 0], scores.max(axis=1))
