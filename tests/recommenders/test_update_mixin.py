"""`update`: what is served after it, also while it runs."""

import pickle
import threading
import warnings
from copy import deepcopy
from datetime import timedelta

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from sklearn_rank.datasets import make_interactions
from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.recommenders import (
    EASERecommender,
    ImplicitRecommender,
    ItemNeighborsRecommender,
    MatrixFactorizationRecommender,
    PopularityRecommender,
    RepeatRecommender,
    RerankingRecommender,
    SLIMRecommender,
    UserNeighborsRecommender,
    load_model,
    save_model,
)

X = [("ann", "tea"), ("ann", "milk"), ("bob", "tea"), ("bob", "milk"), ("bob", "cake")]
X += [("eve", "milk"), ("eve", "cake"), ("kim", "tea"), ("kim", "jam"), ("lea", "rice")]
FRAME = pd.DataFrame(X, columns=["user", "item"])
DISLIKES = [("ann", "cake"), ("zoe", "milk"), ("ann", "gin")]
MODELS = [
    PopularityRecommender(),
    EASERecommender(1.0),
    ItemNeighborsRecommender(),
    ItemNeighborsRecommender(similarity="walk", keep="candidate", self_weight=True),
    ItemNeighborsRecommender(1, similarity="walk", keep="both", normalize=True),
    MatrixFactorizationRecommender(),
]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("exclude_seen", [True, False])
def test_dislikes_are_excluded_for_their_users(model, exclude_seen):
    users, options = ["ann", "zoe", "bob"], {"k": 1, "exclude_seen": exclude_seen}
    exclude = {"ann": ["cake"], "zoe": ["milk"]}
    before = model.fit(X).predict(X)
    expected = model.recommend(users, exclude=exclude, **options).tolist()
    more = {user: [*exclude.get(user, []), "jam"] for user in users}
    with_more = model.recommend(users, exclude=more, **options).tolist()
    assert model.update(dislikes=DISLIKES) is model
    assert model.recommend(users, **options).tolist() == expected
    assert model.recommend(users, exclude=["jam"], **options).tolist() == with_more
    assert [model.recommend([user], **options).tolist()[0] for user in users] == expected
    table = model.rank(users, **options)
    assert not set(zip(table["query"], table["item"], strict=True)) & set(DISLIKES)
    assert (model.predict(X) == before).all()
    again = pickle.loads(pickle.dumps(model))
    assert again.recommend(users, **options).tolist() == expected


@pytest.mark.parametrize("model", MODELS)
def test_short_rows_are_filled_up_with_what_is_seen_first(model):
    model.fit(X).update(dislikes=[("bob", "jam"), ("bob", "rice")])
    items, scores = model.recommend(["bob"], k=3, return_scores=True)
    assert sorted(items[0].tolist()) == ["cake", "milk", "tea"]
    assert (scores == -np.inf).all()
    assert len(set(model.recommend(["bob"], k=5, return_scores=True)[0][0])) == 5


@pytest.mark.parametrize("model", MODELS)
def test_a_disliked_item_is_shown_after_all_seen_ones(model):
    model.fit(X).update(dislikes=[("bob", "milk")])  # the most popular, which he has
    items, scores = model.recommend(["bob"], k=5, return_scores=True)
    assert items[0].tolist()[-1] == "milk"
    assert np.isneginf(scores[0, -1])


def test_dislikes_add_up_until_the_next_fit():
    model = PopularityRecommender().fit(X)
    model.update(dislikes=DISLIKES).update(dislikes=[("ann", "jam")])
    assert model.dislikes_ == {"ann": ("cake", "gin", "jam"), "zoe": ("milk",)}
    assert model.recommend(["ann"], k=1).tolist() == [["rice"]]
    assert model.fit(X).dislikes_ == {}


def test_scorers_do_not_show_what_is_disliked():
    model, held_out = PopularityRecommender().fit(X), [("ann", "cake")]
    score = make_recommender_scorer("hit_rate@1")
    assert score(model, held_out) == 1
    assert score(model.update(dislikes=DISLIKES), held_out) == 0


