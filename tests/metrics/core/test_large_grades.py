"""Grades whose gains, or sums of gains, are too large or too small for a float."""

import re
from fractions import Fraction
from math import inf, isnan, log, log2

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_rank.metrics import (
    cg_score,
    dcg_score,
    expected_reciprocal_rank_score,
    ips_ndcg_score,
    ndcg_score,
    per_query_scores,
    q_measure_score,
    rank_biased_precision_score,
    ranking_scores,
)
from tests.metrics.registered import METRICS

TWO = {"y_score": [1, 2, 1, 2], "groups": [0, 0, 1, 1]}


# ---- nDCG is a ratio, and finite -------------------------------------------------------


@pytest.mark.parametrize("grade", [1023, 1023.5, 1024, 1100, 1e6, 1e308])
def test_ndcg_of_exponential_gains_beyond_a_float(grade):
    score = ndcg_score([grade, 0, 0, 1], **TWO, gain="exponential")
    assert score == (1 / log2(3) + 1) / 2


@pytest.mark.parametrize("gain", ["linear", "exponential", lambda grades: grades / 3])
@pytest.mark.parametrize("grade", [5e-324, 1e-310, 1e-200, 1e-17])
def test_ndcg_of_gains_that_are_nearly_nothing(grade, gain):
    score = ndcg_score([grade * 8, 0, 0, 1], **TWO, gain=gain)
    assert score == (1 / log2(3) + 1) / 2


@pytest.mark.parametrize("gain", ["linear", lambda grades: grades / 2])
def test_ndcg_of_gains_that_add_up_to_more_than_a_float(gain):
    grades, scores = [1e308, 1e308, 0.0, 1e308, 5e307], [1, 2, 5, 3, 4]
    expected = ndcg_score([2, 2, 0, 2, 1], scores, groups=[0] * 5)
    score = ndcg_score(grades, scores, groups=[0] * 5, gain=gain)
    assert score == pytest.approx(expected, rel=1e-14)
    tied = ndcg_score(grades, [0] * 5, groups=[0] * 5, gain=gain)
    expected = ndcg_score([2, 2, 0, 2, 1], [0] * 5, groups=[0] * 5)
    assert tied == pytest.approx(expected, rel=1e-14)


def test_gains_of_small_grades_keep_their_digits():
    data = {"y_score": [2, 1], "groups": [0, 0]}
    for grade in (1e-7, 1e-12, 1e-300):
        score = cg_score([grade, 0], **data, gain="exponential")
        assert score == pytest.approx(grade * log(2), rel=1e-7)
    mixed = ndcg_score([1e-9, 2.0], **data, gain="exponential")
    ideal = 3 + 1e-9 * log(2) / log2(3)
    assert mixed == pytest.approx((1e-9 * log(2) + 3 / log2(3)) / ideal, rel=1e-14)


def power_less_one(grade):
    """Return 2**g - 1 as a fraction, of a grade that is a multiple of 1/2."""
    whole, half = divmod(int(2 * grade), 2)
    return Fraction(2) ** whole * (Fraction(2**0.5) if half else 1) - 1


GRADES = st.sampled_from([0, 0.5, 1, 3, 499, 500.5, 501, 900, 1023, 1024, 1100, 1100.5])


@settings(max_examples=100, deadline=None)
@given(grades=st.lists(GRADES, min_size=1, max_size=7), k=st.sampled_from([1, 2, None]))
def test_ndcg_against_fractions(grades, k):
    scores = -np.arange(len(grades))
    gains = [power_less_one(grade) for grade in grades]
    factors = [Fraction(1 / log2(rank + 2)) for rank in range(len(grades))]
    found = sum(g * f for g, f in zip(gains[:k], factors, strict=False))
    ideal = sum(g * f for g, f in zip(sorted(gains)[::-1][:k], factors, strict=False))
    data = {"y_true": grades, "y_score": scores, "groups": [0] * len(grades)}
    actual = ndcg_score(**data, k=k, gain="exponential", replace_undefined_by=7.0)
    expected = 7 if ideal == 0 else float(found / ideal)
    assert actual == pytest.approx(expected, rel=1e-12, abs=1e-300)


def test_a_factor_of_the_rank_cancels_out_whatever_its_size():
    data = {"y_true": [2, 0, 3, 1], "y_score": [4, 3, 2, 1], "groups": [0] * 4}
    expected = ndcg_score(**data, discount="reciprocal")
    for size in (1e308, 1e-300, 1e200):
        score = ndcg_score(**data, discount=lambda rank, size=size: size / rank)
        assert score == pytest.approx(expected, rel=1e-12)
    large = {**data, "y_true": [1e308, 0, 1.5e308, 5e307]}
    score = ndcg_score(**large, discount=lambda rank: 1e308 / rank)
    assert score == pytest.approx(expected, rel=1e-12)


