"""Random walks, the side that keeps neighbors, and self weights, against dense formulas."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from sklearn_rank.datasets import make_interactions
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    UserNeighborsRecommender,
)
from tests.recommenders.test_neighbors import as_log, weights

SIMILARITIES = ["cosine", "jaccard", "tfidf", "bm25", "walk"]
SIDES = ["history", "candidate"]


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


@pytest.mark.parametrize("keep", SIDES)
def test_one_side_has_at_most_so_many_neighbors(keep):
    log = make_interactions(150, 120, 3_000, random_state=0)
    X = np.column_stack([log.user, log.item])
    recommender = ItemNeighborsRecommender(5, similarity="walk", keep=keep).fit(X)
    n_kept = [np.diff(recommender.similarity_.indptr), recommender.similarity_.indices]
    n_kept[1] = np.bincount(n_kept[1], minlength=120)
    one, other = n_kept if keep == "history" else n_kept[::-1]
    assert one.max() == 5 < other.max()


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


@pytest.mark.parametrize("keep", SIDES)
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
