"""Agreement of raters: published values, an oracle, laws, and bad input."""

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import cohen_kappa_score

from sklearn_rank.statistics import (
    fleiss_kappa_score,
    krippendorff_alpha_score,
    rater_agreement,
)

NAN = np.nan
# Krippendorff (2011): four observers, twelve units.
OBSERVERS = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T
GRADES = np.array(
    [
        [0, 0, 1],
        [1, 1, 1],
        [2, 3, NAN],
        [3, 3, 3],
        [0, 1, 0],
        [2, 2, 2],
        [1, NAN, 2],
        [NAN, NAN, 3],
    ]
)
BINARY = np.array([[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]]).T
NAMED = np.array(
    [[1, 1, 2, 2, 4, 3, 3, 3, 5, 4, 4, 1], [2, 1, 2, 2, 2, 3, 3, 3, 5, 4, 4, 4]]
).T
# Fleiss (1971): counts of five grades by fourteen raters.
FLEISS = np.array(
    [
        [int(grade) for grade, times in enumerate(counts) for _ in range(times)]
        for counts in (
            (0, 0, 0, 0, 14),
            (0, 2, 6, 4, 2),
            (0, 0, 3, 5, 6),
            (0, 3, 9, 2, 0),
            (2, 2, 8, 1, 1),
            (7, 7, 0, 0, 0),
            (3, 2, 6, 3, 0),
            (2, 5, 3, 2, 2),
            (6, 5, 2, 1, 0),
            (0, 2, 2, 3, 7),
        )
    ]
)
PREVALENCE = np.array([[1, 1]] * 90 + [[1, 0]] * 5 + [[0, 1]] * 5)
LEVELS = ["nominal", "ordinal", "interval", "ratio"]


# ---- published values ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ratings", "level", "expected"),
    [
        (OBSERVERS, "nominal", 113 / 152),
        (OBSERVERS, "ordinal", 108577 / 133160),
        (OBSERVERS, "interval", 951 / 1120),
        (OBSERVERS, "ratio", 18222619 / 22852465),
        (BINARY, "nominal", 2 / 21),
        (BINARY, "ordinal", 2 / 21),
        (NAMED, "nominal", 155 / 224),
        (GRADES, "nominal", 31 / 67),
        (GRADES, "ordinal", 5539 / 6745),
        (GRADES, "interval", 161 / 197),
        (FLEISS, "nominal", 0.215574),
        (PREVALENCE, "nominal", -0.04736842),
    ],
)
def test_alpha_of_the_literature(ratings, level, expected):
    found = krippendorff_alpha_score(ratings, level=level)
    assert found == pytest.approx(expected, abs=5e-7 if ratings is FLEISS else 1e-8)


def test_units_in_columns_are_another_question():
    assert krippendorff_alpha_score(GRADES.T) == pytest.approx(-0.082695, abs=5e-7)


def test_interval_alpha_of_two_raters():
    pair = np.array([[0, 0, 1, 1, 2, 2, 3, 3, 0, 2], [0, 1, 1, 2, 2, 3, 3, 2, 0, 2]])
    found = krippendorff_alpha_score(pair.T, level="interval")
    assert found == pytest.approx(0.834783, abs=5e-7)
    for weights, expected in (
        (None, 0.459459),
        ("linear", 0.666667),
        ("quadratic", 0.827586),
    ):
        assert cohen_kappa_score(*pair, weights=weights) == pytest.approx(
            expected, abs=5e-7
        )


@pytest.mark.parametrize(
    ("pair", "weights", "expected"),
    [
        (BINARY, None, 0.090909),
        (NAMED, None, 0.684211),
        (GRADES[[0, 1, 2, 3, 4, 5], :2], None, 0.571429),
        (GRADES[[0, 1, 2, 3, 4, 5], :2], "linear", 0.739130),
        (GRADES[[0, 1, 2, 3, 4, 5], :2], "quadratic", 0.869565),
        (PREVALENCE, None, -0.052632),
    ],
)
def test_cohen_of_the_same_pairs(pair, weights, expected):
    found = cohen_kappa_score(*pair.T.astype(int), weights=weights)
    assert found == pytest.approx(expected, abs=5e-7)


def test_prevalence_is_seen_in_percent_agreement():
    found = rater_agreement(PREVALENCE, n_resamples=99, random_state=0)
    assert found.percent_agreement == pytest.approx(0.9)
    assert found.alpha == pytest.approx(-0.047368, abs=5e-7)
    assert found.low < found.alpha < 0.1


def test_cohen_needs_the_labels():
    pair = [0, 0, 2, 2, 3], [0, 2, 2, 3, 3]
    assert cohen_kappa_score(*pair, weights="quadratic") == pytest.approx(0.6875)
    found = cohen_kappa_score(*pair, weights="quadratic", labels=[0, 1, 2, 3])
    assert found == pytest.approx(2 / 3)