def test_weighted_gains_beyond_a_float():
    data = {"y_score": [4, 3, 2, 1], "groups": [0] * 4, "propensity": [0.5, 1, 0.1, 0.3]}
    for self_normalized in (True, False):
        expected = ips_ndcg_score([2, 0, 2, 1], **data, self_normalized=self_normalized)
        large = [1e308, 0, 1e308, 5e307]
        score = ips_ndcg_score(large, **data, self_normalized=self_normalized)
        assert score == pytest.approx(expected, rel=1e-14)


# ---- a query's value is its own --------------------------------------------------------

NAMES = [
    "ndcg@3",
    "ndcg(gain='exponential')@4",
    "q_measure",
    "q_measure(beta=0.3)@2",
    "err(max_grade=1e+308)",
]
EXTREMES = [0, 0, 1, 2.5, 7, 1e-310, 1e-20, 499.7, 500.3, 1000, 1100.25, 1e200, 1e308]


def test_large_and_small_grades_of_other_queries_change_no_digit():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(60), 8)
    y_score = rng.integers(0, 5, len(groups))
    y_true = rng.choice(EXTREMES, len(groups))
    y_true[::8] = 1
    # Some queries hold ordinary grades alone, whole or not, and some hold tiny ones.
    ordinary, tiny = groups < 20, (groups >= 20) & (groups < 30)
    y_true[ordinary] = rng.choice([0, 1, 2, 0.3, 2.7, 4.1], np.count_nonzero(ordinary))
    y_true[tiny] = rng.choice([0, 1e-12, 3e-11, 1e-310], np.count_nonzero(tiny))
    y_true[: 30 * 8 : 8] = 2.7e-12
    together = per_query_scores(y_true, y_score, groups=groups, metrics=NAMES).scores
    for query in range(60):
        rows = groups == query
        alone = per_query_scores(
            y_true[rows], y_score[rows], groups=groups[rows], metrics=NAMES
        ).scores
        for name in NAMES:
            assert alone[name][0] == together[name][query]


@pytest.mark.parametrize("name", ["ndcg", "ndcg@3", "ndcg(discount='reciprocal')@5"])
@pytest.mark.parametrize("power", [-1000, -600, 520, 1015])
def test_a_power_of_two_on_all_grades_changes_no_digit_of_a_ratio(name, power):
    rng = np.random.default_rng(1)
    y_true, y_score = rng.integers(0, 6, (40, 9)), rng.integers(0, 4, (40, 9))
    y_true[:, 0] = 3
    one = per_query_scores(y_true, y_score, metrics=[name]).scores[name]
    scaled = np.ldexp(y_true.astype(float), power)
    other = per_query_scores(scaled, y_score, metrics=[name]).scores[name]
    np.testing.assert_array_equal(one, other)


# ---- the Q-measure, ERR and RBP --------------------------------------------------------


def test_q_measure_of_grades_beyond_a_float():
    scores = {"y_score": [4, 3, 2, 1], "groups": [0] * 4}
    for beta in (1, 0.2, 1e-300, 1e99):
        limit = q_measure_score([2e99, 0, 1e99, 2e99], **scores, beta=1e99)
        score = q_measure_score([1e308, 0, 5e307, 1e308], **scores, beta=beta)
        assert score == pytest.approx(limit, rel=1e-7)
    half = q_measure_score([1e308, 0, 5e307, 1e308], **scores, beta=1e-308)
    expected = q_measure_score([1, 0, 0.5, 1], **scores)
    assert half == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("grade", [1000, 1023, 1024, 1100.5, 1e308])
@pytest.mark.parametrize("max_grade", [None, 1e308])
def test_err_of_grades_beyond_a_float(grade, max_grade):
    is_highest = max_grade in {None, grade}
    score = expected_reciprocal_rank_score(
        [grade, 0, 0, 0], **TWO, max_grade=max_grade, replace_undefined_by=0.0
    )
    assert score == (0.25 if is_highest else 0.0)


def test_err_below_the_highest_grade():
    data = {"y_true": [1098.5, 1099, 1100], "y_score": [3, 2, 1], "groups": [0] * 3}
    small = data | {"y_true": [98.5, 99, 100]}
    assert expected_reciprocal_rank_score(**data) == pytest.approx(
        expected_reciprocal_rank_score(**small), rel=1e-14
    )


