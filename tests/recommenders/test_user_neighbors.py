"""UserNeighborsRecommender against loops over pairs of users."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose
from sklearn.feature_extraction.text import TfidfTransformer

from sklearn_rank.recommenders import ItemNeighborsRecommender, UserNeighborsRecommender
from sklearn_rank.recommenders import _similarity as similarity_module
from sklearn_rank.recommenders import _top_k as selection_module

weights = hnp.arrays(np.int64, (6, 5), elements=st.integers(0, 3))


def as_log(weights):
    """All pairs, so that users and items are those of the matrix, weight 0 included."""
    users, items = np.indices(weights.shape)
    return np.column_stack([users.ravel(), items.ravel()]), weights.ravel()


def jaccard(one, other):
    either = np.count_nonzero((one > 0) | (other > 0))
    return np.count_nonzero((one > 0) & (other > 0)) / either if either else 0.0


def cosine(one, other):
    norms = math.sqrt(sum(one**2)) * math.sqrt(sum(other**2))
    return sum(one * other) / norms if norms else 0.0


def scores_by_loops(similar, weights, history, others, k):
    n_items = np.count_nonzero(weights, axis=1)
    value = {other: similar(history, weights[other]) for other in others}
    nearest = sorted(others, key=lambda o: (-round(value[o], 12), -n_items[o], o))[:k]
    return sum(value[other] * weights[other] for other in nearest)


@given(weights=weights, k=st.integers(1, 8))
def test_scores_equal_loops(weights, k):
    model = UserNeighborsRecommender(k, similarity="jaccard", weighting="sum").fit(
        *as_log(weights)
    )
    found = model.score_users(np.arange(6)).toarray()
    for user in range(6):
        others = [other for other in range(6) if other != user]
        expected = scores_by_loops(jaccard, weights, weights[user], others, k)
        assert_allclose(found[user], expected, atol=1e-12)
    X, _ = as_log(weights)
    assert_allclose(model.predict(X), found.ravel())


@given(weights=weights, k=st.integers(1, 8))
def test_a_user_given_by_items_may_be_near_to_anybody(weights, k):
    model = UserNeighborsRecommender(k, similarity="jaccard", weighting="sum").fit(
        *as_log(weights)
    )
    expected = scores_by_loops(jaccard, weights, np.array([0, 1, 1, 0, 0]), range(6), k)
    found = model.recommend_for_items([[1, 2]], 5, exclude_seen=False, return_scores=True)
    by_item = dict(zip(found[0][0].tolist(), found[1][0].tolist(), strict=True))
    assert_allclose([by_item[item] for item in range(5)], expected, atol=1e-12)


def test_cosines_of_distinct_values_equal_loops():
    weights = np.random.default_rng(0).gamma(1.0, size=(30, 20))
    weights[weights < 1] = 0
    model = UserNeighborsRecommender(4, weighting="sum").fit(*as_log(weights))
    found = model.score_users(np.arange(30)).toarray()
    for user in range(30):
        others = [other for other in range(30) if other != user]
        expected = scores_by_loops(cosine, weights, weights[user], others, 4)
        assert_allclose(found[user], expected, atol=1e-12)


def test_tfidf_and_bm25_learn_from_the_training_data_alone():
    rng = np.random.default_rng(0)
    weights = rng.poisson(1.0, (12, 6))
    history = {0: 1.0, 3: 2.0}
    row = np.array([1, 0, 0, 2, 0, 0])
    tfidf = TfidfTransformer().fit(weights)
    similarity = (tfidf.transform([row]) @ tfidf.transform(weights).T).toarray()
    options = {"exclude_seen": False, "return_scores": True}
    for name in ("tfidf", "bm25"):
        model = UserNeighborsRecommender(12, similarity=name, weighting="sum").fit(
            *as_log(weights)
        )
        alone = model.recommend_for_items([history], 6, **options)
        beside = model.recommend_for_items([history, [1], [2, 2, 4]], 6, **options)
        assert (alone[0][0] == beside[0][0]).all()
        assert (alone[1][0] == beside[1][0]).all()
        if name == "tfidf":
            assert_allclose(alone[1][0], np.sort((similarity @ weights)[0])[::-1])


def test_users_are_compared_as_items_are():
    # Items of the transposed log, where nothing is tied.
    weights = np.random.default_rng(1).gamma(1.0, size=(15, 12)) + 0.1
    X, y = as_log(weights)
    for name in ("cosine", "tfidf", "bm25"):
        items = ItemNeighborsRecommender(3, similarity=name, weighting="sum").fit(
            X[:, ::-1], y
        )
        users = UserNeighborsRecommender(3, similarity=name, weighting="sum").fit(X, y)
        expected = items.similarity_ @ weights
        assert_allclose(users.score_users(np.arange(15)).toarray(), expected)


@given(weights=weights, block=st.integers(1, 20))
def test_blocks_of_any_size_give_the_same_scores(weights, block):
    model = UserNeighborsRecommender(2, similarity="bm25", weighting="sum").fit(
        *as_log(weights)
    )
    whole = model.score_users(np.arange(6))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(similarity_module, "_NEIGHBOR_PRODUCTS", block)
        parts = model.score_users(np.arange(6))
    assert (whole != parts).nnz == 0


@given(
    values=hnp.arrays(np.int64, (3, 40), elements=st.integers(-1, 4)),
    k=st.integers(1, 45),
    run=st.integers(1, 9),
)
def test_the_k_highest_values_of_a_row_are_among_those_that_reach_a_bound(values, k, run):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(selection_module, "DENSE_BUCKET", run)
        reached = selection_module.preselect_dense(values.astype(float), k)
    for one in range(3):
        found = set(reached.item[reached.row == one].tolist())
        kth = np.sort(values[one])[-min(k, 40)]
        assert set(np.flatnonzero(values[one] >= kth).tolist()) <= found


def test_a_user_without_neighbors_gets_the_most_popular_items():
    log = [("ann", "tea"), ("bob", "milk"), ("eve", "milk"), ("eve", "cake")]
    model = UserNeighborsRecommender().fit(log)
    ids, scores = model.recommend(["ann"], 2, return_scores=True)
    assert ids.tolist() == [["milk", "cake"]]
    assert scores.tolist() == [[0.0, 0.0]]


@pytest.mark.parametrize("similarity", ["cosine", "jaccard", "tfidf", "bm25"])
def test_a_stored_model_recommends_the_same(similarity):
    rng = np.random.default_rng(0)
    log = np.column_stack([rng.integers(0, 50, 400), rng.integers(0, 30, 400)])
    model = UserNeighborsRecommender(5, similarity=similarity).fit(log)
    stored = pickle.loads(pickle.dumps(model))
    users = model.users_
    assert (stored.recommend(users, 5) == model.recommend(users, 5)).all()


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"n_neighbors": 0}, ValueError, "`n_neighbors` must be an integer >= 1"),
        ({"n_neighbors": None}, TypeError, "`n_neighbors` must be an integer >= 1"),
        ({"similarity": "bm52"}, ValueError, "Did you mean 'bm25'"),
        ({"similarity": "bm25", "k1": -1}, ValueError, "`k1` must be a number > 0"),
        ({"similarity": "bm25", "b": None}, TypeError, "`b` must be a number from 0 to 1"),
    ],
)
def test_bad_parameters_are_named(parameters, error, message):
    with pytest.raises(error, match=message):
        UserNeighborsRecommender(**parameters).fit([("ann", "tea"), ("bob", "milk")])