@pytest.mark.parametrize(
    "dislikes",
    [
        [("ann", "cake")],
        np.array([["ann", "cake"]]),
        FRAME[:0],
        pd.DataFrame({"note": [1], "item": ["cake"], "user": ["ann"]}),
        [],
    ],
)
@pytest.mark.parametrize("log", [FRAME, FRAME.assign(time=1)])
def test_dislikes_are_rows_of_user_and_item(dislikes, log):
    model = PopularityRecommender().fit(log).update(dislikes=dislikes)
    assert model.dislikes_ == ({"ann": ("cake",)} if len(dislikes) else {})


def test_columns_of_arrays_are_those_of_fit():
    swapped = [(item, user) for user, item in X]
    model = PopularityRecommender(user=1, item=0).fit(swapped)
    assert model.update(dislikes=[("cake", "ann")]).dislikes_ == {"ann": ("cake",)}
    wide = [(item, 0, user) for user, item in X]
    model = PopularityRecommender(user=2, item=0).fit(wide)
    assert model.update(dislikes=[("ann", "cake")]).dislikes_ == {"ann": ("cake",)}
    assert model.update(dislikes=[("jam", 0, "bob")]).dislikes_["bob"] == ("jam",)


@pytest.mark.parametrize(
    ("dislikes", "message"),
    [
        (None, "`update` needs `X`, rows to add, or `dislikes`"),
        ({"ann": ["tea"]}, r"`dislikes` must hold rows of \(user, item\), got {'ann'"),
        ([("ann", "tea", 1)], r"`dislikes` must hold rows of \(user, item\)"),
        ([(1, "tea")], r"users in dislikes` are of another type: 1 \(int\)"),
        ([("ann", 1)], r"items in dislikes` are of another type: 1 \(int\)"),
    ],
)
def test_what_is_no_dislike_is_refused_and_changes_nothing(dislikes, message):
    model = PopularityRecommender().fit(X).update(dislikes=DISLIKES)
    before = model.dislikes_
    with pytest.raises(TypeError, match=message):
        model.update(dislikes=dislikes)
    assert model.dislikes_ is before


