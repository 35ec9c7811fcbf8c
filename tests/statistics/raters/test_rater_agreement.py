"""Agreement of raters: published values, an oracle, laws, and bad input."""

from dataclasses import replace
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
import scipy.stats
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import cohen_kappa_score

from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.statistics import (
    confidence_interval,
    fleiss_kappa_score,
    krippendorff_alpha_score,
    rater_agreement,
)
from sklearn_rank.statistics._raters._reference_rater import agreement_interval

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
    with pytest.warns(MisleadingScoreWarning, match="0.821 if rows are raters"):
        found = krippendorff_alpha_score(GRADES.T)
    assert found == pytest.approx(-0.082695, abs=5e-7)


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
    found = rater_agreement(PREVALENCE)
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
    found = rater_agreement(GRADES)
    assert found.alpha == pytest.approx(5539 / 6745)
    assert (found.n_units, found.n_pairable, found.n_queries) == (8, 7, 7)
    assert found.percent_agreement == pytest.approx(11 / 17)
    without = [row.alpha_without for row in found.raters]
    np.testing.assert_allclose(without, [0.786842, 0.831773, 0.877778], atol=5e-7)
    assert [row.n_units for row in found.raters] == [7, 6, 7]
    means = np.nanmean(GRADES, axis=0)
    np.testing.assert_allclose([row.mean for row in found.raters], means)
    relevant = rater_agreement(GRADES, min_relevance=2)
    assert relevant.alpha == pytest.approx(4 / 5)


def test_a_rater_without_grades_changes_nothing():
    alone = rater_agreement(GRADES)
    empty = np.full(len(GRADES), NAN)
    found = rater_agreement(np.column_stack([GRADES, empty]))
    assert (found.alpha, found.low, found.high) == (alone.alpha, alone.low, alone.high)
    assert found.raters[:3] == alone.raters
    last = found.raters[3]
    assert (last.n_units, last.alpha_without) == (0, alone.alpha)
    assert np.isnan(last.mean)


def by_hand(value, without, level=0.95):
    """Return low, high and the error of agreement, by the formulas one after the other."""
    z = [np.arctanh(min(max(one, -0.999999), 1 - (1 - value) / 2)) for one in without]
    n = len(z)
    d = [one - sum(z) / n for one in z]
    s = np.sqrt((n - 1) / n * sum(one**2 for one in d))
    k = n * sum(one**4 for one in d) / sum(one**2 for one in d) ** 2
    df = n - 1 if k == 1 else min(n - 1, max(1, 2 * (n - 1) / (k - 1)))
    t = scipy.stats.t.ppf((1 + level) / 2, df)
    ends = np.tanh(np.arctanh(value) - t * s), np.tanh(np.arctanh(value) + t * s)
    return *ends, s * (1 - value**2)


def ends_of(found):
    return found.low, found.high, found.standard_error


def test_printed_intervals():
    found = rater_agreement(GRADES[:6])
    assert found.alpha == pytest.approx(0.861158, abs=5e-7)
    assert ends_of(found) == pytest.approx((0.440395, 0.971756, 0.082942), abs=5e-7)
    found = rater_agreement(GRADES, groups=[*"ppqqrrss"])
    assert (found.low, found.high) == pytest.approx((0.122007, 0.975665), abs=5e-7)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("has_groups", [False, True])
def test_interval_without_each_query(level, has_groups):
    rng = np.random.default_rng(7)
    true = rng.integers(1, 5, 40)
    ratings = np.clip(true[:, None] + rng.integers(-1, 2, (40, 3)), 1, 4).astype(float)
    ratings[rng.random(ratings.shape) < 0.2] = NAN
    query = rng.integers(0, 12, 40) if has_groups else np.arange(40)
    is_pairable = np.sum(~np.isnan(ratings), axis=1) > 1
    found = rater_agreement(ratings, groups=query, level=level, confidence_level=0.9)
    without = [
        krippendorff_alpha_score(ratings[query != one], level=level)
        for one in np.unique(query[is_pairable])
    ]
    assert ends_of(found) == pytest.approx(by_hand(found.alpha, without, 0.9), rel=1e-9)


