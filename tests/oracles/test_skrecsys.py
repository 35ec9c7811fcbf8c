"""skrecsys: its recommenders in our scorers and splitters, against its own evaluation.

It ranks the users with relevant rows for at most as many items as each of them can get.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV, cross_validate

from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.model_selection import LeaveLastOut, TimeSplit, cross_validate_per_query
from sklearn_rank.recommenders import EASERecommender, PopularityRecommender
from tests.oracles.agreement import agree

skrecsys = pytest.importorskip("skrecsys")
metrics = pytest.importorskip("skrecsys.metrics")
peers = pytest.importorskip("skrecsys.recommendation")

# What splitters keep may be out of reach: our scores and theirs are compared.
pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn_rank.exceptions.MisleadingScoreWarning"
)

COLUMNS = {"user": "user", "item": "item"}
NEW_ONLY = {"time": "time", "cold_users": "drop", "seen_items": "drop", **COLUMNS}


def make_log(strings):
    rng = np.random.default_rng(0)
    users = rng.integers(0, 60, 2000)
    items = (users % 5 * 8 + rng.geometric(0.08, 2000)) % 50
    log = pd.DataFrame({"user": users, "item": items, "time": np.arange(2000)})
    if strings:
        log["user"] = "u" + log["user"].astype(str).str.zfill(2)
        log["item"] = "i" + log["item"].astype(str).str.zfill(2)
    return log


LOGS = {"numbers": make_log(False), "strings": make_log(True)}
MODELS = {
    "ItemKNN": peers.ItemKNNRecommender(n_neighbors=10),
    "popularity": peers.MostPopularRecommender(),
    "EASE": peers.EASE(),
    "BM25": peers.BM25Recommender(),
    "RP3beta": peers.RP3Beta(),
    "SLIM": peers.SLIMElasticNet(),
    "ALS": peers.AlternatingLeastSquares(n_factors=4, random_state=0),
}
# Our names, its functions.
SAME = {
    "ndcg@5": "ndcg_at_k",
    "recall@5": "recall_at_k",
    "precision@5": "precision_at_k",
    "hit_rate@5": "hit_rate_at_k",
}


def fold(log, **splitter):
    ((train, test),) = TimeSplit(1, test_size=0.2, **NEW_ONLY, **splitter).split(log)
    return log.iloc[train][["user", "item"]], log.iloc[test][["user", "item"]]


@pytest.mark.parametrize("ids", LOGS)
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("exclude_seen", [True, False])
def test_scores_are_those_of_its_own_evaluation(name, ids, exclude_seen):
    train, test = fold(LOGS[ids])
    model = MODELS[name].fit(train)
    found = make_recommender_scorer([*SAME], exclude_seen=exclude_seen, **COLUMNS)(
        model, test
    )
    expected = metrics.evaluate_recommender(
        model,
        test.to_numpy(),
        metrics=[getattr(metrics, function) for function in SAME.values()],
        k=5,
        exclude_seen=exclude_seen,
    )
    for mine, function in SAME.items():
        other = expected[f"{function.removesuffix('_at_k')}@5"]
        agree(mine.removesuffix("@5"), "skrecsys", [found[mine]], [other])


def test_candidates_and_exclusions_are_those_of_its_own_evaluation():
    train, test = fold(LOGS["numbers"])
    model = MODELS["ItemKNN"].fit(train)
    stock, pairs = np.unique(train["item"])[::2], test.to_numpy()[::3]
    found = make_recommender_scorer("recall@5", items=stock, exclude=pairs, **COLUMNS)
    expected = metrics.evaluate_recommender(
        model,
        test.to_numpy(),
        metrics=[metrics.recall_at_k],
        k=5,
        candidates=stock,
        exclude_interactions=pairs,
    )
    assert found(model, test) == pytest.approx(expected["recall@5"], rel=1e-12)


def test_candidates_of_each_user_are_those_of_its_own_recommend():
    train, test = fold(LOGS["strings"])
    model = MODELS["EASE"].fit(train)
    items = np.unique(train["item"])
    sets = {user: items[i % 3 :: 2] for i, user in enumerate(np.unique(test["user"]))}
    recalls = []
    for user, rows in test.groupby("user"):
        ranked, _ = model.recommend(
            [user], n_recommendations=5, candidates=sets[user], exclude_seen=False
        )
        wanted = set(rows["item"])
        recalls.append(len(wanted & set(ranked[0])) / len(wanted))
    scorer = make_recommender_scorer("recall@5", items=sets, exclude_seen=False, **COLUMNS)
    assert scorer(model, test) == pytest.approx(np.mean(recalls), rel=1e-12)


@pytest.mark.parametrize("ids", LOGS)
@pytest.mark.parametrize(
    ("peer", "own"),
    [
        (peers.MostPopularRecommender(), PopularityRecommender(**COLUMNS)),
        (peers.EASE(l2_reg=10.0), EASERecommender(regularization=10.0, **COLUMNS)),
    ],
)
def test_the_same_model_scores_the_same(peer, own, ids):
    log = LOGS[ids].drop_duplicates(["user", "item"])
    scorer = make_recommender_scorer(
        ["ndcg@5", "ndcg", "auc", "novelty@5", "coverage@5"], **COLUMNS
    )
    cv = TimeSplit(2, **NEW_ONLY)
    found, expected = (
        cross_validate(model, log, scoring=scorer, cv=cv, error_score="raise")
        for model in (peer, own)
    )
    for name in found:
        if name.startswith("test_"):
            np.testing.assert_allclose(found[name], expected[name], rtol=1e-12)


@pytest.mark.parametrize(
    "cv", [TimeSplit(2, **NEW_ONLY), LeaveLastOut(n_splits=2, user="user", time="time")]
)
def test_searches_and_values_per_user(cv):
    log = LOGS["numbers"]
    model = peers.ItemKNNRecommender()
    scorer = make_recommender_scorer("ndcg@5", **COLUMNS)
    search = GridSearchCV(
        model, {"n_neighbors": [1, 20]}, scoring=scorer, cv=cv, error_score="raise"
    ).fit(log)
    found = cross_validate_per_query(
        search.best_estimator_, log, metrics=["ndcg@5", "mrr"], cv=cv, **COLUMNS
    )
    means = [found.scores["ndcg@5"][found.fold == fold].mean() for fold in (0, 1)]
    assert search.best_score_ == pytest.approx(np.mean(means), rel=1e-12)


def test_new_users_are_an_error_that_names_the_remedy():
    log = LOGS["numbers"]
    model = peers.ItemKNNRecommender().fit(log[log["user"] < 30][["user", "item"]])
    with pytest.raises(ValueError, match="Unknown user") as caught:
        make_recommender_scorer("ndcg@5", **COLUMNS)(model, log)
    assert "cold_users='drop'" in caught.value.__notes__[0]
