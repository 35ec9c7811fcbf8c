"""What RecommenderMixin promises for every recommender."""

import math
import pickle
import tracemalloc
from dataclasses import FrozenInstanceError

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

from sklearn_rank._base import _runs
from sklearn_rank.recommenders import (
    EASERecommender,
    PopularityRecommender,
    RecommenderMixin,
)

LOG = [
    ("ann", "tea"),
    ("ann", "milk"),
    ("bob", "tea"),
    ("bob", "milk"),
    ("bob", "cake"),
    ("eve", "milk"),
]


class BoughtTogether(RecommenderMixin, BaseEstimator):
    def __init__(self, *, weighting="sum", user=0, item=1):
        self.weighting = weighting
        self.user = user
        self.item = item

    def fit_interactions(self, interactions):
        self.together_ = (interactions.T @ interactions).toarray()

    def score_histories(self, histories):
        return histories @ self.together_


class SparseTogether(BoughtTogether):
    """The same scores, some below 0, as stored entries alone."""

    def fit_interactions(self, interactions):
        together = (interactions.T @ interactions).toarray()
        self.together_ = sparse.csr_array(together - 2 * (together == 1))

    def score_histories(self, histories):
        return histories @ self.together_


class DenseTogether(SparseTogether):
    def score_histories(self, histories):
        return super().score_histories(histories).toarray()


logs = st.lists(
    st.tuples(st.integers(0, 6), st.integers(10, 17), st.integers(0, 3)), min_size=1
)


def plain_recommend(log, user, k, exclude_seen=True):
    """BoughtTogether as loops over a dictionary; (item, score), best first."""
    users, items = (sorted({row[i] for row in log}) for i in (0, 1))
    weight = {(u, i): 0 for u in users for i in items}
    for u, i, w in log:
        weight[u, i] += w
    popularity = {i: sum(weight[u, i] for u in users) / len(users) for i in items}
    together = {
        (i, j): sum(weight[u, i] * weight[u, j] for u in users)
        for i in items
        for j in items
    }
    score = dict(popularity)
    if user in users:
        score = {i: sum(weight[user, j] * together[i, j] for j in items) for i in items}
        seen = {i for u, i, _ in log if u == user} if exclude_seen else set()
        score = {i: -math.inf if i in seen else s for i, s in score.items()}
    return sorted(
        score.items(), key=lambda pair: (-pair[1], -popularity[pair[0]], pair[0])
    )[:k]


@given(logs, st.booleans(), st.data())
def test_recommend_equals_plain_loops(log, exclude_seen, data):
    all_items = sorted({item for _, item, _ in log})
    items = data.draw(st.lists(st.sampled_from(all_items), min_size=1, unique=True))
    k = data.draw(st.integers(1, len(items)))
    log_array = np.array(log)
    recommender = BoughtTogether().fit(log_array[:, :2], log_array[:, 2])
    users = np.array([99, *range(7), 3])  # unknown, known or not, repeated
    ids, scores = recommender.recommend(
        users, k, exclude_seen=exclude_seen, return_scores=True, items=items
    )
    for row, user in enumerate(users.tolist()):
        whole = plain_recommend(log, user, len(all_items), exclude_seen)
        expected = [(item, score) for item, score in whole if item in items][:k]
        assert ids[row].tolist() == [item for item, _ in expected]
        assert_allclose(scores[row], [score for _, score in expected])


@pytest.mark.parametrize("return_scores", [pd.NA, "no", None])
def test_scores_are_returned_or_not(return_scores):
    recommender = BoughtTogether().fit(LOG)
    with pytest.raises(ValueError, match=r"`return_scores`.*True"):
        recommender.recommend(["ann"], 2, return_scores=return_scores)