def test_interval_of_two_queries_has_one_degree_of_freedom():
    ratings = [[0, 0], [1, 2], [2, 2], [3, 1]]
    found = rater_agreement(ratings, groups=[*"aabb"])
    without = [krippendorff_alpha_score(ratings[2:]), krippendorff_alpha_score(ratings[:2])]
    assert ends_of(found) == pytest.approx(by_hand(found.alpha, without), rel=1e-9)


def test_interval_of_opposite_raters_is_finite():
    found = rater_agreement([[0, 1], [1, 0]] * 10 + [[0, 0], [1, 0]])
    assert -1 < found.low < found.alpha < found.high < 1
    assert agreement_interval(-1.5, np.array([-1.6, -0.5]), 0.95)[0] < -0.999


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
    table = rater_agreement(GRADES, groups=[*"ppqqrrss"])
    flat = rater_agreement(
        GRADES[units, raters],
        units=[f"unit {unit}" for unit in units],
        raters=[f"rater {rater}" for rater in raters],
        groups=np.array([*"ppqqrrss"])[units],
    )
    assert flat.alpha == pytest.approx(table.alpha)
    assert (flat.low, flat.high) == pytest.approx((table.low, table.high))
    assert flat.n_queries == table.n_queries == 4
    assert [row.rater for row in flat.raters] == ["rater 0", "rater 1", "rater 2"]


def test_queries_are_left_out_whole():
    # All units of a query agree or differ alike, so that the queries are the sample.
    rng = np.random.default_rng(0)
    truth, is_off = rng.integers(0, 4, 30), rng.random(30) < 0.3
    pair = np.column_stack([truth, np.where(is_off, (truth + 2) % 4, truth)])
    ratings, query = pair.repeat(10, axis=0), np.arange(30).repeat(10)
    by_unit = rater_agreement(ratings)
    by_query = rater_agreement(ratings, groups=query)
    assert by_query.alpha == by_unit.alpha
    assert by_query.standard_error > 2 * by_unit.standard_error


def test_what_has_no_interval():
    with pytest.warns(UserWarning, match="All grades are equal"):
        found = rater_agreement([[3, 3], [3, 3]])
    assert np.isnan([found.alpha, found.low, found.raters_needed()]).all()
    with pytest.warns(UserWarning, match="of one query"):
        found = rater_agreement(GRADES, groups=["q"] * 8)
    assert np.isnan(found.low)
    assert found.alpha == pytest.approx(5539 / 6745)
    with pytest.warns(UserWarning, match="All raters agree, so that the low end"):
        found = rater_agreement([[0, 0], [1, 1], [0, 0]])
    assert found.high == 1
    assert np.isnan([found.low, found.standard_error]).all()
    # Without the last unit all grades are 0; then all units are alike.
    for ratings in ([[0, 0], [0, 0], [0, 1]], [[0, 1], [1, 0]]):
        with pytest.warns(UserWarning, match="undefined or the same without each query"):
            found = rater_agreement(ratings)
        assert np.isnan(ends_of(found)).all()


# ---- a reference -----------------------------------------------------------------------

