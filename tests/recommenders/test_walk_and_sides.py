"""Random walks, the side that keeps neighbors, and self weights, against dense formulas."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone

from sklearn_rank.datasets import make_interactions
from sklearn_rank.inputs import InteractionLog
from sklearn_rank.inputs._kept import Kept
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    UserNeighborsRecommender,
)
from sklearn_rank.recommenders._similarity import share_rows
from tests.recommenders.test_neighbors import as_log, weights

SIMILARITIES = ["cosine", "jaccard", "tfidf", "bm25", "walk"]
SIDES = ["history", "candidate"]
EVERY_SIDE = [*SIDES, "both"]


def walk(weights, alpha, beta):
    """Return the similarities as the docstring has them, the diagonal included."""
    d, p = weights.sum(axis=1, keepdims=True), weights.sum(axis=0)
    with np.errstate(all="ignore"):
        to_user = np.where(weights > 0, weights / p, 0.0) ** alpha * (weights > 0)
        to_item = np.where(weights > 0, weights / d, 0.0) ** alpha * (weights > 0)
        return to_user.T @ to_item / np.where(p > 0, p, 1.0) ** beta


@given(
    weights=weights,
    alpha=st.sampled_from([0.0, 0.5, 1.0, 1.7]),
    beta=st.sampled_from([0.0, 0.3, 1.2]),
    keep=st.sampled_from(SIDES),
    k=st.integers(1, 5),
    own=st.booleans(),
)
def test_walks_are_those_of_the_formula(weights, alpha, beta, keep, k, own):
    recommender = ItemNeighborsRecommender(
        *(k,),
        **{"similarity": "walk", "alpha": alpha, "beta": beta, "keep": keep},
        **{"self_weight": own, "weighting": "sum"},
    )
    if not weights.any():
        return
    found = recommender.fit(*as_log(weights)).similarity_.toarray()
    expected = walk(weights.astype(float), alpha, beta)
    assert_allclose(np.diag(found), np.diag(expected) * own, rtol=1e-9)
    np.fill_diagonal(found, 0)
    np.fill_diagonal(expected, 0)
    is_kept = found > 0
    assert_allclose(found[is_kept], expected[is_kept], rtol=1e-9)
    if keep == "candidate":
        found, expected = found.T, expected.T
    highest = -np.sort(-expected, axis=1)[:, :k]
    assert_allclose(-np.sort(-found, axis=1)[:, :k], highest, rtol=1e-12)
    assert (np.count_nonzero(found, axis=1) <= k).all()


def share(similarity):
    """Divide rows by their sums, by the steps of the docstring of the model's helper."""
    shared = similarity.copy()
    for row in shared:
        for reduce in (np.maximum.reduceat, np.add.reduceat):  # in the same order
            if (row > 0).any():
                row[row > 0] /= reduce(row[row > 0], [0])
    return shared


def highest_of_columns(similarity, k, rank):
    kept = np.zeros_like(similarity)
    for column, values in enumerate(similarity.T):
        best = np.lexsort((rank, -values))[:k]
        kept[best, column] = values[best]
    return kept


def fitted(log, k=5, **parameters):
    return ItemNeighborsRecommender(k, weighting="sum", **parameters).fit(*log)


def popularity_rank(model):
    return model._fitted.weights.popularity.order.rank


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("keep", EVERY_SIDE)
@pytest.mark.parametrize(
    ("alpha", "beta", "k"), [(1.0, 0.6, 4), (0.5, 0.0, 3), (0.8, 0.45, 20), (0.0, 0.0, 30)]
)
@pytest.mark.parametrize("seed", range(4))
def test_random_walks_equal_dense_matrices(alpha, beta, k, keep, normalize, seed):
    """With both sides and shared weights this is RP3beta, or P3alpha, as published."""
    rng = np.random.default_rng(seed)
    weights = rng.gamma(1.0, size=(40, 25)) * (rng.random((40, 25)) < 0.3)
    powers = {"similarity": "walk", "alpha": alpha, "beta": beta}
    log = as_log(weights)
    model = fitted(log, k, keep=keep, normalize=normalize, **powers)
    expected, rank = walk(weights, alpha, beta), popularity_rank(model)
    np.fill_diagonal(expected, 0)
    if alpha == 0:  # whole numbers, so that ties are ties
        expected = expected.round()
    if keep == "candidate":
        expected = highest_of_columns(expected, k, rank)
    else:
        expected = highest_of_columns(expected.T, k, rank).T
    if normalize:
        expected = share(expected)
    if keep == "both":
        expected = highest_of_columns(expected, k, rank)
    assert_allclose(model.similarity_.toarray(), expected, rtol=1e-9)