@given(logs)
def test_predict_is_the_score_that_recommend_returns(log):
    log = np.array(log)
    recommender = BoughtTogether().fit(log[:, :2], log[:, 2])
    users, k = np.arange(8), len(recommender.items_)
    ids, scores = recommender.recommend(users, k, exclude_seen=False, return_scores=True)
    pairs = np.column_stack([np.repeat(users, k), ids.ravel()])
    assert_allclose(recommender.predict(pairs), scores.ravel())
    assert_array_equal(recommender.predict([[0, 999], [999, 999]]), [0, 0])


def test_memory_is_bounded_by_a_batch():
    rng = np.random.default_rng(0)
    n_users, n_items = 10_000, 4_000  # 320 MB of scores
    log = np.column_stack([np.arange(20_000) % n_users, np.arange(20_000) % n_items])
    recommender = PopularityRecommender().fit(log, rng.random(20_000))
    tracemalloc.start()
    recommender.recommend(recommender.users_, 10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6


def test_small_batches_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    log = np.column_stack([rng.integers(0, 50, 400), rng.integers(0, 30, 400)])
    recommender = BoughtTogether().fit(log)
    users, lists = rng.permutation(60), [rng.integers(0, 30, 4) for _ in range(20)]
    whole = (
        recommender.recommend(users, 5),
        recommender.recommend_for_items(lists, 5),
        recommender.predict(log[::-1]),
    )
    monkeypatch.setattr(_runs, "SCORE_BYTES", 30 * 8 * 7)
    in_batches = (
        recommender.recommend(users, 5),
        recommender.recommend_for_items(lists, 5),
        recommender.predict(log[::-1]),
    )
    for one, other in zip(whole, in_batches, strict=True):
        assert_array_equal(one, other)


def frames():
    users, items = zip(*LOG, strict=True)
    extra = [1.5, None, 2.5, 0.5, 0.0, 7.0]
    columns = {"price": extra, "item": list(items), "user": list(users)}
    yield "pandas", pd.DataFrame(columns), {"user": "user", "item": "item"}
    yield "categorical", pd.DataFrame(columns).astype({"user": "category"}), {"user": 2}
    yield "polars", pl.DataFrame(columns), {"user": "user", "item": "item"}
    yield "objects", pd.DataFrame(columns).to_numpy(dtype=object), {"user": 2}
    yield "rows", list(zip(extra, items, users, strict=True)), {"user": -1}
    yield "strings", np.array(LOG), {"user": 0, "item": 1}


@pytest.mark.parametrize(
    ("X", "columns"), [pytest.param(*f[1:], id=f[0]) for f in frames()]
)
def test_any_table_will_do(X, columns):
    recommender = BoughtTogether(**columns).fit(X)
    assert recommender.users_.tolist() == ["ann", "bob", "eve"]
    assert recommender.items_.tolist() == ["cake", "milk", "tea"]
    assert recommender.recommend(["eve", "ann"], 1).tolist() == [["tea"], ["cake"]]
    assert_allclose(recommender.predict(X), BoughtTogether().fit(LOG).predict(LOG))


def test_large_integers_beside_floats_stay_exact():
    ids = [2**53, 2**53 + 1, 2**53 + 2]
    X = pd.DataFrame({"u": ids, "price": [0.5, 1.5, 2.5], "i": ids[::-1]})
    recommender = BoughtTogether(user="u", item="i").fit(X)
    assert recommender.users_.dtype == recommender.items_.dtype == np.int64
    assert recommender.items_.tolist() == ids
    assert recommender.recommend([ids[0]], 3, exclude_seen=False).dtype == np.int64
    rows = BoughtTogether(item=2).fit(X.to_numpy(dtype=object).tolist())
    assert rows.items_.tolist() == ids


def test_ids_of_several_types_live_side_by_side():
    recommender = BoughtTogether().fit([(1, "a"), (1, 1), ("b", 1), ("b", "a"), (2, 1)])
    assert recommender.seen_.shape == (3, 2)
    assert recommender.recommend([2], 1).tolist() == [["a"]]


def test_weights_in_another_order_than_the_log_are_an_error():
    log = pd.DataFrame(LOG, columns=["user", "item"], index=[*"abcdef"])
    weights = pd.Series(range(6), index=[*"fedcba"])
    with pytest.raises(ValueError, match="X and y have one index in two orders"):
        BoughtTogether(user=None, item=None).fit(log, weights)


def test_weights_of_a_repeated_pair_add_up():
    X = [("ann", "tea"), ("ann", "tea"), ("bob", "tea"), ("bob", "milk")]
    recommender = BoughtTogether().fit(X, [1.0, 2.0, 5.0, 0.0])
    assert recommender.interactions_.toarray().tolist() == [[0, 3], [0, 5]]
    assert recommender.seen_.toarray().tolist() == [[False, True], [True, True]]
    assert recommender.popularity_.tolist() == [0, 4]
    counted = BoughtTogether().fit(X)
    assert counted.interactions_.toarray().tolist() == [[0, 2], [1, 1]]


@pytest.mark.parametrize(
    ("weighting", "expected"), [("sum", 3.0), ("log", math.log(4)), ("binary", 1.0)]
)
def test_weighting_transforms_the_sum(weighting, expected):
    recommender = BoughtTogether(weighting=weighting)
    recommender.fit([("ann", "tea"), ("ann", "tea")], [1, 2])
    assert recommender.interactions_.data == pytest.approx([expected])


def test_only_candidates_are_recommended():
    recommender = BoughtTogether().fit(LOG)
    ids = recommender.recommend(["eve", "new"], 1, items=["cake", "tea", "no such item"])
    assert ids.tolist() == [["tea"], ["tea"]]
    assert recommender.recommend(["eve"], 1, exclude=["tea"]).tolist() == [["cake"]]
    both = recommender.recommend(["eve"], 1, items=["tea", "cake"], exclude=["tea"])
    assert both.tolist() == [["cake"]]


def test_a_row_that_runs_out_is_filled_with_seen_items_never_with_excluded_ones():
    recommender = BoughtTogether().fit(LOG)
    ids, scores = recommender.recommend(
        ["bob", "eve"], 2, exclude=["milk"], return_scores=True
    )
    assert ids.tolist() == [["tea", "cake"], ["tea", "cake"]]
    assert np.isneginf(scores).tolist() == [[True, True], [False, False]]
    with pytest.warns(UserWarning, match=r"1 of 2 user\(s\) have fewer than 2 items left"):
        recommender.recommend(["bob", "eve"], 2)


@pytest.mark.parametrize("exclude_seen", [True, False])
@pytest.mark.parametrize("mapped", [(), ("items",), ("exclude",), ("items", "exclude")])
def test_sparse_scores_give_the_lists_of_dense_ones(exclude_seen, mapped):
    rng = np.random.default_rng(0)
    log = np.column_stack([rng.integers(0, 60, 300), rng.integers(0, 90, 300)])
    users = np.append(rng.permutation(80), 3)
    own = {user: rng.integers(0, 95, 25) for user in range(80)}
    arguments = dict.fromkeys(mapped, own) or {"exclude": [1, 2, 3]}
    if len(mapped) == 2:
        arguments["exclude"] = {user: set(own[user][:9].tolist()) for user in range(70)}
    arguments |= {"exclude_seen": exclude_seen, "return_scores": True}
    sparse_lists = SparseTogether().fit(log).recommend(users, 30, **arguments)
    dense_lists = DenseTogether().fit(log).recommend(users, 30, **arguments)
    for one, other in zip(sparse_lists, dense_lists, strict=True):
        assert_array_equal(one, other)
    assert SparseTogether().fit(log).predict(log).tolist() == (
        DenseTogether().fit(log).predict(log).tolist()
    )


@pytest.mark.parametrize("model", [BoughtTogether, SparseTogether, PopularityRecommender])
def test_users_may_have_candidates_of_their_own(model):
    rng = np.random.default_rng(1)
    log = np.column_stack([rng.integers(0, 30, 300), rng.integers(0, 40, 300)])
    recommender = model().fit(log)
    users = np.append(rng.permutation(40), 5)
    stock = [rng.choice(50, 20, replace=False) for _ in range(4)]
    items = {user: stock[user % 4] for user in range(40)}
    exclude = {user: rng.integers(0, 40, 8).tolist() for user in range(25)}
    found = recommender.recommend(
        users, 9, items=items, exclude=exclude, return_scores=True
    )
    for user, ids, scores in zip(users.tolist(), *found, strict=True):
        left = np.setdiff1d(items[user], exclude.get(user, []))
        left = left[np.isin(left, recommender.items_)]
        k = min(9, len(left))
        alone = recommender.recommend([user], k, items=left, return_scores=True)
        n_shown = np.count_nonzero(np.isfinite(alone[1]))
        assert_array_equal(ids[:n_shown], alone[0][0, :n_shown])
        assert_allclose(scores[:n_shown], alone[1][0, :n_shown])
        assert np.isneginf(scores[n_shown:]).all()
        assert len(set(ids.tolist())) == 9


def test_rank_leaves_out_what_fills_up_rows():
    recommender = BoughtTogether().fit(LOG)
    table = recommender.rank(["eve", "new"], 3, items={"eve": ["tea"], "new": []})
    assert {name: values.tolist() for name, values in table.items()} == {
        "query": ["eve"],
        "item": ["tea"],
        "rank": [1],
        "score": [2.0],
    }


def test_a_user_whose_candidates_are_unknown_gets_the_same_alone_and_with_others():
    recommender = BoughtTogether().fit(LOG)
    items = {"eve": ["tea"], "ann": ["no such item"], "new": []}
    for users in (["eve", "ann", "new"], ["ann"], ["new"], ["new", "ann"]):
        table = recommender.rank(users, 1, items=items)
        assert table["query"].tolist() == ["eve"] * ("eve" in users)
    assert recommender.rank(["new"], 1, items={"new": []})["query"].tolist() == []


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"items": {"ann": ["tea"]}}, ValueError, "2 of 3 user.*such as 'bob', 'new';"),
        ({"items": {1: ["tea"]}}, TypeError, "`keys of items` are of another type"),
        ({"exclude": {1: ["tea"]}}, TypeError, "`keys of exclude` are of another"),
        ({"exclude": {"ann": "tea"}}, TypeError, "`exclude` must be a list"),
        ({"exclude": {"ann": [3]}}, TypeError, "`exclude` are of another type"),
        ({"items": {user: ["x"] for user in ("ann", "bob", "new")}}, ValueError, "None of"),
        ({"exclude": {"ann": [None]}}, ValueError, "`exclude` has 1 missing"),
    ],
)
def test_bad_mappings_are_named(arguments, error, message):
    recommender = BoughtTogether().fit(LOG)
    with pytest.raises(error, match=message):
        recommender.recommend(["ann", "bob", "new"], 1, **arguments)