PEOPLE = np.array([0, 1, 2, 3, 0, 1, 2, 3, 1, 0, 2, 1, 0, 3, 1, 2])
JUDGE = np.array([1, 1, 3, 3, 0, 2, 2, 3, 1, 1, 3, 1, 0, 3, 2, 2])
NAMES = {"raters": ["people", "judge"], "reference": "people"}
PAIRS_OF_UNITS = np.repeat(np.arange(8), 2)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ("quadratic", (0.837838, 0.644707, 0.930427)),
        ("linear", (0.688312, 0.424125, 0.844532)),
        (None, (0.5, 0.189526, 0.719577)),
    ],
)
def test_printed_kappas(weights, expected):
    both = np.column_stack([PEOPLE, JUDGE])
    found = rater_agreement(both, groups=PAIRS_OF_UNITS, weights=weights, **NAMES)
    people, judge = found.raters
    kappa = judge.kappa, judge.kappa_low, judge.kappa_high
    assert kappa == pytest.approx(expected, abs=5e-7)
    assert judge.kappa == pytest.approx(cohen_kappa_score(PEOPLE, JUDGE, weights=weights))
    bias = judge.bias, judge.bias_low, judge.bias_high
    assert bias == pytest.approx((0.375, 0.181499, 0.568501), abs=5e-7)
    assert np.isnan([people.n_shared, people.bias, people.kappa_low]).all()
    assert [row.bias for row in found.by_grade] == pytest.approx([0.5, 0.4, 0.5, 0])
    assert [(row.grade, row.n) for row in found.by_grade] == [
        (0, 4),
        (1, 5),
        (2, 4),
        (3, 3),
    ]
    assert np.isnan(found.by_grade[3].low)  # no variation
    some = PEOPLE == 1
    with pytest.warns(UserWarning, match="rough with 4 degrees of freedom"):
        expected = confidence_interval(
            (JUDGE - PEOPLE)[some], clusters=PAIRS_OF_UNITS[some], method="t"
        )
    row = found.by_grade[1]
    assert (row.low, row.high) == pytest.approx((expected.low, expected.high))
    assert row.mean == pytest.approx(JUDGE[some].mean())
    text = str(found)
    assert f"{weights or 'unweighted'} kappa" in text
    assert "judge      16  +0.375  [+0.181, +0.569]" in text
    assert text.rstrip().endswith("+0.000")
    assert found.to_dict()["by_grade"][0]["rater"] == "judge"


def test_kappa_without_queries():
    judge = rater_agreement(np.column_stack([PEOPLE, JUDGE]), **NAMES).raters[1]
    assert (judge.kappa_low, judge.kappa_high) == pytest.approx(
        (0.624629, 0.934805), abs=5e-7
    )


@pytest.mark.parametrize("weights", ["quadratic", "linear", None])
@pytest.mark.parametrize("scale", [1, 0.1, 1e200])
def test_kappa_by_the_definition_and_without_each_query(weights, scale):
    rng = np.random.default_rng(3)
    ratings = rng.choice([0.0, 1, 2, 5], (50, 3)) * scale
    ratings[rng.random(ratings.shape) < 0.2] = NAN
    query = rng.integers(0, 15, 50)
    found = rater_agreement(ratings, groups=query, reference=1, weights=weights)
    assert np.isnan(found.raters[1].kappa)
    for own in (0, 2):
        shared = ~np.isnan(ratings[:, own]) & ~np.isnan(ratings[:, 1])

        def kappa(keeps, own=own):
            pairs = ratings[keeps][:, [own, 1]] / scale
            far = {
                "quadratic": lambda g, h: (g - h) ** 2,
                "linear": lambda g, h: abs(g - h),
            }
            distance = far.get(weights, lambda g, h: float(g != h))
            observed = sum(distance(g, h) for g, h in pairs) / len(pairs)
            expected = sum(distance(g, h) for g in pairs[:, 0] for h in pairs[:, 1])
            return 1 - observed / (expected / len(pairs) ** 2)

        row = found.raters[own]
        assert row.n_shared == shared.sum()
        assert row.kappa == pytest.approx(kappa(shared), rel=1e-9)
        without = [kappa(shared & (query != one)) for one in np.unique(query[shared])]
        low, high, _ = by_hand(row.kappa, without)
        assert (row.kappa_low, row.kappa_high) == pytest.approx((low, high), rel=1e-7)