@given(
    weights=weights,
    k=st.integers(1, 5),
    similarity=st.sampled_from(SIMILARITIES),
    normalize=st.booleans(),
)
def test_both_sides_keep_the_best_columns_of_kept_rows(weights, k, similarity, normalize):
    """Many rows and columns have ties, before and after the division."""
    if not weights.any():
        return
    log = as_log(weights)
    model = fitted(log, k, similarity=similarity)
    rows, rank = model.similarity_.toarray(), popularity_rank(model)
    expected = highest_of_columns(share(rows) if normalize else rows, k, rank)
    both = fitted(log, k, similarity=similarity, keep="both", normalize=normalize)
    assert both.similarity_.toarray().tolist() == expected.tolist()
    assert both.similarity_.has_canonical_format


@pytest.mark.parametrize("similarity", SIMILARITIES)
@pytest.mark.parametrize("keep", SIDES)
def test_shared_weights_are_those_of_today_divided_by_their_sums(similarity, keep):
    weights = np.random.default_rng(0).poisson(0.5, (60, 30))
    weights[:, 29] = 0  # nobody has it
    log = as_log(weights)
    usual = fitted(log, similarity=similarity, keep=keep).similarity_.toarray()
    shared = fitted(log, similarity=similarity, keep=keep, normalize=True).similarity_
    sums = usual.sum(axis=1, keepdims=True)
    assert_allclose(shared.toarray(), usual / np.where(sums > 0, sums, 1), rtol=1e-14)
    assert_allclose(shared.sum(axis=1)[sums[:, 0] > 0], 1.0)


@pytest.mark.parametrize("keep", EVERY_SIDE)
@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_own_weights_keep_their_proportion_to_the_neighbors(similarity, keep):
    log = as_log(np.random.default_rng(0).poisson(0.5, (60, 30)))
    parameters = {"similarity": similarity, "keep": keep}
    usual = fitted(log, **parameters, self_weight=True).similarity_.toarray()
    shared = fitted(log, **parameters, normalize=True).similarity_.toarray()
    own = fitted(log, **parameters, normalize=True, self_weight=True).similarity_.toarray()
    assert (own - np.diag(np.diag(own)) == shared).all()
    rows = usual if keep != "both" else fitted(log, similarity=similarity).similarity_
    sums = rows.sum(axis=1) - rows.diagonal()
    assert_allclose(np.diag(own), np.diag(usual) / np.where(sums > 0, sums, 1))


@pytest.mark.parametrize("keep", EVERY_SIDE)
def test_candidates_of_a_search_share_neighbors_and_differ_in_no_bit(keep):
    X = as_log(np.random.default_rng(0).poisson(0.5, (60, 30)))[0]
    models = [
        ItemNeighborsRecommender(k, similarity="walk", keep=keep, normalize=normalize)
        for k in (3, 8, 5)
        for normalize in (False, True)
    ]
    alone = [clone(model).fit(X).similarity_ for model in models]
    log = InteractionLog(X)._replace(kept=Kept())
    for model, expected in zip(models, alone, strict=True):
        similarity = model.fit(log).similarity_
        assert similarity.toarray().tolist() == expected.toarray().tolist()


def test_sums_that_are_too_large_or_too_small_for_a_float_are_divided():
    rows = sparse.csr_array([[1e308, 1e308, 0], [5e-324, 0, 5e-324], [0, 0, 0]])
    shared, own = share_rows(rows, np.array([1e308, 0.0, 3.0]))
    assert shared.toarray().tolist() == [[0.5, 0.5, 0], [0.5, 0, 0.5], [0, 0, 0]]
    assert own.tolist() == [0.5, 0.0, 3.0]


def test_of_equal_items_of_the_history_the_most_popular_speaks():
    """Tea and milk are equally near to cake; milk is more popular."""
    X = [("ann", "tea"), ("ann", "cake"), ("bob", "milk"), ("bob", "cake")]
    X += [("eve", "milk"), ("eve", "jam"), ("kim", "tea"), ("joe", "milk")]
    powers = {"similarity": "walk", "alpha": 0.0, "beta": 0.0}  # counts common users
    model = ItemNeighborsRecommender(1, keep="both", **powers).fit(X)
    cake, milk = 0, 2
    expected = np.zeros((4, 4))
    # Cake and jam speak for milk, milk and tea for cake; milk is the more popular of these,
    # cake of those.
    expected[cake, milk] = expected[milk, cake] = 1
    assert model.similarity_.toarray().tolist() == expected.tolist()


