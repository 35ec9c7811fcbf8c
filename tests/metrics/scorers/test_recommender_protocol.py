"""Recommenders of other libraries in our scorers: their arguments and answers."""

import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV, cross_validate

from sklearn_rank.metrics import MetricAtKDisplay, make_recommender_scorer
from sklearn_rank.metrics._scorers._recommender_protocol import (
    find_indices,
    training_data_of,
)
from sklearn_rank.model_selection import TimeSplit, cross_validate_per_query
from sklearn_rank.recommenders import PopularityRecommender

COLUMNS = {"user": "user", "item": "item"}


class Peer(BaseEstimator):
    """Popularity in the contract of skrecsys: it raises where a list would be too short."""

    def __init__(self, reverse=False):
        self.reverse = reverse

    def fit(self, X, y=None):
        X = np.asarray(X, dtype=object)[:, :2]
        self.user_ids_ = np.array(sorted(set(X[:, 0])))
        self.item_ids_ = np.array(sorted(set(X[:, 1])))
        model = PopularityRecommender().fit(X.tolist())
        self.interactions_ = model.seen_.astype(float)
        self.popularity_ = -model.popularity_ if self.reverse else model.popularity_
        return self

    def recommend(
        self,
        X,
        *,
        n_recommendations=10,
        candidates=None,
        exclude_seen=True,
        exclude_interactions=None,
    ):
        rows = {user: row for row, user in enumerate(self.user_ids_.tolist())}
        pairs = [] if exclude_interactions is None else exclude_interactions.tolist()
        found = []
        for user in X.tolist():
            if user not in rows:
                raise ValueError(f"Unknown user identifiers: [{user}].")
            is_open = np.ones(len(self.item_ids_), dtype=bool)
            if exclude_seen:
                is_open[self.interactions_[[rows[user]]].indices] = False
            if candidates is not None:
                assert set(candidates) <= set(self.item_ids_)
                is_open &= np.isin(self.item_ids_, candidates)
            gone = [item for who, item in pairs if who == user]
            is_open &= ~np.isin(self.item_ids_, gone) if gone else True
            ranked = np.argsort(-self.popularity_, kind="stable")
            ranked = ranked[is_open[ranked]]
            if len(ranked) < n_recommendations:
                raise ValueError(f"Cannot recommend {n_recommendations} items.")
            found.append(ranked[:n_recommendations])
        best = np.array(found)
        return self.item_ids_[best], self.popularity_[best]


def make_log(strings):
    rng = np.random.default_rng(0)
    users = rng.integers(0, 25, 600)
    items = (users % 3 * 5 + rng.geometric(0.15, 600)) % 30
    log = pd.DataFrame({"user": users, "item": items, "time": np.arange(600)})
    if strings:
        log["user"] = "u" + log["user"].astype(str).str.zfill(2)
        log["item"] = "i" + log["item"].astype(str).str.zfill(2)
    return log


LOGS = {"numbers": make_log(False), "strings": make_log(True)}
CV = TimeSplit(
    2, user="user", item="item", time="time", cold_users="drop", seen_items="drop"
)
# Metrics at a cutoff that some users cannot get, without any, and of what lists show.
METRICS = ["ndcg@5", "recall@25", "mrr", "auc", "mean_rank", "novelty@5", "coverage@5"]


def sets_for(log):
    """Return what may be recommended, for this log: arguments of a scorer."""
    items = np.unique(log["item"])
    by_user = {user: items[i % 3 :: 2] for i, user in enumerate(np.unique(log["user"]))}
    few = {user: items[i % 5 : i % 5 + 2] for i, user in enumerate(by_user)}
    return {
        "nothing": {},
        "seen": {"exclude_seen": False},
        "stock": {"items": items[::2]},
        "exclude for all": {"exclude": items[3:9]},
        "stock and exclude for all": {"items": items[::2], "exclude": items[3:9]},
        "exclude": {"exclude": few},
    } | ({"candidates": {"items": by_user, "exclude": few, "exclude_seen": True}})


