"""`similar_items` of every model that has it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.decomposition import NMF, TruncatedSVD
from sklearn.metrics.pairwise import cosine_similarity

from sklearn_rank.recommenders import (
    EASERecommender,
    ImplicitRecommender,
    ItemNeighborsRecommender,
    MatrixFactorizationRecommender,
    PopularityRecommender,
    SLIMRecommender,
    UserNeighborsRecommender,
)
from sklearn_rank.recommenders import _list_maker as lists_module
from sklearn_rank.recommenders._similar_items import cosines

MODELS = {
    "item neighbors": ItemNeighborsRecommender(4),
    "bm25": ItemNeighborsRecommender(4, similarity="bm25"),
    "slim": SLIMRecommender(),
    "ease": EASERecommender(),
    "svd": MatrixFactorizationRecommender(TruncatedSVD(3, random_state=0)),
    "nmf": MatrixFactorizationRecommender(NMF(3, random_state=0, max_iter=2000)),
}


@pytest.fixture
def log():
    rng = np.random.default_rng(0)
    users, items = rng.integers(0, 40, 300), rng.integers(0, 12, 300)
    return [(f"u{user}", f"i{item:02}") for user, item in zip(users, items, strict=True)]


def scores_of(model):
    """Return the item-item scores by formula."""
    if hasattr(model, "item_factors_"):
        return cosine_similarity(model.item_factors_)
    scores = getattr(model, "similarity_", getattr(model, "item_weights_", None))
    return scores.toarray() if sparse.issparse(scores) else scores


@pytest.mark.parametrize("name", MODELS)
def test_lists_are_sorted_rows_without_the_item_itself(name, log):
    model = MODELS[name].fit(log)
    expected = scores_of(model)
    ids, scores = model.similar_items(model.items_, 11, return_scores=True)
    assert (ids == model.similar_items(model.items_, 11)).all()
    assert ids.dtype == model.items_.dtype
    for item, (row, score) in enumerate(zip(ids, scores, strict=True)):
        columns = np.searchsorted(model.items_, row)
        assert set(columns) == set(range(12)) - {item}
        assert_allclose(score, expected[item, columns], atol=1e-12)
        assert (np.diff(score) <= 0).all()
        pairs = zip(score, score[1:], columns, columns[1:], strict=False)
        for one, other, before, after in pairs:
            if one == other:
                popular = model.popularity_[[before, after]]
                assert popular[0] > popular[1] or (
                    popular[0] == popular[1] and before < after
                )


@pytest.mark.parametrize("name", MODELS)
def test_shorter_lists_and_small_batches_are_the_same(name, log, monkeypatch):
    model = MODELS[name].fit(log)
    whole = model.similar_items(model.items_, 11)
    monkeypatch.setattr(lists_module, "rows_per_chunk", lambda _: 1)
    parts = model.similar_items(model.items_[::-1], 3)
    assert (parts == whole[::-1, :3]).all()


def test_factors_of_implicit_find_what_implicit_finds(log):
    als = pytest.importorskip("implicit.cpu.als").AlternatingLeastSquares
    model = ImplicitRecommender(als(factors=4, random_state=0)).fit(log)
    found = model.similar_items(["i03", "i03", "i11"], 4, return_scores=True)
    for place, item in enumerate([3, 3, 11]):
        ids, scores = model.model_.similar_items(item, 5)
        kept = ids != item
        assert found[0][place].tolist() == [f"i{one:02}" for one in ids[kept]]
        assert_allclose(found[1][place], scores[kept], rtol=1e-5)


def test_item_models_of_implicit_show_their_similarities(log):
    item_item = pytest.importorskip("implicit.nearest_neighbours").ItemItemRecommender
    model = ImplicitRecommender(item_item(K=6)).fit(log)
    ids, scores = model.similar_items(model.items_, 4, return_scores=True)
    similarity = model.model_.similarity.toarray()
    assert (similarity.diagonal() > 0).any()
    np.fill_diagonal(similarity, 0.0)
    assert_allclose(scores, -np.sort(-similarity, axis=1)[:, :4])
    rows = np.arange(12)[:, None]
    assert_allclose(scores, similarity[rows, np.searchsorted(model.items_, ids)])


def test_an_item_without_factors_is_similar_to_none():
    factors = np.array([[0.0, 0.0], [1e200, 1e200], [-1e-200, 0.0]])
    found = cosines(factors, np.array([0, 2]))
    assert_allclose(found, [[0, 0, 0], [0, -np.sqrt(0.5), 1]])


def test_unknown_items_are_named(log):
    model = ItemNeighborsRecommender().fit(log)
    with pytest.raises(ValueError, match=r"2 of 3 id\(s\) .* such as 'x'; leave"):
        model.similar_items(["x", "i01", "y"])
    with pytest.raises(TypeError, match="another type"):
        model.similar_items([1])
    with pytest.raises(TypeError, match="`items` must be a list"):
        model.similar_items("i01")
    with pytest.raises(ValueError, match="missing"):
        model.similar_items([None])


def test_no_items_have_no_similar_ones(log):
    assert ItemNeighborsRecommender().fit(log).similar_items([], 3).shape == (0, 3)


def test_lists_cannot_be_longer_than_the_other_items(log):
    model = ItemNeighborsRecommender().fit(log)
    with pytest.raises(ValueError, match=r"`k` is 12, but .* only 11 other"):
        model.similar_items(["i01"], 12)
    with pytest.raises(ValueError, match="`k` must be an integer >= 1"):
        model.similar_items(["i01"], 0)


@pytest.mark.parametrize("kind", [PopularityRecommender, UserNeighborsRecommender])
def test_models_that_do_not_compare_items_have_no_such_method(kind):
    assert not hasattr(kind(), "similar_items")
    with pytest.raises(AttributeError, match="is not fitted; call `fit` first"):
        kind().users_  # noqa: B018


def test_a_subclass_may_say_how_similar_items_are(log):
    class Popular(MatrixFactorizationRecommender):
        def score_similar_items(self, items):
            return np.tile(self.popularity_, (len(items), 1))

    model = Popular().fit(log)
    first, second = model.items_[np.lexsort((model.items_, -model.popularity_))[:2]]
    assert model.similar_items([first], 1).tolist() == [[second]]
    assert model.similar_items([second], 1).tolist() == [[first]]
