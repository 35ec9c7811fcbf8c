"""`reveal=True`: each row is judged by the list for what came before it, as in a loop."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import BaseEstimator
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.metrics._scorers import _held_out as module
from sklearn_rank.model_selection import TimeSplit
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    PopularityRecommender,
    RerankingRecommender,
)

# Small logs repeat most pairs, on purpose: their scores are compared with those of loops.
pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn_rank.exceptions.MisleadingScoreWarning"
)


def make_clicks(n_rows=300, n_sessions=40, n_items=15, seed=0):
    rng = np.random.default_rng(seed)
    session = rng.integers(n_sessions, size=n_rows)
    item = (session % 3 * 4 + rng.geometric(0.3, n_rows)) % n_items
    time = session * 100 + rng.integers(8, size=n_rows)  # of a session some are alike
    return pd.DataFrame({"user": session, "item": item, "time": time})


CLICKS = make_clicks()
TRAIN, TEST = CLICKS[CLICKS["user"] < 28], CLICKS[CLICKS["user"] >= 28]
MODELS = [
    ItemNeighborsRecommender(
        5, similarity="walk", self_weight=True, recency=0.7, time="time"
    ),
    EASERecommender(5.0, time="time"),
]


def targets_of(rows, y):
    """Yield user, items of earlier moments, target and grade, by loops."""
    for user, of_user in rows.assign(y=y).groupby("user"):
        of_user = of_user[of_user["y"] > 0].sort_values("time", kind="stable")
        for _, row in of_user.iterrows():
            before = of_user[of_user["time"] < row["time"]]
            if len(before):
                yield user, before["item"].tolist(), row["item"], row["y"]


def expected_values(model, rows, y, value, **options):
    """Return the values of the targets of each user."""
    found = {}
    for user, before, target, grade in targets_of(rows, y):
        items, scores = model.recommend_for_items(
            [before], 5, return_scores=True, **options
        )
        ranked = [i for i, s in zip(items[0], scores[0], strict=True) if s > -np.inf]
        rank = ranked.index(target) + 1 if target in ranked else None
        found.setdefault(user, []).append(value(rank, grade))
    return found


def reciprocal(rank, grade):
    return 1 / rank if rank else 0.0


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("exclude_seen", [True, False, None])
def test_scores_are_those_of_a_loop(model, exclude_seen):
    model.fit(TRAIN)
    y = np.random.default_rng(1).integers(0, 3, len(TEST))
    scorer = make_recommender_scorer("mrr@5", reveal=True, exclude_seen=exclude_seen)
    values = expected_values(model, TEST, y, reciprocal, exclude_seen=exclude_seen)
    every = [value for of_user in values.values() for value in of_user]
    assert scorer(model, TEST, y) == pytest.approx(np.mean(every), abs=1e-12)
    assert 0 < np.mean(every) < 1
    found = scorer.per_query(model, TEST, y)
    assert found.groups.tolist() == list(values)
    means = [np.mean(of_user) for of_user in values.values()]
    np.testing.assert_allclose(found["mrr@5"], means, atol=1e-12)
    sizes = [len(of_user) for of_user in values.values()]
    assert found.weights["mrr@5"].tolist() == sizes


def test_the_order_of_rows_matters_only_within_a_moment():
    model = MODELS[0].fit(TRAIN)
    rows = TEST.drop_duplicates(["user", "time"])
    scorer = make_recommender_scorer(["hit_rate@3", "ndcg@3"], reveal=True)
    shuffled = rows.sample(frac=1, random_state=0)
    assert scorer(model, rows) == scorer(model, shuffled)


@given(seed=st.integers(0, 50), most=st.integers(1, 30))
def test_calls_of_any_size_give_the_same(seed, most):
    rows = make_clicks(40, 6, seed=seed)
    model = ItemNeighborsRecommender(5, time="time").fit(TRAIN)
    scorer = make_recommender_scorer("ndcg@3", reveal=True)
    if rows.groupby("user")["time"].nunique().max() < 2:
        return
    whole = scorer(model, rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_SHOWN_ITEMS", most)
        assert scorer(model, rows) == whole


def test_unknown_targets_count_and_unknown_shown_items_do_not():
    train = [("a", "tea", 1), ("a", "milk", 2), ("b", "tea", 1), ("b", "milk", 2)]
    train += [("c", "beer", 1), ("d", "beer", 1), ("e", "beer", 2)]
    model = ItemNeighborsRecommender(time=2).fit(train)
    scorer = make_recommender_scorer("hit_rate@1", reveal=True)
    one = [("z", "tea", 1), ("z", "milk", 2)]
    assert scorer(model, one) == 1
    assert scorer(model, [*one, ("z", "new", 3)]) == 1 / 2
    assert scorer(model, [("z", "new", 0), *one]) == 1 / 2  # beer after "new" alone
    assert scorer(model, [("z", "new", 0), ("z", "beer", 1)]) == 1
    # Left out as seen, unless seen items may be recommended; training rows are not read.
    again = [("a", "beer", 8), ("a", "tea", 8), ("a", "milk", 9)]
    assert scorer(model, again) == 1
    assert scorer(model, [*one, ("z", "tea", 2)]) == 1 / 2
    # Users of one row or moment are left out.
    assert scorer(model, [*one, ("y", "tea", 1), ("x", "tea", 1), ("x", "beer", 1)]) == 1


def test_candidates_for_all_and_exclusions_are_passed_on():
    model = MODELS[1].fit(TRAIN)
    y = np.ones(len(TEST))
    for options in ({"items": [1, 2, 3, 5]}, {"exclude": [4, 5]}):
        scorer = make_recommender_scorer("mrr@3", reveal=True, **options)
        expected = []
        for _, before, target, _ in targets_of(TEST, y):
            items, scores = model.recommend_for_items(
                [before], 3, return_scores=True, **options
            )
            ranked = items[0][scores[0] > -np.inf].tolist()
            expected.append(1 / (ranked.index(target) + 1) if target in ranked else 0)
        assert scorer(model, TEST) == pytest.approx(np.mean(expected), abs=1e-12)


def test_whole_catalogues_and_graded_gains():
    model = MODELS[1].fit(TRAIN)
    err = "err(max_grade=2)@5"
    scorer = make_recommender_scorer(["mean_rank", err, "auc"], reveal=True)
    y = np.random.default_rng(1).integers(0, 3, len(TEST))
    found = scorer(model, TEST, y)
    values = expected_values(model, TEST, y, lambda r, g: (2**g - 1) / 4 / r if r else 0)
    every = [value for of_user in values.values() for value in of_user]
    assert found[err] == pytest.approx(np.mean(every), abs=1e-12)
    assert found["neg_mean_rank"] < -1
    assert 0 < found["auc"] < 1


def test_undefined_targets_leave_the_mean_of_their_user():
    model = ItemNeighborsRecommender(time=2).fit([("a", "tea", 1), ("b", "milk", 1)])
    rows = [("z", "tea", 1), ("z", "milk", 2), ("y", "milk", 1), ("y", "tea", 2)]
    rows += [("y", "tea", 3)]
    # No other item is left to be ranked below the target.
    scorer = make_recommender_scorer("auc", reveal=True)
    with pytest.warns(UndefinedMetricWarning):
        scorer(model, rows)
    found = scorer.per_query(model, rows)
    assert found.groups.tolist() == ["y", "z"]
    assert np.isnan(found["auc"][1])
    filled = make_recommender_scorer("auc", reveal=True, replace_undefined_by=0.5)
    assert 0 <= filled(model, rows) <= 0.5


def test_it_tunes_sessions():
    search = GridSearchCV(
        ItemNeighborsRecommender(similarity="walk", self_weight=True, time="time"),
        {"recency": [0.7, 5], "beta": [0.1, 0.5]},
        scoring=make_recommender_scorer("hit_rate@3", exclude_seen=False, reveal=True),
        cv=TimeSplit(2, test_size=0.2, time="time", cold_users="only"),
    ).fit(CLICKS)
    assert 0 < search.best_score_ < 1
    scorer = search.scoring
    assert "reveal=True" in repr(scorer)
    assert scorer(search, TEST) == scorer(search.best_estimator_, TEST)
    wrapped = make_pipeline(RerankingRecommender(MODELS[1], "popularity")).fit(TRAIN)
    assert 0 < scorer(wrapped, TEST) < 1


class OnlyUsers(BaseEstimator):
    """A recommender that takes no items."""

    def recommend(self, users, k):
        return [[] for _ in users]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"items": {"a": ["tea"]}}, "`items` must be ids for all"),
        ({"items": "rows"}, "`items` must be ids for all, got 'rows'"),
        ({"exclude": pd.DataFrame({"user": [1], "item": [2]})}, "`exclude` must be ids"),
        ({"metric": "novelty@5"}, "is about the items of whole lists"),
        ({"metric": "coverage@5"}, "is about the items of whole lists"),
        ({"reveal": "yes"}, "`reveal` got 'yes'"),
    ],
)
def test_what_reveals_nothing_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        make_recommender_scorer(**({"metric": "mrr@5", "reveal": True} | options))


def test_recommenders_that_cannot_reveal_are_refused():
    scorer = make_recommender_scorer("mrr@2", reveal=True)
    with pytest.raises(ValueError, match="give PopularityRecommender `time=`"):
        scorer(PopularityRecommender().fit(TRAIN), TEST)
    with pytest.raises(TypeError, match="which OnlyUsers does not have"):
        scorer(OnlyUsers(), TEST)
    model = MODELS[1].fit(TRAIN)
    with pytest.raises(ValueError, match=r"none of 3 user\(s\) has relevant rows at two"):
        scorer(model, TEST.drop_duplicates("user").head(3))
    with pytest.raises(ValueError, match="none of"):
        scorer(model, TEST, np.zeros(len(TEST)))
