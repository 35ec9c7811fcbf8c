"""Recommenders of which nothing is personal, and held-out rows that no list can hit."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

from sklearn_rank.datasets import make_interactions
from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.model_selection import Last, TimeSplit, UserKFold
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    PopularityRecommender,
)

pd = pytest.importorskip("pandas")

LOG = make_interactions(200, 60, 2_000, random_state=0, as_frame=True)
PAIRS = LOG[["user", "item"]].drop_duplicates()
NEIGHBORS = ItemNeighborsRecommender()


@pytest.fixture(autouse=True)
def no_other_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def scorer(metric="ndcg@10", **how):
    return make_recommender_scorer(metric, user="user", item="item", **how)


def test_users_who_are_all_unknown_warn_once():
    message = (
        r"^None of 6\d users is in the data of fit, so ItemNeighborsRecommender gives all "
        r"of them the popular items, whatever its parameters\. Use fold_in=True \(UserKFold"
    )
    with pytest.warns(MisleadingScoreWarning, match=message) as caught:
        cross_val_score(NEIGHBORS, PAIRS, cv=UserKFold(3, user="user"), scoring=scorer())
    assert len(caught) == 1


def test_a_search_whose_candidates_are_all_equal_warns():
    search = GridSearchCV(
        EASERecommender(),
        {"regularization": [1.0, 100.0]},
        cv=UserKFold(3, user="user"),
        scoring=scorer(),
    )
    with pytest.warns(MisleadingScoreWarning, match="so EASERecommender gives all"):
        search.fit(PAIRS)
    assert len(set(search.cv_results_["mean_test_score"])) == 1


def test_popularity_may_be_of_users_it_does_not_know():
    cv = UserKFold(3, user="user")
    cross_val_score(PopularityRecommender(), PAIRS, cv=cv, scoring=scorer())


@pytest.mark.parametrize(
    "cv",
    [
        UserKFold(3, holdout=Last(1), fold_in=True, user="user", time="time"),
        TimeSplit(2, user="user", item="item", time="time", seen_items="drop"),
    ],
)
def test_the_advice_for_unknown_users(cv):
    log = LOG.drop_duplicates(["user", "item"])
    cross_val_score(NEIGHBORS, log, cv=cv, scoring=scorer())


def test_repeats_warn():
    model, rows = NEIGHBORS.fit(PAIRS), pd.concat([PAIRS[:60], PAIRS[:10]])
    half = rows.assign(item=rows["item"].where(np.arange(70) < 40, "new"))
    message = "^100% of 70 relevant rows cannot be hit: 40 repeat pairs .* and 30 hold unk"
    with pytest.warns(MisleadingScoreWarning, match=message) as caught:
        scorer()(model, half.astype({"item": object}))
    assert caught[0].filename == __file__
    # The advice.
    assert scorer(exclude_seen=False)(model, rows) > 0


def test_the_advice_for_repeats_and_new_items():
    rng = np.random.default_rng(0)
    old = pd.DataFrame(rng.integers(30, size=(600, 2)), columns=["user", "item"])
    again = old.sample(200, random_state=0)
    log = pd.concat([old, again, again.assign(item=again["item"] + 30)])
    log["time"] = np.arange(1000)
    columns = {"user": "user", "item": "item", "time": "time"}

    def score(how, **of_splitter):
        cv = TimeSplit(test_size=0.4, **columns, **of_splitter)
        return cross_val_score(NEIGHBORS, log, cv=cv, scoring=scorer("recall@5", **how))

    message = (
        "100% .* 200 repeat .*exclude_seen=False.*seen_items='drop'.*cold_items='drop'"
    )
    with pytest.warns(MisleadingScoreWarning, match=message):
        assert score({}) == 0
    assert score({"exclude_seen": False}, cold_items="drop") > 0


def test_items_that_never_match_show_two_that_look_alike():
    texts = PAIRS.assign(item=PAIRS["item"].map("{:06}".format))
    model = NEIGHBORS.fit(texts.assign(item=texts["item"].str.lstrip("0")))
    message = r"^None of the items in [\d,]+ relevant rows is .* \('0+(\d+)'; '\1'\), so"
    with pytest.warns(MisleadingScoreWarning, match=message):
        assert scorer()(model, texts[texts["item"] != "000000"]) == 0


def test_what_is_meant_says_nothing():
    model = NEIGHBORS.fit(PAIRS)
    scorer("novelty@5")(model, PAIRS)  # what lists show
    scorer()(model, PAIRS[:19])  # a small example
    new_users = PAIRS.head(60).assign(user=range(1000, 1060))
    few = pd.concat([new_users, PAIRS.tail(1)])
    scorer(exclude_seen=False)(model, few)  # one user is known


def test_recommenders_of_others_have_answers_of_their_own():
    class OfOthers(BaseEstimator):
        users_, items_ = np.arange(3), np.arange(60)

        def recommend(self, users, k):
            return np.tile(np.arange(k), (len(users), 1))

    rows = PAIRS.head(60).assign(user=range(1000, 1060))
    scorer()(OfOthers(), rows)


def test_cross_validation_by_rows_repeats():
    log = pd.concat([PAIRS] * 3)
    cv = KFold(3, shuffle=True, random_state=0)
    with pytest.warns(MisleadingScoreWarning, match="repeat pairs of the training data"):
        cross_val_score(NEIGHBORS, log, cv=cv, scoring=scorer())