LOG = make_interactions(random_state=0, as_frame=True).sort_values("time")
LOG["weight"] = np.arange(len(LOG)) % 4 + 0.5
EARLY = LOG[: len(LOG) * 3 // 4]
LATE = LOG[len(EARLY) :]
LATE = LATE[LATE["item"].isin(EARLY["item"])]
LOG_OF_KNOWN = pd.concat([EARLY, LATE])
LOG_OF_SECONDS = pd.DataFrame({"user": range(200), "item": 1, "time": range(1000, 1200)})
TIMED = {"time": "time", "half_life": "20D"}
OPTIONS = [
    {},
    {"weighting": "log"},
    {"weighting": "sum"},
    TIMED,
    TIMED | {"weighting": "log"},
    TIMED | {"reference_time": LATE["time"].max() + timedelta(days=3)},
    {"time": "time", "recency": 3},
    TIMED | {"recency": 3, "weighting": "log"},
]
OF_ITEMS = ("item_weights_", "similarity_")


def fitted(model, log):
    return clone(model).fit(log, log["weight"])


def with_items_of(full, early):
    """Return a model of all rows that knows of items what one of early rows knows."""
    for name in OF_ITEMS:
        if name in vars(early):
            setattr(full, name, getattr(early, name))
    full._prepare_scores()
    return full


def assert_served_alike(model, expected):
    assert model.users_.tolist() == expected.users_.tolist()
    assert (model.seen_ != expected.seen_).nnz == 0
    for name in ("interactions_", "histories_"):
        found, wanted = getattr(model, name), getattr(expected, name)
        assert_array_equal(found.indices, wanted.indices)
        assert_allclose(found.data, wanted.data, rtol=1e-10)
    assert_allclose(model.popularity_, expected.popularity_, rtol=1e-10)
    users = expected.users_
    found, scores = model.recommend(users, 5, return_scores=True)
    wanted, expected_scores = expected.recommend(users, 5, return_scores=True)
    assert_allclose(scores, expected_scores, rtol=1e-5, atol=1e-9)
    # Scores that differ by rounding may change places.
    assert (found == wanted).mean() > 0.98


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize(
    "model", [EASERecommender(), ItemNeighborsRecommender(), SLIMRecommender(n_neighbors=5)]
)
def test_what_is_served_is_that_of_all_rows_but_for_the_items(model, options):
    model = model.set_params(**options)
    early = fitted(model, EARLY)
    expected = with_items_of(fitted(model, LOG_OF_KNOWN), early)
    updated = deepcopy(early).update(LATE, LATE["weight"])
    assert_served_alike(updated, expected)
    assert updated.n_updates_ == 1
    if "recency" in options:
        assert_array_equal(updated.history_.starts, expected.history_.starts)
        assert_array_equal(updated.history_.items, expected.history_.items)
        assert_array_equal(updated.history_.times, expected.history_.times)


@pytest.mark.parametrize("options", OPTIONS[:6])
@pytest.mark.parametrize(
    "model",
    [PopularityRecommender(), UserNeighborsRecommender(), RepeatRecommender(time="time")],
)
def test_models_without_item_weights_are_as_after_fit(model, options):
    model = model.set_params(**options)
    updated = fitted(model, EARLY).update(LATE, LATE["weight"])
    assert_served_alike(updated, fitted(model, LOG_OF_KNOWN))


@pytest.mark.parametrize("options", OPTIONS)
def test_updates_in_steps_are_one_update(options):
    model = ItemNeighborsRecommender(**options)
    steps = fitted(model, EARLY)
    for part in np.array_split(np.arange(len(LATE)), 4):
        steps.update(LATE.iloc[part], LATE["weight"].iloc[part])
    at_once = fitted(model, EARLY).update(LATE, LATE["weight"])
    assert_served_alike(steps, at_once)
    assert steps.n_updates_ == 4


def test_users_of_factors_are_folded_in():
    model = MatrixFactorizationRecommender().fit(EARLY)
    before = model.recommend(model.users_, 5)
    had = model.users_
    untouched = ~np.isin(had, LATE["user"])
    model.update(LATE)
    assert (model.recommend(had, 5) == before)[untouched].all()
    changed = np.flatnonzero(np.isin(model.users_, LATE["user"]))
    lists = [model.items_[model.seen_[[u]].indices] for u in changed]
    by_items = model.recommend_for_items(lists, 5, return_scores=True)
    found = model.recommend(model.users_[changed], 5, return_scores=True)
    assert_allclose(found[1], by_items[1], rtol=1e-9)


def test_als_folds_users_in_and_bpr_refuses():
    pytest.importorskip("implicit")
    from implicit.als import AlternatingLeastSquares
    from implicit.bpr import BayesianPersonalizedRanking
    from implicit.nearest_neighbours import ItemItemRecommender

    model = ImplicitRecommender(AlternatingLeastSquares(4, random_state=0)).fit(EARLY)
    inner, before = model.model_, model.model_.user_factors.copy()
    model.update(LATE)
    assert model.model_ is not inner
    assert (inner.user_factors == before).all()
    user = LATE["user"].iloc[-1]
    lists = [model.items_[model.seen_[[np.searchsorted(model.users_, user)]].indices]]
    found = model.recommend([user], 5, return_scores=True)[1]
    expected = model.recommend_for_items(lists, 5, return_scores=True)[1]
    assert_allclose(found, expected, rtol=1e-4)
    items = ImplicitRecommender(ItemItemRecommender(K=5)).fit(EARLY).update(LATE)
    assert items.recommend([user], 5).shape == (1, 5)
    bpr = ImplicitRecommender(BayesianPersonalizedRanking(4)).fit(EARLY)
    with pytest.raises(NotImplementedError, match="cannot score users it was not trained"):
        bpr.update(LATE)
    assert bpr.n_updates_ == 0


def test_rows_of_new_items_are_counted_and_ignored():
    model = ItemNeighborsRecommender().fit(X)
    rows = [("ann", "cake"), ("ann", "gin"), ("pat", "gin")]
    with pytest.warns(UserWarning, match="2 of 3 row.* such as 'gin': they are ignored"):
        model.update(rows)
    assert model.items_.tolist() == ["cake", "jam", "milk", "rice", "tea"]
    assert "pat" not in model.users_
    assert model.recommend(["ann"], k=1).tolist() != [["cake"]]
    with pytest.warns(UserWarning, match="1 of 1 row"):
        model.update([("ann", "gin")])
    assert model.n_updates_ == 2


def test_a_warning_that_is_an_error_changes_nothing():
    model = ItemNeighborsRecommender().fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="1 of 2 row"):
            model.update([("ann", "cake"), ("ann", "gin")])
    assert model.n_updates_ == 0
    assert model.seen_.nnz == len(X)


