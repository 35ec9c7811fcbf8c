"""FeatureTable: columns as features, at a moment, for ids of a log."""

import copy
import pickle
from datetime import UTC, datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

from sklearn_rank._base._ids import KnownIds
from sklearn_rank.inputs._times import read_times
from sklearn_rank.recommenders import (
    FeatureTable,
    PopularityRecommender,
    TwoStageRecommender,
)

KNOWN = KnownIds(np.array(["jam", "rice", "tea"]))
FRAME = pd.DataFrame(
    {
        "item": ["tea", "jam", "beer"],
        "price": [3, None, 5],
        "is_new": [True, False, True],
        "kind": ["drink", None, "drink"],
    }
)


def features(table, moment=0, times=(0,)):
    places = table._match_ids(KNOWN, name="item_features")
    return table._features_at(places, len(KNOWN.labels), moment, read_times(list(times)))


@pytest.mark.parametrize("convert", [lambda frame: frame, pl.from_pandas])
def test_numbers_are_features_and_texts_one_a_value(convert):
    table = FeatureTable(convert(FRAME), id="item")
    assert table.feature_names == ["price", "is_new", "kind=drink"]
    nothing = [np.nan] * 3
    assert_array_equal(features(table), [[np.nan, 0, 0], nothing, [3, 1, 1]])


def test_columns_of_pandas_and_categories():
    frame = FRAME.assign(
        price=FRAME["price"].astype("Int64"), kind=FRAME["kind"].astype("category")
    )
    expected = features(FeatureTable(FRAME, id="item"))
    assert_array_equal(features(FeatureTable(frame, id="item")), expected)
    decimals = FRAME.assign(price=[Decimal(3), None, 5])
    assert_array_equal(features(FeatureTable(decimals, id="item")), expected)


def test_of_several_times_the_newest_not_after_the_moment_holds():
    frame = pd.DataFrame(
        {
            "item": ["tea", "jam", "tea", "tea", "tea"],
            "at": [5, 3, 1, 9, 5],
            "price": [50, 30, 10, 90, 51],
        }
    )
    table = FeatureTable(frame, id="item", time="at")
    for moment, tea in ((0, np.nan), (1, 10), (4.5, 10), (5, 51), (8, 51), (99, 90)):
        jam = 30 if moment >= 3 else np.nan
        assert_array_equal(features(table, moment), [[jam], [np.nan], [tea]])


def test_times_of_two_units_and_time_zones():
    frame = pd.DataFrame({"item": ["tea"], "price": [1]})
    at = np.array(["2020-01-01T00:00:00.000000001"], dtype="M8[ns]")
    table = FeatureTable(frame.assign(at=at), id="item", time="at")
    for moment, holds in (("2020-01-01", False), ("2020-01-01T00:00:01", True)):
        times = read_times(np.array([moment], dtype="M8[s]"))
        found = table._features_at(
            table._match_ids(KNOWN, name=""), 3, times.values[0], times
        )
        assert np.isfinite(found[2, 0]) == holds
    zoned = read_times([datetime(2020, 1, 2, tzinfo=UTC)])
    with pytest.raises(TypeError, match=r"without a time zone, .* datetimes with a time"):
        table._features_at(table._match_ids(KNOWN, name=""), 3, zoned.values[0], zoned)
    with pytest.raises(TypeError, match="of the log numbers; convert one"):
        features(table)


def test_copies_are_the_table_itself():
    table = FeatureTable(FRAME, id="item")
    model = TwoStageRecommender(
        [("all", PopularityRecommender())], None, item_features=table
    )
    assert copy.copy(table) is copy.deepcopy(table) is clone(model).item_features is table
    again = pickle.loads(pickle.dumps(table))
    assert_array_equal(features(again), features(table))


def test_changes_of_the_frame_change_no_table():
    frame = FRAME.copy()
    table = FeatureTable(frame[["item", "price"]], id="item")
    frame.loc[0, "price"] = 99
    assert features(table)[2] == 3
    with pytest.raises(ValueError, match="read-only"):
        table._values[0] = 1


@pytest.mark.parametrize(
    ("frame", "params", "error", "message"),
    [
        ([["tea", 1]], {}, TypeError, "must be a DataFrame"),
        (FRAME[["item"]], {}, ValueError, "no feature: all columns are ids or times"),
        (FRAME, {"id": "itme"}, ValueError, "Did you mean 'item'"),
        (FRAME.assign(item="tea"), {}, ValueError, "2 row.* repeat an id, such as 'tea'"),
        (FRAME.assign(item=None), {}, ValueError, "missing"),
        (FRAME.assign(at=["a"] * 3), {"time": "at"}, TypeError, "`times` must be"),
        (FRAME.assign(at=pd.Timestamp(0)), {}, TypeError, "'at' .* give numbers, such as"),
        (FRAME.assign(tags=[[1]] * 3), {}, TypeError, "tags"),
        (
            pd.DataFrame({"item": range(99), "name": map(str, range(99))}),
            {},
            ValueError,
            "'name' .* 99 different texts, more than 50; leave it out",
        ),
    ],
)
def test_what_is_no_table(frame, params, error, message):
    with pytest.raises(error, match=message):
        FeatureTable(frame, **{"id": "item"} | params)


def test_ids_that_are_not_in_the_log():
    other = FeatureTable(pd.DataFrame({"id": ["x"], "price": [1]}), id="id")
    with pytest.raises(ValueError, match=r"None of the ids in `item_features` .* 'x'"):
        features(other)
    numbers = FeatureTable(pd.DataFrame({"id": [1], "price": [1]}), id="id")
    with pytest.raises(TypeError, match="`item_features` are of another type"):
        features(numbers)
