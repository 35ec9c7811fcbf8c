"""One mean has one interval; verdicts and intervals hold for skewed values."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sklearn_rank.metrics import (
    MetricAtKDisplay,
    PerQueryDisplay,
    per_query_scores,
    ranking_report,
)
from sklearn_rank.metrics._core._mean_intervals import skewness_of
from sklearn_rank.statistics import compare_models, confidence_interval, gate_model
from tests.benchmarks.interval_rates import (
    MEANS,
    SHAPES,
    coverage,
    ends_of,
    error_of,
    rejections,
    two_values,
    verdicts,
)

pytestmark = pytest.mark.filterwarnings("ignore:All differences of new")


def row_of_gains(n, gains, often, rarely, sign=1):
    """Return the comparison of differences that have one of two values."""
    difference = np.repeat([rarely, often], [gains, n - gains])
    scores = {"old": np.full(n, 0.5), "new": 0.5 + sign * difference}
    return compare_models(scores, baseline="old", margin=0.02).row("new")


@pytest.mark.parametrize(
    ("n", "share", "often", "rarely", "by_t", "level"),
    [
        (100, 0.04, -0.03, 0.22, 0.07, 0.0),
        (200, 0.04, -0.03, 0.22, 0.09, 0.04),
        (100, 0.1, -0.03, 0.07, 0.055, 0.026),
        (200, 0.1, -0.03, 0.07, 0.052, 0.033),
    ],
)
def test_the_level_of_worse_and_better_if_few_gain(n, share, often, rarely, by_t, level):
    # Verdicts depend on the number of gains, which is binomial: no simulation is needed.
    chances = stats.binom.pmf(range(n // 3), n, share)
    for sign, verdict in ((1, "worse"), (-1, "better")):
        rows = [row_of_gains(n, k, often, rarely, sign) for k in range(n // 3)]
        found = sum(
            chance
            for chance, row in zip(chances, rows, strict=True)
            if row.verdict == verdict
        )
        assert found <= level + 0.001
        # By Student's t alone, as before.
        ends = [
            row.difference
            + sign * stats.t.isf(0.025, row.n_queries - 1) * row.standard_error
            for row in rows
        ]
        alone = chances @ [end * sign < -0.02 for end in ends] - chances[0]
        assert alone > by_t


def test_the_gate_fails_less_often_by_chance():
    n, gains = 200, 4
    difference = np.repeat([0.22, -0.03], [gains, n - gains])
    gate = gate_model(np.full(n, 0.5), 0.5 + difference, margin=0.02)
    assert gate.verdict == "undecided"
    row = gate.comparison.rows()[0]
    assert row.p_value < 0.0001
    assert row.high < 0


@pytest.mark.parametrize("sign", [1, -1])
def test_the_wider_end_stops_at_0(sign):
    rng, n_cut = np.random.default_rng(0), 0
    for _ in range(300):
        difference = sign * (rng.exponential(size=20) - 1.6)
        row = compare_models(
            {"old": np.zeros(20), "new": difference}, baseline="old", margin=0.5
        ).row("new")
        assert (row.p_value < 0.05) == (row.low > 0 or row.high < 0)
        n_cut += 0 < max(row.low, -row.high) < 1e-300
    assert n_cut > 10


def values_of(hits):
    """Return scores in which the relevant item is at these ranks, 0 for no hit."""
    y_true = np.zeros((len(hits), 10))
    y_true[np.arange(len(hits))[hits > 0], hits[hits > 0] - 1] = 1
    y_true = np.column_stack([y_true, hits == 0])
    y_score = np.tile(np.arange(11.0, 0, -1), (len(hits), 1))
    y_score[:, 10] = -np.inf
    return y_true, y_score


RNG = np.random.default_rng(7)
RANKS = {
    "few differ": np.repeat([1, 2, 4], [34, 3, 3]),
    "skewed": np.minimum(RNG.geometric(0.6, 40), 9),
    "rare hits": np.where(RNG.random(150) < 0.2, RNG.integers(1, 11, 150), 0),
    "normal": RNG.integers(0, 11, 60),
}


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.filterwarnings("ignore:Few queries decide")
def test_reports_pictures_streams_and_comparisons_show_the_same(ranks):
    data = values_of(RANKS[ranks])
    scores = per_query_scores(*data, metrics="mrr@10")
    interval = confidence_interval(scores)["mrr@10"]
    ends = interval.low, interval.high
    assert 0 <= ends[0] < ends[1] <= 1
    of_array = confidence_interval(scores["mrr@10"], value_range=(0, 1))
    assert (of_array.low, of_array.high) == ends
    how = {"confidence_level": 0.95, "output_dict": True}
    for report in (ranking_report(*data, metrics="mrr@10", **how), scores.report(**how)):
        assert (report["mrr@10"]["low"], report["mrr@10"]["high"]) == ends
    by = np.arange(len(scores)) % 2
    part = scores.report(by=by, **how)["mrr@10"]["segments"][1]
    expected = confidence_interval(scores.of(by == 1))["mrr@10"]
    assert (part["low"], part["high"]) == (expected.low, expected.high)
    means = compare_models({"one": scores, "two": scores}).means
    assert (means["low"][0], means["high"][0]) == ends
    table = pd.DataFrame({"group": range(len(scores)), "mrr@10": scores["mrr@10"]})
    tables = iter([table[:11], table[11:30], table[30:]])
    streamed = confidence_interval(tables)["mrr@10"]
    assert (streamed.low, streamed.high) == pytest.approx(ends, rel=1e-12)
    assert streamed.method == interval.method
    display = PerQueryDisplay.from_scores(scores)
    assert tuple(display.band_.get_xdata()) == ends
    curve = MetricAtKDisplay.from_predictions(*data, metrics="mrr", k=[10])
    band = curve.bands_[0].get_paths()[0].vertices[:, 1]
    assert (band.min(), band.max()) == pytest.approx(ends)


def test_an_array_has_no_known_range():
    values = np.repeat([1.0, 0.9, 0.4], [30, 8, 5])
    interval = confidence_interval(values[:20] - 0.01 * np.arange(20))
    assert interval.value_range == "unknown"
    assert "value_range" in str(interval)
    assert "unknown" in str(interval)
    high = 1 - 0.001 * np.arange(30) * (np.arange(30) > 26)
    assert confidence_interval(high, method="t").high > 1 - 1e-6
    for method in ("auto", "t", "bca", "exact"):
        found = confidence_interval(
            values, method=method, value_range=(0, 1), random_state=0
        )
        assert found.high <= 1
        assert found.value_range == "0 to 1"


def test_the_end_of_the_longer_tail_is_further_out():
    values = np.random.default_rng(0).exponential(size=40)
    interval, by_t = (confidence_interval(values, method=name) for name in ("auto", "t"))
    residuals = values - values.mean()
    skewness = (residuals**3).sum() / (residuals**2).sum() ** 1.5
    quantile = stats.t.isf(0.025, 39)
    shift = (2 * quantile**2 + 1) / 6 * skewness * by_t.standard_error
    assert interval.method == "t, widened"
    assert interval.low == by_t.low
    assert interval.high == pytest.approx(by_t.high + shift, rel=1e-9)


def test_few_queries_that_decide_a_mean_are_counted():
    values = np.repeat([0.5, 0.05, 0], [1, 11, 138])
    with pytest.warns(UserWarning, match=r"Few queries decide .* `values` \(12 of 150\)"):
        interval = confidence_interval(values, value_range=(0, 1))
    unknown = confidence_interval(values)  # the shift alone
    assert interval.high == unknown.high
    exact = confidence_interval(values, value_range=(0, 1), method="exact")
    assert exact.high - exact.low > 1.5 * (interval.high - interval.low)
    y_true, y_score = values_of(np.repeat([2, 10, 0], [1, 11, 138]))
    with pytest.warns(UserWarning, match=r"mean of mrr@10 \(12 of 150\)"):
        ranking_report(y_true, y_score, metrics="mrr@10", confidence_level=0.95)


def test_a_difference_stays_within_its_range():
    scores = {
        name: per_query_scores([[1, 0, 0], [0, 0, 1]], one, metrics="ndcg")
        for name, one in {"a": [[3, 2, 1]] * 2, "b": [[1, 2, 3], [3, 2, 1]]}.items()
    }
    with pytest.warns(UserWarning, match="2 queries"):
        row = compare_models(scores, baseline="a").row("b")
    assert -1 <= row.low <= row.high <= 1
    with pytest.warns(UserWarning, match="2 queries"):
        row = compare_models({name: one["ndcg"] for name, one in scores.items()}).row("b")
    assert row.low < -1


def test_the_interval_does_not_depend_on_the_order():
    rng = np.random.default_rng(0)
    values = rng.beta(0.3, 1.2, 500)
    ends = {
        (found.low, found.high)
        for found in (confidence_interval(rng.permutation(values)) for _ in range(20))
    }
    assert len(ends) == 1


@pytest.mark.parametrize("shape", SHAPES)
def test_simulated_intervals_are_those_of_the_package(shape):
    samples = SHAPES[shape](np.random.default_rng(0), 5 * 40).reshape(5, 40)
    ends = ends_of(samples, is_widened=True)
    for difference, low, high in zip(samples, *ends, strict=True):
        row = compare_models(
            {"old": np.zeros(40), "new": difference}, baseline="old", margin=0.02
        ).row("new")
        assert (row.low, row.high) == pytest.approx((low, high), rel=1e-7, abs=1e-9)


# Simulations; numbers of repetitions are such that 2.5 standard errors are about .006.
REPEATS = 4000
SLOW = pytest.mark.slow


def is_at_most(rate, level):
    """Return whether a rate is not above a level by 2.5 standard errors and a tenth."""
    return rate <= max(1.1 * level, level + 2.5 * error_of(level, REPEATS))


# The last shape is none of those for which the correction was measured first.
@SLOW
@pytest.mark.parametrize(
    ("shape", "n", "level"),
    [
        ("96% -0.03, 4% +0.22", 100, 0.003),
        ("96% -0.03, 4% +0.22", 200, 0.039),
        ("96% -0.03, 4% +0.22", 600, 0.031),
        ("90% -0.03, 10% +0.07", 60, 0.013),
        ("90% -0.03, 10% +0.07", 200, 0.032),
        ("exponential(0.05) - 0.07", 30, 0.045),
        ("exponential(0.05) - 0.07", 100, 0.028),
        ("beta(0.3, 3) / 2, shifted", 30, 0.046),
        ("beta(0.3, 3) / 2, shifted", 200, 0.029),
        ("normal, deviation 0.05", 30, 0.025),
        ("normal, deviation 0.05", 100, 0.025),
        ("lognormal(0, 1) / 20, shifted", 100, 0.055),
    ],
)
def test_worse_comes_seldom_if_the_loss_is_the_margin(shape, n, level):
    assert is_at_most(verdicts(SHAPES[shape], n, REPEATS)["worse"], level)
    assert is_at_most(verdicts(SHAPES[shape], n, REPEATS, sign=-1)["better"], level)


@SLOW
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("n", [60, 200])
def test_equivalent_comes_seldom_if_the_loss_is_the_margin(shape, n):
    # "pass" of a loss, and "equivalent" of a gain.
    for sign in (1, -1):
        found = verdicts(SHAPES[shape], n, REPEATS, sign=sign)
        side = "better" if sign == 1 else "worse"
        assert is_at_most(found["equivalent"] + found[side], 0.027)


@SLOW
def test_differences_without_skewness_lose_no_power():
    def draw(rng, n):
        return rng.normal(0, 0.05, n)

    for n in (60, 100):
        wide, narrow = (verdicts(draw, n, 1000, test=test) for test in ("auto", "t"))
        assert wide["equivalent"] > narrow["equivalent"] - 0.05


@SLOW
def test_p_is_too_small_if_small_gains_hide_a_rare_loss():
    def draw(rng, n):
        return two_values(rng, n, share=0.96, often=0.02, rarely=-0.48)

    rate = rejections(draw, 200, REPEATS)
    assert math.isclose(rate, 0.105, abs_tol=2.5 * error_of(0.105, REPEATS))


# Coverage at least, with 1,000 repetitions; the last is a cell of another shape.
@SLOW
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("title", "n", "least"),
    [
        ("reciprocal ranks 1 to 20, 10% hits", 150, 0.9),
        ("reciprocal ranks 1 to 20, 30% hits", 150, 0.949),
        ("reciprocal ranks 1 to 20, 3% hits", 1000, 0.934),
        ("reciprocal ranks 1 to 20, 100% hits", 20, 0.9),
        ("reciprocal ranks 1 to 20, 100% hits", 50, 0.95),
        ("1% of 1, 9% of 0.05, else 0", 150, 0.79),
        ("beta(0.3, 1.2)", 8, 0.92),
        ("beta(0.3, 1.2)", 20, 0.95),
        ("beta(2, 0.5)", 40, 0.94),
    ],
)
def test_intervals_of_skewed_values_cover_the_mean(title, n, least):
    draw, mean, _ = MEANS[title]
    found, _ = coverage(draw, mean, n, 1000)
    assert found >= least - 2.5 * error_of(least, 1000)


def test_residuals_of_0_have_no_skewness():
    assert skewness_of(np.zeros(3)) == 0.0