def test_an_unknown_list_that_users_share_is_read_once():
    shared = ["x"]
    items = dict.fromkeys(["ann", "bob", "new"], shared)
    with pytest.raises(ValueError, match="None of the 1 item"):
        BoughtTogether().fit(LOG).recommend(["ann", "bob"], 1, items=items)


def test_lists_of_items_have_no_ids_that_a_mapping_could_name():
    with pytest.raises(TypeError, match="users who are given by their items have no ids"):
        BoughtTogether().fit(LOG).recommend_for_items([["tea"]], 1, exclude={"ann": []})


@pytest.mark.parametrize("dtype", [np.int8, np.float16, object])
def test_scores_of_any_dtype_rank_as_floats(dtype):
    class OfDtype(BoughtTogether):
        def score_histories(self, histories):
            return super().score_histories(histories).astype(dtype)

    users = ["ann", "bob", "eve"]
    found = OfDtype().fit(LOG).recommend(users, 2, return_scores=True)
    floats = BoughtTogether().fit(LOG).recommend(users, 2, return_scores=True)
    for one, other in zip(found, floats, strict=True):
        assert_array_equal(one, other)


def test_memory_of_sparse_scores_is_bounded():
    rng = np.random.default_rng(0)
    n_users, n_items = 10_000, 4_000
    log = np.column_stack(
        [rng.integers(0, n_users, 40_000), rng.integers(0, n_items, 40_000)]
    )
    recommender = SparseTogether().fit(log)
    dense = 8 * len(recommender.users_) * len(recommender.items_)
    tracemalloc.start()
    recommender.recommend(recommender.users_, 10)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < dense / 5


