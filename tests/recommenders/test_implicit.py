"""ImplicitRecommender against `implicit` itself."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import check_estimator
from threadpoolctl import threadpool_limits

from sklearn_rank.recommenders import ImplicitRecommender, PopularityRecommender

pytest.importorskip("implicit")

with threadpool_limits(1, "blas"):
    from implicit.als import AlternatingLeastSquares
    from implicit.bpr import BayesianPersonalizedRanking
    from implicit.lmf import LogisticMatrixFactorization
    from implicit.nearest_neighbours import (
        BM25Recommender,
        CosineRecommender,
        ItemItemRecommender,
        TFIDFRecommender,
    )

    ALS = AlternatingLeastSquares(factors=4, random_state=0, num_threads=1)

BPR = BayesianPersonalizedRanking(factors=4, random_state=0, num_threads=1)
LMF = LogisticMatrixFactorization(factors=4, random_state=0, num_threads=1)
ITEM_ITEM = [
    ItemItemRecommender(K=5),
    CosineRecommender(K=5),
    TFIDFRecommender(K=5),
    BM25Recommender(K=5),
]
MODELS = [ALS, BPR, LMF, *ITEM_ITEM]
# Its weighted item-item models hand themselves a matrix that they then convert.
pytestmark = pytest.mark.filterwarnings("ignore:Method expects CSR input")


@pytest.fixture
def log():
    rng = np.random.default_rng(0)
    users = rng.integers(0, 40, 600)
    return np.column_stack([users, (users % 3) * 7 + rng.integers(0, 12, 600)])


def name(model):
    return type(model).__name__


# Not the item-item models: they cannot be loaded from read-only memory, by themselves
# neither, which one of the checks asks for.
# One test a model: the names of single checks would hold the address of the model.
@pytest.mark.parametrize("model", [ALS, BPR, LMF], ids=name)
def test_scikit_learn_checks_pass(model):
    check_estimator(ImplicitRecommender(model), on_skip=None)


@pytest.mark.parametrize("model", MODELS, ids=name)
def test_recommends_what_the_library_recommends(model, log):
    recommender = ImplicitRecommender(model).fit(log)
    _, scores = recommender.recommend(recommender.users_, 3, return_scores=True)
    _, expected = recommender.model_.recommend(
        np.arange(len(recommender.users_)),
        sparse.csr_matrix(recommender.interactions_, dtype=np.float64),
        N=3,
    )
    there = expected > 0  # item-item lists may be short, which shows as 0
    assert there.mean() > 0.5
    assert_allclose(scores[there], expected[there], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("model", MODELS, ids=name)
def test_pickles(model, log):
    recommender = ImplicitRecommender(model).fit(log)
    again = pickle.loads(pickle.dumps(recommender))
    users = recommender.users_
    assert_array_equal(again.recommend(users, 3), recommender.recommend(users, 3))


@pytest.mark.parametrize("model", [ALS, *ITEM_ITEM], ids=name)
def test_folds_in_like_the_library(model, log):
    recommender = ImplicitRecommender(model).fit(log)
    items = recommender.items_[:4]
    ids, scores = recommender.recommend_for_items([items], 3, return_scores=True)
    row = sparse.csr_matrix(np.isin(recommender.items_, items)[None], dtype=np.float64)
    expected_ids, expected = recommender.model_.recommend(
        np.array([0]), row, N=3, recalculate_user=True
    )
    assert_allclose(scores, expected, rtol=1e-4)
    assert_array_equal(ids, recommender.items_[expected_ids])


@pytest.mark.parametrize("model", [BPR, LMF], ids=name)
def test_models_that_cannot_fold_in_say_so(model, log):
    recommender = ImplicitRecommender(model).fit(log)
    with pytest.raises(NotImplementedError, match="use AlternatingLeastSquares"):
        recommender.recommend_for_items([recommender.items_[:2]], 3)
    nothing_known = recommender.recommend_for_items([[999]], 3)
    popular = PopularityRecommender().fit(log).recommend_for_items([[]], 3)
    assert_array_equal(nothing_known, popular)


@pytest.mark.parametrize("model", [ALS, *ITEM_ITEM], ids=name)
def test_recency_scores_known_users_by_their_items(model, log):
    log = np.column_stack([log, np.arange(len(log))])
    fitted = ImplicitRecommender(model, recency=2, time=2).fit(log)
    user = fitted.users_[0]
    items = log[log[:, 0] == user][:, 1]
    found = fitted.recommend([user], 2, return_scores=True)
    again = fitted.recommend_for_items([items], 2, return_scores=True)
    assert_array_equal(found[0], again[0])
    assert_allclose(found[1], again[1], rtol=1e-5)


@pytest.mark.parametrize("model", [BPR, LMF], ids=name)
def test_models_that_cannot_fold_in_take_no_recency(model, log):
    with pytest.raises(NotImplementedError, match="use AlternatingLeastSquares"):
        ImplicitRecommender(model, recency=2, time=1).fit(log)


@pytest.mark.parametrize("model", MODELS, ids=name)
def test_parameters_of_the_model_are_read_set_and_cloned(model):
    recommender = ImplicitRecommender(model)
    parameter = "factors" if hasattr(model, "factors") else "K"
    before = getattr(model, parameter)
    assert recommender.get_params()[f"model__{parameter}"] == before
    assert f"model__{parameter}" not in recommender.get_params(deep=False)
    copied = clone(recommender).set_params(**{f"model__{parameter}": 7}, user=1)
    assert copied.get_params()[f"model__{parameter}"] == 7
    assert copied.user == 1
    assert type(copied.model) is type(model)
    assert getattr(model, parameter) == before, "the model passed in is another object"


def test_an_unknown_parameter_of_the_model_lists_the_known_ones():
    with pytest.raises(ValueError, match=r"no parameter 'factor'.*Did you mean 'factors'"):
        ImplicitRecommender(ALS).set_params(model__factor=3)


def test_fit_leaves_the_model_alone_and_repeats(log):
    recommender = ImplicitRecommender(ALS)
    one = recommender.fit(log).recommend(recommender.users_, 3)
    assert ALS.item_factors is None
    assert_array_equal(recommender.fit(log).recommend(recommender.users_, 3), one)


def test_grid_search_tunes_the_model(log):
    search = GridSearchCV(
        ImplicitRecommender(ALS),
        {"model__factors": [2, 5], "weighting": ["sum", "binary"]},
        scoring="neg_mean_squared_error",
        cv=2,
        error_score="raise",
    ).fit(log, np.ones(len(log)))
    factors = search.best_params_["model__factors"]
    assert search.best_estimator_.model_.item_factors.shape[1] == factors


@pytest.mark.parametrize("model", [None, 3, PopularityRecommender()], ids=name)
def test_other_models_are_refused(model, log):
    with pytest.raises(TypeError, match="must be a model of the library implicit"):
        ImplicitRecommender(model).fit(log)
