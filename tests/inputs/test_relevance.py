"""from_relevance: grades in rank order."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_rank.inputs import from_item_lists, from_relevance

GRADES = st.lists(st.integers(0, 3), max_size=6)


def rows_of(bunch):
    assert list(bunch) == ["y_true", "y_score", "groups"]
    columns = bunch.groups.tolist(), bunch.y_true.tolist(), bunch.y_score.tolist()
    return list(zip(*columns, strict=True))


@given(st.lists(st.tuples(GRADES, st.integers(0, 3)), max_size=6))
def test_lists_of_grades_are_lists_of_items_with_these_grades(queries):
    lists = [grades for grades, _ in queries]
    n_missed = [missed for _, missed in queries]
    totals = [sum(g > 0 for g in grades) + m for grades, m in queries]
    truths = [dict(enumerate(grades)) for grades in lists]
    for truth, missed in zip(truths, n_missed, strict=True):
        truth.update({100 + i: 1 for i in range(missed)})
    expected = from_item_lists(truths, [range(len(grades)) for grades in lists])
    assert rows_of(from_relevance(lists, totals)) == rows_of(expected)


def test_labels_of_a_mapping_are_the_groups():
    lists = {"b": [1, 0], "a": []}
    expected = [("b", 1, -1), ("b", 0, -2), ("a", 1, -np.inf)]
    assert rows_of(from_relevance(lists, {"a": 1, "b": 1})) == expected
    assert (
        rows_of(from_relevance(pd.Series(lists), pd.Series({"a": 1, "b": 1}))) == expected
    )


@pytest.mark.parametrize("dtype", [int, float, bool, object])
def test_a_2d_array_has_a_row_a_query(dtype):
    grades = np.array([[1, 0], [0, 1]]).astype(dtype)
    expected = [(0, 1, -1), (0, 0, -2), (1, 0, -1), (1, 1, -2)]
    assert rows_of(from_relevance(grades)) == expected


def test_one_total_serves_all_queries():
    rows = from_relevance([[1], [0]], n_relevant=2)
    expected = [(0, 1, -1), (0, 1, -np.inf), (1, 0, -1), (1, 1, -np.inf), (1, 1, -np.inf)]
    assert rows_of(rows) == expected


def test_an_empty_query_keeps_a_row():
    assert rows_of(from_relevance([[], [1]])) == [(0, 0, -np.inf), (1, 1, -1)]


def test_unjudged_items_stay_nan():
    np.testing.assert_array_equal(from_relevance([[1, np.nan]]).y_true, [1, np.nan])


@pytest.mark.parametrize(
    ("lists", "total", "error", "message"),
    [
        ([[0, 1], [1, -2]], None, ValueError, "rank 2 of query 1 has the grade -2;"),
        ({"q": [np.inf]}, None, ValueError, "rank 1 of query 'q' has the grade inf;"),
        ([[1, "2"]], None, TypeError, "rank 2 of query 0 has the grade '2';"),
        ([0, 1], None, TypeError, "`relevance_lists` of user 0 is 0; each user or query"),
        ([{0, 1}], None, TypeError, "a set has no order"),
        ([[1, 1]], 1, ValueError, r"Query 0 has 2 relevant item\(s\).*`n_relevant` is 1"),
        ([[1], [1]], [1], ValueError, r"one for each of the 2 queries; got shape \(1,\)"),
        ([[1], [0], [1, 0, 1]], [1, 0, 1], ValueError, "Query 2 has 2 relevant"),
        ([[1]], 1.5, TypeError, "`n_relevant` must be whole numbers, got 1.5"),
        ({"a": [1]}, {"b": 1}, ValueError, "`n_relevant` lacks query 'a'"),
        ([[1]], True, TypeError, "`n_relevant` must be whole numbers, got True"),
        ([[1]], np.nan, TypeError, "`n_relevant` must be whole numbers, got nan"),
        ([[1], [1]], [1, None], TypeError, r"must be whole numbers, got \[1, None\]"),
        ([[1]], "1", TypeError, r"`n_relevant` must hold numbers, but has \['1'\]"),
        ([[1]], [[1], [1, 2]], ValueError, "`n_relevant` must hold one number per row"),
        ([[1]], -1, ValueError, "but `n_relevant` is -1"),
        ([[10**400]], None, ValueError, "`relevance_lists` has a number beyond the range"),
        ([[2**53, 2**53 + 1]], None, ValueError, "9007199254740993, which are equal as"),
        (np.array([[2**53, 2**53 + 1]]), None, ValueError, "which are equal as floats"),
        ([[np.timedelta64(1, "s")]], None, TypeError, "rank 1 of query 0 has the grade"),
        (
            [["x" * 10**6]],
            None,
            TypeError,
            r"has the grade 'x{50,60}\.\.\. \(1000002 characters\); grades must be",
        ),
        ({1, 2}, None, TypeError, "`relevance_lists` is a set, whose users have no order"),
    ],
)
def test_errors_name_what_is_wrong(lists, total, error, message):
    with pytest.raises(error, match=message):
        from_relevance(lists, total)


@pytest.mark.parametrize(
    ("total", "shown"),
    [
        (4 * 10**9, "3999999999"),
        (2**28 + 2, "268435457"),
        ([4 * 10**9, 1], "3999999999"),
        (np.uint64(2**64 - 1), "more than 2.*52"),
        (10**30, "more than"),
        ([-(10**30), 10**30], "3"),
        (float("inf"), "more than"),
    ],
)
def test_more_rows_than_fit_into_memory_are_refused(total, shown):
    with pytest.raises(ValueError, match=rf"{shown}.*there may be 268435456|is -9"):
        from_relevance([[1], [1]], total)


def test_each_of_many_queries_may_have_few():
    with pytest.raises(ValueError, match="10000000 relevant items of query 0"):
        from_relevance([[0]] * 27, 10**7)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.uint64, np.float64, object])
def test_totals_of_any_type(dtype):
    lists, total = [[1], [0, 1]], np.array([2, 1]).astype(dtype)
    assert rows_of(from_relevance(lists, total)) == rows_of(from_relevance(lists, [2, 1]))


def test_grades_may_be_any_numbers():
    lists = [[Fraction(1, 2), Decimal("0.25")], [True, np.float32(3)]]
    assert from_relevance(lists).y_true.tolist() == [0.5, 0.25, 1, 3]


def test_a_matrix_is_an_array():
    matrix = np.array([[1, 0], [0, 1]]).view(np.matrix)
    expected = from_relevance([[1, 0], [0, 1]], [1, 1])
    assert rows_of(from_relevance(matrix, [1, 1])) == rows_of(expected)
