"""Krippendorff's alpha without a table, held against the table of coincidences."""

import tracemalloc
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from sklearn_rank.inputs import _krippendorff_alpha, from_ratings
from sklearn_rank.inputs._krippendorff_alpha import LEVELS
from sklearn_rank.statistics import krippendorff_alpha_score, rater_agreement

NAN = np.nan


def alpha_by_table(ratings, level, weight=None):
    """Return alpha from the table of pairs of grades within units."""
    grades = np.unique(ratings[~np.isnan(ratings)])
    table = np.zeros((len(grades), len(grades)))
    for place, row in enumerate(ratings):
        own = np.searchsorted(grades, row[~np.isnan(row)])
        for one, other in permutations(own, 2):
            times = 1 if weight is None else weight[place]
            table[one, other] += times / (len(own) - 1)
    n = table.sum(axis=0)
    if level == "nominal":
        far = 1 - np.eye(len(grades))
    else:
        z = np.cumsum(n) - n / 2 if level == "ordinal" else grades
        far = (z[:, None] - z) ** 2
    if level == "ratio":
        far = far / np.maximum(grades[:, None] + grades, 1e-99) ** 2
    return 1 - (n.sum() - 1) * (table * far).sum() / (np.outer(n, n) * far).sum()


def random_ratings(seed, n_grades):
    """Return a table in which some units have one grade or none."""
    rng = np.random.default_rng(seed)
    ratings = rng.integers(0, n_grades, (rng.integers(4, 40), rng.integers(2, 6))) / 4
    ratings[rng.random(ratings.shape) < 0.3] = NAN
    ratings[:2, :2] = [[0, 1], [1, 1]]
    return ratings


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("n_grades", [3, 1000])
def test_alpha_is_that_of_the_table(level, seed, n_grades):
    ratings = random_ratings(seed, n_grades)
    expected = alpha_by_table(ratings, level)
    found = krippendorff_alpha_score(ratings, level=level)
    assert found == pytest.approx(expected, rel=1e-13, abs=1e-14)
    assert rater_agreement(ratings, level=level).alpha == found
    assert from_ratings(ratings, level=level).alpha == found
    weight = np.random.default_rng(seed).uniform(1, 3, len(ratings))
    expected = alpha_by_table(ratings, level, weight)
    found = krippendorff_alpha_score(ratings, level=level, sample_weight=weight)
    assert found == pytest.approx(expected, rel=1e-13, abs=1e-14)


@pytest.mark.parametrize("level", LEVELS)
def test_alpha_of_continuous_grades_is_that_of_the_package_krippendorff(level):
    theirs = pytest.importorskip("krippendorff")
    ratings = np.random.default_rng(0).uniform(1, 6, (60, 3)) + np.arange(60)[:, None]
    ratings[::5, 0] = NAN
    expected = theirs.alpha(ratings.T, level_of_measurement=level)
    found = krippendorff_alpha_score(ratings, level=level)
    assert found == pytest.approx(expected, rel=1e-12)


def test_large_grades_that_differ_by_little():
    rng = np.random.default_rng(0)
    ratings = 1e9 + 1e-3 * rng.integers(0, 9, (30, 3))
    every = [Fraction(grade) for grade in ratings.ravel()]
    observed = sum(
        (Fraction(one) - Fraction(other)) ** 2
        for row in ratings
        for one, other in permutations(row, 2)
    )
    expected = sum((one - other) ** 2 for one, other in permutations(every, 2))
    exact = 1 - (len(every) - 1) * observed / 2 / expected
    found = krippendorff_alpha_score(ratings, level="interval")
    assert found == pytest.approx(float(exact), rel=0, abs=1e-13)


def test_grades_near_the_largest_number():
    plain = [[-1.5, -1.0], [0.5, 0.5], [1.0, 1.5]]
    found = krippendorff_alpha_score(np.array(plain) * 1e308, level="interval")
    assert found == pytest.approx(krippendorff_alpha_score(plain, level="interval"))


def test_a_large_grade_alone_in_its_unit_does_not_matter():
    ratings = [[1, 2], [2, 2], [3, 1]]
    with_outlier = [*ratings, [1e300, NAN], [-1e300, NAN]]
    found = krippendorff_alpha_score(with_outlier, level="interval")
    assert found == krippendorff_alpha_score(ratings, level="interval")


@pytest.mark.parametrize("level", LEVELS)
def test_equal_grades_have_no_alpha_however_they_are_rounded(level):
    ratings = [[0.1, 0.1, 0.1], [5, NAN, NAN]]
    found = krippendorff_alpha_score(ratings, level=level, replace_undefined_by=NAN)
    assert np.isnan(found)


@pytest.mark.parametrize("level", ["nominal", "ordinal", "interval"])
def test_memory_is_linear_in_distinct_grades(level):
    """A table of 12,000 grades by 12,000 is a gigabyte."""
    ratings = np.random.default_rng(0).random((3_000, 4))
    tracemalloc.start()
    try:
        found = krippendorff_alpha_score(ratings, level=level)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2e7
    assert abs(found) < 0.05


def test_ratio_alpha_in_blocks(monkeypatch):
    ratings = random_ratings(0, 1000)
    expected = krippendorff_alpha_score(ratings, level="ratio")
    monkeypatch.setattr(_krippendorff_alpha, "CHUNK_PAIRS", 7)
    found = krippendorff_alpha_score(ratings, level="ratio")
    assert found == pytest.approx(expected, rel=1e-14)


def test_ratio_alpha_of_too_many_grades():
    ratings = np.arange(50_002.0).reshape(-1, 2)
    with pytest.raises(ValueError, match=r"50002 distinct grades.*level=\"interval\""):
        krippendorff_alpha_score(ratings, level="ratio")
    assert krippendorff_alpha_score(ratings, level="interval") > 0.99


def test_two_zeros_have_no_distance():
    ratings = [[0, 0], [1, 1], [0, 2]]
    found = krippendorff_alpha_score(ratings, level="ratio")
    assert found == pytest.approx(alpha_by_table(np.array(ratings, float), "ratio"))
