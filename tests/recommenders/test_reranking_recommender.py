"""RerankingRecommender: lists of a recommender in another order."""

import os
import pickle
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from sklearn_rank.datasets import make_interactions
from sklearn_rank.metrics import Catalogue, make_recommender_scorer
from sklearn_rank.model_selection import RefitWithinError, TimeSplit
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    PopularityRecommender,
    RerankingRecommender,
)

METHODS = ["mmr", "xquad", "calibrated", "popularity"]
LOG = make_interactions(60, 90, 900, random_state=0, as_frame=True)
ITEMS = np.unique(LOG["item"])
CATEGORIES = {item: f"c{item % 7}" for item in ITEMS.tolist()}
USERS = np.unique(LOG["user"])


def fitted(method="mmr", strength=0.5, recommender=None, **parameters):
    parameters = {"categories": CATEGORIES, **parameters}
    first = EASERecommender() if recommender is None else recommender
    return RerankingRecommender(first, method, strength, **parameters).fit(LOG)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "recommender",
    [EASERecommender(), PopularityRecommender(), ItemNeighborsRecommender(2)],
    ids=lambda one: type(one).__name__,
)
def test_strength_0_gives_the_lists_of_the_first_stage(method, recommender):
    model = fitted(method, 0, recommender, n_candidates=10)
    first = recommender.fit(LOG)
    asked = [*USERS.tolist(), 10_000]
    for given in [{"k": 5}, {"k": 30, "exclude_seen": False}, {"items": ITEMS[:9], "k": 3}]:
        found = model.recommend(asked, return_scores=True, **given)
        expected = first.recommend(asked, return_scores=True, **given)
        np.testing.assert_array_equal(found[0], expected[0])
        np.testing.assert_allclose(found[1], expected[1])
    lists = [ITEMS[:2].tolist(), {ITEMS[3]: 2.0}, []]
    found, expected = (one.recommend_for_items(lists, 5) for one in (model, first))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("method", METHODS)
def test_candidates_are_those_of_the_first_stage_and_scores_descend(method):
    model = fitted(method, 0.8, n_candidates=10)
    found, scores = model.recommend(USERS, 10, return_scores=True)
    first = model.recommender_.recommend(USERS, 10)
    np.testing.assert_array_equal(np.sort(found), np.sort(first))
    assert (found != first).any()
    assert (np.diff(scores) <= 0).all()
    longer = model.recommend(USERS, 15)
    np.testing.assert_array_equal(longer[:, :10], found)
    np.testing.assert_array_equal(
        longer[:, 10:], model.recommender_.recommend(USERS, 15)[:, 10:]
    )


def test_users_by_id_and_by_their_items_get_the_same():
    for method in METHODS:
        model = fitted(method)
        lists = [ITEMS[row.indices].tolist() for row in model.seen_]
        np.testing.assert_array_equal(
            model.recommend_for_items(lists, 8), model.recommend(model.users_, 8)
        )


@pytest.mark.parametrize("method", METHODS)
def test_a_new_user_gets_what_is_popular_in_the_other_order(method):
    new_users = PopularityRecommender(half_life="5D", time="time")
    for first in [EASERecommender(), EASERecommender(new_users=new_users)]:
        model = fitted(method, 0.99, first, n_candidates=10)
        found = model.recommend([10_000], 10)
        popular = first.fit(LOG).recommend([10_000], 10)
        assert set(found[0]) == set(popular[0])
        assert found.tolist() != popular.tolist()
        np.testing.assert_array_equal(model.recommend_for_items([[]], 10), found)
        some = popular[0, 2:7]
        assert set(model.recommend([10_000], 5, items=some)[0]) == set(some)
    assert model.recommender_.new_users_ is model.new_users_


def test_a_user_without_categories_wants_the_mean():
    model = fitted("calibrated", categories={ITEMS[0].item(): "a", ITEMS[1].item(): "b"})
    without = [[ITEMS[2].item(), ITEMS[3].item()]]
    assert model.recommend_for_items(without, 5).shape == (1, 5)
    assert model._mean_shares.sum() == pytest.approx(1)


def test_what_serves_the_first_stage_serves_it_in_the_other_order():
    first = EASERecommender(recency=2, time="time")
    model = fitted(recommender=first)
    user, shown = USERS[0], model.recommend(USERS[:1], 3)[0]
    explained = model.explain(user, shown[0])
    assert explained.score == model.recommender_.explain(user, shown[0]).score
    pair = pd.DataFrame({"user": [user], "item": [shown[0]]})
    assert explained.score == pytest.approx(model.predict(pair)[0])
    model.update(dislikes=[[user, shown[0]]])
    assert shown[0] not in model.recommend([user], 10)
    lists = [ITEMS[[3, 5, 7]].tolist(), ITEMS[[7, 5, 3]].tolist()]
    one, other = fitted(strength=0, recommender=first).recommend_for_items(lists, 5)
    assert [one.tolist(), other.tolist()] == (
        first.fit(LOG).recommend_for_items(lists, 5).tolist()
    )
    assert one.tolist() != other.tolist()


@pytest.mark.parametrize(
    "categories",
    [
        pd.Series(CATEGORIES),
        pd.crosstab(pd.Series(CATEGORIES).index, pd.Series(CATEGORIES)),
        Catalogue(categories=CATEGORIES),
        {item: [category] for item, category in CATEGORIES.items()} | {-1: "unknown"},
    ],
    ids=["Series", "DataFrame", "Catalogue", "lists"],
)
def test_categories_may_be_given_in_each_form_of_the_metrics(categories):
    for method in ["mmr", "xquad", "calibrated"]:
        np.testing.assert_array_equal(
            fitted(method, categories=categories).recommend(USERS),
            fitted(method).recommend(USERS),
        )