def test_new_users_join_in_their_order():
    model = ItemNeighborsRecommender().fit(X)
    model.update([("abe", "milk"), ("zoe", "jam"), ("abe", "cake")])
    assert model.users_.tolist() == ["abe", "ann", "bob", "eve", "kim", "lea", "zoe"]
    assert model.recommend(["abe", "zoe"], k=1).tolist() == [["tea"], ["tea"]]
    assert model.explain("abe", "tea").items.tolist() == ["milk", "cake"]


@pytest.mark.parametrize(
    ("known", "new"),
    [
        ([1, 2], [0, 3]),
        ([1, 2], [0.0, 3.0]),
        (["a", "b"], ["aaa", "c"]),
        ([("a", 1), ("b", 2)], [("a", 0)]),
        ([1, "a"], [0, "b"]),
        (pd.to_datetime(["2020-01-01", "2020-01-02"]), pd.to_datetime(["2019-01-01"])),
    ],
)
def test_ids_of_any_type_join(known, new):
    table = pd.DataFrame({"user": pd.Series(list(known), dtype=object), "item": 1})
    more = pd.DataFrame({"user": pd.Series(list(new), dtype=object), "item": 1})
    if isinstance(known, pd.DatetimeIndex):
        table["user"], more["user"] = known, new
    model = PopularityRecommender().fit(table).update(more)
    expected = PopularityRecommender().fit(pd.concat([table, more])).users_
    assert set(model.users_.tolist()) == set(expected.tolist())
    assert model.users_.dtype.kind == expected.dtype.kind
    assert model.seen_.shape == (len(known) + len(new), 1)
    assert model.seen_.nnz == len(known) + len(new)


def test_strings_of_a_frame_stay_objects():
    model = PopularityRecommender().fit(FRAME)
    kind = model.users_.dtype.kind
    rows = pd.DataFrame({"user": ["abe"], "item": ["tea"]})
    assert model.update(rows).users_.dtype.kind == kind


def test_the_recommender_for_new_users_is_updated():
    latest = PopularityRecommender(half_life="1D", time="time")
    model = ItemNeighborsRecommender(new_users=latest).fit(EARLY)
    inner = model.new_users_
    last = LATE["item"].iloc[-1]
    rows = LATE.iloc[-1:].assign(user=[-1])
    model.update(pd.concat([rows.assign(user=-u) for u in range(1, 50)]))
    assert model.recommend([10**6], 1).tolist() == [[last]]
    assert model.new_users_ is not inner
    assert model.new_users_.n_updates_ == 0


def test_a_second_stage_updates_the_first():
    inner = ItemNeighborsRecommender()
    model = RerankingRecommender(inner, "popularity", strength=0).fit(EARLY).update(LATE)
    expected = ItemNeighborsRecommender().fit(EARLY).update(LATE)
    users = expected.users_
    assert_array_equal(model.recommend(users, 5), expected.recommend(users, 5))
    assert model.n_updates_ == 1
    categories = {item: item % 5 for item in LOG["item"].unique()}
    options = {"method": "calibrated", "categories": categories}
    model = RerankingRecommender(PopularityRecommender(), **options).fit(EARLY)
    expected = RerankingRecommender(PopularityRecommender(), **options).fit(LOG_OF_KNOWN)
    found = model.update(LATE).recommend(users, 5)
    assert_array_equal(found, expected.recommend(users, 5))


def test_a_model_file_keeps_what_an_update_adds_to(tmp_path):
    model = ItemNeighborsRecommender(**OPTIONS[-1])
    model.fit(EARLY).update(LATE[:50], dislikes=[(1, 2)])
    save_model(model, tmp_path / "model.npz")
    read = load_model(tmp_path / "model.npz")
    assert (read.n_updates_, read.dislikes_) == (1, {1: (2,)})
    assert_served_alike(read.update(LATE[50:]), model.update(LATE[50:]))