def test_names_differ_or_not_whatever_the_weights():
    table = np.array([[*"xyzxyzxy"], [*"xyzxyyxx"]]).T
    for weights in ("quadratic", "linear", None):
        found = rater_agreement(table, level="nominal", reference=0, weights=weights)
        row = found.raters[1]
        assert row.kappa == pytest.approx(cohen_kappa_score(*table.T))
        assert np.isnan([row.bias, row.bias_low, found.by_grade[0].mean]).all()
        assert [one.grade for one in found.by_grade] == [*"xyz"]
    assert "rater  grade  units  mean  bias" in str(found)


def test_a_rater_who_shares_no_unit_and_one_who_agrees():
    ratings = np.array([[0, NAN, 0], [1, NAN, 1], [2, NAN, 2], [NAN, 1, 2], [NAN, 0, 1]])
    reference, apart, same = rater_agreement(ratings, reference=0).raters
    assert np.isnan(reference.n_shared)
    assert apart.n_shared == 0
    assert np.isnan([apart.bias, apart.kappa]).all()
    assert (same.n_shared, same.bias, same.kappa, same.kappa_high) == (3, 0, 1, 1)
    assert np.isnan([same.bias_low, same.kappa_low]).all()
    alone = rater_agreement([[0, 1, NAN], [1, 1, NAN], [2, 1, NAN]], reference=2)
    assert alone.by_grade == rater_agreement(GRADES).by_grade == []


def test_the_bias_of_one_query_has_no_interval():
    with pytest.warns(UserWarning, match="of one query"):
        row = rater_agreement([[0, 1], [1, 1]], groups=[*"aa"], reference=0).raters[1]
    assert row.bias == 0.5
    assert np.isnan(row.bias_low)


def test_relevant_or_not_is_held_against_the_reference():
    both = np.column_stack([PEOPLE, JUDGE])
    row = rater_agreement(both, min_relevance=2, **NAMES).raters[1]
    assert row.bias == pytest.approx(np.mean((JUDGE >= 2) * 1.0 - (PEOPLE >= 2)))
    assert row.kappa == pytest.approx(cohen_kappa_score(PEOPLE >= 2, JUDGE >= 2))


# A rate of 400 runs has a standard error of .011 at .95.


@pytest.mark.slow
def test_rate_of_the_interval_of_fifty_units():
    """True agreement is that of all four pairs of many units of the same kind."""
    rng = np.random.default_rng(0)

    def draw(n):
        true = rng.choice(4, n, p=[0.4, 0.3, 0.2, 0.1])
        noise = rng.choice([-1, 0, 1], (n, 2), p=[0.15, 0.7, 0.15])
        return np.clip(true[:, None] + noise, 0, 3)

    many = draw(400_000)
    alpha = krippendorff_alpha_score(many)
    kappa = cohen_kappa_score(*many.T, weights="quadratic")
    covers = np.zeros(2)
    for _ in range(400):
        found = rater_agreement(draw(50), reference=0)
        row = found.raters[1]
        covers += found.low <= alpha <= found.high, row.kappa_low <= kappa <= row.kappa_high
    assert covers[0] / 400 == pytest.approx(0.963, abs=0.035)
    assert covers[1] / 400 == pytest.approx(0.947, abs=0.035)


def test_raters_needed():
    found = rater_agreement(GRADES)
    for wanted in (0.5, 0.8, 0.9, 0.95, 0.99):
        m = found.raters_needed(wanted)

        def reliability(m):
            return m * found.alpha / (1 + (m - 1) * found.alpha)

        assert reliability(m) >= wanted
        assert m == 1 or reliability(m - 1) < wanted
    assert rater_agreement(PREVALENCE).raters_needed() == np.inf


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
    found = rater_agreement(ratings, groups=[*"ppqqrrss"])
    frame = found.to_frame()
    assert frame["rater"].tolist() == ["ann", "bob", "cay"]
    text = str(found)
    assert "0.821" in text
    assert "by 4 queries" in " ".join(text.split())
    assert "64.7% of pairs are equal" in text
    assert max(map(len, text.splitlines())) <= 80
    assert repr(found) == "RaterAgreement(alpha=0.821, 3 raters)"
    relevant = str(rater_agreement(GRADES, min_relevance=2))
    assert "grades >= 2" in relevant


