"""Grades from those of several raters."""

from collections import Counter

import numpy as np
import pytest

from sklearn_rank.inputs import from_ratings
from sklearn_rank.statistics import krippendorff_alpha_score

NAN = np.nan
TABLE = np.array(
    [[0, 0, 1], [2, 3, NAN], [3, 3, 3], [NAN, NAN, NAN], [1, NAN, NAN], [0, 1, 3]]
)


def majority(grades):
    times = Counter(grades)
    return min(grade for grade in times if times[grade] == max(times.values()))


@pytest.mark.parametrize(
    ("combine", "function"),
    [("median", np.median), ("mean", np.mean), ("majority", majority)],
)
def test_grades_are_combined(combine, function):
    found = from_ratings(TABLE, combine=combine)
    grades = [row[~np.isnan(row)].tolist() for row in TABLE]
    expected = [function(row) if row else NAN for row in grades]
    np.testing.assert_allclose(found.y_true, expected)
    assert found.n_raters.tolist() == [3, 2, 3, 0, 1, 3]
    assert found.units.tolist() == list(range(6))


@pytest.mark.parametrize("combine", ["median", "mean", "majority"])
@pytest.mark.parametrize("seed", range(3))
def test_many_units(combine, seed):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 4, (200, 6)).astype(float)
    table[rng.random(table.shape) < 0.5] = NAN
    function = {"median": np.median, "mean": np.mean, "majority": majority}[combine]
    grades = [row[~np.isnan(row)].tolist() for row in table]
    expected = [function(row) if row else NAN for row in grades]
    np.testing.assert_allclose(from_ratings(table, combine=combine).y_true, expected)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval", "ratio"])
def test_the_agreement_is_beside(level):
    found = from_ratings(TABLE, level=level)
    assert found.alpha == krippendorff_alpha_score(TABLE, level=level)


def test_too_few_raters_are_no_judgment():
    found = from_ratings(TABLE, min_raters=3)
    np.testing.assert_array_equal(np.isnan(found.y_true), [0, 1, 0, 1, 1, 0])


def test_without_pairs_there_is_no_alpha():
    assert np.isnan(from_ratings([[1], [2]]).alpha)
    assert np.isnan(from_ratings([[1, 1], [1, 1]]).alpha)


def test_rows_with_labels():
    units = [("q1", "tea"), ("q2", "jam"), ("q1", "tea"), ("q1", "rice")]
    found = from_ratings(
        [2, 1, 3, None],
        units=units,
        raters=["ann", "ann", "bob", "ann"],
        groups=[query for query, _ in units],
    )
    assert found.units.tolist() == [("q1", "rice"), ("q1", "tea"), ("q2", "jam")]
    np.testing.assert_array_equal(found.y_true, [NAN, 2.5, 1])
    assert found.groups.tolist() == ["q1", "q1", "q2"]


def test_groups_of_a_table():
    found = from_ratings([[0, 1], [2, 2], [3, 3]], groups=["b", "b", "a"])
    assert found.groups.tolist() == ["b", "b", "a"]
    assert "groups" not in from_ratings([[0, 1]])


@pytest.mark.parametrize(
    ("ratings", "given", "text"),
    [
        ([[0, -1]], {}, "grade -1; relevance grades"),
        ([["x", "y"]], {"level": "nominal"}, "grade 'x'; relevance grades"),
        ([[0, 1]], {"combine": "mode"}, "combine"),
        ([[0, 1]], {"level": "grades"}, "level"),
        ([[0, 1]], {"min_raters": 0}, "min_raters"),
        ([[0, 1]], {"groups": ["q", "q"]}, "`groups` has 2 values"),
        ([[0, 1]], {"groups": [None]}, "missing"),
        ([0, 1], {"units": [*"uu"], "raters": [*"xx"]}, "more than once"),
        (
            [0, 1],
            {"units": [*"uu"], "raters": [*"xy"], "groups": [0, 1]},
            "differs within unit 'u'",
        ),
    ],
)
def test_refuses(ratings, given, text):
    with pytest.raises(ValueError, match=text):
        from_ratings(ratings, **given)
