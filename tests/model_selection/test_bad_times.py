"""Times that cannot be meant: splitters say so."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV

from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.metrics import make_recommender_scorer
from sklearn_rank.model_selection import (
    LeaveLastOut,
    TimeSplit,
    UserKFold,
    UserTimeSplit,
    describe_split,
    train_valid_test_split,
)
from sklearn_rank.recommenders import PopularityRecommender

COLUMNS = {"user": "who", "item": "what", "time": "when"}
DAYS = np.datetime64("2024-01-01") + np.arange(200)
LOG = pd.DataFrame({"who": np.arange(200) % 7, "what": np.arange(200) % 5, "when": DAYS})
FAR = LOG.assign(when=[*DAYS[:-1], np.datetime64("2099-01-01")])
SECONDS = LOG.assign(when=DAYS.astype("M8[s]").astype(np.int64))
MIXED = SECONDS.assign(
    when=SECONDS["when"].where(SECONDS.index % 50 > 0, lambda t: t * 1000)
)
SPLITTERS = [TimeSplit(**COLUMNS), LeaveLastOut(**COLUMNS), UserTimeSplit(2, **COLUMNS)]


@pytest.mark.parametrize("cv", SPLITTERS, ids=lambda cv: type(cv).__name__)
def test_splitters_refuse_mixed_units(cv):
    with pytest.raises(ValueError, match=r"milliseconds \(4 rows, such as .* in row 0\)"):
        next(cv.split(MIXED))
    with pytest.raises(ValueError, match=r"`times` mixes seconds \(196 rows"):
        describe_split(cv, MIXED)
    mended = np.where(MIXED["when"] < 10**11, MIXED["when"], MIXED["when"] / 1000)
    for found, expected in zip(
        cv.split(MIXED.assign(when=mended)), cv.split(SECONDS), strict=True
    ):
        assert [list(rows) for rows in found] == [list(rows) for rows in expected]


@pytest.mark.parametrize("cv", SPLITTERS, ids=lambda cv: type(cv).__name__)
def test_splitters_warn_of_rows_far_ahead(cv):
    text = (
        r"^`times` has 1 row far after all others, such as 2099-01-01 in row 199; the "
        r"newest of the others is at 2024-07-17\. Drop or correct them: .* If this is meant"
    )
    with pytest.warns(MisleadingScoreWarning, match=text) as caught:
        list(cv.split(FAR))
    assert len(caught) == 1
    assert caught[0].filename == __file__
    list(cv.split(FAR.iloc[:-1]))  # the advice


def test_a_warning_that_is_meant_can_be_ignored():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MisleadingScoreWarning)
        ((_, test),) = TimeSplit(test_size="7D", **COLUMNS).split(FAR)
    assert test.tolist() == [199]


def test_times_that_are_not_read_are_not_judged():
    next(UserKFold(2, user="who", time="when").split(FAR))
    next(UserKFold(2, user="who", time="when").split(MIXED))


def test_parts_and_searches_say_it_once():
    with pytest.warns(MisleadingScoreWarning, match="far after all others") as caught:
        train_valid_test_split(FAR, valid=TimeSplit(**COLUMNS), test=TimeSplit(**COLUMNS))
    assert len(caught) == 1
    names = {"user": "who", "item": "what"}
    search = GridSearchCV(
        PopularityRecommender(exclude_seen=False, **names),
        {"weighting": ["binary", "log"]},
        scoring=make_recommender_scorer("ndcg@3", **names),
        cv=TimeSplit(**COLUMNS),
    )
    with pytest.warns(MisleadingScoreWarning, match="far after all others"):
        search.fit(FAR)


@pytest.mark.parametrize("digits", ["%Y%m%d", "%Y%m%d%H%M%S"])
def test_dates_written_as_numbers_have_no_lengths_of_time(digits):
    # 20240201 - 20240131 is 70: a window of 28 would not be four weeks.
    calendar = LOG.assign(when=LOG["when"].dt.strftime(digits).astype(int))
    with pytest.raises(ValueError, match=r"`test_size` got 28, but `times` are dates"):
        next(TimeSplit(test_size=28, **COLUMNS).split(calendar))
    with pytest.raises(ValueError, match=r"`gap` got 7, but .*20240101.*to_datetime"):
        next(TimeSplit(gap=7, **COLUMNS).split(calendar))
    recommender = PopularityRecommender(half_life=30, **COLUMNS)
    with pytest.raises(ValueError, match=r"`half_life` got 30, but `times` are dates"):
        recommender.fit(calendar)
    # Shares only need the order.
    found, expected = (
        next(TimeSplit(test_size=0.2, **COLUMNS).split(one)) for one in (calendar, LOG)
    )
    assert all(map(np.array_equal, found, expected))


def test_numbers_that_happen_to_be_large_have_lengths_of_time():
    counts = LOG.assign(when=np.arange(200) + 20_240_101)
    _, test = next(TimeSplit(test_size=28, **COLUMNS).split(counts))
    assert len(test) == 28