def test_they_say_what_they_are():
    assert get_tags(BoughtTogether()).estimator_type == "recommender"


def test_a_list_of_items_stands_for_a_user():
    recommender = BoughtTogether().fit(LOG)
    by_id = recommender.recommend(["ann", "eve"], 3, return_scores=True)
    by_items = recommender.recommend_for_items(
        [["tea", "milk"], ["milk"]], 3, return_scores=True
    )
    for one, other in zip(by_id, by_items, strict=True):
        assert_array_equal(one, other)


def test_lists_may_hold_weights_repeats_and_unknown_items():
    recommender = BoughtTogether().fit(LOG)
    lists = [{"tea": 2.0, "no such item": 9.0}, ["tea", "no such item", "tea"]]
    ids, scores = recommender.recommend_for_items(
        lists, 3, exclude_seen=False, return_scores=True
    )
    assert_array_equal(ids[0], ids[1])
    assert_allclose(scores[0], scores[1])
    unknown = recommender.recommend_for_items([[], ["no such item"]], 3)
    assert unknown.tolist() == [["milk", "tea", "cake"]] * 2


@pytest.mark.parametrize("k", [np.int8(3), np.uint64(3), np.array(3)[()]])
def test_lengths_of_lists_of_any_integer_type(k):
    recommender = BoughtTogether().fit(LOG)
    expected = recommender.recommend(["eve"], 3, exclude_seen=False)
    found = recommender.recommend(["eve"], k, exclude_seen=False)
    assert_array_equal(found, expected)