def test_rp3beta_recommends_what_skrecsys_recommends():
    library = pytest.importorskip("skrecsys.recommendation")
    log = make_interactions(300, 200, 6_000, random_state=0)
    X = np.unique(np.column_stack([log.user, log.item]), axis=0)
    ours = ItemNeighborsRecommender(
        20, similarity="walk", alpha=1.0, beta=0.6, keep="both", normalize=True
    ).fit(X)
    theirs = library.RP3Beta(20, alpha=1.0, beta=0.6).fit(X)
    found = ours.recommend(ours.users_, 10)
    expected = theirs.recommend(ours.users_, n_recommendations=10)
    expected = expected[0] if isinstance(expected, tuple) else expected
    pairs = zip(found.tolist(), np.asarray(expected).tolist(), strict=True)
    # Ties in the last bit have another order.
    assert np.mean([len({*one} & {*other}) for one, other in pairs]) > 9.9


@pytest.mark.parametrize("normalize", [False, True])
@pytest.mark.parametrize("keep", SIDES)
def test_one_side_has_at_most_so_many_neighbors(keep, normalize):
    log = make_interactions(150, 120, 3_000, random_state=0)
    X = np.column_stack([log.user, log.item])
    parameters = {"similarity": "walk", "normalize": normalize}
    recommender = ItemNeighborsRecommender(5, **parameters, keep=keep).fit(X)
    n_kept = [np.diff(recommender.similarity_.indptr), recommender.similarity_.indices]
    n_kept[1] = np.bincount(n_kept[1], minlength=120)
    one, other = n_kept if keep == "history" else n_kept[::-1]
    assert one.max() == 5 < other.max()
    both = ItemNeighborsRecommender(5, **parameters, keep="both").fit(X).similarity_
    assert np.diff(both.indptr).max() == np.bincount(both.indices).max() == 5


@pytest.mark.parametrize("similarity", SIMILARITIES[:4])
@given(weights=weights, k=st.integers(1, 5))
def test_candidates_keep_the_transposed_neighbors_of_a_symmetric_similarity(
    similarity, weights, k
):
    one, other = (
        ItemNeighborsRecommender(k, similarity=similarity, weighting="sum", keep=keep)
        for keep in SIDES
    )
    X, y = as_log(weights)
    found = other.fit(X, y).similarity_
    assert (found != one.fit(X, y).similarity_.T).nnz == 0
    assert found.has_sorted_indices


@pytest.mark.parametrize("keep", EVERY_SIDE)
@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_self_weights_stand_on_the_diagonal_beside_the_neighbors(similarity, keep):
    rng = np.random.default_rng(0)
    weights = rng.poisson(1.0, (12, 6))
    weights[:, 5] = 0  # nobody has it
    X, y = as_log(weights)
    usual, own = (
        ItemNeighborsRecommender(
            *(2,),
            **{"similarity": similarity, "keep": keep, "weighting": "sum"},
            self_weight=given,
        ).fit(X, y)
        for given in (False, True)
    )
    diagonal = own.similarity_.diagonal()
    assert ((own.similarity_ - usual.similarity_).toarray() == np.diag(diagonal)).all()
    assert diagonal[5] == 0
    if similarity == "bm25":
        idf = np.log(6 / (1 + np.count_nonzero(weights, axis=1)))[:, None]
        length = weights.sum(axis=0)
        norm = 1.2 * (0.25 + 0.75 * length / length.mean())
        terms = (weights * 2.2 / (weights + norm) * idf) ** 2
        assert_allclose(diagonal[:5], terms.sum(axis=0)[:5])
    elif similarity != "walk":
        assert (diagonal[:5] == 1).all()
    similar = own.similar_items([0, 1], 3)
    assert (similar == usual.similar_items([0, 1], 3)).all()
    assert similar[0].tolist().count(0) == 0
    # Unseen items have the same lists; seen items are first if they may be recommended.
    lists = [one.recommend(range(12), 2, return_scores=True) for one in (usual, own)]
    assert (lists[0][1] == lists[1][1]).all()
    assert (lists[0][0] == lists[1][0]).all()