def test_times_go_on_from_those_of_fit():
    log = pd.DataFrame({"user": [1, 2], "item": [1, 2], "time": [10.0, 20.0]})
    model = PopularityRecommender(half_life=10, time="time").fit(log)
    assert model.popularity_.tolist() == [0.25, 0.5]
    model.update(pd.DataFrame({"user": [1], "item": [1], "time": [30.0]}))
    assert model.popularity_.tolist() == [0.5, 0.25]
    model.update(pd.DataFrame({"user": [2], "item": [1], "time": [20.0]}))  # late news
    assert model.popularity_.tolist() == [0.75, 0.25]
    dates = pd.DataFrame({"user": [1], "item": [1], "time": pd.to_datetime(["2020-01-01"])})
    with pytest.raises(TypeError, match=r"`times` are datetimes .* were numbers"):
        model.update(dates)
    with pytest.raises(ValueError, match="half_life=10"):
        PopularityRecommender(half_life=10, time="time").fit(LOG_OF_SECONDS).update(
            LOG_OF_SECONDS[:1].assign(time=10**10)
        )
    assert model.popularity_.tolist() == [0.75, 0.25]


@pytest.mark.parametrize("units", [("us", "ns"), ("ns", "us")])
def test_times_of_another_resolution_go_on_too(units):
    days = pd.to_datetime(["2024-01-01", "2024-01-11", "2024-01-21"])
    log = pd.DataFrame({"user": [1, 2, 1], "item": [1, 2, 1], "time": days})
    early, late = (
        log[part].astype({"time": f"M8[{unit}]"})
        for part, unit in zip((slice(2), slice(2, None)), units, strict=True)
    )
    model = PopularityRecommender(half_life="10D", time="time").fit(early)
    assert model.update(late).popularity_.tolist() == [0.5, 0.25]


def test_weights_of_long_ago_stay_above_0():
    log = pd.DataFrame({"user": [1, 2], "item": [1, 2], "time": [0, 9000]})
    model = PopularityRecommender(half_life=10, time="time").fit(log)
    model.set_params(reference_time=20_000)
    model.update(pd.DataFrame({"user": [3], "item": [2], "time": [20_000]}))
    assert (model.popularity_ > 0).all()


def test_a_model_that_keeps_something_of_users_says_what_it_lacks():
    class Own(PopularityRecommender):
        def score_users(self, users):
            return self.score_histories(self.histories_[users])

    model = Own().fit(X)
    with pytest.raises(NotImplementedError, match=r"Own must define `update_users\("):
        model.update(X)

    class Mended(Own):
        def update_users(self, former, changed):
            self.seen_by = self.users_[former].tolist(), self.users_[changed].tolist()

    model = Mended().fit(X[:2]).update([("abe", "tea")])
    assert model.seen_by == (["ann"], ["abe"])


def test_threads_serve_what_was_before_or_what_is_now():
    log = [(f"u{n:03}", item) for n in range(100, 300) for item in (n % 7, n % 5 + 7)]
    model = ItemNeighborsRecommender(exclude_seen=False).fit(log)
    states = []
    users = model.users_[[3, 50, 150]]
    copies = pickle.loads(pickle.dumps(model))
    # Each update moves all users by a place.
    updates = [[(f"a{n:03}", n % 12)] for n in range(60)]
    for rows in [None, *updates]:
        if rows:
            copies.update(rows)
        lists = copies.recommend(users, 3, return_scores=True)
        states.append((*lists[0].ravel().tolist(), *lists[1].ravel().tolist()))
    found, stop = [], threading.Event()

    def serve():
        while not stop.is_set():
            lists = model.recommend(users, 3, return_scores=True)
            found.append((*lists[0].ravel().tolist(), *lists[1].ravel().tolist()))

    threads = [threading.Thread(target=serve) for _ in range(3)]
    for thread in threads:
        thread.start()
    for rows in updates:
        model.update(rows)
    stop.set()
    for thread in threads:
        thread.join()
    assert found
    assert set(found) <= set(states)
