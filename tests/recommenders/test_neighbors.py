"""ItemNeighborsRecommender against loops over pairs of items."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

from sklearn_rank.datasets import make_interactions
from sklearn_rank.recommenders import ItemNeighborsRecommender, UserNeighborsRecommender
from sklearn_rank.recommenders import _similarity as similarity_module

weights = hnp.arrays(np.int64, (6, 5), elements=st.integers(0, 3))


def as_log(weights):
    """All pairs, so that users and items are those of the matrix, weight 0 included."""
    users, items = np.indices(weights.shape)
    return np.column_stack([users.ravel(), items.ravel()]), weights.ravel()


def cosine(one, other):
    norms = math.sqrt(sum(one**2)) * math.sqrt(sum(other**2))
    return sum(one * other) / norms if norms else 0.0


def jaccard(one, other):
    either = sum((one > 0) | (other > 0))
    return sum((one > 0) & (other > 0)) / either if either else 0.0


@pytest.mark.parametrize(("name", "similar"), [("cosine", cosine), ("jaccard", jaccard)])
@given(weights=weights, k=st.integers(1, 7))
def test_similarities_equal_loops(name, similar, weights, k):
    recommender = ItemNeighborsRecommender(k, similarity=name, weighting="sum").fit(
        *as_log(weights)
    )
    popularity = weights.sum(axis=0)
    for item in range(5):
        others = [other for other in range(5) if other != item]
        value = {other: similar(weights[:, item], weights[:, other]) for other in others}
        best = sorted(others, key=lambda o: (-round(value[o], 12), -popularity[o], o))[:k]
        expected = [value[other] if other in best else 0.0 for other in range(5)]
        row = recommender.similarity_[[item]].toarray()[0]
        assert_allclose(np.sort(row), np.sort(expected), atol=1e-12)
        if name == "jaccard":  # cosines of equal value may differ in the last digit
            assert_allclose(row, expected, atol=1e-12)


@pytest.mark.parametrize("similarity", ["cosine", "tfidf", "jaccard"])
@pytest.mark.parametrize("scale", [2.0**600, 2.0**1000, 2.0**-600, 2.0**-1000])
def test_the_size_of_the_weights_does_not_change_similarities(similarity, scale):
    rng = np.random.default_rng(0)
    X, weights = as_log(rng.poisson(1.0, (12, 6)))
    plain = ItemNeighborsRecommender(3, similarity=similarity, weighting="sum").fit(
        X, weights
    )
    scaled = ItemNeighborsRecommender(3, similarity=similarity, weighting="sum").fit(
        X, weights * scale
    )
    assert (plain.similarity_ != scaled.similarity_).nnz == 0
    assert plain.similarity_.nnz > 0
    assert (scaled.predict(X) == plain.predict(X) * scale).all()


def test_one_large_weight_leaves_the_other_similarities_alone():
    X = [("ann", "tea"), ("bob", "tea"), ("ann", "milk"), ("bob", "milk"), ("eve", "cake")]
    X += [("ann", "cake")]
    recommender = ItemNeighborsRecommender(weighting="sum").fit(X, [1e200, 1, 1, 1, 1, 1])
    similarity = recommender.similarity_.toarray()  # cake, milk, tea
    assert similarity[0, 1] == pytest.approx(1 / 2)
    assert similarity[1, 2] == pytest.approx(1 / math.sqrt(2))


@pytest.mark.parametrize("n_neighbors", [np.int8(100), np.uint8(2), 10**15])
def test_numbers_of_neighbors_of_any_type(n_neighbors):
    rng = np.random.default_rng(0)
    log = np.column_stack([rng.integers(0, 50, 2000), rng.integers(0, 300, 2000)])
    expected = ItemNeighborsRecommender(min(int(n_neighbors), 299)).fit(log).similarity_
    found = ItemNeighborsRecommender(n_neighbors).fit(log).similarity_
    assert (found != expected).nnz == 0


def test_tfidf_is_the_cosine_after_tfidf():
    rng = np.random.default_rng(0)
    weights = rng.poisson(1.0, (12, 6))
    recommender = ItemNeighborsRecommender(9, similarity="tfidf", weighting="sum").fit(
        *as_log(weights)
    )
    documents = TfidfTransformer().fit_transform(weights.T).toarray()
    expected = documents @ documents.T
    np.fill_diagonal(expected, 0.0)
    assert_allclose(recommender.similarity_.toarray(), expected)


@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.75), (100.0, 0.8), (0.5, 0.0), (3.0, 1.0)])
def test_bm25_multiplies_weights_that_loops_find(k1, b):
    rng = np.random.default_rng(0)
    weights = rng.poisson(1.0, (12, 6))
    recommender = ItemNeighborsRecommender(
        9, similarity="bm25", k1=k1, b=b, weighting="sum"
    )
    found = recommender.fit(*as_log(weights)).similarity_.toarray()
    length = weights.sum(axis=0)
    document = np.zeros((6, 12))
    for user, item in np.argwhere(weights > 0):
        idf = math.log(6 / (1 + np.count_nonzero(weights[user])))
        norm = 1 - b + b * length[item] / length.mean()
        weight = weights[user, item]
        document[item, user] = weight * (k1 + 1) / (k1 * norm + weight) * idf
    expected = document @ document.T
    np.fill_diagonal(expected, 0.0)
    assert_allclose(found, np.maximum(expected, 0), rtol=1e-12, atol=1e-15)


def test_bm25_equals_implicit():
    neighbours = pytest.importorskip("implicit.nearest_neighbours")
    rng = np.random.default_rng(0)
    log = np.column_stack([rng.integers(0, 50, 2000), rng.integers(0, 300, 2000)])
    ours = ItemNeighborsRecommender(300, similarity="bm25").fit(log)
    item_users = sparse.csr_matrix(ours.interactions_.T)
    theirs = neighbours.bm25_weight(item_users, K1=1.2, B=0.75).tocsr()
    expected = (theirs @ theirs.T).toarray()
    np.fill_diagonal(expected, 0.0)
    assert_allclose(ours.similarity_.toarray(), expected, rtol=1e-12)


@pytest.mark.parametrize("weight", [1e-320, 1e-200, 1e200, 1.7e308])
def test_bm25_of_extreme_weights_is_finite(weight):
    X = [("ann", "tea"), ("bob", "tea"), ("ann", "milk"), ("bob", "milk"), ("eve", "cake")]
    X += [("eve", "jam"), ("eve", "tea")]
    recommender = ItemNeighborsRecommender(similarity="bm25")
    similarity = recommender.fit(X, [weight, 1, 1, 1, 1, 1, 1]).similarity_
    assert np.isfinite(similarity.data).all()
    assert similarity.nnz > 0
    recommender.fit(X, np.full(7, min(weight, 1e307)))
    assert np.isfinite(recommender.similarity_.data).all()


def test_scores_are_sums_of_weight_times_similarity():
    rng = np.random.default_rng(0)
    weights = rng.poisson(1.0, (12, 6))
    recommender = ItemNeighborsRecommender(2, weighting="sum").fit(*as_log(weights))
    similarity = recommender.similarity_.toarray()
    assert (np.count_nonzero(similarity, axis=1) <= 2).all()
    X, _ = as_log(weights)
    assert_allclose(recommender.predict(X), (weights @ similarity).ravel())
    _, scores = recommender.recommend_for_items([{1: 2.0, 3: 0.5}], 1, return_scores=True)
    assert scores[0, 0] == pytest.approx(
        max((2 * similarity[1] + similarity[3] / 2)[[0, 2, 4, 5]])
    )


@pytest.mark.parametrize("similarity", ["jaccard", "bm25"])
@given(weights=weights, k=st.integers(1, 5), block=st.integers(1, 20))
def test_blocks_of_any_size_give_the_same_neighbors(similarity, weights, k, block):
    whole = ItemNeighborsRecommender(k, similarity=similarity, weighting="sum").fit(
        *as_log(weights)
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(similarity_module, "_NEIGHBOR_PRODUCTS", block)
        parts = ItemNeighborsRecommender(k, similarity=similarity, weighting="sum").fit(
            *as_log(weights)
        )
    assert (whole.similarity_ != parts.similarity_).nnz == 0


def test_of_equally_similar_items_the_most_popular_stay():
    # Items 2, 4, 5 and 6 have one user each, who has tea too; 1 and 3 have others as well.
    log = [(user, "tea") for user in range(3)]
    log += [(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6), (7, 1), (8, 1), (7, 3), (9, 3)]
    log = [(user, str(item)) for user, item in log]
    cosines = ItemNeighborsRecommender(6).fit(log)
    assert cosines.similarity_[[6]].nnz == 6  # tea
    lone = ItemNeighborsRecommender(2).fit(log).similarity_[[6]].indices
    assert cosines.items_[lone].tolist() == ["2", "4"]  # of 2, 4, 5, 6; not 1 and 3


@given(
    values=hnp.arrays(np.int64, (4, 30), elements=st.integers(0, 3)),
    k=st.integers(1, 31),
    rank=st.permutations(range(30)),
    repeat=st.integers(1, 3),
)
def test_the_first_of_each_row_are_those_of_a_plain_sort(values, k, rank, repeat):
    """Rows of any length, with and without ties; many values are above the bound."""
    values = np.tile(values, (repeat * 10, 1))
    values[::2] *= np.arange(1, 31)  # few ties
    found = similarity_module.first_of_rows(
        sparse.csr_array(values.astype(float)), k, np.array(rank)
    )
    expected = np.zeros_like(values)
    for row, of_row in enumerate(values):
        order = sorted(range(30), key=lambda column: (-of_row[column], rank[column]))
        expected[row, order[:k]] = of_row[order[:k]]
    assert found.toarray().tolist() == expected.tolist()
    assert found.has_canonical_format
    assert (found.data > 0).all()


def test_a_catalog_of_one_item_has_no_neighbors():
    recommender = ItemNeighborsRecommender().fit([("ann", "tea"), ("bob", "tea")])
    assert recommender.similarity_.nnz == 0
    assert recommender.predict([("ann", "tea")]).tolist() == [0.0]


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"n_neighbors": 0}, ValueError, "`n_neighbors` must be an integer >= 1"),
        ({"n_neighbors": None}, TypeError, "`n_neighbors` must be an integer >= 1"),
        (
            {"n_neighbors": np.timedelta64(9, "D")},
            TypeError,
            "`n_neighbors` must be an integer",
        ),
        ({"similarity": "bm25", "k1": 0}, ValueError, "`k1` must be a number > 0"),
        ({"similarity": "bm25", "b": 1.1}, ValueError, "`b` must be a number from 0 to 1"),
        ({"similarity": "cosin"}, ValueError, "Did you mean 'cosine'"),
    ],
)
def test_bad_parameters_are_named(parameters, error, message):
    with pytest.raises(error, match=message):
        ItemNeighborsRecommender(**parameters).fit([("ann", "tea"), ("bob", "milk")])


def test_scores_are_the_product_to_the_last_bit():
    log = make_interactions(200, 300, 6_000, random_state=0)
    recommender = ItemNeighborsRecommender(20).fit(np.column_stack([log.user, log.item]))
    users = np.array([7, 7, 199, 0])
    histories = recommender.interactions_[users]
    expected = (histories @ recommender.similarity_).toarray()
    assert np.array_equal(recommender.score_users(users).toarray(), expected)
    assert np.array_equal(recommender.score_histories(histories).toarray(), expected)
    assert recommender.similarity_.indices.dtype == np.int32


def test_chunks_of_products_do_not_change_neighbors(monkeypatch):
    X = make_interactions(300, 90, 5_000, random_state=0, as_frame=True)
    usual = ItemNeighborsRecommender(5).fit(X).similarity_
    monkeypatch.setattr(similarity_module, "_NEIGHBOR_PRODUCTS", 2_000)
    found = ItemNeighborsRecommender(5).fit(X).similarity_
    np.testing.assert_array_equal(found.toarray(), usual.toarray())


@pytest.mark.parametrize("model", [ItemNeighborsRecommender, UserNeighborsRecommender])
@pytest.mark.parametrize("parameter", [{"k1": 2.0}, {"b": 0.5}])
def test_parameters_of_bm25_have_no_effect_elsewhere(model, parameter):
    (name,) = parameter
    with pytest.raises(ValueError, match=f"`{name}` has no effect: similarity='cosine'"):
        model(**parameter).fit([[1, 2], [2, 3]]).recommend([1])
    model(similarity="bm25", **parameter).fit([[1, 2], [2, 3]])
    with pytest.raises(TypeError, match=r"has no parameter 'k'\. Write n_neighbors="):
        model(k=20)
