"""Case 1: columns of users and items that nobody named are found, or asked for."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from sklearn_rank.datasets import make_interactions
from sklearn_rank.metrics import Catalogue, MetricAtKDisplay, make_recommender_scorer
from sklearn_rank.model_selection import (
    LeaveLastOut,
    TimeSplit,
    cross_validate_per_query,
    describe_split,
    train_valid_test_split,
)
from sklearn_rank.recommenders import EASERecommender, PopularityRecommender

NAMES = ["time", "user", "item"]
LOG = make_interactions(120, 50, 1500, random_state=0, as_frame=True)[NAMES]
OTHER = LOG.rename(columns={"user": "CustomerID", "item": "StockCode"})
CV = TimeSplit(2, time="time")
PAIR = {"user": "user", "item": "item"}
BY_PLACE = EASERecommender(user=1, item=2)


def ndcg(model, log, cv=CV, **columns):
    scoring = make_recommender_scorer("ndcg@10", **columns)
    return cross_val_score(model, log, cv=cv, scoring=scoring, error_score="raise")


@pytest.fixture(scope="module")
def expected():
    found = ndcg(EASERecommender(**PAIR), LOG, **PAIR)
    assert found.min() > 0.1
    return found


def to_array(log):
    return log.to_numpy()


def swapped(log):
    return log[["item", "user"]]


@pytest.mark.parametrize(
    ("model", "log"),
    [
        (EASERecommender(), LOG),
        (EASERecommender(**PAIR), LOG),
        (BY_PLACE, LOG),
        (EASERecommender(user="CustomerID", item="StockCode"), OTHER),
        (EASERecommender(user=1, item=-1), OTHER),
        (EASERecommender(), LOG.rename(columns={"user": "User-ID", "item": " itemId"})),
        (GridSearchCV(EASERecommender(), {"regularization": [100.0]}, cv=CV,
                      scoring=make_recommender_scorer("ndcg@10")), LOG),
        (make_pipeline("passthrough", EASERecommender()), LOG),
        (make_pipeline(FunctionTransformer(swapped), EASERecommender()), LOG),
        (make_pipeline(FunctionTransformer(to_array), BY_PLACE), LOG),
        (make_pipeline(FunctionTransformer(to_array), BY_PLACE), OTHER),
    ],
)  # fmt: skip
def test_nothing_named_in_the_scorer_is_as_with_names(model, log, expected):
    assert ndcg(model, log).tolist() == expected.tolist()


def test_arrays_hold_users_and_items_first(expected):
    array = LOG[["user", "item", "time"]].to_numpy()
    for X in (array, array.tolist(), pd.DataFrame(array)):
        found = ndcg(EASERecommender(), X, TimeSplit(2, time=2))
        assert found.tolist() == expected.tolist()


def test_a_frame_without_the_names_is_an_error_that_says_how_to_name_them():
    log = OTHER.rename(columns={"time": "t_dat"})
    message = (
        r"No column of X is named 'user' or 'user_id'; X has \['t_dat', 'CustomerID', "
        r"'StockCode'\]\. Name it: user=, a name or a position\.$"
    )
    with pytest.raises(ValueError, match=message):
        EASERecommender().fit(log)
    with pytest.raises(ValueError, match="No column of X is named 'item' or 'item_id'"):
        EASERecommender(user="CustomerID").fit(log)
    model = EASERecommender(user="CustomerID", item=2).fit(log)
    assert (model.user_column_, model.item_column_) == ("CustomerID", "StockCode")
    assert (clone(model).user, clone(model).item) == ("CustomerID", 2)


def test_two_candidates_are_an_error_that_names_both():
    log = LOG.assign(user_id=LOG["user"])
    with pytest.raises(ValueError, match=r"columns 'user' and 'user_id'.* Name one: user="):
        EASERecommender().fit(log)
    assert EASERecommender(user="user_id").fit(log).item_column_ == "item"


# Scores the rows of fit.
@pytest.mark.filterwarnings("ignore::sklearn_rank.exceptions.MisleadingScoreWarning")
def test_a_scorer_that_contradicts_its_model_is_an_error():
    model = EASERecommender(user="CustomerID", item="StockCode").fit(OTHER)
    wrong = make_recommender_scorer("ndcg@10", user="StockCode")
    message = (
        r"^make_recommender_scorer got user='StockCode', but EASERecommender was fitted "
        r"with user='CustomerID'\. Leave user= out of the scorer\.$"
    )
    with pytest.raises(ValueError, match=message):
        wrong(model, OTHER)
    for same in ({}, {"user": "CustomerID"}, {"user": 1, "item": -1}):
        assert (
            make_recommender_scorer("ndcg@10", exclude_seen=False, **same)(model, OTHER) > 0
        )
    array = EASERecommender().fit(OTHER.to_numpy()[:, 1:])
    with pytest.raises(ValueError, match=r"got user=1, but .* fitted with user=0"):
        make_recommender_scorer("ndcg@10", user=1, item=0)(array, OTHER.to_numpy()[:, 1:])
    with pytest.raises(ValueError, match=r"display got user=2, .* out of the display"):
        MetricAtKDisplay.from_estimator(model, OTHER, user=2)


def test_a_pipeline_may_rename_and_move_columns(expected):
    renamed = make_pipeline(
        FunctionTransformer(lambda log: log.set_axis(NAMES, axis=1)), EASERecommender()
    )
    named = {"user": "CustomerID", "item": "StockCode"}
    assert ndcg(renamed, OTHER, **named).tolist() == expected.tolist()
    assert ndcg(renamed, OTHER).tolist() == expected.tolist()  # by the fitted positions
    picked = ColumnTransformer([("pair", "passthrough", list(named.values()))])
    lean = make_pipeline(picked, EASERecommender())
    assert ndcg(lean, OTHER, **named).tolist() == expected.tolist()
    # Two columns of three were chosen: nobody knows which.
    with pytest.raises(ValueError, match="No column of X is named 'user'"):
        ndcg(lean, OTHER)


class Popular(BaseEstimator):
    """A recommender of another library, which tells nothing."""

    def fit(self, X, y=None):
        self.model_ = PopularityRecommender(user=1, item=2).fit(X)
        return self

    def recommend(self, users, k):
        return self.model_.recommend(users, k)


def test_of_a_model_that_tells_nothing_names_count():
    own = ndcg(PopularityRecommender(**PAIR), LOG)
    assert ndcg(Popular(), LOG).tolist() == own.tolist()
    with pytest.raises(ValueError, match="No column of X is named 'user'"):
        ndcg(Popular(), OTHER)


# Scores the rows of fit.
@pytest.mark.filterwarnings("ignore::sklearn_rank.exceptions.MisleadingScoreWarning")
def test_rows_that_lack_the_fitted_position_are_an_error_of_the_scorer():
    model = EASERecommender().fit(LOG)
    scorer = make_recommender_scorer("ndcg@10", exclude_seen=False)
    assert scorer(model, LOG.to_numpy()) == scorer(model, LOG)
    with pytest.raises(ValueError, match=r"No column of X is named 'item'.* no names"):
        scorer(model, LOG.to_numpy()[:, 1:])


# Scores the rows of fit.
@pytest.mark.filterwarnings("ignore::sklearn_rank.exceptions.MisleadingScoreWarning")
def test_frames_of_candidates_are_read_by_the_same_columns():
    model = PopularityRecommender(user="CustomerID", item="StockCode").fit(OTHER)
    bought = OTHER[["StockCode", "CustomerID"]]
    scorer = make_recommender_scorer("recall@30", exclude_seen=False, exclude=bought)
    assert scorer(model, OTHER) == 0
    candidates = make_recommender_scorer("recall@50", exclude_seen=False, items=bought)
    assert candidates(model, OTHER) == 1
    unknown = make_recommender_scorer(
        "recall@30", exclude=bought.set_axis(["a", "b"], axis=1)
    )
    with pytest.raises(ValueError, match="No column of `exclude` is named 'user'"):
        unknown(Popular().fit(LOG), LOG)


@pytest.mark.parametrize(
    "model",
    [
        EASERecommender(),
        make_pipeline("passthrough", EASERecommender()),
        GridSearchCV(EASERecommender(), {"regularization": [100.0]}, cv=CV,
                     scoring=make_recommender_scorer("ndcg@10")),
    ],
)  # fmt: skip
def test_values_per_query_of_a_recommender_need_nothing_named(model):
    log = LOG.assign(weight=2.0)
    named = cross_validate_per_query(EASERecommender(), log, cv=CV, **PAIR)
    for y in (None, np.ones(len(log))):
        found = cross_validate_per_query(model, log, y, cv=CV)
        assert np.array_equal(found.scores["ndcg@10"], named.scores["ndcg@10"])


def test_with_grades_and_groups_a_recommender_ranks_the_rows():
    y = np.arange(len(LOG)) % 2
    found = cross_validate_per_query(
        EASERecommender(), LOG, y, groups="user", metrics="auc", cv=CV
    )
    assert len(found) > 0


def test_splitters_find_names_and_never_take_positions():
    named = [*LeaveLastOut(user="user", time="time").split(LOG)]
    found = [*LeaveLastOut(time="time").split(LOG)]
    assert all(map(np.array_equal, found[0], named[0]))
    drop = TimeSplit(time="time", seen_items="drop", cold_items="drop")
    same = TimeSplit(time="time", seen_items="drop", cold_items="drop", **PAIR)
    assert all(map(np.array_equal, next(drop.split(LOG)), next(same.split(LOG))))
    for X in (LOG.to_numpy(), OTHER, LOG.set_axis(range(3), axis=1)):
        with pytest.raises(ValueError, match="LeaveLastOut needs the users of the rows"):
            next(LeaveLastOut().split(X, times=LOG["time"]))
    with pytest.raises(ValueError, match="columns 'user' and 'user_id', which may both"):
        next(LeaveLastOut(time="time").split(LOG.assign(user_id=1)))


def test_metadata_win_over_a_column_that_nobody_named():
    sessions = np.arange(len(LOG)) % 40
    ((_, test),) = LeaveLastOut(time="time").split(LOG, groups=sessions)
    assert len(test) == 40


def test_descriptions_of_splits_find_names():
    kept = describe_split(CV, LOG)
    assert kept == describe_split(CV, LOG, **PAIR)
    assert "train_users" in kept
    # Nobody needs to know which of two columns it is.
    assert "train_users" not in describe_split(CV, LOG.assign(user_id=1), check="fold")
    with pytest.raises(ValueError, match="columns 'user' and 'user_id'"):
        describe_split(CV, LOG.assign(user_id=1))
    train, _, test = train_valid_test_split(LOG, splitter=LeaveLastOut(time="time"))
    assert set(test["user"]) <= set(train["user"])


@pytest.mark.parametrize("log", [LOG, LOG[["user", "item"]].to_numpy()])
def test_a_catalogue_finds_names(log):
    named = Catalogue.from_interactions(LOG, **PAIR)
    found = Catalogue.from_interactions(log)
    assert np.array_equal(found.counts, named.counts)
    with pytest.raises(ValueError, match="No column of `log` is named 'user'"):
        Catalogue.from_interactions(OTHER)


def test_displays_find_the_columns_of_the_model():
    pytest.importorskip("matplotlib")
    model = EASERecommender(user="CustomerID", item="StockCode").fit(OTHER)
    found = MetricAtKDisplay.from_estimator(model, OTHER)
    assert found.n_queries == OTHER["CustomerID"].nunique()


def test_predict_takes_the_two_columns_alone_in_any_order():
    model = EASERecommender().fit(LOG)
    scores = model.predict(LOG)
    assert np.array_equal(model.predict(LOG[["user", "item"]]), scores)
    assert np.array_equal(model.predict(LOG[["item", "user"]]), scores)
    with pytest.raises(ValueError, match="`item='item'` is not a column of X"):
        model.predict(LOG[["user"]])
    by_place = EASERecommender(user=1, item=2).fit(LOG)
    with pytest.raises(ValueError, match="feature names should match"):
        by_place.predict(LOG[["user", "item"]])