@pytest.mark.parametrize("ids", LOGS)
@pytest.mark.parametrize("case", [*sets_for(LOGS["numbers"])][:5])
def test_a_peer_scores_as_our_own_does(ids, case):
    log = LOGS[ids]
    scorer = make_recommender_scorer(METRICS, **COLUMNS, **sets_for(log)[case])
    for train, test in CV.split(log):
        ours = PopularityRecommender(**COLUMNS).fit(log.iloc[train])
        peer = Peer().fit(log.iloc[train])
        expected = scorer(ours, log.iloc[test])
        assert scorer(peer, log.iloc[test]) == pytest.approx(expected, rel=1e-12)
        of_users = make_recommender_scorer(METRICS[:-1], **COLUMNS, **sets_for(log)[case])
        values, same = (of_users.per_query(one, log.iloc[test]) for one in (peer, ours))
        for name in METRICS[:-1]:
            np.testing.assert_allclose(values.scores[name], same.scores[name], rtol=1e-12)


def by_hand(log, train, test, *, items=None, exclude=None, k=5):
    """Return the mean recall at k of popularity without seen items, by a loop."""
    model = PopularityRecommender(**COLUMNS).fit(log.iloc[train])
    recalls = []
    for user, rows in log.iloc[test].groupby("user"):
        ids, scores = model.recommend([user], len(model.items_), return_scores=True)
        ranked = ids[0][scores[0] > -np.inf].tolist()
        ranked = [i for i in ranked if items is None or i in items[user].tolist()]
        ranked = [i for i in ranked if exclude is None or i not in exclude[user].tolist()]
        wanted = set(rows["item"])
        recalls.append(len(wanted & set(ranked[:k])) / len(wanted))
    return np.mean(recalls)


@pytest.mark.parametrize("ids", LOGS)
@pytest.mark.parametrize("case", ["exclude", "candidates"])
def test_candidates_and_exclusions_of_each_user(ids, case):
    log = LOGS[ids]
    given = sets_for(log)[case]
    scorer = make_recommender_scorer("recall@5", **COLUMNS, **given)
    sets = {name: given[name] for name in given if name != "exclude_seen"}
    for train, test in CV.split(log):
        peer = Peer().fit(log.iloc[train])
        expected = by_hand(log, train, test, **sets)
        assert scorer(peer, log.iloc[test]) == pytest.approx(expected, rel=1e-12)


def test_a_peer_is_asked_for_no_more_than_the_candidates_of_a_user():
    log = LOGS["numbers"]
    ((rows, held_out), _) = CV.split(log)
    train, test = log.iloc[rows], log.iloc[held_out]
    # About half of the candidates are seen ones; a peer raises for more than the rest.
    items = {}
    for user, rows in train.groupby("user"):
        seen = np.unique(rows["item"])
        new = np.setdiff1d(np.unique(train["item"]), seen)
        items[user] = np.r_[seen[:2], new[: 2 + user % 2]]
    scorer = make_recommender_scorer("recall@5", **COLUMNS, items=items)
    found = scorer(Peer().fit(train), test)
    assert found == scorer(PopularityRecommender(**COLUMNS).fit(train), test)


def test_candidates_that_training_does_not_know_are_passed_over():
    log = LOGS["strings"]
    (_, (train, test)) = CV.split(log)
    scores = [
        make_recommender_scorer("recall@5", **COLUMNS, items=items)(
            Peer().fit(log.iloc[train]), log.iloc[test]
        )
        for items in (["i01", "i02"], ["i01", "new", "i02"])
    ]
    assert scores[0] == scores[1] > 0


def test_the_tools_of_scikit_learn_and_ours_take_a_peer():
    log = LOGS["numbers"]
    scorer = make_recommender_scorer(METRICS, **COLUMNS)
    search = GridSearchCV(
        Peer(), {"reverse": [True, False]}, scoring=scorer, cv=CV, refit="ndcg@5"
    ).fit(log)
    assert search.best_params_ == {"reverse": False}
    folds = cross_validate(Peer(), log, scoring=scorer, cv=CV, error_score="raise")
    found = cross_validate_per_query(Peer(), log, metrics="ndcg@5", cv=CV, **COLUMNS)
    means = [found.scores["ndcg@5"][found.fold == fold].mean() for fold in range(2)]
    np.testing.assert_allclose(folds["test_ndcg@5"], means)


def test_new_users_are_an_error_that_names_the_remedy():
    log = LOGS["numbers"]
    peer = Peer().fit(log[log["user"] > 2])
    with pytest.raises(ValueError, match="Unknown user") as caught:
        make_recommender_scorer("mrr@3", **COLUMNS)(peer, log)
    (note,) = caught.value.__notes__
    assert note.startswith("3 of the users to be scored are not in the training data")
    assert "cold_users='drop'" in note


