"""Ratings as a long frame: one grade a row, with columns of units and raters."""

import numpy as np
import pytest

from sklearn_rank.inputs import from_ratings
from sklearn_rank.statistics import krippendorff_alpha_score, rater_agreement

GRADES = np.array([[0, 0, 1], [1, 1, 1], [2, 3, 2], [3, 3, 3], [0, 1, 0], [2, 2, 2]])
QUERY = np.array(["a", "a", "b", "b", "c", "c"])


def long(library="pandas"):
    unit, rater = np.indices(GRADES.shape)
    columns = {
        "doc": [f"d{u}" for u in unit.ravel()],
        "judge": rater.ravel(),
        "grade": GRADES.ravel(),
        "query": QUERY[unit.ravel()],
    }
    module = pytest.importorskip(library)
    return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_columns_by_name(library):
    names = {"units": "doc", "raters": "judge", "groups": "query"}
    found = rater_agreement(long(library), **names)
    expected = rater_agreement(GRADES, groups=QUERY)
    assert (found.alpha, found.low, found.high) == (
        expected.alpha,
        expected.low,
        expected.high,
    )
    judged = from_ratings(long(library), **names)
    assert judged.y_true.tolist() == np.median(GRADES, axis=1).tolist()
    assert judged.groups.tolist() == QUERY.tolist()


def test_columns_with_the_usual_names():
    """Before, the three columns counted as three raters, without a word."""
    frame = long().drop(columns="query")
    frame.columns = ["unit", "rater", "rating"]
    frame["unit"] = frame["unit"].str[1:].astype(int)
    expected = krippendorff_alpha_score(GRADES)
    assert rater_agreement(frame).alpha == expected
    assert krippendorff_alpha_score(frame) == expected


def test_a_wide_frame_stays_a_table_of_raters():
    pandas = pytest.importorskip("pandas")
    wide = pandas.DataFrame(GRADES, columns=["x", "y", "rater"])
    found = rater_agreement(wide)
    assert [row.rater for row in found.raters] == ["x", "y", "rater"]


def test_half_of_the_units_in_agreement_are_grades_and_not_counts():
    grades = np.array([[1.0, 1]] * 5 + [[0.0, 2]] * 5)  # each row sums to 2
    assert [row.rater for row in rater_agreement(grades).raters] == [0, 1]
    with pytest.raises(ValueError, match=r"shape \(10, 2\) looks like counts"):
        rater_agreement(grades[[0, 1, 2, 3, 5, 5, 6, 7, 8, 9]])


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"units": "item", "raters": "judge"}, "`units='item'` names a column, but"),
        ({"units": "doc"}, "must have a row a unit and a column a rater, or one grade"),
        ({"units": "doc", "raters": "judge"}, "one column of grades beside .* call one"),
    ],
)
def test_columns_that_do_not_fit(names, message):
    frame = long().rename(columns={"grade": "value"})
    with pytest.raises(ValueError, match=message):
        rater_agreement(frame, **names)


def test_a_name_needs_a_frame():
    with pytest.raises(ValueError, match="but `ratings` has no names of columns"):
        rater_agreement(GRADES, units="doc", raters="judge")
