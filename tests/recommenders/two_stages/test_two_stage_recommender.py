"""TwoStageRecommender: what its ranker sees, learns from and makes of candidates."""

import pickle
from datetime import datetime, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer

from sklearn_rank.datasets import make_interactions
from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.model_selection import TimeSplit
from sklearn_rank.rankers import GroupRanker
from sklearn_rank.recommenders import (
    EASERecommender,
    FeatureTable,
    ItemNeighborsRecommender,
    PopularityRecommender,
    RepeatRecommender,
    RerankingRecommender,
    TwoStageRecommender,
    UserNeighborsRecommender,
)
from sklearn_rank.recommenders._two_stages._first_stage import (
    CandidateRequest,
    find_candidates,
)


def log_in_days(*shape, random_state):
    log = make_interactions(*shape, random_state=random_state, as_frame=True)
    return log.assign(time=(log["time"] - log["time"].min()).dt.days)


LOG = log_in_days(60, 40, 600, random_state=0)
MODELS = [("ease", EASERecommender()), ("recent", PopularityRecommender(half_life=50))]


class Recorder(BaseEstimator):
    """A ranker that keeps what it gets, and ranks by one feature."""

    def __init__(self, column=0):
        self.column = column

    def fit(self, X, y, groups=None):
        self.X_, self.y_, self.groups_ = X, y, groups
        return self

    def predict(self, X):
        return X[:, self.column]


def two_stages(ranker=None, candidates=MODELS, **params):
    params = {"time": "time", "n_candidates": 20} | params
    return TwoStageRecommender(candidates, ranker or Recorder(), **params)


def log_of(rows, columns=("user", "item", "time")):
    return pd.DataFrame(rows, columns=list(columns))


def seen_until(log, moment):
    past = log[log["time"] <= moment]
    return past.groupby("user")["item"].agg(set).to_dict(), past


def test_labels_are_what_users_take_within_a_window():
    model = two_stages(n_windows=2, label_window=60).fit(LOG)
    newest = LOG["time"].max()
    recall, n_lists, n_positive = [], 0, 0
    for moment in (newest - 120, newest - 60):
        seen, past = seen_until(LOG, moment)
        window = LOG[(LOG["time"] > moment) & (LOG["time"] <= moment + 60)]
        ease = EASERecommender().fit(past)
        recent = PopularityRecommender(half_life=50, time="time").fit(past)
        n_found = n_taken = 0
        for user, rows in window.groupby("user"):
            if user not in seen:
                continue
            taken = (set(rows["item"]) - seen[user]) & set(past["item"])
            lists = [one.rank([user], 20)["item"].tolist() for one in (ease, recent)]
            together = [item for pair in zip(*lists, strict=True) for item in pair]
            found = taken & set(list(dict.fromkeys(together))[:20])
            n_found, n_taken = n_found + len(found), n_taken + len(taken)
            n_lists += bool(found)
        recall.append(n_found / n_taken)
        n_positive += n_found
    assert_allclose(model.candidate_recall_, recall)
    assert model.n_lists_ == n_lists
    ranker = model.ranker_
    assert len(set(ranker.groups_)) == n_lists
    assert ranker.y_.sum() == n_positive
    assert set(ranker.y_) == {0.0, 1.0}


def test_with_weights_a_label_is_their_sum_within_the_window():
    rows = [("a", "x", 0), ("b", "x", 0), ("b", "y", 1), ("a", "y", 19), ("a", "y", 20)]
    rows += [("b", "z", 2), ("a", "z", 20), ("a", "new", 20)]
    model = two_stages(
        candidates=[("all", PopularityRecommender())], n_windows=1, label_window=5
    )
    model.fit(log_of(rows), y=[1, 1, 1, 2, 3, 1, 0, 9])
    assert sorted(model.ranker_.y_) == [0, 5]
    assert model.candidate_recall_.tolist() == [1.0]
    model.fit(log_of(rows))
    assert sorted(model.ranker_.y_) == [1, 1]


