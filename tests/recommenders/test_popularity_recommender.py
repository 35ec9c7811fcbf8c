"""PopularityRecommender, by hand."""

from datetime import date, datetime, timedelta

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sklearn_rank.recommenders import PopularityRecommender

LOG = pd.DataFrame(
    {
        "who": ["ann", "bob", "bob", "eve"],
        "what": ["tea", "tea", "milk", "cake"],
        "when": pd.to_datetime(["2024-01-01", "2024-01-15", "2024-01-29", "2024-01-29"]),
    }
)
COLUMNS = {"user": "who", "item": "what", "time": "when"}


def test_popularity_is_the_mean_weight_of_a_user():
    recommender = PopularityRecommender(weighting="sum", **COLUMNS).fit(LOG, [1, 2, 4, 8])
    assert recommender.items_.tolist() == ["cake", "milk", "tea"]
    assert_allclose(recommender.popularity_, [8 / 3, 4 / 3, (1 + 2) / 3])
    assert_allclose(recommender.predict(LOG), [1, 1, 4 / 3, 8 / 3])


HALF_LIVES = [
    timedelta(days=14),
    np.timedelta64(14, "D"),
    pd.Timedelta(timedelta(days=14)),
    "14D",
]


@pytest.mark.parametrize("half_life", HALF_LIVES, ids=repr)
def test_weights_halve_with_each_half_life(half_life):
    recommender = PopularityRecommender(weighting="sum", half_life=half_life, **COLUMNS)
    recommender.fit(LOG, [1, 2, 4, 8])
    assert_allclose(recommender.popularity_, [8 / 3, 4 / 3, (1 / 4 + 2 / 2) / 3])


def tables():
    days = [0.0, 14.0, 28.0, 28.0]
    stamps = [datetime(2024, 1, 1) + timedelta(day) for day in days]
    dates = [stamp.date() for stamp in stamps]
    rows = LOG.iloc[:, :2].to_numpy().tolist()
    positions = {"user": 0, "item": 1, "time": 2}
    two_weeks = timedelta(days=14)
    yield "polars", pl.DataFrame(LOG.to_dict("list")), two_weeks, COLUMNS
    yield "zoned", LOG.assign(when=LOG["when"].dt.tz_localize("UTC")), two_weeks, COLUMNS
    yield "numbers", LOG.assign(when=days), 14, COLUMNS
    yield "dates", LOG.assign(when=dates), two_weeks, COLUMNS
    yield "rows", [(*row, day) for row, day in zip(rows, days, strict=True)], 14, positions
    yield (
        "objects",
        np.array([(*row, day) for row, day in zip(rows, dates, strict=True)], dtype=object),
        two_weeks,
        positions,
    )


@pytest.mark.parametrize(
    ("X", "half_life", "columns"), [pytest.param(*t[1:], id=t[0]) for t in tables()]
)
def test_times_of_any_kind(X, half_life, columns):
    recommender = PopularityRecommender(half_life=half_life, **columns).fit(X)
    assert_allclose(recommender.popularity_, [1 / 3, 1 / 3, (1 / 4 + 1 / 2) / 3])


def test_only_the_newest_counts_where_the_half_life_is_short():
    recommender = PopularityRecommender(half_life="1min", **COLUMNS).fit(LOG)
    assert recommender.recommend(["new"], 3).tolist() == [["cake", "milk", "tea"]]
    forever = PopularityRecommender(half_life="36500D", **COLUMNS).fit(LOG)
    assert forever.recommend(["new"], 3).tolist() == [["tea", "cake", "milk"]]


@pytest.mark.parametrize("half_life", [np.int8(7), np.float16(7), np.uint64(7), 7.0])
def test_half_lives_are_numbers_of_any_type(half_life):
    X = [["ann", "tea", 1], ["bob", "tea", 200], ["eve", "cake", 300]]
    expected = PopularityRecommender(half_life=7, time=2).fit(X).popularity_
    found = PopularityRecommender(half_life=half_life, time=2).fit(X).popularity_
    assert_array_equal(found, expected)


def test_ages_do_not_wrap_around():
    X = np.array([[1, 1, -(2**62)], [2, 2, 2**62], [3, 3, 2**62 - 7]])
    recommender = PopularityRecommender(half_life=7, time=2).fit(X)
    assert_allclose(recommender.popularity_, [2**-1000 / 3, 1 / 3, 1 / 6])


def test_without_half_life_the_time_does_not_matter():
    timeless = PopularityRecommender(user="who", item="what").fit(LOG)
    timed = PopularityRecommender(**COLUMNS).fit(LOG)
    assert_array_equal(timeless.popularity_, timed.popularity_)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"half_life": 7}, ValueError, "name its column of X with `time=`"),
        ({"half_life": 7, "time": "when"}, TypeError, "`half_life` must be .*a duration"),
        ({"half_life": timedelta(0), "time": "when"}, ValueError, "must be > 0 or None"),
        ({"half_life": timedelta(-1), "time": "when"}, ValueError, "not be negative"),
        ({"half_life": "7D", "time": "then"}, ValueError, "`time='then'` is not a column"),
        ({"half_life": 7, "time": "what"}, TypeError, "holds text .* pandas.to_datetime"),
        (
            {"half_life": np.timedelta64("NaT", "D"), "time": "when"},
            ValueError,
            "of fixed length",
        ),
    ],
)
def test_bad_half_lives_are_named(parameters, error, message):
    with pytest.raises(error, match=message):
        PopularityRecommender(user="who", item="what", **parameters).fit(LOG)


def test_a_missing_time_is_named():
    log = LOG.assign(when=[date(2024, 1, 1), None, date(2024, 1, 2), date(2024, 1, 3)])
    with pytest.raises(ValueError, match="missing value"):
        PopularityRecommender(half_life="7D", **COLUMNS).fit(log)


def test_a_subclass_may_score_in_its_own_way():
    class LeastPopular(PopularityRecommender):
        def score_histories(self, histories):
            return -super().score_histories(histories)

    recommender = LeastPopular(weighting="sum", **COLUMNS).fit(LOG)
    assert recommender.recommend(["ann"], 2).tolist() == [["cake", "milk"]]
    recommender.fit(LOG, [1, 2, 4, 8])
    assert recommender.recommend(["ann"], 2).tolist() == [["milk", "cake"]]
