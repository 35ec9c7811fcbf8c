"""Recommenders that propose lists by themselves."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import BaseEstimator, clone

from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    MatrixFactorizationRecommender,
    PopularityRecommender,
    RecommenderMixin,
    UserNeighborsRecommender,
)

RNG = np.random.default_rng(0)
LOG = np.column_stack([RNG.integers(0, 40, 500), RNG.integers(0, 30, 500)])
USERS = np.array([3, 99, 0, 17, 3])  # unknown, and repeated


class Wrapper(RecommenderMixin, BaseEstimator):
    """What another recommender proposes, with scores changed by `change`."""

    def __init__(self, recommender=None, n_candidates=30, change=None):
        self.recommender = recommender
        self.n_candidates = n_candidates
        self.change = change

    def fit(self, X, y=None):
        self.recommender_ = clone(self.recommender).fit(X, y)
        return super().fit(X, y)

    def fit_interactions(self, interactions):
        pass

    def score_pairs(self, users, items):
        return self.recommender_.score_pairs(users, items)

    def propose(self, users, k, hidden):
        assert hidden.shape == (len(users), len(self.items_))
        found = self.recommender_.propose(users, self.n_candidates, hidden)
        return self.change(*found) if self.change else found


class HistoryWrapper(Wrapper):
    def propose_histories(self, histories, k, hidden):
        return self.recommender_.propose_histories(histories, self.n_candidates, hidden)


def proposing(change, recommender=None, **params):
    recommender = recommender or PopularityRecommender()
    return Wrapper(recommender, change=change, **params).fit(LOG)


RECOMMENDERS = [
    PopularityRecommender(),
    EASERecommender(),
    ItemNeighborsRecommender(n_neighbors=3),
    UserNeighborsRecommender(n_neighbors=3),
    MatrixFactorizationRecommender(),
]
REQUESTS = [
    {},
    {"exclude_seen": False},
    {"items": [1, 2, 3, 5, 8, 13, 21], "exclude": [5]},
    {"exclude": {3: range(20), 99: [1]}},
    {"items": {3: [1, 2, 3, 4, 29], 0: range(30), 17: range(9), 99: [7]}, "exclude": [2]},
]


@pytest.mark.parametrize("request_", REQUESTS)
@pytest.mark.parametrize("recommender", RECOMMENDERS, ids=lambda one: type(one).__name__)
def test_a_wrapper_that_changes_nothing_has_the_same_lists(recommender, request_):
    wrapper = Wrapper(recommender).fit(LOG)
    expected = (
        clone(recommender).fit(LOG).recommend(USERS, 5, return_scores=True, **request_)
    )
    found = wrapper.recommend(USERS, 5, return_scores=True, **request_)
    retrieved = np.isfinite(expected[1])
    assert_array_equal(found[1], expected[1])
    assert_array_equal(found[0][retrieved], expected[0][retrieved])


def test_a_wrapper_that_changes_nothing_has_the_same_score_rank_and_predictions():
    model, wrapper = EASERecommender().fit(LOG), Wrapper(EASERecommender()).fit(LOG)
    held_out = np.column_stack([RNG.integers(0, 40, 99), RNG.integers(0, 30, 99)])
    for metric in ("ndcg@10", "accuracy"):
        scorer = make_recommender_scorer(metric)
        with pytest.warns(MisleadingScoreWarning, match="26% of 99 relevant rows repeat"):
            assert scorer(wrapper, held_out) == scorer(model, held_out)
    assert_array_equal(wrapper.predict(held_out), model.predict(held_out))
    for one, other in zip(
        wrapper.rank(USERS, 30).values(), model.rank(USERS, 30).values(), strict=True
    ):
        assert_array_equal(one, other)


def test_users_given_by_their_items_need_a_method_of_their_own():
    lists = [[1, 2, 3], [4], []]
    wrapper = HistoryWrapper(EASERecommender()).fit(LOG)
    model = EASERecommender().fit(LOG)
    assert_array_equal(
        wrapper.recommend_for_items(lists, 4), model.recommend_for_items(lists, 4)
    )
    with pytest.raises(NotImplementedError, match="define `propose_histories"):
        Wrapper(EASERecommender()).fit(LOG).recommend_for_items(lists, 4)


def test_what_is_not_retrieved_is_filled_up_with_what_may_be_shown():
    wrapper = proposing(None, n_candidates=2)
    ids, scores = wrapper.recommend([3], 30, return_scores=True)
    assert np.isfinite(scores[0]).tolist() == [True] * 2 + [False] * 28
    seen = wrapper.seen_[wrapper.users_.searchsorted([3])].toarray()[0, ids[0]]
    n_seen = seen.sum()
    assert n_seen > 5
    assert not seen[:-n_seen].any()
    assert seen[-n_seen:].all()
    popularity = wrapper.popularity_[ids[0]]
    assert (np.diff(popularity[:-n_seen]) <= 0).all()
    assert (np.diff(popularity[-n_seen:]) <= 0).all()
    assert len(set(ids[0])) == 30
    assert len(wrapper.rank([3], 30)["item"]) == 2
    with pytest.warns(UserWarning, match="fewer than 3 items left"):
        wrapper.recommend([3], 3)


def test_equal_scores_keep_the_order_of_the_proposals():
    wrapper = proposing(lambda items, scores: (items[:, ::-1], 0 * scores))
    ids, scores = wrapper.recommend([3], 3, return_scores=True, exclude_seen=False)
    least = np.lexsort((wrapper.items_, -wrapper.popularity_))[::-1]
    assert_array_equal(ids[0], wrapper.items_[least[:3]])
    assert scores.tolist() == [[0, 0, 0]]


def test_what_may_not_be_shown_is_dropped_where_it_is_proposed():
    every = np.arange(30)
    wrapper = proposing(
        lambda items, scores: (np.tile(every, (len(items), 1)), np.ones(scores.shape))
    )
    ids, scores = wrapper.recommend([3], 29, return_scores=True, exclude=[7])
    own = set(LOG[LOG[:, 0] == 3, 1]) | {7}
    assert_array_equal(np.isfinite(scores[0]), [item not in own for item in ids[0]])


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda items, scores: items, TypeError, r"must return \(items, scores\)"),
        (lambda items, scores: (items, scores[:, :2]), ValueError, "one shape"),
        (lambda items, scores: (items[:1], scores[:1]), ValueError, r"row per user \(2\)"),
        (lambda items, scores: (items * 1.0, scores), ValueError, "integers from 0 to"),
        (lambda items, scores: (items + 1, scores), ValueError, r"0 to 29, .* got \[30"),
        (lambda items, scores: (items, scores * np.nan), ValueError, "neither finite"),
        (lambda items, scores: (0 * items, scores), ValueError, "item twice in row 0"),
    ],
)
def test_proposals_that_are_none_are_errors(change, error, message):
    with pytest.raises(error, match=rf"Wrapper\.propose .*{message}"):
        proposing(change).recommend([3, 0], 5)