def test_features_of_the_log_are_those_of_plain_loops():
    model = two_stages(n_windows=1, label_window=60).fit(LOG)
    moment = LOG["time"].max() - 60
    seen, past = seen_until(LOG, moment)
    names = model.feature_names_
    assert names == [
        *(
            f"{one}_{what}"
            for one in ("ease", "recent")
            for what in ("score", "rank", "share")
        ),
        *("item_users", "item_rows_0.1", "item_rows_0.2", "item_rows_0.7"),
        *("item_rows_2", "item_rows_7", "item_first_age", "item_last_age"),
        *("user_items", "user_visits", "user_first_age", "user_last_age"),
        "user_popularity",
    ]
    whole = moment - past["time"].min()
    users = {item: set(rows["user"]) for item, rows in past.groupby("item")}
    of_item, of_user = set(), set()
    for item, rows in past.groupby("item"):
        ages = (moment - rows["time"]) / 60
        counts = [np.exp2(-ages / half).sum() for half in (0.1, 0.2, 0.7, 2, 7)]
        ends = [ages.max() * 60 / whole, ages.min()]
        of_item.add(tuple(np.round([len(users[item]), *counts, *ends], 9)))
    for user, rows in past.groupby("user"):
        ages = (moment - rows["time"]) / 60
        popularity = np.mean([np.log(len(users[item])) for item in seen[user]])
        n = len(seen[user]), rows["time"].nunique()
        ends = [ages.max() * 60 / whole, ages.min()]
        of_user.add(tuple(np.round([*n, *ends, popularity], 9)))
    found = np.round(model.ranker_.X_, 9)
    assert {tuple(row) for row in found[:, 6:14]} <= of_item
    assert {tuple(row) for row in found[:, 14:]} <= of_user


def test_features_of_models_are_score_rank_and_share_of_the_best():
    model = two_stages(n_windows=1, label_window=60).fit(LOG)
    X, groups = model.ranker_.X_, model.ranker_.groups_
    for place in (0, 3):
        for one in set(groups):
            score, rank, share = X[groups == one, place : place + 3].T
            assert_array_equal(rank, [1 + (score > own).sum() for own in score])
            assert_allclose(share, score / score.max())


@given(st.integers(1, 3), st.sampled_from([30, 60, 81]))
@settings(max_examples=10)
def test_features_of_a_window_are_the_same_whether_later_rows_exist(n_windows, window):
    table = FeatureTable(
        pd.DataFrame({"item": LOG["item"], "at": LOG["time"], "price": LOG["time"] % 7}),
        id="item",
        time="at",
    )
    params = {"label_window": window, "item_features": table}
    newest = LOG["time"].max()
    later = two_stages(n_windows=n_windows, **params).fit(LOG)
    until = LOG[LOG["time"] <= newest - (n_windows - 1) * window]
    # Its last window ends where it did, so that it is the same.
    until = pd.concat([until, until[:1].assign(time=newest - (n_windows - 1) * window)])
    earlier = two_stages(n_windows=1, **params).fit(until)
    n = len(earlier.ranker_.X_)
    assert earlier.ranker_.X_.tobytes() == later.ranker_.X_[:n].tobytes()
    price = later.ranker_.X_[:, later.feature_names_.index("item_price")]
    assert len(set(price[~np.isnan(price)])) > 1


def test_lists_are_merged_in_turn():
    n_items = 9
    hidden = sparse.csr_array(np.eye(4, n_items, dtype=bool))
    rng = np.random.default_rng(0)
    log = np.column_stack([rng.integers(0, 4, 40), rng.integers(0, n_items, 40)])
    models = [PopularityRecommender(), EASERecommender(), UserNeighborsRecommender()]
    models = [model.fit(log) for model in models]
    users = np.arange(4)
    lists = [model.propose(users, 5, hidden)[0].tolist() for model in models]
    found = find_candidates(models, CandidateRequest(users, None, hidden), 5)
    for user in users:
        ranked = [
            item
            for place in zip(*(one[user] for one in lists), strict=True)
            for item in place
        ]
        assert found.items[user].tolist() == list(dict.fromkeys(ranked))[:5]
        for model, scores in zip(models, found.scores, strict=True):
            own = model.score_pairs(np.full(5, user), found.items[user])
            assert_allclose(scores[user], own)


def test_lists_are_the_candidates_in_the_order_of_the_ranker():
    model = two_stages(Recorder(3), n_windows=1, label_window=60).fit(LOG)
    users = LOG["user"].unique()
    ids, scores = model.recommend(users, 20, return_scores=True)
    assert (scores[:, 1:] <= scores[:, :-1]).all()
    recent = PopularityRecommender(half_life=50, time="time").fit(LOG)
    pairs = pd.DataFrame({"user": users.repeat(20), "item": ids.ravel()})
    is_ranked = np.isfinite(scores.ravel())
    assert_allclose(recent.predict(pairs)[is_ranked], scores.ravel()[is_ranked])


