"""`reference_time`: the moment from which ages count."""

import warnings
from datetime import date, datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from sklearn_rank.recommenders import (
    EASERecommender,
    ItemNeighborsRecommender,
    MatrixFactorizationRecommender,
    PopularityRecommender,
    SLIMRecommender,
    UserNeighborsRecommender,
)

CLASSES = (
    EASERecommender,
    ItemNeighborsRecommender,
    MatrixFactorizationRecommender,
    PopularityRecommender,
    SLIMRecommender,
    UserNeighborsRecommender,
)
COLUMNS = {"user": "who", "item": "what", "time": "when"}
N = 400
_RNG = np.random.default_rng(0)
LOG = pd.DataFrame(
    {
        "who": _RNG.integers(0, 30, N),
        "what": _RNG.integers(0, 20, N),
        "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(N), "D"),
    }
)
NEWEST = LOG["when"].max()  # 2025-02-03
SECONDS = LOG.assign(when=LOG["when"].to_numpy().astype("M8[s]").astype(np.int64))
FAR = LOG.assign(when=LOG["when"].where(LOG.index != 7, pd.Timestamp("2200-01-01")))


@pytest.mark.parametrize("kind", CLASSES)
@pytest.mark.parametrize("weighting", ["binary", "sum"])
def test_a_later_reference_makes_all_weights_smaller_by_one_factor(kind, weighting):
    model = kind(half_life="30D", weighting=weighting, **COLUMNS)
    newest = clone(model).fit(LOG)
    same = clone(model).set_params(reference_time=NEWEST).fit(LOG)
    later = clone(model).set_params(reference_time="2025-05-04").fit(LOG)  # 90 days on
    assert_array_equal(same.interactions_.data, newest.interactions_.data)
    assert_allclose(later.interactions_.data, newest.interactions_.data / 8)


@pytest.mark.parametrize(
    "kind", [ItemNeighborsRecommender, PopularityRecommender, UserNeighborsRecommender]
)
def test_a_later_reference_changes_no_list(kind):
    model = kind(half_life="30D", **COLUMNS).fit(LOG)
    later = clone(model).set_params(reference_time="2025-05-04").fit(LOG)
    users = np.arange(30)
    assert_array_equal(later.recommend(users, 5), model.recommend(users, 5))


def test_a_later_reference_strengthens_the_ridge_of_ease():
    given = {"half_life": "30D", **COLUMNS}
    later = EASERecommender(64, reference_time="2025-03-05", **given).fit(LOG)
    stronger = EASERecommender(256, **given).fit(LOG)
    assert_allclose(later.item_weights_, stronger.item_weights_, rtol=1e-4, atol=1e-7)


MOMENTS = [
    "2025-02-03",
    date(2025, 2, 3),
    datetime(2025, 2, 3),
    np.datetime64("2025-02-03"),
    pd.Timestamp("2025-02-03"),
]


@pytest.mark.parametrize("moment", MOMENTS, ids=repr)
@pytest.mark.parametrize(
    "make", [lambda log: log, pl.from_pandas], ids=["pandas", "polars"]
)
def test_moments_of_any_kind(make, moment):
    model = PopularityRecommender(half_life="30D", reference_time=moment, **COLUMNS)
    expected = clone(model).set_params(reference_time=None).fit(LOG).popularity_
    assert_array_equal(model.fit(make(LOG)).popularity_, expected)


def test_moments_are_in_the_zone_of_the_times():
    zoned = LOG.assign(when=LOG["when"].dt.tz_localize("Asia/Tokyo"))
    model = PopularityRecommender(half_life="30D", reference_time="2025-02-03", **COLUMNS)
    assert_array_equal(model.fit(zoned).popularity_, model.fit(LOG).popularity_)


