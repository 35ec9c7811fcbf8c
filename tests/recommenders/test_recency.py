"""`recency`: what users did lately counts more when they are scored."""

import os
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import BaseEstimator, clone
from sklearn.decomposition import TruncatedSVD
from sklearn.model_selection import GridSearchCV

from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.model_selection import TimeSplit
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    MatrixFactorizationRecommender,
    RecommenderMixin,
    RerankingRecommender,
    SLIMRecommender,
    UserNeighborsRecommender,
    load_model,
    save_model,
)

COLUMNS = {"user": "who", "item": "what", "time": "when"}
MODELS = [
    EASERecommender(**COLUMNS),
    SLIMRecommender(**COLUMNS),
    ItemNeighborsRecommender(5, **COLUMNS),
    ItemNeighborsRecommender(5, similarity="walk", self_weight=True, **COLUMNS),
    UserNeighborsRecommender(5, **COLUMNS),
    MatrixFactorizationRecommender(TruncatedSVD(4, random_state=0), **COLUMNS),
]


def name(model):
    return type(model).__name__


def make_log(n_rows=400, n_moments=60, seed=0):
    codes = np.random.default_rng(seed).integers(0, [20, 15, n_moments], (n_rows, 3))
    return pd.DataFrame(codes, columns=["who", "what", "when"])


def with_own_moments(log):
    return log.assign(when=np.random.default_rng(1).permutation(len(log)))


@pytest.mark.parametrize("weighting", ["binary", "log", "sum"])
@pytest.mark.parametrize("half_life", [None, 15])
def test_histories_are_as_plain_loops_say(weighting, half_life):
    log, y = make_log(), np.random.default_rng(2).integers(1, 4, 400)
    total, newest = np.zeros((20, 15)), np.zeros((20, 15))
    for who, rows in log.groupby("who"):
        moments = sorted(set(rows["when"]), reverse=True)
        for row, what, when in zip(rows.index, rows["what"], rows["when"], strict=True):
            counts = 0.5 ** (moments.index(when) / 3)
            if half_life is not None:
                counts *= 0.5 ** ((log["when"].max() - when) / half_life)
            total[who, what] += y[row] * counts
            newest[who, what] = max(newest[who, what], counts)
    expected = {"binary": newest, "log": np.log1p(total), "sum": total}[weighting]
    given = {"weighting": weighting, "half_life": half_life, **COLUMNS}
    model = EASERecommender(recency=3, **given).fit(log, y)
    assert_allclose(model.histories_.toarray(), expected, rtol=1e-12)
    plain = EASERecommender(**given).fit(log, y)
    assert_array_equal(model.interactions_.toarray(), plain.interactions_.toarray())
    assert_array_equal(model.item_weights_, plain.item_weights_)
    assert_array_equal(model.popularity_, plain.popularity_)