@pytest.mark.parametrize("exclude_seen", [True, False])
def test_predict_is_the_score_that_recommend_returns(exclude_seen):
    params = {"n_windows": 1, "label_window": 60, "exclude_seen": exclude_seen}
    model = two_stages(LinearRegression(), **params).fit(LOG)
    users = LOG["user"].unique()
    ids, scores = model.recommend(users, 10, return_scores=True)
    pairs = pd.DataFrame({"user": users.repeat(10), "item": ids.ravel()})
    pairs["score"] = scores.ravel()
    pairs = pairs[np.isfinite(pairs["score"])].sample(frac=1, random_state=0)
    assert_allclose(model.predict(pairs), pairs["score"])
    # Others have a score, too; somebody unknown that of popularity.
    own = LOG[:5].assign(user=[*LOG["user"][:4], -1])
    assert np.isfinite(model.predict(own)).all()
    assert len(model.predict(LOG)) == len(LOG)


def test_candidates_exclusions_and_seen_items():
    model = two_stages(n_windows=1, label_window=60).fit(LOG)
    user = LOG["user"][0]
    seen = set(LOG.loc[LOG["user"] == user, "item"])
    assert not seen & set(model.recommend([user], 10)[0])
    assert seen & set(model.recommend([user], 20, exclude_seen=False)[0])
    few = sorted(set(LOG["item"]) - seen)[:3]
    ids, scores = model.recommend([user], 3, items=few, return_scores=True)
    assert set(ids[0]) == set(few)
    assert np.isfinite(scores).all()
    assert few[0] not in model.recommend([user], 10, exclude=few[:1])[0]
    assert len(model.rank([user], 5)["item"]) == 5


def test_a_search_tunes_models_and_windows():
    search = GridSearchCV(
        two_stages(LogisticRegression(max_iter=1000), label_window=40),
        {"ease__regularization": [10, 1000], "n_windows": [1, 2]},
        scoring=make_recommender_scorer("ndcg@10"),
        cv=TimeSplit(2, time="time"),
        error_score="raise",
    ).fit(LOG)
    scores = search.cv_results_["mean_test_score"]
    assert len(set(scores)) > 2
    best = search.best_estimator_
    assert (
        best.candidates_["ease"].regularization
        == search.best_params_["ease__regularization"]
    )


def test_parameters_of_models_and_ranker_are_nested():
    table = FeatureTable(pd.DataFrame({"item": [1], "price": [2]}), id="item")
    model = two_stages(GroupRanker(LogisticRegression()), item_features=table)
    params = model.get_params()
    assert params["ease__regularization"] == 100
    assert params["ranker__estimator__C"] == 1
    model.set_params(ease__regularization=7, ranker__estimator__C=2, n_windows=1)
    copy = clone(model)
    assert copy.item_features is table
    assert copy.get_params()["ease__regularization"] == 7
    assert copy.get_params()["ranker__estimator__C"] == 2
    copy.set_params(ease=ItemNeighborsRecommender())
    assert isinstance(dict(copy.candidates)["ease"], ItemNeighborsRecommender)
    assert isinstance(dict(model.candidates)["ease"], EASERecommender)
    with pytest.raises(ValueError, match="Invalid parameter"):
        model.set_params(slim__alpha=1)


def test_models_without_columns_get_those_of_the_recommender():
    log = LOG.rename(columns={"user": "who", "item": "what", "time": "when"})
    names = {"user": "who", "item": "what"}
    model = two_stages(time="when", label_window=60, **names).fit(log)
    assert model.candidates_["recent"].get_params()["time"] == "when"
    assert dict(model.candidates)["recent"].time is None
    same = two_stages(label_window=60).fit(LOG)
    assert_array_equal(model.recommend([0, 1], 5), same.recommend([0, 1], 5))