@given(weights=weights, exclude_seen=st.booleans())
def test_lists_with_self_weights_are_the_best_of_all_scores(weights, exclude_seen):
    X, y = as_log(weights)
    recommender = ItemNeighborsRecommender(
        3, self_weight=True, weighting="sum", exclude_seen=exclude_seen
    ).fit(X, y)
    scores = weights @ recommender.similarity_.toarray()
    assert_allclose(recommender.predict(X), scores.ravel())
    if exclude_seen:
        assert np.isneginf(recommender.recommend([0], 1, return_scores=True)[1]).all()
        return
    for users in ([0], range(6)):
        found = recommender.recommend(users, 1, return_scores=True)[1]
        assert_allclose(found[:, 0], scores[users].max(axis=1))


def test_an_explanation_shows_what_an_item_adds_to_itself():
    X = [("ann", "tea"), ("ann", "milk"), ("bob", "tea"), ("bob", "milk"), ("eve", "tea")]
    recommender = ItemNeighborsRecommender(similarity="jaccard", self_weight=True).fit(X)
    found = recommender.explain("ann", "tea")
    assert found.items.tolist() == ["tea", "milk"]
    assert_allclose(found.contributions, [1, 2 / 3])
    assert found.score == pytest.approx(5 / 3)


@pytest.mark.parametrize("regularization", [1.0, 50.0])
def test_ease_with_self_weights_is_a_ridge_regression_of_each_item_on_all(regularization):
    rng = np.random.default_rng(0)
    weights = rng.poisson(1.0, (40, 8))
    recommender = EASERecommender(regularization, weighting="sum", self_weight=True)
    found = recommender.fit(*as_log(weights)).item_weights_
    gram = weights.T @ weights + regularization * np.eye(8)
    assert_allclose(found, np.linalg.solve(gram, weights.T @ weights), atol=1e-5)
    assert (np.diag(found) > 0).all()
    assert (
        np.diag(EASERecommender().fit(*as_log(weights)).item_weights_).tolist() == [0] * 8
    )


@pytest.mark.parametrize("keep", SIDES)
def test_walks_of_extreme_weights_are_finite_or_refused(keep):
    X = [("ann", "tea"), ("bob", "tea"), ("ann", "milk"), ("bob", "milk"), ("eve", "cake")]
    X += [("eve", "jam"), ("eve", "tea")]

    def fit(y, **parameters):
        recommender = ItemNeighborsRecommender(
            similarity="walk", keep=keep, weighting="sum", self_weight=True, **parameters
        )
        return recommender.fit(X, y).similarity_

    for y in (np.full(7, 1e-300), np.full(7, 1e300), [1e200, 1e-200, 1, 1, 1, 1, 1]):
        assert np.isfinite(fit(y).data).all()
    extreme = [1e200, 1e-200, 1e200, 1, 1, 1, 1]
    with pytest.raises(ValueError, match="lower `alpha` and `beta`"):
        fit(extreme, alpha=2)
    lone = [1, 1, 1, 1, 2.0**-900, 1, 1]
    if keep == "history":
        with pytest.raises(ValueError, match="lower `alpha` and `beta`"):
            fit(lone, alpha=1, beta=1.5)
    else:  # here no factor is so large
        assert fit(lone, alpha=1, beta=1.5).max() == pytest.approx(2.0**449)
    # The weights of rows are finite, their similarity is not.
    size = 2.0 ** (-330 if keep == "history" else -430)
    with pytest.raises(ValueError, match="lower `alpha` and `beta`"):
        fit(np.full(7, size), alpha=0, beta=2.5)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"similarity": "walk", "alpha": -0.1}, "`alpha` must be a finite number >= 0"),
        ({"similarity": "walk", "beta": np.inf}, "`beta` must be a finite number >= 0"),
        ({"similarity": "walk", "beta": np.nan}, "`beta` must be a finite number >= 0"),
        ({"keep": "candidates"}, "Did you mean 'candidate'"),
        ({"self_weight": "yes"}, "`self_weight` got 'yes'"),
        ({"normalize": "yes"}, "`normalize` got 'yes'"),
        ({"keep": "bot"}, "Did you mean 'both'"),
        ({"similarity": "walks"}, "Did you mean 'walk'"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        ItemNeighborsRecommender(**parameters).fit([("ann", "tea"), ("bob", "milk")])


def test_powers_matter_to_walks_alone():
    X = [("ann", "tea"), ("ann", "milk"), ("bob", "tea"), ("bob", "milk")]
    usual = ItemNeighborsRecommender().fit(X).similarity_
    found = ItemNeighborsRecommender(alpha=-1, beta=None).fit(X).similarity_
    assert (found != usual).nnz == 0 < found.nnz
    with pytest.raises(ValueError, match="`similarity` got 'walk'"):
        UserNeighborsRecommender(similarity="walk").fit(X)
