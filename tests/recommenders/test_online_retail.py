"""The recommenders on a real log: what a user would check by hand."""

from datetime import timedelta

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer

from sklearn_rank.inputs._times import find_far_rows, read_times
from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.model_selection import TimeSplit
from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    MatrixFactorizationRecommender,
    PopularityRecommender,
    TwoStageRecommender,
)

COLUMNS = {"user": "CustomerID", "item": "StockCode"}


@pytest.fixture(scope="module")
def periods(online_retail):
    log = online_retail
    cutoff = log["InvoiceDate"].quantile(0.8)
    train, later = log[log["InvoiceDate"] <= cutoff], log[log["InvoiceDate"] > cutoff]
    pairs = ["CustomerID", "StockCode"]
    is_new = later.merge(train[pairs].drop_duplicates(), how="left", indicator=True)
    return train, later[(is_new["_merge"] == "left_only").to_numpy()]


def hit_rate(recommender, test):
    """Share of users with a later purchase among the 10 items, by sets."""
    bought = test.groupby("CustomerID")["StockCode"].agg(set)
    lists = recommender.recommend(bought.index, 10).tolist()
    return np.mean([bool(set(row) & had) for row, had in zip(lists, bought, strict=True)])


def test_personal_recommendations_beat_popularity(periods):
    train, test = periods
    popularity = hit_rate(PopularityRecommender(**COLUMNS).fit(train), test)
    assert popularity > 0.1
    for recommender in (
        MatrixFactorizationRecommender(weighting="binary", **COLUMNS),
        ItemNeighborsRecommender(similarity="jaccard", **COLUMNS),
    ):
        assert hit_rate(recommender.fit(train), test) > 1.2 * popularity


def test_what_was_bought_lately_beats_what_was_ever_bought(periods):
    train, test = periods
    fading = PopularityRecommender(half_life="7D", time="InvoiceDate", **COLUMNS)
    ever = PopularityRecommender(**COLUMNS)
    assert hit_rate(fading.fit(train), test) > 1.2 * hit_rate(ever.fit(train), test)


def test_a_row_far_ahead_leaves_the_order_of_popularity(periods):
    train, test = periods
    ahead = train.iloc[[0]].assign(InvoiceDate=np.datetime64("2200-01-01", "us"))
    fading = PopularityRecommender(
        half_life="30D", time="InvoiceDate", reference_time="2200-01-01", **COLUMNS
    )
    with_row = hit_rate(fading.fit(pd.concat([train, ahead])), test)
    ever = hit_rate(PopularityRecommender(**COLUMNS).fit(train), test)
    assert with_row == pytest.approx(ever, abs=0.01)


@pytest.mark.parametrize("time", ["2012-03-01", "2013-01-01", "2200-01-01"])
@pytest.mark.parametrize("n", [1, 100])
def test_rows_far_ahead_are_found_and_the_log_has_none(periods, online_retail, time, n):
    train, _ = periods
    assert find_far_rows(read_times(online_retail["InvoiceDate"])) is None
    assert find_far_rows(read_times(train["InvoiceDate"])) is None
    ahead = train.iloc[:n].assign(InvoiceDate=np.datetime64(time, "us"))
    found = find_far_rows(read_times(pd.concat([train, ahead])["InvoiceDate"]))
    assert (found.n, found.row, found.value) == (n, len(train), time)
    fading = EASERecommender(half_life="30D", time="InvoiceDate", **COLUMNS)
    with pytest.raises(ValueError, match=f"{n} rows? far after all others, such as {time}"):
        fading.fit(pd.concat([train, ahead]))


def test_the_scorer_finds_the_same_hit_rate(periods):
    train, test = periods
    recommender = MatrixFactorizationRecommender(**COLUMNS).fit(train)
    score = make_recommender_scorer("hit_rate@10", **COLUMNS)(recommender, test)
    assert score == pytest.approx(hit_rate(recommender, test))


def test_nothing_is_recommended_twice_or_again(periods):
    train, _ = periods
    train = train[train["CustomerID"] % 10 == 0]
    had = train.groupby("CustomerID")["StockCode"].agg(set)
    for recommender in (
        PopularityRecommender(**COLUMNS),
        ItemNeighborsRecommender(**COLUMNS),
        MatrixFactorizationRecommender(**COLUMNS),
        EASERecommender(**COLUMNS),
    ):
        lists = recommender.fit(train).recommend(had.index, 20)
        for row, items in zip(lists.tolist(), had, strict=True):
            assert len(set(row)) == 20
            assert not set(row) & items


def test_ids_come_back_as_they_went_in(periods):
    train, _ = periods
    recommender = PopularityRecommender(**COLUMNS).fit(train)
    assert recommender.users_.dtype == np.int64
    lists = recommender.recommend(recommender.users_[:3], 2)
    assert set(lists.ravel()) <= set(train["StockCode"])


def test_an_update_returns_two_thirds_of_what_a_month_takes(online_retail):
    log, protocol = online_retail, COLUMNS | {"time": "InvoiceDate"}
    split = TimeSplit(test_size=0.2, cold_users="drop", seen_items="drop", **protocol)
    ((train, test),) = split.split(log)
    train, test = log.iloc[train], log.iloc[test]
    is_new = train["InvoiceDate"] > train["InvoiceDate"].max() - timedelta(days=30)
    model = EASERecommender(300, **COLUMNS).fit(train[~is_new])
    score = make_recommender_scorer("ndcg@10", **COLUMNS)
    assert score(model, test) == pytest.approx(0.0772, abs=1e-4)
    with pytest.warns(UserWarning, match=r"1,304 of 49,465 row\(s\) have items"):
        model.update(train[is_new])
    assert score(model, test) == pytest.approx(0.0931, abs=1e-4)


@pytest.mark.slow
def test_two_stages_beat_each_of_their_models(online_retail):
    protocol = {"cold_users": "drop", "seen_items": "drop", **COLUMNS}
    split = TimeSplit(test_size=0.2, time="InvoiceDate", **protocol)
    train, test = (online_retail.iloc[rows] for rows in next(split.split(online_retail)))
    assert test["CustomerID"].nunique() == 1432
    fading = PopularityRecommender(half_life="3D")
    ease = EASERecommender(300, half_life="30D")
    ranker = make_pipeline(
        QuantileTransformer(n_quantiles=100, random_state=0),
        LogisticRegression(max_iter=1000),
    )
    model = TwoStageRecommender(
        [("ease", ease), ("recent", fading)],
        ranker,
        time="InvoiceDate",
        label_window="14D",
        n_windows=2,
        **COLUMNS,
    ).fit(train)
    score = make_recommender_scorer("ndcg@10", **COLUMNS)
    best = max(score(one, test) for one in model.candidates_.values())
    assert best == pytest.approx(0.1231, abs=0.0002)
    assert score(model, test) > 0.14