def test_no_users_get_no_rows():
    recommender = BoughtTogether().fit(LOG)
    for empty in (recommender.recommend([], 2), recommender.recommend_for_items([], 2)):
        assert empty.shape == (0, 2)


def test_clone_and_pickle_keep_what_matters():
    recommender = BoughtTogether(weighting="log").fit(LOG)
    again = pickle.loads(pickle.dumps(recommender))
    assert_array_equal(again.recommend(["eve"], 2), recommender.recommend(["eve"], 2))
    assert clone(recommender).get_params() == recommender.get_params()
    assert "BoughtTogether" in recommender._repr_html_()


def test_scores_of_the_model_are_not_written_to():
    class Fixed(BoughtTogether):
        def score_histories(self, histories):
            return self.together_[: histories.shape[0]]

    recommender = Fixed().fit(LOG)
    before = recommender.together_.copy()
    recommender.recommend(["ann", "bob", "eve"], 2, return_scores=True)
    assert_array_equal(recommender.together_, before)


@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([("ann", "tea"), (None, "tea")], None, "`user` has 1 missing"),
        ([[0.0, 1.0], [1.0, np.nan]], None, r"`item` .* at 1 \(nan\); NaN and inf"),
        ([[np.inf, 1.0]], None, r"`user` has 1 invalid value\(s\), the first at 0 \(inf\)"),
        (LOG, [1, 1, 1, -2, 1, 1], r"`y` has 1 negative .* at 3 \(-2.0\); weights"),
        (LOG, [1, 1, 1, np.nan, 1, 1], r"`y` has 1 NaN value\(s\), the first at 3"),
        (LOG, [1, 2], "`y` has 2 values, but X has 6 rows"),
        (LOG, [1, 1, 1, 10**400, 1, 1], "`y` .*float"),
        (LOG, [1e308] * 6, "`y` of an item add up to more than the largest float"),
        (LOG, [[1], [2, 3], [1], [1], [1], [1]], "`y` must hold one number per row"),
        (LOG, ["a"] * 6, "`y` must hold numbers"),
        ([["ann"], ["bob"]], None, "minimum of 2"),
        (["ann", "bob"], None, "Expected 2D array"),
        (pd.DataFrame({"a": ["x"], "b": ["y"]}).iloc[:0], None, "no rows"),
        (pd.DataFrame({"a": ["x"]}), None, "`item=1` is not a column of X"),
    ],
)
def test_bad_training_data_is_named(X, y, message):
    with pytest.raises(ValueError, match=message):
        BoughtTogether().fit(X, y)