def test_fleiss_of_the_paper():
    kappa = fleiss_kappa_score(FLEISS)
    assert kappa == pytest.approx(0.209931, abs=5e-7)
    alpha = krippendorff_alpha_score(FLEISS, level="nominal")
    assert 1 - alpha == pytest.approx((1 - kappa) * 139 / 140, rel=1e-13)


@pytest.mark.parametrize("seed", range(5))
def test_fleiss_equals_statsmodels(seed):
    rater = pytest.importorskip("statsmodels.stats.inter_rater")
    ratings = np.random.default_rng(seed).integers(0, 4, (30, 5))
    table = rater.aggregate_raters(ratings)[0]
    assert fleiss_kappa_score(ratings) == pytest.approx(
        rater.fleiss_kappa(table), rel=1e-12
    )


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", range(4))
def test_alpha_equals_the_package_krippendorff(level, seed):
    theirs = pytest.importorskip("krippendorff")
    rng = np.random.default_rng(seed)
    ratings = rng.integers(1, 6, (40, 4)).astype(float)
    ratings[rng.random(ratings.shape) < 0.3] = NAN
    # There, raters are rows.
    expected = theirs.alpha(ratings.T, level_of_measurement=level)
    found = krippendorff_alpha_score(ratings, level=level)
    assert found == pytest.approx(expected, rel=1e-12)


def test_no_variation():
    for function in (krippendorff_alpha_score, fleiss_kappa_score):
        with pytest.warns(UndefinedMetricWarning, match="all grades are equal") as caught:
            assert np.isnan(function([[3, 3], [3, 3]]))
        assert len(caught) == 1
        assert function([[3, 3], [3, 3]], replace_undefined_by=0.5) == 0.5
        assert np.isnan(function([[3, 3]], replace_undefined_by=NAN))
    one_differs = [[3, 3, 3, 3], [3, 3, 1, 3], [3, 3, 3, 3]]
    assert krippendorff_alpha_score(one_differs) == pytest.approx(0, abs=1e-15)


# ---- by the definition, and laws -------------------------------------------------------


def by_definition(ratings, level):
    """Return alpha as a fraction, from pairs of grades."""
    rows = [[int(g) for g in row if not np.isnan(g)] for row in ratings]
    rows = [row for row in rows if len(row) > 1]
    every = [grade for row in rows for grade in row]

    def distance(v, w):
        if level == "nominal" or v == w:
            return Fraction(v != w)
        if level == "ordinal":
            low, high = sorted((v, w))
            between = sum(low <= grade <= high for grade in every)
            return (between - Fraction(every.count(v) + every.count(w), 2)) ** 2
        return Fraction((v - w) ** 2, (v + w) ** 2 if level == "ratio" else 1)

    observed = sum(
        Fraction(sum(distance(*pair) for pair in permutations(row, 2)), len(row) - 1)
        for row in rows
    )
    expected = sum(distance(*pair) for pair in permutations(every, 2))
    return 1 - (len(every) - 1) * Fraction(observed) / expected


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", range(4))
def test_alpha_is_that_of_the_definition(level, seed):
    rng = np.random.default_rng(seed)
    ratings = rng.integers(0, 5, (12, 4)).astype(float)
    ratings[rng.random(ratings.shape) < 0.4] = NAN
    found = krippendorff_alpha_score(ratings, level=level)
    assert found == pytest.approx(float(by_definition(ratings, level)), rel=1e-12)


@pytest.mark.parametrize("level", LEVELS)
def test_a_weight_is_a_number_of_copies(level):
    times = np.array([1, 0, 2, 3, 1, 0, 2, 1])
    found = krippendorff_alpha_score(GRADES, level=level, sample_weight=times)
    expected = krippendorff_alpha_score(GRADES.repeat(times, axis=0), level=level)
    assert found == pytest.approx(expected, rel=1e-12)


def test_the_scale_does_not_matter():
    for scale in (1e-200, 1e200):
        for level in LEVELS:
            found = krippendorff_alpha_score(GRADES * scale, level=level)
            expected = krippendorff_alpha_score(GRADES, level=level)
            assert found == pytest.approx(expected, rel=1e-12)


def test_missing_grades_in_any_form():
    expected = krippendorff_alpha_score(GRADES)
    masked = np.ma.masked_invalid(GRADES)
    with_none = [[None if np.isnan(g) else int(g) for g in row] for row in GRADES]
    for ratings in (masked, with_none):
        assert krippendorff_alpha_score(ratings) == expected
    names = [[None if g is None else "abcd"[g] for g in row] for row in with_none]
    found = krippendorff_alpha_score(names, level="nominal")
    assert found == pytest.approx(31 / 67)
    assert fleiss_kappa_score([["x", "y"], ["x", "x"]]) == fleiss_kappa_score(
        [[0, 1], [0, 0]]
    )


