"""What is missing, and what a mask hides: refused wherever a missing value is."""

from datetime import date
from decimal import Decimal
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sklearn_rank._base._labels import encode_labels, group_rows
from sklearn_rank._base._numbers import is_missing, plain_array
from sklearn_rank.inputs import from_item_lists, from_relevance
from sklearn_rank.inputs._times import read_times
from sklearn_rank.metrics import bpref_score, ndcg_score
from sklearn_rank.model_selection import LeaveLastOut, UserKFold

MASK = [0, 0, 1, 0]
GROUPS = [1, 1, 2, 2]


@pytest.mark.parametrize(
    "value",
    [
        None,
        np.nan,
        np.float32("nan"),
        complex(0, np.nan),
        Decimal("nan"),
        np.datetime64("NaT", "D"),
        np.timedelta64("NaT", "D"),
        pd.NaT,
        pd.NA,
        np.ma.masked,
    ],
)
def test_missing(value):
    assert is_missing(value)


@pytest.mark.parametrize(
    "value",
    [
        0,
        "",
        "nan",
        (None,),
        (np.nan,),
        np.inf,
        date(2020, 1, 1),
        [],
        np.zeros(2),
        pl.LazyFrame({"a": [1]}),
        pl.Series([[1]]),
    ],
)
def test_not_missing(value):
    assert not is_missing(value)


DTYPES = ["i1", "u8", "f4", "f8", "c16", "M8[s]", "m8[ns]", "U3", "S3", bool, object]


@pytest.mark.parametrize("dtype", DTYPES)
def test_masked_values_become_missing_ones(dtype):
    data = np.array([3, 1, 2, 1]).astype(dtype)
    masked = np.ma.array(data, mask=MASK)
    plain = plain_array(masked)
    assert type(plain) is np.ndarray
    assert [is_missing(value) for value in plain.tolist()] == [False, False, True, False]
    np.testing.assert_array_equal(plain[[0, 1, 3]], data[[0, 1, 3]])
    assert masked.mask.tolist() == [False, False, True, False]
    np.testing.assert_array_equal(masked.data, data)


def test_large_integers_beside_a_mask_are_not_rounded():
    plain = plain_array(np.ma.array([2**53 + 1, 0], mask=[0, 1]))
    assert plain.tolist() == [2**53 + 1, None]


def test_a_record_with_a_masked_field_is_missing():
    records = np.ma.array([(1, 2.0), (3, 4.0)], dtype="i4,f8", mask=[(0, 0), (0, 1)])
    assert plain_array(records).tolist() == [(1, 2.0), None]


@pytest.mark.parametrize("mask", [False, np.ma.nomask, [0, 0, 0, 0]])
def test_a_mask_that_hides_nothing_changes_nothing(mask):
    data = np.arange(4)
    plain = plain_array(np.ma.array(data, mask=mask))
    assert type(plain) is np.ndarray
    assert plain.dtype == data.dtype
    assert plain.tolist() == data.tolist()
    assert plain_array(data) is data


@pytest.mark.parametrize("dtype", [int, float])
@pytest.mark.parametrize("name", ["y_true", "y_score", "groups", "sample_weight"])
def test_masked_values_are_refused(name, dtype):
    values = {
        "y_true": np.array([0, 1, 1, 0]),
        "y_score": np.array([1, 2, 3, 4]),
        "groups": np.array(GROUPS),
        "sample_weight": np.ones(4),
    }
    masked = np.ma.array(values[name].astype(dtype), mask=MASK)
    with pytest.raises(ValueError, match=rf"`{name}` has 1 .*(NaN|missing) value.* 2\b"):
        ndcg_score(**{**values, name: masked})


@pytest.mark.parametrize("name", ["y_true", "y_score", "sample_weight"])
def test_masked_cells_are_refused(name):
    values = {
        "y_true": np.array([[0, 1], [1, 0]]),
        "y_score": np.array([[1, 2], [4, 3]]),
        "sample_weight": np.ones(2),
    }
    mask = np.zeros(values[name].shape)
    mask[1] = 1
    masked = np.ma.array(values[name], mask=mask)
    with pytest.raises(ValueError, match=rf"`{name}` has [12] (NaN|missing) value.*\b1\b"):
        ndcg_score(**{**values, name: masked})