def test_distances_may_be_a_function_a_matrix_or_a_catalogue():
    expected = fitted(categories=None, distance=lambda i, j: abs(i - j) / 90)
    table = np.abs(np.subtract.outer(ITEMS, ITEMS)) / 90
    catalogue = Catalogue(items=ITEMS, distance=table)
    for given in [
        {"distance": pd.DataFrame(table, index=ITEMS, columns=ITEMS)},
        {"distance": catalogue},
        {"categories": catalogue},
    ]:
        np.testing.assert_array_equal(
            fitted(**given).recommend(USERS), expected.recommend(USERS)
        )
    by_category = fitted(categories=None, distance=lambda i, j: float(i % 7 != j % 7))
    np.testing.assert_array_equal(by_category.recommend(USERS), fitted().recommend(USERS))


def test_a_search_chooses_the_strength_by_accuracy_and_diversity():
    features = pd.get_dummies(pd.Series(CATEGORIES)).astype(float)
    search = GridSearchCV(
        RerankingRecommender(EASERecommender(), "mmr", categories=CATEGORIES),
        {"strength": [0, 0.2, 0.9], "recommender__regularization": [10, 100]},
        scoring=make_recommender_scorer(
            ["ndcg@10", "intra_list_distance@10"], features=features
        ),
        refit=RefitWithinError("ndcg@10", prefer="intra_list_distance@10"),
        cv=TimeSplit(3, time="time"),
        error_score="raise",
    ).fit(LOG)
    distance = search.cv_results_["mean_test_intra_list_distance@10"]
    strength = np.array([one["strength"] for one in search.cv_results_["params"]])
    assert distance[strength == 0.9].min() > distance[strength == 0].max()
    chosen = distance[search.best_index_]
    assert chosen >= distance[np.argmax(search.cv_results_["mean_test_ndcg@10"])]
    assert search.best_estimator_.recommend(USERS[:2], 3).shape == (2, 3)


# Scores the rows of fit.
@pytest.mark.filterwarnings("ignore::sklearn_rank.exceptions.MisleadingScoreWarning")
def test_it_is_cloned_pickled_and_a_step_of_pipelines():
    table = pd.DataFrame(np.subtract.outer(ITEMS, ITEMS) % 7, index=ITEMS)
    for model in [fitted(distance=table), fitted(), fitted("xquad")]:
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.recommend(USERS), model.recommend(USERS))
    assert clone(model).get_params()["recommender__regularization"] == 100
    pipeline = make_pipeline(clone(model)).fit(LOG)
    scorer = make_recommender_scorer("ndcg@10", exclude_seen=False)
    assert scorer(pipeline, LOG) == scorer(model, LOG) > 0
    np.testing.assert_array_equal(model.predict(LOG), model.recommender_.predict(LOG))


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"method": "ild"}, "`method` got 'ild'"),
        ({"strength": 1.5}, "`strength` must be a number from 0 to 1, got 1.5"),
        ({"n_candidates": 0}, "`n_candidates` must be an integer >= 1"),
        ({"categories": None}, "`method='mmr'` needs the categories of items"),
        ({"categories": {-1: "a"}}, "`categories` has none of the 90 items of `fit`"),
        ({"categories": ["a"] * 90}, "`categories` needs the id of each item"),
        ({"distance": "cosine"}, "`distance` got 'cosine'"),
        ({"distance": np.zeros((90, 90))}, "`distance` needs the id of each item"),
        ({"distance": pd.DataFrame([[0.0]])}, "`distance` must be a function"),
    ],
)
def test_bad_parameters_are_told(parameters, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        fitted(**parameters)


def test_other_types_are_told():
    with pytest.raises(TypeError, match="`recommender` must be a recommender of this"):
        fitted(recommender="ease")
    with pytest.raises(TypeError, match="`strength` must be a number from 0 to 1"):
        fitted(strength="high")
    with pytest.raises(TypeError, match="another type"):
        fitted(categories={"tea": "drinks"})


FILE = Path(os.environ.get("SKLEARN_RANK_DATA", "")) / "ml-100k.inter"


@pytest.mark.skipif(not FILE.exists(), reason="needs MovieLens 100K")
def test_movielens_table_of_the_guide():
    log = pd.read_csv(FILE, sep="\t", names=["user", "item", "rating", "time"], header=0)
    genres = pd.read_csv(FILE.with_suffix(".item"), sep="\t").iloc[:, [0, 3]]
    categories = {item: str(names).split() for item, names in genres.to_numpy()}
    log = log.sort_values(["user", "time"], kind="stable")
    place = log.groupby("user").cumcount()
    size = log.groupby("user")["item"].transform("size")
    is_test = place >= size - size // 5
    model = EASERecommender(300, user="user", item="item")
    scorer = make_recommender_scorer("ndcg@10", user="user", item="item")
    expected = {"mmr": 0.1749, "xquad": 0.1770, "calibrated": 0.1788}
    for method, value in expected.items():
        found = RerankingRecommender(model, method, categories=categories)
        found.fit(log[~is_test])
        assert scorer(found, log[is_test & (log["rating"] >= 4)]) == pytest.approx(
            value, abs=0.002
        )