# ---- bad input -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ratings", "given", "text"),
    [
        ([[1, NAN], [NAN, 2]], {}, "no unit with two grades"),
        ([[1], [2]], {}, "no unit with two grades"),
        ([[NAN, NAN]], {}, "has no grade"),
        (np.zeros((0, 2)), {}, "has no grade"),
        ([1, 2, 3], {}, "one row per unit"),
        ([["x", "y"]], {}, "names go with level='nominal'"),
        ([[0, "h", 1], [0, "j", 2]], {}, "grade 'h'.*name the columns"),
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
    with pytest.raises(ValueError, match="one grade per unit"):
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
        ([1, 2], {"units": ["u"], "raters": [*"xy"]}, "`units` has 1 values"),
        ([1, 2], {"units": ["u", None], "raters": [*"xy"]}, "missing"),
        ([[1, 2]], {"raters": ["x"]}, "2 columns"),
        ([[1, 2, 3]], {"raters": [*"aab"]}, "columns of rater 'a'; give each one column"),
        ([[1, 2]], {"groups": [1, 2]}, "`groups` has 2 values"),
        (
            [1, 2],
            {"units": [*"uu"], "raters": [*"xy"], "groups": [1, 2]},
            "differs within unit 'u'",
        ),
        ([["x", "y"]], {"level": "nominal", "min_relevance": 1}, "numbers, not names"),
        ([[1, 2]], {"confidence_level": 95}, "confidence_level"),
        ([[1, 2]], {"raters": [*"xy"], "reference": "z"}, "`reference` .*'x'.*'y'"),
        ([[1, 2]], {"weights": "cubic"}, "`weights`"),
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
    found = rater_agreement(GRADES)
    with pytest.raises(ValueError, match="reliability"):
        found.raters_needed(1)


@pytest.mark.parametrize("reference", [None, 0])
def test_a_report_is_made_of_its_own_values(reference):
    found = rater_agreement(GRADES, reference=reference)
    assert replace(found).to_dict() == found.to_dict()
    with pytest.raises(ValueError, match="`settings` has no 'by_query', which it needs"):
        replace(found, settings={"level": "ordinal"})
    with pytest.raises(TypeError, match="`by_grade` must be a list of dicts"):
        replace(found, by_grade=1)


def test_few_units_with_a_rare_grade_are_warned_of():
    grades = np.zeros((20, 3))
    grades[:2] = [[1, 1, 0], [1, 0, 1]]
    message = "2 units have a grade other than the most frequent one, 0.0; below 10"
    with pytest.warns(UserWarning, match=message):
        rater_agreement(grades)
    with pytest.warns(UserWarning, match=message.replace("0.0", "3.0")):
        rater_agreement(3 - grades)
    labels = np.where(grades == 1, "spam", "fine")
    with pytest.warns(UserWarning, match="2 units .*, 'fine'; below 10"):
        rater_agreement(labels, level="nominal")
    assert len(rater_agreement(np.repeat(grades, 5, axis=0)).raters) == 3  # ten of them
    with pytest.warns(UserWarning, match="2 units"):  # a unit with one grade does not count
        rater_agreement(np.vstack([grades, np.full((9, 3), [5, np.nan, np.nan])]))


def test_the_nominal_level_has_an_unweighted_kappa():
    people, judge = np.array([0, 1, 2, 2, 1, 0, 2, 1, 0, 1]), [0, 2, 2, 1, 1, 0, 0, 1, 0, 1]
    table = np.column_stack([people, judge])
    found = rater_agreement(table, level="nominal", reference=0)
    assert found.raters[1].kappa == pytest.approx(cohen_kappa_score(people, judge))
    assert "; unweighted kappa" in str(found)
    assert found.settings["weights"] is None
    names = rater_agreement(np.array([*"abc"])[table], level="nominal", reference=0)
    assert "; unweighted kappa" in str(names)
    assert names.raters[1].kappa == found.raters[1].kappa