# ---- the report ------------------------------------------------------------------------


def test_report_of_relevance_grades():
    found = rater_agreement(GRADES, random_state=0)
    assert found.alpha == pytest.approx(5539 / 6745)
    assert (found.n_units, found.n_pairable, found.n_queries) == (8, 7, 7)
    assert found.percent_agreement == pytest.approx(11 / 17)
    without = [row.alpha_without for row in found.raters]
    np.testing.assert_allclose(without, [0.786842, 0.831773, 0.877778], atol=5e-7)
    assert [row.n_units for row in found.raters] == [7, 6, 7]
    means = np.nanmean(GRADES, axis=0)
    np.testing.assert_allclose([row.mean for row in found.raters], means)
    relevant = rater_agreement(GRADES, min_relevance=2, random_state=0)
    assert relevant.alpha == pytest.approx(4 / 5)


def test_a_rater_without_grades_changes_nothing():
    alone = rater_agreement(GRADES, random_state=0)
    empty = np.full(len(GRADES), NAN)
    found = rater_agreement(np.column_stack([GRADES, empty]), random_state=0)
    assert (found.alpha, found.low, found.high) == (alone.alpha, alone.low, alone.high)
    assert found.raters[:3] == alone.raters
    last = found.raters[3]
    assert (last.n_units, last.alpha_without) == (0, alone.alpha)
    assert np.isnan(last.mean)


def test_interval_of_the_literature():
    found = rater_agreement(OBSERVERS, n_resamples=20_000, random_state=0)
    assert (found.low, found.high) == pytest.approx((0.45, 1.0), abs=0.02)
    assert found.standard_error == pytest.approx(0.146, abs=0.004)
    assert found.n_pairable == 11


def test_jackknife_of_the_literature():
    # By leaving units out; the bootstrap has about the same error.
    pairable = OBSERVERS[:11]
    without = [krippendorff_alpha_score(np.delete(pairable, i, axis=0)) for i in range(11)]
    error = np.sqrt(10 / 11 * ((without - np.mean(without)) ** 2).sum())
    assert error == pytest.approx(0.148031, abs=5e-7)


def test_the_same_from_rows():
    units, raters = np.nonzero(~np.isnan(GRADES))
    order = np.random.default_rng(0).permutation(len(units))
    units, raters = units[order], raters[order]
    table = rater_agreement(GRADES, groups=[*"ppqqrrss"], random_state=0)
    flat = rater_agreement(
        GRADES[units, raters],
        units=[f"unit {unit}" for unit in units],
        raters=[f"rater {rater}" for rater in raters],
        groups=np.array([*"ppqqrrss"])[units],
        random_state=0,
    )
    assert flat.alpha == pytest.approx(table.alpha)
    assert (flat.low, flat.high) == pytest.approx((table.low, table.high))
    assert flat.n_queries == table.n_queries == 4
    assert [row.rater for row in flat.raters] == ["rater 0", "rater 1", "rater 2"]


def test_queries_are_resampled_whole():
    # All units of a query agree or differ alike, so that the queries are the sample.
    rng = np.random.default_rng(0)
    truth, is_off = rng.integers(0, 4, 30), rng.random(30) < 0.3
    pair = np.column_stack([truth, np.where(is_off, (truth + 2) % 4, truth)])
    ratings, query = pair.repeat(10, axis=0), np.arange(30).repeat(10)
    by_unit = rater_agreement(ratings, random_state=0)
    by_query = rater_agreement(ratings, groups=query, random_state=0)
    assert by_query.alpha == by_unit.alpha
    assert by_query.standard_error > 2 * by_unit.standard_error


def test_resamples_without_variation_are_counted():
    found = rater_agreement([[0, 0], [1, 1], [0, 0]], n_resamples=400, random_state=0)
    assert 60 < found.n_skipped < 200
    assert (found.low, found.high) == (1, 1)


def test_what_has_no_interval():
    with pytest.warns(UserWarning, match="All grades are equal"):
        found = rater_agreement([[3, 3], [3, 3]])
    assert np.isnan([found.alpha, found.low, found.raters_needed()]).all()
    with pytest.warns(UserWarning, match="of one query"):
        found = rater_agreement(GRADES, groups=["q"] * 8)
    assert np.isnan(found.low)
    assert found.alpha == pytest.approx(5539 / 6745)
    with pytest.warns(
        UserWarning, match="Fewer than two resamples .* increase n_resamples"
    ):
        found = rater_agreement(GRADES, n_resamples=1)
    assert np.isnan([found.low, found.high, found.standard_error]).all()