def test_masked_grades_are_unjudged():
    grades, score = [1, 0, 1, 0], [4, 3, 2, 1]
    masked = np.ma.array(grades, mask=[0, 1, 0, 0])
    expected = bpref_score([1, np.nan, 1, 0], score, groups=[1] * 4)
    assert bpref_score(masked, score, groups=[1] * 4) == expected
    assert bpref_score(masked.reshape(1, -1), np.array([score])) == expected
    assert bpref_score(pd.array([1, None, 1, 0]), score, groups=[1] * 4) == expected
    assert bpref_score([1, pd.NA, 1, 0], score, groups=[1] * 4) == expected


@pytest.mark.parametrize("dtype", DTYPES)
def test_masked_labels_are_counted(dtype):
    labels = np.ma.array(np.array([3, 1, 2, 1]).astype(dtype), mask=MASK)
    for read in (encode_labels, lambda values, name: group_rows(values, n_rows=4)):
        with pytest.raises(ValueError, match=r"groups.*\b1 missing.*row 2\b"):
            read(labels, name="groups")


@pytest.mark.parametrize("dtype", ["i8", "f8", "M8[s]"])
def test_masked_times_are_counted(dtype):
    times = np.ma.array(np.array([3, 1, 2, 1]).astype(dtype), mask=MASK)
    with pytest.raises(ValueError, match=r"`times` has 1 missing.*row 2\b"):
        read_times(times)


@pytest.mark.parametrize(
    ("splitter", "columns"),
    [
        (LeaveLastOut, {"users": "user", "times": "time"}),
        (partial(UserKFold, 2, seen_items="drop"), {"users": "user", "items": "item"}),
    ],
)
def test_masked_columns_are_refused(splitter, columns):
    values = np.ma.array([[1, 5], [1, 6], [2, 7], [2, 8]])
    for place, name in enumerate(columns):
        table = values.copy()
        table[2, place] = np.ma.masked
        passed = dict(zip(columns, table.T, strict=True))
        with pytest.raises(ValueError, match=rf"`{name}` has 1 missing.*row 2\b"):
            next(splitter().split(np.zeros((4, 1)), **passed))
        named = {parameter: i for i, parameter in enumerate(columns.values())}
        with pytest.raises(ValueError, match=rf"`{name}` has 1 missing.*row 2\b"):
            next(splitter(**named).split(table))


def test_masked_ids_end_a_list():
    ids = np.ma.array([[4, 2**53 + 1, 7], [5, 6, 9]], mask=[[0, 0, 1], [0, 1, 1]])
    expected = from_item_lists([[4], [6]], [[4, 2**53 + 1], [5]])
    for y_pred in (ids, list(ids)):
        rows = from_item_lists([[4], [6]], y_pred)
        for key, values in expected.items():
            assert rows[key].tolist() == values.tolist()
    with pytest.raises(ValueError, match="item None of user 0 marks an empty place"):
        from_item_lists([[4]], np.ma.array([[4, 7]], mask=[[1, 0]]))
    with pytest.raises(ValueError, match="`y_true`: item None of user 0 is a missing"):
        from_item_lists(np.ma.array([[4, 7]], mask=[[1, 0]]), [[4]])


def test_masked_and_missing_grades_of_a_list_are_unjudged():
    expected = [1, np.nan, 0]
    for grades in (
        np.ma.array([[1, 5, 0]], mask=[[0, 1, 0]]),
        [np.ma.array([1, 5, 0], mask=[0, 1, 0])],
        [[1, None, 0]],
        [[1, pd.NA, 0]],
        np.array([[1, None, 0]], dtype=object),
    ):
        np.testing.assert_array_equal(from_relevance(grades).y_true, expected)
    with pytest.raises(TypeError, match="`n_relevant` must be whole numbers"):
        from_relevance([[1], [0]], np.ma.array([1, 1], mask=[0, 1]))