def test_numbers_need_a_number():
    model = PopularityRecommender(half_life=86_400 * 30, **COLUMNS)
    expected = clone(model).fit(SECONDS).popularity_
    moment = int(NEWEST.timestamp())
    for reference in (moment, float(moment), np.int64(moment)):
        model.set_params(reference_time=reference)
        assert_array_equal(model.fit(SECONDS).popularity_, expected)


ERRORS = [
    (LOG, "30D", "2025-02-02", ValueError, r"lies before 1 of 400 rows, such as row 399"),
    (LOG, "30D", "2024-01-03", ValueError, r"397 of 400 rows, such as row 3; .*2025-02-03"),
    (LOG, "30D", 1_700_000_000, TypeError, r"`reference_time` must be a date.* datetimes"),
    (LOG, "30D", "tomorrow", ValueError, r"`reference_time='tomorrow'` is not a date"),
    (LOG, "30D", "2025-02-03 12:00+00:00", ValueError, "has a time zone but `times` do"),
    (SECONDS, 1e6, "2025-02-03", TypeError, r"`reference_time` must be a number"),
    (SECONDS, 1e6, float("nan"), ValueError, r"`reference_time` must be a number"),
    (SECONDS, 1e6, 1_738_540_800_000, ValueError, "moment, in the unit of the times"),
    (SECONDS, 1e6, 1_738_540, ValueError, r"lies before 400 of 400 rows"),
    (LOG, "1D", "2030-01-01", ValueError, "All rows are more than 1,000 half-lives older"),
]


@pytest.mark.parametrize(("X", "half_life", "moment", "error", "match"), ERRORS)
def test_moments_that_do_not_fit_are_named(X, half_life, moment, error, match):
    model = PopularityRecommender(half_life=half_life, reference_time=moment, **COLUMNS)
    with pytest.raises(error, match=match):
        model.fit(X)


def test_without_half_life_no_time_is_read():
    for X in (FAR, LOG):
        PopularityRecommender(reference_time="1999-01-01", **COLUMNS).fit(X)


@pytest.mark.parametrize("kind", CLASSES)
def test_a_row_far_ahead_is_refused_and_the_advice_runs(kind):
    model = kind(half_life="30D", **COLUMNS)
    text = (
        r"^`times` has 1 row far after all others, such as 2200-01-01 in row 7; the newest "
        r"of the others is at 2025-02-03\. .* `half_life='30D'` .* set `reference_time=`"
    )
    with pytest.raises(ValueError, match=text):
        model.fit(FAR)
    model.fit(FAR.drop(index=7))
    for moment in (FAR["when"].max(), "2201-01-01"):
        model.set_params(reference_time=moment).fit(FAR)


def test_a_gap_within_the_half_life_does_no_harm():
    later = LOG.assign(when=LOG["when"].where(LOG.index != 7, pd.Timestamp("2025-06-01")))
    PopularityRecommender(half_life="200D", **COLUMNS).fit(later)
    with pytest.raises(ValueError, match="far after all others, such as 2025-06-01"):
        PopularityRecommender(half_life="100D", **COLUMNS).fit(later)


@pytest.mark.parametrize("kind", CLASSES)
def test_mixed_units_are_refused(kind):
    mixed = SECONDS.assign(
        when=SECONDS["when"].where(SECONDS.index != 7, lambda t: t * 1000)
    )
    with pytest.raises(ValueError, match=r"mixes seconds \(399 rows.*milliseconds \(1 row"):
        kind(half_life=1e6, **COLUMNS).fit(mixed)


def test_a_half_life_in_another_unit_than_the_times_is_told():
    # A row an hour, in seconds.
    log = np.column_stack(
        [np.arange(2000) % 50, np.arange(2000) % 7, np.arange(2000) * 3600]
    )
    days = PopularityRecommender(half_life=30, time=2)
    with pytest.warns(UserWarning, match=r"99.6% of the rows .* `half_life=30` is in the"):
        days.fit(log)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PopularityRecommender(half_life=30 * 86_400, time=2).fit(log)
        PopularityRecommender(half_life=3600, time=2).fit(log)