def test_the_training_data_are_known_by_their_pairs():
    """Places of users and items do not add up to what two pairs share."""
    log = pd.DataFrame({"user": ["u0", "u1", "u2"], "item": ["b", "a", "a"]})
    data = training_data_of(PopularityRecommender(**COLUMNS).fit(log))
    user, item = np.arange(3), np.array([1, 0, 0])
    assert data.count_seen(data.users, user, item) == 3
    assert data.are_pairs(user, item)
    assert not data.are_pairs(user, item[[0, 1, 0]])
    assert not data.are_pairs(user[1:], item[1:])
    assert data.count_seen(data.users, user[1:], item[1:]) == 2
    thrice = [1, 1, 2]
    assert data.count_seen(data.users, np.array(thrice), np.zeros(3, dtype=int)) == 3


def test_errors_of_a_recommender_are_its_own():
    class Broken(Peer):
        def recommend(self, X, *, n_recommendations=10):
            raise ValueError("broken")

    log = LOGS["numbers"]
    with pytest.raises(ValueError, match="broken") as caught:
        make_recommender_scorer("mrr@3", **COLUMNS)(Broken().fit(log), log)
    assert not hasattr(caught.value, "__notes__")


def test_all_held_out_pairs_of_a_peer_are_seen_ones():
    log = LOGS["numbers"]
    scorer = make_recommender_scorer("recall@5", **COLUMNS)
    with pytest.warns(UserWarning, match="100% of .*which Peer leaves out"):
        assert scorer(Peer().fit(log), log[:50]) == 0
    assert make_recommender_scorer("recall@5", **COLUMNS, exclude_seen=False)(
        Peer().fit(log), log[:50]
    )


class Lists(BaseEstimator):
    """Recommends 1, 2, 3 to everybody, in the form of a subclass."""

    def fit(self, X, y=None):
        return self

    def lists(self, users, k):
        return np.tile([1, 2, 3][:k], (len(users), 1))


class Positional(Lists):
    def recommend(self, users, top):
        return self.lists(users, top)


class Counted(Lists):
    def recommend(self, users, *, k):
        return self.lists(users, k).tolist()


class NamedOtherwise(Lists):
    def recommend(self, users, *, n_items):
        return self.lists(users, n_items)


class Wrapped(Lists):
    def recommend(self, *args, **kwargs):
        return self.lists(*args, **kwargs)


class ByUser(Lists):
    def recommend(self, users, k):
        lists = self.lists(users, k).tolist()
        return dict(reversed([*zip(users.tolist(), lists, strict=True)]))


class PairOfLists(Lists):
    def recommend(self, users, k):
        return tuple(map(list, self.lists(users, k)))


class WithScores(Lists):
    def recommend(self, users, k=10):
        items = self.lists(users, k)
        return items, np.where(items == 3, -np.inf, -items)


@pytest.mark.parametrize(
    "form", [Positional, Counted, NamedOtherwise, Wrapped, ByUser, PairOfLists, WithScores]
)
def test_other_forms_of_lists(form):
    rows = np.array([[0, 2], [1, 1]])
    assert make_recommender_scorer("mrr@3")(form(), rows) == 3 / 4


def test_what_takes_no_number_of_items_is_an_error():
    class Endless(Lists):
        def recommend(self, users):
            return self.lists(users, 3)

    with pytest.raises(TypeError, match=r"Endless.recommend takes no number of items"):
        make_recommender_scorer("mrr@3")(Endless(), np.array([[0, 2]]))


def test_an_exclusion_is_an_error_where_nothing_takes_it():
    log = LOGS["numbers"]

    class NoExclusion(Peer):
        def recommend(self, X, *, n_recommendations=10, candidates=None):
            return super().recommend(X, n_recommendations=n_recommendations)

    scorer = make_recommender_scorer("mrr@3", **COLUMNS, exclude={0: [1]})
    with pytest.raises(TypeError, match=r"`exclude` was given.*NoExclusion.recommend has"):
        scorer(NoExclusion().fit(log), log)


class OddAttributes(Lists):
    """Has attributes of our names that hold something else."""

    def fit(self, X, y=None):
        self.users_ = pd.DataFrame({"age": [1, 2]})
        self.items_ = {1: 0, 2: 1, 3: 2}
        self.interactions_ = pd.DataFrame(X)
        return self

    def recommend(self, users, k):
        return self.lists(users, k)


