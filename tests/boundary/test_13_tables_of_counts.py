"""Tables of counts in place of one column per rater."""

import numpy as np
import pytest

from sklearn_rank.inputs import from_ratings
from sklearn_rank.statistics import (
    fleiss_kappa_score,
    krippendorff_alpha_score,
    rater_agreement,
)

# J. L. Fleiss, 1971: how many of 14 raters gave each of 5 grades to each of 10 units.
FLEISS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]
ENTRANCES = [fleiss_kappa_score, krippendorff_alpha_score, rater_agreement, from_ratings]


@pytest.mark.parametrize("entrance", ENTRANCES)
@pytest.mark.parametrize("as_given", [list, np.array, lambda table: np.array(table, float)])
def test_a_table_of_counts_raises(entrance, as_given):
    with pytest.raises(ValueError, match=r"\(10, 5\) looks like counts: .* sums to 14\."):
        entrance(as_given(FLEISS))


def test_the_advice_runs():
    with pytest.raises(ValueError, match="one column per rater") as caught:
        fleiss_kappa_score(FLEISS)
    advice = str(caught.value).split("rater: ")[1].split(", with your")[0]
    labels = eval(advice, {"np": np, "ratings": FLEISS})
    assert fleiss_kappa_score(labels) == pytest.approx(0.210, abs=5e-4)


def test_a_column_of_nan_says_that_counts_are_grades():
    table = np.c_[FLEISS, np.full(10, np.nan)]
    assert fleiss_kappa_score(table) == pytest.approx(0.023, abs=5e-4)


@pytest.mark.parametrize(
    "table",
    [
        FLEISS[:9],  # few units
        [[2, 2]] * 10 + [[3, 3]] * 10,  # all agree
        [[1, 1, 1]] * 15 + [[0, 1, 2]] * 5,  # most agree
        np.array(FLEISS) / 14,
        np.eye(10, 5) * 2 - np.eye(10, 5, 1),
        np.identity(12),  # one grade per unit
    ],
)
def test_grades_are_no_counts(table):
    krippendorff_alpha_score(table)


def test_random_grades_are_no_counts():
    rng = np.random.default_rng(0)
    for n_raters in (2, 3, 5):
        for n_grades in (2, 3, 5):
            for _ in range(30):
                table = rng.integers(n_grades, size=(10, n_raters))
                from_ratings(table)
