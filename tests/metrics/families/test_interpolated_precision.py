"""Interpolated precision: its curve, and what it says of many tied rows."""

import numpy as np
import pytest

from sklearn_rank.metrics import (
    eleven_point_precision_score,
    interpolated_precision_curve,
    interpolated_precision_score,
)

ROWS = {"y_true": [1, 0, 1, 0, 0, 1], "y_score": [6, 5, 4, 3, 2, 1], "groups": [0] * 6}


def test_the_example_of_a_textbook():
    """Hits at ranks 1, 3 and 6 of three: precision 1, 2/3 and 1/2."""
    precision, recall = interpolated_precision_curve(**ROWS)
    np.testing.assert_allclose(precision, [1] * 4 + [2 / 3] * 3 + [1 / 2] * 4)
    np.testing.assert_allclose(recall, np.arange(11) / 10)
    assert eleven_point_precision_score(**ROWS) == pytest.approx(precision.mean())


@pytest.mark.parametrize(
    ("level", "n_relevant", "needed"),
    [
        (0.28, 25, {"up": 7, "nine_tenths": 7, "nearest": 7}),  # 7.000000000000001
        (0.5, 3, {"up": 2, "nine_tenths": 2, "nearest": 2}),
        (0.45, 3, {"up": 2, "nine_tenths": 2, "nearest": 1}),
        (0.34, 3, {"up": 2, "nine_tenths": 1, "nearest": 1}),
        (0.7, 3, {"up": 3, "nine_tenths": 2, "nearest": 2}),  # 2.0999999999999996
        (0.6, 6, {"up": 4, "nine_tenths": 4, "nearest": 4}),
        (0.7, 33, {"up": 24, "nine_tenths": 23, "nearest": 23}),
        (0.3, 57, {"up": 18, "nine_tenths": 17, "nearest": 17}),
    ],
)
@pytest.mark.parametrize("rounding", ["up", "nine_tenths", "nearest"])
def test_how_many_items_a_level_needs(level, n_relevant, needed, rounding):
    for n_found, value in ((needed[rounding] - 1, 0), (needed[rounding], 1)):
        y_score = np.where(np.arange(n_relevant) < n_found, 1.0, -np.inf)[None]
        rows = {"y_true": np.ones((1, n_relevant)), "y_score": y_score}
        asked = {"recall_level": level, "rounding": rounding}
        assert interpolated_precision_score(**rows, **asked) == value
        (found,), _ = interpolated_precision_curve(
            **rows, recall_levels=[level], rounding=rounding
        )
        assert found == value


def test_levels_may_come_in_any_order_and_twice():
    precision, _ = interpolated_precision_curve(**ROWS, recall_levels=[1, 0, 1])
    assert precision.tolist() == [0.5, 1, 0.5]


def test_undefined_queries_are_told_once():
    rows = {"y_true": [0, 1], "y_score": [1, 1], "groups": [0, 1]}
    with pytest.warns(UserWarning, match="interpolated precision: undefined for 1 of 2"):
        precision, _ = interpolated_precision_curve(**rows)
    assert precision.tolist() == [1] * 11
    filled, _ = interpolated_precision_curve(**rows, replace_undefined_by=0)
    assert filled.tolist() == [0.5] * 11


@pytest.mark.parametrize("levels", [[], 0.5, [-0.1], [1.1], [np.nan], [[0.5]]])
def test_levels_that_are_none(levels):
    with pytest.raises(ValueError, match="several numbers from 0 to 1"):
        interpolated_precision_curve(**ROWS, recall_levels=levels)


@pytest.mark.parametrize("level", [-0.1, 1.5, np.nan])
def test_a_level_that_is_none(level):
    with pytest.raises(ValueError, match="a number from 0 to 1"):
        interpolated_precision_score(**ROWS, recall_level=level)


def test_one_relevant_row_among_many_that_tie():
    """It is at each rank alike: the mean of 1 / rank."""
    n = 3000
    rows = {"y_true": np.eye(1, n)[0], "y_score": np.zeros(n), "groups": ["q"] * n}
    expected = (1 / np.arange(1, n + 1)).mean()
    assert interpolated_precision_score(**rows) == pytest.approx(expected, rel=1e-12)


def test_too_many_tied_rows_are_refused_by_the_name_of_the_query():
    rows = {"y_true": [1] * 80 + [0] * 80, "y_score": [0] * 160, "groups": ["q"] * 160}
    with pytest.raises(ValueError, match="160 rows of query q tie, 80 of them relevant"):
        interpolated_precision_score(**rows)
    assert interpolated_precision_score(**rows, ties="worst") == pytest.approx(0.5)
    assert interpolated_precision_score(**rows, ties="best") == 1


def test_two_zeros_are_one_level():
    values, levels = interpolated_precision_curve(
        [1, 0], [2, 1], groups=[1, 1], recall_levels=[0, 0.5, -0.0]
    )
    assert values.tolist() == [1, 1, 1]
    assert levels.tolist() == [0, 0.5, 0]