def test_attributes_that_hold_something_else_do_not_matter():
    rows = np.array([[0, 2], [1, 1]])
    scorer = make_recommender_scorer(["mrr@3", "mrr"])
    assert scorer(OddAttributes().fit(rows), rows) == {"mrr@3": 3 / 4, "mrr": 3 / 4}


@pytest.mark.parametrize(
    "seen", [None, [[1, 2], [2, 3]], [[0, 1, 1], [0, 1, 1]], np.ones((2, 2)), {1, 2}]
)
def test_seen_items_in_another_form_are_unknown(seen):
    class Seen(Lists):
        users_, items_, seen_ = [1, 2], [1, 2, 3], seen

        def recommend(self, users, k, exclude_seen=True, items=None):
            return self.lists(users, k)

    rows = np.array([[1, 2], [2, 1]])
    for options in ({}, {"exclude_seen": True, "items": [1, 2, 3]}):
        assert make_recommender_scorer("mrr@3", **options)(Seen(), rows) == 3 / 4


def test_candidates_and_exclusions_of_a_recommender_with_an_unknown_catalog():
    class Chosen(Lists):
        def recommend(self, users, k, items=(1, 2, 3), exclude=()):
            left = [item for item in (1, 2, 3) if item in items and item not in exclude]
            return [left[:k]] * len(users)

    rows = np.array([[1, 3], [2, 1]])
    for options in ({"items": [3, 2]}, {"exclude": [1]}):
        assert make_recommender_scorer("mrr@3", **options)(Chosen(), rows) == 1 / 4


def test_items_excluded_for_all_are_pairs_of_each_user():
    pairs = []

    class OfPairs(Lists):
        def recommend(self, users, k, exclude_interactions=None):
            pairs.append(exclude_interactions.tolist())
            return self.lists(users, k)

    make_recommender_scorer("mrr@3", exclude=[8, 9])(OfPairs(), np.array([[1, 2], [2, 1]]))
    assert pairs == [[[1, 8], [1, 9], [2, 8], [2, 9]]]


def test_too_few_lists_are_an_error():
    class OneList(Peer):
        def recommend(self, X, **options):
            return super().recommend(X, **options)[0][:1]

        recommend.__signature__ = inspect.signature(Peer.recommend)

    log = LOGS["numbers"]
    peer = OneList().fit(log)
    for options in ({}, {"exclude": {0: log["item"].unique()[:-2].tolist()}}):
        scorer = make_recommender_scorer("mrr@3", exclude_seen=False, **COLUMNS, **options)
        with pytest.raises(ValueError, match=r"recommend\(\) returned 1 lists for 2"):
            scorer(peer, log)


def test_labels_in_any_order_are_found():
    labels = np.array([7, 3, 9])
    assert find_indices(labels, [3, 9, 4, 7], name="items").tolist() == [1, 2, -1, 0]
    for kind in ("U", "S"):
        found = find_indices(
            labels.astype(kind), np.array([3, 9, 4, 7]).astype(kind), name=""
        )
        assert found.tolist() == [1, 2, -1, 0]


def test_a_peer_is_drawn():
    pytest.importorskip("matplotlib")
    log = LOGS["numbers"]
    (_, (train, test)) = CV.split(log)
    display = MetricAtKDisplay.from_estimator(
        Peer().fit(log.iloc[train]), log.iloc[test], metrics="recall", **COLUMNS
    )
    assert display is not None


class Silent:
    """Recommends nothing."""

    def recommend(self, users, k):
        return [[] for _ in users]


@pytest.mark.parametrize("item", [1, "tea"])
def test_nothing_is_relevant_and_nothing_is_listed(item):
    scorer = make_recommender_scorer(
        ["ndcg@3", "personalization@3"], replace_undefined_by=np.nan
    )
    scores = scorer(Silent(), [["ann", item]], [0])
    assert np.isnan(list(scores.values())).all()


def test_expected_items_come_in_a_catalogue():
    with pytest.raises(ValueError, match="make_recommender_scorer a `catalogue=` with"):
        make_recommender_scorer("unexpectedness@3")
    with pytest.raises(ValueError, match="`features=` or a `cat"):
        make_recommender_scorer("intra_list_distance@3")
