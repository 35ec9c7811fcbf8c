"""EASERecommender against one ridge regression for each item."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import Ridge

from sklearn_rank.recommenders import EASERecommender


@pytest.mark.parametrize("regularization", [0.5, 30.0])
def test_weights_are_ridge_regressions_on_the_other_items(regularization):
    rng = np.random.default_rng(0)
    weights = rng.poisson(0.7, (40, 8))
    users, items = np.indices(weights.shape)
    X = np.column_stack([users.ravel(), items.ravel()])
    recommender = EASERecommender(regularization, weighting="sum").fit(X, weights.ravel())
    for item in range(8):
        others = np.delete(np.arange(8), item)
        ridge = Ridge(regularization, fit_intercept=False)
        expected = ridge.fit(weights[:, others], weights[:, item]).coef_
        assert_allclose(
            recommender.item_weights_[others, item], expected, rtol=1e-4, atol=1e-7
        )
        assert recommender.item_weights_[item, item] == 0
    scores = weights @ recommender.item_weights_
    assert_allclose(recommender.predict(X), scores.ravel(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("regularization", [0, -1.0, np.inf])
def test_regularization_must_be_positive(regularization):
    with pytest.raises(ValueError, match="`regularization` must be a number > 0"):
        EASERecommender(regularization).fit([("ann", "tea"), ("bob", "milk")])


@pytest.mark.parametrize("weight", [1e31, 1e154, 1e200])
def test_weights_whose_products_overflow_are_named(weight):
    X = [("ann", "tea"), ("ann", "milk"), ("bob", "tea")]
    with pytest.raises(ValueError, match=r"weights up to 1e\+30.* weighting='log'"):
        EASERecommender(weighting="sum").fit(X, [weight, 1, 1])
    EASERecommender(weighting="log").fit(X, [weight, 1, 1])


@pytest.mark.parametrize("regularization", [np.float16(30), np.uint8(30), 30])
def test_numbers_of_numpy_regularize_as_those_of_python(regularization):
    X = [("ann", "tea"), ("ann", "milk"), ("bob", "tea")]
    weights = EASERecommender(30.0).fit(X).item_weights_
    recommender = EASERecommender(regularization).fit(X)
    assert (recommender.item_weights_ == weights).all()
    assert recommender.regularization is regularization


def test_weights_too_large_for_the_regularization_are_named():
    X = [("ann", "tea"), ("ann", "milk")]
    with pytest.raises(ValueError, match="numerically singular"):
        EASERecommender(1e-9, weighting="sum").fit(X, [1e9, 1e9])
