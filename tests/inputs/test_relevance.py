"""from_relevance: grades in rank order."""

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
        ([[1, 1]], 1, ValueError, r"Query 0 has 2 relevant item\(s\).*`n_relevant` says 1"),
        ([[1], [1]], [1], ValueError, r"one for each of the 2 queries; got shape \(1,\)"),
        ([[1]], 1.5, TypeError, "`n_relevant` must be whole numbers, got 1.5"),
        ({"a": [1]}, {"b": 1}, ValueError, "`n_relevant` has no entry for query 'a'"),
    ],
)
def test_errors_name_what_is_wrong(lists, total, error, message):
    with pytest.raises(error, match=message):
        from_relevance(lists, total)
