"""Lists from products in which seen items score -inf, against lists from all scores."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from sklearn_rank.recommenders import ItemNeighborsRecommender, SLIMRecommender
from sklearn_rank.recommenders import _item_products as item_products_module
from sklearn_rank.recommenders import _list_maker as lists_module
from sklearn_rank.recommenders import _similarity as similarity_module


class ScoresItself(ItemNeighborsRecommender):
    """Scores as its parent does, but by a method of its own."""

    def score_histories(self, histories):
        return super().score_histories(histories)


def make_log(seed, n_users=40, n_items=60, n_rows=400):
    rng = np.random.default_rng(seed)
    user = np.append(rng.integers(0, n_users, n_rows), n_users)  # the last has one item
    item = np.append(rng.geometric(0.05, n_rows) % n_items, 0)
    return np.column_stack([user, item]), rng.integers(1, 4, n_rows + 1).astype(float)


def lists_of(model, users, k, **keywords):
    return model.recommend(users, k, return_scores=True, **keywords)


def assert_same_lists(found, expected):
    for one, other in zip(found, expected, strict=True):
        assert_array_equal(one, other)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("weighting", ["binary", "sum"])
@pytest.mark.parametrize("n_neighbors", [2, 20])
def test_lists_equal_those_from_all_scores(seed, weighting, n_neighbors, monkeypatch):
    X, y = make_log(seed)
    keywords = {"n_neighbors": n_neighbors, "weighting": weighting}
    model = ItemNeighborsRecommender(**keywords).fit(X, y)
    general = ScoresItself(**keywords).fit(X, y)
    assert general._unseen_scorer(general.interactions_) is None
    users = np.append(model.users_, -1)
    expected = lists_of(general, users, 12)
    assert_same_lists(lists_of(model, users, 12), expected)
    one_by_one = [lists_of(model, users[[i]], 12) for i in range(len(users))]
    assert_same_lists(map(np.concatenate, zip(*one_by_one, strict=True)), expected)
    monkeypatch.setattr(lists_module, "rows_per_chunk", lambda _: 3)
    monkeypatch.setattr(item_products_module, "_FEW_ITEMS", 0)
    assert_same_lists(lists_of(model, users, 12), expected)
    assert_same_lists(lists_of(model, users[[7]], 12), [one[[7]] for one in expected])


@pytest.mark.parametrize("block", [50, 2**21])
@pytest.mark.parametrize("similarity", ["cosine", "jaccard", "walk"])
def test_scipy_s_product_with_and_without_a_count_is_the_same(
    monkeypatch, similarity, block
):
    """Its inner function is private: if it goes, the public product gives the same."""
    X, y = make_log(0)
    monkeypatch.setattr(similarity_module, "_NEIGHBOR_PRODUCTS", block)

    def results():
        model = ItemNeighborsRecommender(5, similarity=similarity).fit(X, y)
        matrix = model.similarity_
        lists = lists_of(model, model.users_, 12)
        return matrix.data, matrix.indices, matrix.indptr, *lists

    expected = results()
    if item_products_module._csr_matmat is None:
        pytest.skip("this SciPy has another inner function")
    monkeypatch.setattr(item_products_module, "_csr_matmat", None)
    assert_same_lists(results(), expected)


@pytest.mark.parametrize("dtypes", [("f8", "f8"), ("f4", "f4"), ("f4", "f8")])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_products_of_any_types_are_those_of_scipy(dtypes, index):
    rng = np.random.default_rng(0)
    matrices = []
    for dtype, shape in zip(dtypes, [(9, 7), (7, 12)], strict=True):
        dense = rng.integers(-2, 3, shape) * (rng.random(shape) < 0.5)
        matrix = sparse.csr_array(dense.astype(dtype))
        matrix.indices, matrix.indptr = (
            part.astype(index) for part in (matrix.indices, matrix.indptr)
        )
        matrices.append(matrix)
    rows, matrix = matrices
    found = sparse.csr_array(item_products_module.multiply(rows, matrix), shape=(9, 12))
    assert found.dtype == (rows @ matrix).dtype
    assert_array_equal(found.toarray(), (rows @ matrix).toarray())


def test_users_given_by_their_items_get_the_lists_of_known_ones():
    X, y = make_log(0)
    model = ItemNeighborsRecommender().fit(X, y)
    histories = [X[X[:, 0] == user, 1].tolist() for user in model.users_]
    found = model.recommend_for_items(histories, 12, return_scores=True)
    assert_same_lists(found, lists_of(model, model.users_, 12))


def test_slim_makes_its_lists_in_the_same_way():
    X, y = make_log(1)
    model = SLIMRecommender(alpha=0.01).fit(X, y)
    scores = (model.interactions_ @ model.item_weights_).toarray()
    scores[model.seen_.toarray()] = -np.inf
    expected = np.lexsort((np.tile(-model.popularity_, (len(scores), 1)), -scores))
    ids, best = lists_of(model, model.users_, 5)
    assert_array_equal(best, -np.sort(-scores, axis=1)[:, :5])
    assert_array_equal(ids, model.items_[expected[:, :5]])


class Pruned:
    """Keeps the large weights of pairs of items, after `fit`."""

    def fit(self, X, y=None):
        super().fit(X, y)
        weights = getattr(self, self.matrix)
        setattr(self, self.matrix, weights * (weights > 0.3))
        return self


class PrunedNeighbors(Pruned, ItemNeighborsRecommender):
    matrix = "similarity_"


class PrunedSLIM(Pruned, SLIMRecommender):
    matrix = "item_weights_"


@pytest.mark.parametrize("kind", [PrunedNeighbors, PrunedSLIM])
def test_lists_follow_weights_that_are_replaced(kind):
    X, y = make_log(0)
    model = kind().fit(X, y)
    ids, scores = lists_of(model, model.users_, 5)
    pairs = np.column_stack([model.users_.repeat(5), ids.ravel()])
    shown = scores.ravel() > -np.inf
    assert_array_equal(scores.ravel()[shown], model.predict(pairs)[shown])


@pytest.mark.parametrize("kind", [ItemNeighborsRecommender, SLIMRecommender])
def test_lists_follow_a_method_of_the_object(kind, monkeypatch):
    X, y = make_log(0)
    model = kind().fit(X, y)
    monkeypatch.setattr(
        model, "score_users", lambda users: np.ones((len(users), len(model.items_)))
    )
    _, scores = lists_of(model, model.users_, 5)
    assert (scores == 1).all()


@pytest.mark.parametrize("share", [0.2, 1.0])
def test_items_of_weight_0_have_been_seen(share):
    X, y = make_log(2)
    y[np.random.default_rng(0).random(len(y)) < share] = 0
    if share < 1:
        y[-1] = 1
    model, general = ItemNeighborsRecommender(), ScoresItself()
    ids, best = expected = lists_of(general.fit(X, y), general.users_, 12)
    assert_same_lists(lists_of(model.fit(X, y), model.users_, 12), expected)
    rows, columns = np.nonzero(np.isfinite(best))
    items = np.searchsorted(model.items_, ids[rows, columns])
    assert not model.seen_.toarray()[rows, items].any()


@pytest.mark.parametrize("n_users", [1, 2])
def test_sums_beyond_floats_are_refused(n_users):
    pairs = [(user, item) for user in range(3) for item in range(12) if item != user]
    y = np.full(len(pairs), 2e307)
    model = ItemNeighborsRecommender(weighting="sum").fit(pairs, y)
    with pytest.raises(ValueError, match="returned scores that are not finite"):
        model.recommend(model.users_[:n_users], 1)