def test_raters_needed():
    found = rater_agreement(GRADES, random_state=0)
    for wanted in (0.5, 0.8, 0.9, 0.95, 0.99):
        m = found.raters_needed(wanted)

        def reliability(m):
            return m * found.alpha / (1 + (m - 1) * found.alpha)

        assert reliability(m) >= wanted
        assert m == 1 or reliability(m - 1) < wanted
    assert rater_agreement(PREVALENCE, n_resamples=9).raters_needed() == np.inf


def test_tables_of_pandas():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(GRADES).astype("Int64")
    assert krippendorff_alpha_score(table) == pytest.approx(5539 / 6745)
    names = table.astype("string")
    found = krippendorff_alpha_score(names, level="nominal")
    assert found == pytest.approx(31 / 67)


def test_text_and_frame():
    pandas = pytest.importorskip("pandas")
    ratings = pandas.DataFrame(GRADES, columns=["ann", "bob", "cay"])
    found = rater_agreement(ratings, groups=[*"ppqqrrss"], random_state=0)
    frame = found.to_frame()
    assert frame["rater"].tolist() == ["ann", "bob", "cay"]
    text = str(found)
    assert "0.821" in text
    assert "by 4 queries" in " ".join(text.split())
    assert "64.7 % of pairs are equal" in text
    assert max(map(len, text.splitlines())) <= 80
    assert repr(found) == "RaterAgreement(alpha=0.821, 3 raters)"
    relevant = str(rater_agreement(GRADES, min_relevance=2, n_resamples=99, random_state=0))
    assert "grades >= 2" in relevant
    assert "Left out" in str(rater_agreement([[0, 0], [1, 1]], random_state=0))


# ---- bad input -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ratings", "given", "text"),
    [
        ([[1, NAN], [NAN, 2]], {}, "no unit with two grades"),
        ([[1], [2]], {}, "no unit with two grades"),
        ([[NAN, NAN]], {}, "has no grade"),
        (np.zeros((0, 2)), {}, "has no grade"),
        ([1, 2, 3], {}, "a row a unit"),
        ([["x", "y"]], {}, "names go with level='nominal'"),
        ([[1, np.inf]], {}, "infinite"),
        ([[-1, 1]], {"level": "ratio"}, "grades of 0 or more"),
        ([[0, 1]], {"level": "rational"}, "level"),
        ([[0, 1]], {"sample_weight": [1, 1]}, "sample_weight"),
        ([[0, 1]], {"sample_weight": [0.2]}, "give larger weights"),
        ([[0, 1], [1, NAN]], {"sample_weight": [0, 1]}, "give larger weights"),
        ([[0, 1]], {"replace_undefined_by": "raise"}, "replace_undefined_by"),
    ],
)
def test_alpha_refuses(ratings, given, text):
    with pytest.raises(ValueError, match=text):
        krippendorff_alpha_score(ratings, **given)


def test_fleiss_refuses():
    with pytest.raises(ValueError, match="krippendorff_alpha_score"):
        fleiss_kappa_score(GRADES)
    with pytest.raises(ValueError, match="one grade a unit"):
        fleiss_kappa_score([[1], [2]])


@pytest.mark.parametrize(
    ("ratings", "given", "text"),
    [
        (
            [1, 2, 2],
            {"units": [*"uuu"], "raters": [*"xyx"]},
            "Rater 'x' grades unit 'u' more",
        ),
        ([1, 2], {"units": [*"uu"]}, "with `units` and `raters`"),
        ([[1, 2]], {"units": ["u"]}, "with `units`"),
        ([1, 2], {"units": ["u"], "raters": [*"xy"]}, "`units` has 1 rows"),
        ([1, 2], {"units": ["u", None], "raters": [*"xy"]}, "missing"),
        ([[1, 2]], {"raters": ["x"]}, "2 columns"),
        ([[1, 2, 3]], {"raters": [*"aab"]}, "2 columns .* such as 'a'; give each rater"),
        ([[1, 2]], {"groups": [1, 2]}, "`groups` has 2 rows"),
        (
            [1, 2],
            {"units": [*"uu"], "raters": [*"xy"], "groups": [1, 2]},
            "has two queries",
        ),
        ([["x", "y"]], {"level": "nominal", "min_relevance": 1}, "numbers, not names"),
        ([[1, 2]], {"confidence_level": 95}, "confidence_level"),
    ],
)
def test_report_refuses(ratings, given, text):
    with pytest.raises(ValueError, match=text):
        rater_agreement(ratings, **given)


def test_no_sparse_ratings():
    sparse = pytest.importorskip("scipy.sparse")
    with pytest.raises(ValueError, match="missing grade would be read as 0"):
        krippendorff_alpha_score(sparse.csr_array(np.eye(3)))


def test_reliability_is_between_0_and_1():
    found = rater_agreement(GRADES, n_resamples=9, random_state=0)
    with pytest.raises(ValueError, match="reliability"):
        found.raters_needed(1)