def test_frames_arrays_rows_and_ids_of_several_types_give_the_same_lists():
    expected = two_stages(label_window=60).fit(LOG).recommend([3, 5], 5).tolist()
    table = LOG[["user", "item", "time"]]
    for X, time in (
        (pl.from_pandas(table), "time"),
        (table.to_numpy(), 2),
        (table.to_numpy().tolist(), 2),
    ):
        model = two_stages(label_window=60, time=time).fit(X)
        assert model.recommend([3, 5], 5).tolist() == expected
    start = datetime(2020, 1, 1)
    dated = table.assign(time=[start + timedelta(days=int(t)) for t in table["time"]])
    model = two_stages(
        label_window="60D",
        candidates=[MODELS[0], ("recent", PopularityRecommender(half_life="50D"))],
    )
    assert model.fit(dated).recommend([3, 5], 5).tolist() == expected
    # What cannot be sorted is in the order of its first row.
    kinds = [str, int, lambda one: (one, None)]
    mixed = table.assign(item=[kinds[one % 3](one) for one in table["item"]])
    model = two_stages(label_window=60).fit(mixed)
    again = [
        [one[0] if isinstance(one, tuple) else int(one) for one in row]
        for row in model.recommend([3, 5], 5).tolist()
    ]
    assert again == expected


def test_users_given_by_their_items_lack_features_of_users():
    tree = HistGradientBoostingClassifier(max_iter=5)
    model = two_stages(tree, label_window=60).fit(LOG)
    lists = model.recommend_for_items([[1, 2, 3], {4: 2.0}, []], 5)
    assert lists.shape == (3, 5)
    assert not set(lists[0]) & {1, 2, 3}
    model = two_stages(LogisticRegression(max_iter=1000), label_window=60).fit(LOG)
    with pytest.raises(ValueError, match=r"refuses NaN.*'user_items' for .*SimpleImputer"):
        model.recommend_for_items([[1, 2, 3]], 5)


@pytest.mark.parametrize(
    ("model", "lists"),
    [
        (EASERecommender(recency=1, time="time"), [[1, 2, 3], [3, 2, 1]]),
        (EASERecommender(weighting="sum"), [{1: 5.0, 2: 1.0}, {1: 1.0, 2: 5.0}]),
        (RepeatRecommender(time="time"), [[1, 2, 1], [2, 1, 2]]),
    ],
)
def test_each_model_weighs_the_items_in_its_own_way(model, lists):
    # The recorder ranks by the first feature, the score of the first model.
    stages = two_stages(candidates=[("own", model), MODELS[1]], label_window=60).fit(LOG)
    wrapped = RerankingRecommender(stages, "popularity", 0, n_candidates=20).fit(LOG)
    for one in (stages, wrapped):
        found = one.recommend_for_items(lists, 3, return_scores=True, exclude_seen=True)
        alone = clone(model).fit(LOG)
        expected = alone.recommend_for_items(
            lists, 3, return_scores=True, exclude_seen=True
        )
        assert_array_equal(found[0], expected[0])
        assert_allclose(found[1], expected[1], rtol=1e-6)


def test_a_model_in_order_refuses_sets():
    candidates = [("own", EASERecommender(recency=1, time="time"))]
    stages = two_stages(candidates=candidates, label_window=60).fit(LOG)
    with pytest.raises(TypeError, match="needs the items of each user in order"):
        stages.recommend_for_items([{1, 2}], 3)


def test_pickles_recommend_the_same():
    model = two_stages(LinearRegression(), label_window=60).fit(LOG)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.recommend([1, 2], 5), model.recommend([1, 2], 5))


def test_negatives_are_sampled():
    few = two_stages(n_negatives=4, random_state=0, label_window=60).fit(LOG).ranker_
    every = two_stages(label_window=60).fit(LOG).ranker_
    assert few.y_.sum() == every.y_.sum()
    sizes, whole = (np.bincount(one.groups_[one.y_ == 0]) for one in (few, every))
    assert_array_equal(sizes, np.minimum(whole, 4))
    again = two_stages(n_negatives=4, random_state=0, label_window=60).fit(LOG).ranker_
    other = two_stages(n_negatives=4, random_state=1, label_window=60).fit(LOG).ranker_
    assert_array_equal(few.X_, again.X_)
    assert not np.array_equal(few.X_, other.X_)


class DaysSinceRow(BaseEstimator):
    """How long ago the item was in the log last, a feature of one's own."""

    def fit(self, log, moment):
        self.age_ = moment - log.groupby("item")["time"].max()
        assert (self.age_ >= 0).all()
        return self

    def transform(self, pairs):
        return self.age_.reindex(pairs["item"])