def test_a_highest_grade_that_is_a_large_integer():
    for metric in (expected_reciprocal_rank_score, rank_biased_precision_score):
        score = metric([2, 0, 0, 1], **TWO, max_grade=10**300)
        assert score == pytest.approx(0, abs=1e-290)
        assert not isnan(score)


# ---- sums that a float cannot hold -----------------------------------------------------


@pytest.mark.parametrize("metric", [cg_score, dcg_score])
@pytest.mark.parametrize(
    ("grades", "gain"),
    [
        ([0, 0, 1100, 3], "exponential"),
        ([0, 0, 1e308, 1.7e308], "linear"),
        ([0, 0, 1e308, 1.7e308], lambda grades: grades / 1.1),
    ],
)
def test_sums_of_gains_say_which_grade_is_too_large(metric, grades, gain):
    scores, groups = [1, 2, 1, 2], ["a", "a", "b", "b"]
    message = re.escape(f"highest grade is {float(max(grades))}")
    with pytest.raises(ValueError, match=f"query b .*{message}.*with gain="):
        metric(grades, scores, groups=groups, gain=gain)


def test_sums_of_gains_above_the_cutoff_are_finite():
    data = {"y_true": [3, 1100], "y_score": [2, 1], "groups": [0, 0]}
    assert cg_score(**data, k=1, gain="exponential") == 7
    assert dcg_score(**data, k=1, gain="exponential") == 7
    missed = data | {"y_score": [2, -inf]}
    assert cg_score(**missed, gain="exponential") == 7


def test_a_gain_that_is_infinite_is_named():
    with (
        np.errstate(over="ignore"),
        pytest.raises(ValueError, match=r"inf for grade 1100\.0"),
    ):
        ndcg_score([1, 1100], [2, 1], groups=[0, 0], gain=lambda grades: 2**grades - 1)


# ---- types of grades -------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.int16])
@pytest.mark.parametrize("form", ["flat", "grid"])
def test_narrow_types_of_grades_are_computed_with_in_double_precision(dtype, form):
    rng = np.random.default_rng(2)
    y_true = rng.choice([0, 0, 1, 3, 1000, 1024, 30_000], (25, 12))
    y_true[:, 3] = 1
    y_score = rng.integers(0, 6, (25, 12))
    data = {"y_score": y_score}
    if form == "flat":
        data = {"y_score": y_score.ravel(), "groups": np.repeat(np.arange(25), 12)}
        y_true = y_true.ravel()
    names = ["ndcg(gain='exponential')@5", "ndcg", "cg", "err", "q_measure", "rbp"]
    wide = ranking_scores(y_true.astype(float), **data, metrics=names)
    narrow = ranking_scores(y_true.astype(dtype), **data, metrics=names)
    assert narrow == wide


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_narrow_types_of_propensities(dtype):
    propensity = np.array([1e-5, 1e-5, 0.5, 0.25], dtype)
    data = {"y_true": [1, 1, 0, 1], "y_score": [4, 3, 2, 1], "groups": [0] * 4}
    score = ips_ndcg_score(**data, propensity=propensity)
    assert score == ips_ndcg_score(**data, propensity=propensity.astype(float))
    assert not isnan(score)


# ---- nothing above 1 -------------------------------------------------------------------

NOT_BOUNDED = {"cg", "dcg", "mean_rank"}


@pytest.mark.parametrize("name", sorted(set(METRICS) - NOT_BOUNDED))
def test_rounding_lifts_no_value_above_one(name):
    rng = np.random.default_rng(3)
    inside = "(n_items=None)" if name == "accuracy" else ""
    names = [f"{name}{inside}@{k}" for k in (1, 3, 7)] if METRICS[name].takes_k else []
    for _ in range(60):
        groups = rng.integers(0, 12, 60)
        grades = np.round(rng.random(60), rng.integers(1, 5))
        y_true = grades * (rng.random(60) < rng.choice([0.3, 0.9]))
        y_score = rng.choice([y_true, np.round(y_true, 1), rng.integers(0, 3, 60)])
        metrics = [f"{name}{inside}", *names]
        found = per_query_scores(y_true, y_score, groups=groups, metrics=metrics)
        for values in found.scores.values():
            assert not (values > 1).any()
            assert not (values < 0).any()


def test_the_mean_of_large_sums_is_a_number():
    """Their sum is beyond floats."""
    rows = {"y_true": [1e308, 1e308], "y_score": [1, 1], "groups": [0, 1]}
    for name in ("cg", "dcg"):
        metric = METRICS[name].function
        assert metric(**rows) == 1e308
        assert metric(**rows, sample_weight=[1, 3]) == pytest.approx(1e308)