@pytest.mark.parametrize(
    "call",
    [
        lambda r: r.recommend([1, 2], 1),
        lambda r: r.recommend(["eve"], 1, items=[1]),
        lambda r: r.recommend(["eve"], 1, exclude=[1.0]),
        lambda r: r.recommend_for_items([[1], [2, 3]], 1),
        lambda r: r.predict([[1, "tea"]]),
    ],
)
def test_ids_of_another_type_are_no_unknown_ids(call):
    with pytest.raises(TypeError, match="another type: 1"):
        call(BoughtTogether().fit(LOG))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"k": 4}, ValueError, "only 3 of 3 item"),
        ({"k": 2, "items": ["tea"]}, ValueError, "only 1 of 3 item"),
        ({"k": 0}, ValueError, "`k` must be an integer >= 1"),
        ({"k": 2.0}, TypeError, "`k` must be an integer >= 1"),
        ({"k": np.timedelta64(1, "D")}, TypeError, "`k` must be an integer >= 1"),
        ({"k": 10**30}, ValueError, "`k` must be an integer >= 1"),
        ({"k": 1, "items": []}, ValueError, "None of the 0 item"),
        ({"k": 1, "exclude_seen": [True, False]}, ValueError, "Valid: True, False"),
        ({"k": 1, "exclude_seen": np.ones(3)}, ValueError, "`exclude_seen` got"),
        ({"k": 1, "exclude_seen": pd.NA}, ValueError, "`exclude_seen` got <NA>"),
        ({"k": 1, "items": ["x"]}, ValueError, "None of the 1 item"),
        ({"k": 1, "items": "tea"}, TypeError, "`items` must be a list"),
        ({"k": 1, "users": ["ann", None]}, ValueError, "1 missing .* row 1"),
        ({"k": 1, "exclude": [None]}, ValueError, "`exclude` has 1 missing"),
        ({"k": 1, "users": "ann"}, TypeError, "`users` must be a list"),
        ({"k": 1, "users": [["ann", "bob"]]}, ValueError, "`users` must be 1-D"),
    ],
)
def test_bad_requests_are_named(arguments, error, message):
    recommender = BoughtTogether().fit(LOG)
    with pytest.raises(error, match=message):
        recommender.recommend(**{"users": ["ann"], **arguments})


@pytest.mark.parametrize(
    ("item_lists", "error", "message"),
    [
        (["tea", "milk"], TypeError, r"item_lists\[0\]` .* write \[\[.* got 'tea'"),
        ([["tea"], 3], TypeError, r"item_lists\[1\]` must be a list .* got 3"),
        ({"ann": ["tea"]}, TypeError, r"pass list\(item_lists.values\(\)\)"),
        ([["tea", None]], ValueError, "`item_lists` has 1 missing"),
        ([{"tea": -1.0}], ValueError, "`item_lists` has 1 negative .*-1.0"),
        ([{"tea": np.nan}], ValueError, "`item_lists` has 1 NaN"),
        ([{"tea": 10**400}], ValueError, "`item_lists` .*float"),
        ([{"tea": {}}], ValueError, "`item_lists` must hold numbers"),
        ([[["tea", "milk"]]], ValueError, "must be 1-D"),
    ],
)
def test_bad_lists_are_named(item_lists, error, message):
    with pytest.raises(error, match=message):
        BoughtTogether().fit(LOG).recommend_for_items(item_lists, 1)