class Named(DaysSinceRow):
    """The same, with names for the features."""

    def get_feature_names_out(self):
        return np.array(["days", "hours"])

    def transform(self, pairs):
        days = super().transform(pairs).to_numpy()
        return np.column_stack([days, 24 * days])


class TooShort(DaysSinceRow):
    def transform(self, pairs):
        return super().transform(pairs)[1:]


def test_features_have_the_names_that_they_give_themselves():
    model = two_stages(features=[Named()], label_window=60).fit(LOG)
    assert model.feature_names_[6:] == ["days", "hours"]
    assert_array_equal(model.ranker_.X_[:, 7], 24 * model.ranker_.X_[:, 6])


def test_features_of_other_pairs():
    with pytest.raises(ValueError, match=r"transform must return one row per pair \(\d+\)"):
        two_stages(features=[TooShort()], label_window=60).fit(LOG)


class Fussy(Recorder):
    def predict(self, X):
        raise ValueError("not today")


def test_other_errors_of_a_ranker_are_its_own():
    model = two_stages(Fussy(), label_window=60).fit(LOG)
    with pytest.raises(ValueError, match="not today"):
        model.recommend([1], 5)


def test_features_of_ones_own_stand_beside_or_instead_of_those_of_the_log():
    own = two_stages(features=[DaysSinceRow()], label_window=60).fit(LOG)
    assert own.feature_names_[6:] == ["DaysSinceRow_0"]
    both = two_stages(features=["log", DaysSinceRow()], label_window=60).fit(LOG)
    last_age = both.ranker_.X_[:, both.feature_names_.index("item_last_age")]
    assert_allclose(both.ranker_.X_[:, -1], 60 * last_age)
    none = two_stages(features=(), label_window=60).fit(LOG)
    assert none.ranker_.X_.shape[1] == 6
    assert none.recommend([1], 5).shape == (1, 5)


def test_tables_are_joined_by_id():
    users = FeatureTable(
        pd.DataFrame({"id": LOG["user"].unique(), "age": LOG["user"].unique() * 2.0}),
        id="id",
    )
    items = [
        FeatureTable(pd.DataFrame({"i": range(40), "price": range(40)}), id="i"),
        FeatureTable(pd.DataFrame({"i": range(30), "kind": list("abc") * 10}), id="i"),
    ]
    model = two_stages(
        features=(), item_features=items, user_features=users, label_window=60
    ).fit(LOG)
    assert model.feature_names_[6:] == [
        *("item_price", "item_kind=a", "item_kind=b", "item_kind=c"),
        "user_age",
    ]
    item, kind, age = (
        model.ranker_.X_[:, 6],
        model.ranker_.X_[:, 7:10],
        model.ranker_.X_[:, 10],
    )
    assert_array_equal(np.isnan(kind).all(axis=1), item >= 30)
    assert_array_equal(np.nanargmax(kind[item < 30], axis=1), item[item < 30] % 3)
    lists = [model.ranker_.groups_ == one for one in set(model.ranker_.groups_)]
    assert all(len(set(age[one])) == 1 for one in lists)
    with pytest.raises(ValueError, match=r"'item_kind=a' for"):
        clone(model).set_params(ranker=LogisticRegression(max_iter=1000)).fit(LOG)


def test_a_single_list_of_labels_at_random_teaches_nothing():
    """Labels permuted among the pairs do not beat the best candidate model."""

    class Permuted(Recorder):
        def fit(self, X, y, groups=None):
            y = np.random.default_rng(0).permutation(y)
            self.model_ = make_pipeline(
                QuantileTransformer(n_quantiles=50, random_state=0),
                LogisticRegression(max_iter=1000),
            ).fit(X, y)
            return self

        def predict(self, X):
            return self.model_.predict_proba(X)[:, 1]

    log = log_in_days(300, 100, 5000, random_state=1)
    ((train, test),) = TimeSplit(time="time", seen_items="drop").split(log)
    train, test = log.iloc[train], log.iloc[test]
    score = make_recommender_scorer("ndcg@10")
    model = two_stages(Permuted(), label_window=60, n_candidates=50).fit(train)
    best = max(score(one, test) for one in model.candidates_.values())
    assert score(model, test) <= best