@pytest.mark.parametrize("model", MODELS, ids=name)
@pytest.mark.parametrize("half_life", [None, 20])
def test_a_long_recency_equals_none(model, half_life):
    log, users = make_log(), range(20)
    plain = clone(model).set_params(half_life=half_life).fit(log)
    long = clone(plain).set_params(recency=1e300).fit(log)
    places, scores = plain.recommend(users, 5, return_scores=True)
    found, found_scores = long.recommend(users, 5, return_scores=True)
    assert_array_equal(found, places)
    assert_allclose(found_scores, scores, rtol=1e-6)
    assert_allclose(long.predict(log), plain.predict(log), rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("model", MODELS, ids=name)
def test_what_came_last_counts_most(model):
    pairs = [("ann", "tea"), ("ann", "milk"), ("bob", "tea"), ("bob", "milk")]
    pairs += [("eve", "beer"), ("eve", "chips"), ("lea", "beer"), ("lea", "chips")]
    both = [("kim", "tea"), ("kim", "beer")]
    model = clone(model)
    if hasattr(model, "estimator"):
        model.set_params(estimator__n_components=2)
    for last, best in [(both, "chips"), (both[::-1], "milk")]:
        log = pd.DataFrame(pairs + last, columns=["who", "what"])
        log["when"] = range(len(log))
        fitted = clone(model).set_params(recency=1).fit(log)
        assert fitted.recommend(["kim"], 1).tolist() == [[best]]
        given = [[what for _, what in last]]
        assert fitted.recommend_for_items(given, 1).tolist() == [[best]]


@pytest.mark.parametrize("model", MODELS, ids=name)
def test_lists_in_order_are_served_as_the_users_who_have_them(model):
    log = with_own_moments(make_log())
    fitted = clone(model).set_params(recency=2).fit(log)
    lists = [rows.sort_values("when")["what"] for _, rows in log.groupby("who")]
    if isinstance(model, UserNeighborsRecommender):
        return  # users are no neighbors of their own, but may be of a list
    users, scores = fitted.recommend(range(20), 4, return_scores=True)
    found, found_scores = fitted.recommend_for_items(lists, 4, return_scores=True)
    assert_array_equal(found, users)
    assert_allclose(found_scores, scores, rtol=1e-6)


@pytest.mark.parametrize("model", MODELS, ids=name)
def test_rows_of_one_moment_may_be_in_any_order(model):
    log = make_log(n_rows=150, n_moments=4)
    fitted = clone(model).set_params(recency=1).fit(log)
    other = clone(fitted).fit(log.sample(frac=1, random_state=0))
    assert_array_equal(other.histories_.toarray(), fitted.histories_.toarray())
    assert_array_equal(other.recommend(range(20), 3), fitted.recommend(range(20), 3))


def test_a_wrapper_reads_lists_in_order():
    model = EASERecommender(recency=1, **COLUMNS)
    wrapped = RerankingRecommender(model, "popularity", strength=0).fit(make_log())
    lists = [[3, 4], [4, 3]]
    expected = model.fit(make_log()).recommend_for_items(lists, 3, return_scores=True)
    assert_allclose(wrapped.recommend_for_items(lists, 3, return_scores=True), expected)
    with pytest.raises(TypeError, match="needs the items of each user in order"):
        wrapped.recommend_for_items([{3, 4}], 3)


def test_unknown_items_take_no_place():
    fitted = EASERecommender(recency=1, **COLUMNS).fit(make_log())
    found = fitted.recommend_for_items([[3, 99, 4, 98], [], [99]], 3, return_scores=True)
    expected = fitted.recommend_for_items([[3, 4], [], []], 3, return_scores=True)
    assert_array_equal(found, expected)


@pytest.mark.parametrize("recency", [5, 5.0, np.float32(5), np.int8(5)])
@pytest.mark.parametrize("unit", ["s", "ns"])
def test_times_of_any_kind(recency, unit):
    log = make_log()
    dated = log.assign(when=log["when"].to_numpy().astype("M8[D]").astype(f"M8[{unit}]"))
    fitted = EASERecommender(recency=recency, **COLUMNS).fit(dated)
    expected = EASERecommender(recency=5, **COLUMNS).fit(log)
    assert_array_equal(fitted.histories_.toarray(), expected.histories_.toarray())
    assert fitted.history_.times.dtype.kind == "M"


@pytest.mark.parametrize("recency", [1e-320, 1e-3])
def test_weights_never_vanish(recency):
    fitted = EASERecommender(recency=recency, half_life=1e-3, **COLUMNS).fit(make_log())
    assert (fitted.histories_.data > 0).all()
    assert np.isfinite(fitted.recommend([0], 3, return_scores=True)[1]).all()


ERRORS = [
    ({"recency": 0}, ValueError, "`recency` must be a number > 0, or None, got 0"),
    ({"recency": -1}, ValueError, "got -1"),
    ({"recency": np.inf}, ValueError, "got inf"),
    ({"recency": "7D"}, TypeError, "`recency` must be a number > 0, or None, got '7D'"),
    ({"recency": True}, TypeError, "got True"),
    ({"recency": 5, "time": None}, ValueError, "`recency=5` needs the time of each"),
    ({"recency": 5, "time": "then"}, ValueError, "`time='then'` is not a column"),
]


@pytest.mark.parametrize(("given", "error", "match"), ERRORS)
def test_values_that_do_not_fit_are_named(given, error, match):
    with pytest.raises(error, match=match):
        EASERecommender(**(COLUMNS | given)).fit(make_log())


@pytest.mark.parametrize("items", [{3, 4}, frozenset([3]), {3: 1.0, 4: 2.0}])
def test_lists_without_an_order_are_refused(items):
    log = make_log()
    model = EASERecommender(recency=5, **COLUMNS).fit(log)
    with pytest.raises(
        TypeError, match=f"in order, .* a {type(items).__name__} for user 1"
    ):
        model.recommend_for_items([[3], items], 2)
    assert model.recommend_for_items([[3], list(items)], 2).shape == (2, 2)
    assert EASERecommender().fit(log.to_numpy()).recommend_for_items([items], 2).size == 2


def test_what_looks_at_no_weights_takes_no_recency():
    model = UserNeighborsRecommender(similarity="jaccard", recency=5, **COLUMNS)
    with pytest.raises(ValueError, match=r"`recency=5` would change nothing"):
        model.fit(make_log())
    model.set_params(recency=None).fit(make_log())


class LastItem(RecommenderMixin, BaseEstimator):
    """Recommend what others had right after the last item of a user."""

    def __init__(self, *, time=None, user=None, item=None):
        self.time, self.user, self.item = time, user, item

    def fit_interactions(self, interactions):
        self.after_ = np.zeros((interactions.shape[1],) * 2)

    def fit_histories(self, history):
        users, items = history.users, history.items
        is_next = users[1:] == users[:-1]
        np.add.at(self.after_, (items[:-1][is_next], items[1:][is_next]), 1)
        self.last_ = items[history.starts[1:] - 1]

    def score_users(self, users):
        return self.after_[self.last_[users]]


def test_a_recommender_of_ones_own_learns_from_the_order():
    log = [("ann", "tea", 3), ("ann", "milk", 1), ("bob", "milk", 5), ("bob", "tea", 6)]
    log += [("eve", "milk", 0), ("eve", "cake", 2), ("kim", "milk", 9), ("kim", "cake", 1)]
    model = LastItem(time=2).fit(log)
    assert_array_equal(model.history_.starts, [0, 2, 4, 6, 8])
    names = model.items_[model.history_.items].tolist()
    assert names == ["milk", "tea", "milk", "tea", "milk", "cake", "cake", "milk"]
    assert model.history_.times.tolist() == [1, 3, 5, 6, 0, 2, 1, 9]
    assert model.recommend(["kim"], 1, exclude_seen=False).tolist() == [["tea"]]
    with pytest.raises(ValueError, match="LastItem needs the time of each interaction"):
        LastItem().fit(log)


def test_repeats_stay_and_nothing_is_kept_unasked():
    log = [("ann", "tea", 2), ("ann", "tea", 1), ("ann", "tea", 2)]
    model = ItemNeighborsRecommender(recency=1, time=2).fit(log)
    assert model.history_.items.tolist() == [0, 0, 0]
    assert model.history_.count_later_moments().tolist() == [1, 0, 0]
    model.set_params(recency=None).fit(log)
    assert not hasattr(model, "history_")
    assert model.histories_ is model.interactions_


def test_it_works_in_searches_files_and_explanations(tmp_path):
    log = with_own_moments(make_log(n_rows=150))
    names = {"user": "who", "item": "what"}
    search = GridSearchCV(
        EASERecommender(**COLUMNS),
        {"recency": [None, 3, 10.0]},
        scoring=make_recommender_scorer("ndcg@5", exclude_seen=False, **names),
        cv=TimeSplit(2, time="when", **names),
    ).fit(log)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    model = EASERecommender(recency=3, **COLUMNS).fit(log)
    save_model(model, tmp_path / "model.npz")
    for again in (pickle.loads(pickle.dumps(model)), load_model(tmp_path / "model.npz")):
        assert_array_equal(again.recommend(range(20), 1), model.recommend(range(20), 1))
        assert_array_equal(
            again.history_.count_later_moments(), model.history_.count_later_moments()
        )
    explained = model.explain(0, 1, n=20)
    assert explained.score == model.predict(pd.DataFrame({"who": [0], "what": [1]}))[0]
    newest = log[log["who"] == 0].sort_values("when")["what"].iloc[-1]
    assert explained.weights[explained.items.tolist().index(newest)] == 1


def test_recency_beats_none_for_the_last_ratings_of_movielens():
    path = Path(os.environ.get("SKLEARN_RANK_DATA", "."), "ml-100k.inter")
    if not path.exists():
        pytest.skip("SKLEARN_RANK_DATA has no ml-100k.inter")
    log = pd.read_csv(path, sep="\t", names=["who", "what", "y", "when"], skiprows=1)
    log = log.sort_values("when", kind="stable")
    is_last = log.groupby("who").cumcount(ascending=False) < 5
    scorer = make_recommender_scorer("ndcg@10", user="who", item="what")
    found = [
        scorer(model.fit(log[~is_last]), log[is_last])
        for model in [EASERecommender(300, recency=r, **COLUMNS) for r in (None, 5)]
    ]
    assert_allclose(found, [0.1192, 0.1605], atol=2e-4)