@pytest.mark.parametrize(
    "one", [{"milk"}, ("milk",), np.array(["milk"]), pd.Series(["milk"])]
)
def test_a_list_may_be_any_collection(one):
    ids = BoughtTogether().fit(LOG).recommend_for_items([one, ["milk"]], 2)
    assert_array_equal(ids[0], ids[1])


def test_user_and_item_are_two_columns():
    with pytest.raises(ValueError, match="must name two columns"):
        BoughtTogether(user=1).fit(LOG)


def test_an_unknown_weighting_lists_the_known_ones():
    with pytest.raises(ValueError, match="'binary', 'log', 'sum'"):
        BoughtTogether(weighting="logs").fit(LOG)


def test_unfitted_recommenders_say_so():
    for call in (BoughtTogether().recommend, BoughtTogether().recommend_for_items):
        with pytest.raises(NotFittedError):
            call(["ann"])


def test_a_model_that_returns_nonsense_is_named():
    class NaNs(BoughtTogether):
        def score_histories(self, histories):
            return np.full((histories.shape[0], 3), np.nan)

    class Short(BoughtTogether):
        def score_histories(self, histories):
            return np.zeros((histories.shape[0], 2))

    class Nothing(RecommenderMixin, BaseEstimator):
        pass

    with pytest.raises(ValueError, match="NaNs returned scores that are not finite"):
        NaNs().fit(LOG).recommend(["ann"], 1)
    with pytest.raises(ValueError, match=r"shape \(1, 3\), got \(1, 2\)"):
        Short().fit(LOG).recommend(["ann"], 1)
    with pytest.raises(NotImplementedError, match="must define `fit_interactions"):
        Nothing().fit(LOG)


def test_popularity_ranks_by_weight_for_everybody():
    recommender = PopularityRecommender(weighting="sum").fit(LOG, [1, 1, 1, 1, 9, 1])
    ids = recommender.recommend(["ann", "new"], 3, exclude_seen=False)
    assert ids.tolist() == [["cake", "milk", "tea"]] * 2
    assert_allclose(recommender.predict([("ann", "cake"), ("new", "tea")]), [3, 2 / 3])


@pytest.mark.parametrize("X", [[("a", 1), "b"], [("a", 1), None], ["ab", ("c", 1)], ["ab"]])
def test_a_list_in_which_something_is_no_row(X):
    with pytest.raises(ValueError, match="Expected 2D array"):
        PopularityRecommender().fit(X)


def test_what_fit_reads_is_one_record_that_an_update_replaces():
    model = PopularityRecommender().fit([["ann", "tea"], ["bob", "tea"], ["bob", "jam"]])
    before = model._fitted
    with pytest.raises(FrozenInstanceError):
        before.n_updates = 3
    with pytest.raises(AttributeError):
        model.popularity_ = np.zeros(2)
    model.update([["eve", "jam"]])
    assert (before.n_updates, model.n_updates_) == (0, 1)
    assert before.users.labels.tolist() == ["ann", "bob"]
    assert model._fitted.users.labels is model.users_


@pytest.mark.parametrize("n_unknown", [1, 2])
def test_unknown_candidates_are_named_where_few_are_left(n_unknown):
    model = PopularityRecommender().fit([["a", "p1"], ["b", "p2"]])
    items = ["zz", "yy"][:n_unknown]
    number = ["1 unknown item", "2 unknown items"][n_unknown - 1]
    with pytest.raises(ValueError, match=f"^`items` has {number}, such as 'zz'. `k` is 2"):
        model.rank(["a"], items=[*items, "p1"], k=2)


def test_explain_takes_one_item():
    model = EASERecommender().fit([["a", "p1"], ["b", "p2"]])
    for items in (["p1", "p2"], np.array(["p1", "p2"])):
        with pytest.raises(ValueError, match="`item` must be one id, got"):
            model.explain("a", items)