def test_far_more_candidates_than_items():
    model = two_stages(n_candidates=500, label_window=60).fit(LOG)
    assert model.recommend([1], 40, exclude_seen=False).shape == (1, 40)
    assert model.candidate_recall_.tolist() == [1, 1, 1]


ERRORS = [
    ({"time": None}, ValueError, "needs the time of each interaction.*`time=`"),
    (
        {"label_window": 1000},
        ValueError,
        "too few earlier rows to learn from: the log goes",
    ),
    ({"label_window": 0}, ValueError, "longer than 0"),
    ({"label_window": "14D"}, TypeError, "`times` are numbers"),
    (
        {"n_windows": 9, "label_window": 60},
        ValueError,
        "with `label_window=60` leaves too few",
    ),
    ({"n_windows": 0}, ValueError, "`n_windows` must be an integer >= 1"),
    ({"n_candidates": 0}, ValueError, "`n_candidates` must be"),
    ({"n_negatives": 0}, ValueError, r"`n_negatives` must be .* None \(all\)"),
    ({"candidates": []}, ValueError, r"list of \(name, recommender\)"),
    ({"candidates": EASERecommender()}, ValueError, r"list of \(name, recommender\)"),
    ({"candidates": MODELS[:1] * 2}, ValueError, "different names"),
    ({"candidates": [("time", EASERecommender())]}, ValueError, "cannot be named 'time'"),
    (
        {"candidates": [("svd", LinearRegression())]},
        TypeError,
        r"`dict\(candidates\)\['svd'\]` must be a recommender of this",
    ),
    ({"features": [LOG]}, TypeError, r'must hold "log", or objects with fit'),
    ({"item_features": LOG}, TypeError, r"such as FeatureTable\(frame"),
]


@pytest.mark.parametrize(("params", "error", "message"), ERRORS)
def test_what_cannot_be_fitted(params, error, message):
    with pytest.raises(error, match=message):
        two_stages(**{"label_window": 60} | params).fit(LOG)


def test_no_list_with_a_positive():
    once = log_of([(user, user % 3, user) for user in range(50)])
    with pytest.raises(ValueError, match=r"No list has a relevant item.* have 0%"):
        two_stages().fit(once)


def test_rows_far_ahead_leave_no_windows():
    ahead = pd.concat([LOG, LOG[:1].assign(time=10**6)])
    with pytest.raises(ValueError, match=r"far after all others.*Drop or correct"):
        two_stages(label_window=60).fit(ahead)


def test_lists_are_no_longer_than_what_is_ranked():
    model = two_stages(label_window=60).fit(LOG)
    with pytest.raises(ValueError, match=r"`k` is 21, but .* `n_candidates=20`"):
        model.recommend([1], 21)
    with pytest.raises(ValueError, match="lower `k`, also the cutoff of a metric"):
        make_recommender_scorer("map")(model, LOG)


def test_a_model_that_drops_rows_is_refused():
    class Careless(PopularityRecommender):
        def fit(self, X, y=None):
            return super().fit(X[X["item"] < 20])

    with pytest.raises(ValueError, match=r"'few' knows .* give it the same columns"):
        two_stages(candidates=[*MODELS, ("few", Careless())]).fit(LOG)


def test_a_re_ranker_of_two_stages_takes_the_candidates_there_are():
    first = two_stages(label_window=60)
    model = RerankingRecommender(first, "popularity", strength=0).fit(LOG)
    expected = first.fit(LOG).recommend([1, 2], 5)
    assert_array_equal(model.recommend([1, 2], 5), expected)


def test_new_rows_need_a_fit_but_dislikes_do_not():
    model = two_stages(label_window=60).fit(LOG)
    with pytest.raises(NotImplementedError, match="fit again"):
        model.update(LOG[:5])
    first = model.recommend([1], 2)[0]
    model.update(dislikes=[[1, first[0]]])
    assert model.recommend([1], 1)[0] == first[1]


def test_new_users_may_be_shown_what_was_popular_lately():
    recent = PopularityRecommender(half_life=1)
    model = two_stages(label_window=60, new_users=recent).fit(LOG)
    expected = recent.set_params(time="time").fit(LOG).recommend([99], 5)
    assert_array_equal(model.recommend([99], 5), expected)
