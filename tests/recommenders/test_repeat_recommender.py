"""RepeatRecommender: what users take again."""

import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import GridSearchCV

from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.model_selection import TimeSplit
from sklearn_rank.recommenders import (
    EASERecommender,
    PopularityRecommender,
    RepeatRecommender,
    RerankingRecommender,
    load_model,
    save_model,
)

COLUMNS = {"user": "who", "item": "what", "time": "when"}
NAMES = {"user": "who", "item": "what"}


def make_log(n_moments=12):
    codes = np.random.default_rng(0).integers(0, [20, 15, n_moments], (300, 3))
    return pd.DataFrame(codes, columns=["who", "what", "when"])


@pytest.mark.parametrize("recency", [None, 2])
@pytest.mark.parametrize("weighting", ["binary", "log", "sum"])
@pytest.mark.parametrize("half_life", [None, 4])
def test_scores_are_as_plain_loops_say(recency, weighting, half_life):
    log, y = make_log(), np.random.default_rng(1).integers(0, 4, 300)
    given = {"weighting": weighting, "half_life": half_life, **COLUMNS}
    model = RepeatRecommender(recency, 0.4, **given).fit(log, y)
    popularity = PopularityRecommender(**given).fit(log, y).popularity_
    expected = np.empty((20, 15))
    for who, rows in log.assign(y=y).groupby("who"):
        visits = np.zeros(15)
        for place, (_, visit) in enumerate(sorted(rows.groupby("when"), reverse=True)):
            totals = visit.groupby("what")["y"].sum()
            for what, total in totals.items():
                counts = {"binary": total > 0, "log": np.log1p(total), "sum": total}
                fade = 1 if recency is None else 0.5 ** (place / recency)
                visits[what] += counts[weighting] * fade
        assert_allclose(model.histories_.toarray()[who], visits, atol=1e-12)
        expected[who] = 0.6 * visits / visits.max() + 0.4 * popularity / popularity.max()
    pairs = pd.DataFrame([(u, i) for u in range(20) for i in range(15)], columns=[*NAMES])
    pairs.columns = ["who", "what"]
    assert_allclose(model.predict(pairs), expected.ravel(), rtol=1e-12)
    found, scores = model.recommend(range(20), 5, return_scores=True)
    best = np.sort(expected)[:, :-6:-1]
    assert_allclose(scores, best, rtol=1e-12)
    assert_allclose(np.take_along_axis(expected, found, 1), best, rtol=1e-12)


def test_it_is_served_by_lists_as_by_users():
    log = make_log().assign(when=np.random.default_rng(2).permutation(300))
    model = RepeatRecommender(3, **COLUMNS).fit(log)
    lists = [rows.sort_values("when")["what"] for _, rows in log.groupby("who")]
    expected = model.recommend(range(20), 4, return_scores=True)
    assert_allclose(model.recommend_for_items(lists, 4, return_scores=True), expected)
    with pytest.raises(TypeError, match="needs the items of each user in order"):
        model.recommend_for_items([{3, 4}], 2)
    often = RepeatRecommender(None, weighting="sum", **COLUMNS).fit(log)
    found = often.recommend_for_items([{3: 5, 4: 1}, [4, 3, 3, 3, 3, 3]], 2)
    assert found.tolist() == [[3, 4], [3, 4]]


def test_users_get_what_they_have_unless_it_is_left_out():
    log = make_log()
    model = RepeatRecommender(**COLUMNS).fit(log)
    assert set(model.recommend([0], 2)[0]) <= set(log[log["who"] == 0]["what"])
    others = model.recommend([0], 2, exclude_seen=True)[0]
    assert not set(others) & set(log[log["who"] == 0]["what"])
    popular = PopularityRecommender(**COLUMNS).fit(log)
    assert_array_equal(model.recommend([99], 3), popular.recommend([99], 3))
    only = RepeatRecommender(popularity_share=1, **COLUMNS).fit(log)
    expected = popular.recommend(range(20), 3, exclude_seen=False)
    assert_array_equal(only.recommend(range(20), 3), expected)


def test_weights_of_0_are_no_visits():
    model = RepeatRecommender(time=2).fit([["ann", "tea", 1], ["ann", "jam", 2]], [0, 0])
    assert model.predict([["ann", "tea", 0]]).tolist() == [0]


ERRORS = [
    ({"time": None}, ValueError, "`recency=10.0` needs the time of each interaction"),
    ({"time": None, "recency": None}, ValueError, "RepeatRecommender needs the time of"),
    ({"recency": 0}, ValueError, "`recency` must be a number > 0, or None, got 0"),
    ({"popularity_share": 1.1}, ValueError, "`popularity_share` must be a number from 0"),
    ({"popularity_share": "all"}, TypeError, "`popularity_share` must be a number from"),
]


@pytest.mark.parametrize(("given", "error", "match"), ERRORS)
def test_values_that_do_not_fit_are_named(given, error, match):
    with pytest.raises(error, match=match):
        RepeatRecommender(**(COLUMNS | given)).fit(make_log())


def test_explanations_add_up():
    model = RepeatRecommender(2, **COLUMNS).fit(make_log())
    for item in (0, 7):
        explained = model.explain(3, item)
        score = model.predict(pd.DataFrame({"who": [3], "what": [item]}))[0]
        assert_allclose(explained.score, score)
        assert explained.items.tolist() in ([], [item])
        total = explained.to_frame()["contribution"].sum()
        assert_allclose(total, score, rtol=1e-12)


def test_it_works_in_searches_wrappers_and_files(tmp_path):
    log = make_log(60)
    search = GridSearchCV(
        RepeatRecommender(**COLUMNS),
        {"recency": [None, 3.0], "popularity_share": [0, 0.5], "half_life": [None, 5]},
        scoring=make_recommender_scorer("ndcg@5", exclude_seen=False, **NAMES),
        cv=TimeSplit(2, time="when", **NAMES),
    ).fit(log)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    model = search.best_estimator_
    save_model(model, tmp_path / "model.npz")
    for again in (pickle.loads(pickle.dumps(model)), load_model(tmp_path / "model.npz")):
        assert_array_equal(again.recommend(range(20), 3), model.recommend(range(20), 3))
    wrapped = RerankingRecommender(model, "popularity", strength=0)
    found = wrapped.fit(log).recommend(range(20), 3, exclude_seen=False)
    assert_array_equal(found, model.recommend(range(20), 3))


def test_repeats_beat_other_models_on_the_next_basket(online_retail):
    names = {"user": "CustomerID", "item": "StockCode"}
    log = online_retail
    cutoff = log["InvoiceDate"].quantile(0.8)
    train, later = log[log["InvoiceDate"] <= cutoff], log[log["InvoiceDate"] > cutoff]
    later = later[later["CustomerID"].isin(train["CustomerID"])]
    first = later.groupby("CustomerID")["InvoiceDate"].transform("min")
    scorer = make_recommender_scorer("ndcg@10", exclude_seen=False, **names)
    model = RepeatRecommender(half_life="3D", time="InvoiceDate", **names).fit(train)
    assert scorer(model, later[later["InvoiceDate"] == first]) == pytest.approx(
        0.3097, abs=2e-4
    )
    assert scorer(model, later) == pytest.approx(0.3749, abs=2e-4)
    ease = EASERecommender(300, weighting="log", **names).fit(train)
    assert scorer(ease, later) < 0.3
