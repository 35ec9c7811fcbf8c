"""Verdicts by a margin: rare and skewed losses are not called equivalent too often."""

import math
from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sklearn_rank.metrics._core._mean_intervals import (
    skewness_of,
    skewness_of_sums,
    sum_of_cubes,
)
from sklearn_rank.metrics._core._summaries import Mean
from sklearn_rank.statistics import compare_models

pytestmark = pytest.mark.filterwarnings("ignore:.*queries; intervals")


def compare(difference, margin, **options):
    """Return the row of a model whose values are the differences."""
    scores = {"old": np.zeros(len(difference)), "new": np.asarray(difference, dtype=float)}
    return compare_models(scores, baseline="old", margin=margin, **options).row("new")


@cache
def of_losses(n, k, loss, margin, test="auto"):
    """Return the row of k losses in n queries."""
    difference = np.repeat([-loss, 0.0], [k, n - k])
    return compare(difference, margin, test=test, value_range=(-1, 0))


def test_losses_of_a_half_in_600_queries():
    verdicts = [of_losses(600, k, 0.5, 0.015).verdict for k in range(9, 26)]
    assert set(verdicts) == {"undecided"}
    assert of_losses(600, 10, 0.5, 0.015, "t").verdict == "equivalent"
    wider = [of_losses(600, k, 0.5, 0.02) for k in range(9, 26)]
    assert [row.verdict for row in wider] == ["equivalent"] * 5 + ["undecided"] * 12
    assert [round(wider[k - 9].low, 4) for k in (13, 14)] == [-0.0198, -0.0208]


def test_losses_of_one_in_1500_queries():
    row, by_t = (of_losses(1500, 21, 1, 0.02, test) for test in ("auto", "t"))
    assert (row.verdict, round(row.low, 4), row.interval) == (
        "undecided",
        -0.0212,
        "t, widened",
    )
    assert (by_t.verdict, round(by_t.low, 5), by_t.interval) == (
        "equivalent",
        -0.01995,
        "t",
    )
    assert row.p_value == by_t.p_value
    assert by_t.high < row.high < 0  # 0 is outside of both


@pytest.mark.parametrize(
    ("n", "share", "loss", "by_t", "found"),
    [
        (600, 0.04, 0.5, 0.0528, 0.0096),
        pytest.param(1500, 0.02, 1.0, 0.0527, 0.0209, marks=pytest.mark.slow),
        pytest.param(1000, 0.02, 1.0, 0.0376, 0.0204, marks=pytest.mark.slow),
    ],
)
def test_the_level_at_the_margin(n, share, loss, by_t, found):
    # Losses are alike, so the verdict depends on their number, which is binomial.
    for test, level in (("t", by_t), ("auto", found)):
        chance = sum(
            stats.binom.pmf(k, n, share)
            for k in range(math.ceil(1.3 * n * share))
            if of_losses(n, k, loss, share * loss, test).verdict == "equivalent"
        )
        assert round(chance, 4) == level
    assert found < 0.025 < by_t


@pytest.mark.parametrize("loss", [0.1, 0.5, 1.0])
@pytest.mark.parametrize(
    "n", [60, *(pytest.param(n, marks=pytest.mark.slow) for n in (200, 600, 2000))]
)
def test_more_losses_do_not_raise_the_low_end(n, loss):
    # Up to half of the queries; from there on exact bounds have no weight.
    lows = [of_losses(n, k, loss, 0.02).low for k in range(min(n // 2, 70))]
    assert (np.diff(lows) < 0).all()


def test_student_alone_jumps_where_exact_bounds_end():
    lows = [
        compare(np.repeat([-0.5, 0.0], [k, 600 - k]), None, value_range=(-1, 0)).low
        for k in (9, 10)
    ]
    assert lows[1] > lows[0]


def johnson(difference, level=0.95, tails=2):
    """Return the widened interval by a plain loop over the residuals."""
    n, mean = len(difference), sum(difference) / len(difference)
    residuals = [x - mean for x in difference]
    squares = sum(r**2 for r in residuals)
    error = math.sqrt(squares / (n - 1) / n)
    z = stats.t.ppf(1 - (1 - level) / tails, n - 1)
    shift = (2 * z**2 + 1) / 6 * sum(r**3 for r in residuals) / squares**1.5 * error
    return mean - z * error + min(shift, 0), mean + z * error + max(shift, 0)


SKEWED = np.random.default_rng(0).exponential(size=80) - 1.05


def test_an_unknown_range_has_the_correction_for_skewness_alone():
    for difference in (SKEWED, -SKEWED):
        row = compare(difference, 0.3)
        assert (row.low, row.high) == pytest.approx(johnson(difference), rel=1e-9)
    row = compare(SKEWED, 0.3, alternative="greater", confidence_level=0.9)
    assert row.low == pytest.approx(johnson(SKEWED, 0.9, tails=1)[0], rel=1e-9)
    assert row.high == math.inf
    assert compare(SKEWED, 0.3, alternative="less").low == -math.inf


def test_only_verdicts_by_a_margin_change():
    plain, wider = compare(SKEWED, None), compare(SKEWED, 0.3)
    assert plain.interval == "t"
    assert plain.p_value == wider.p_value
    assert plain.low == wider.low
    assert plain.high < wider.high
    for test in ("t", lambda a, b: 0.5):
        row = compare(SKEWED, 0.3, test=test)
        assert (row.low, row.high) == (plain.low, plain.high)


def test_few_or_equal_differences_are_not_widened():
    nine_of_ten = np.append(SKEWED[:9], 0)  # too many for exact bounds
    assert compare(nine_of_ten, 0.3).interval == "t"
    with pytest.warns(UserWarning, match="All differences of new"):
        assert compare(np.full(20, 0.5), 0.3).interval == "t"


def test_where_few_differ_an_end_is_between_this_and_the_exact_one():
    difference = np.repeat([-0.1, 0.0, 0.1], [12, 80, 8])
    options = {"value_range": (0, 1)}
    values = {"old": np.full(100, 0.5), "new": 0.5 + difference}
    row, exact = (
        compare_models(values, baseline="old", margin=0.1, test=test, **options).row("new")
        for test in ("auto", "exact")
    )
    low, high = johnson(difference)
    share = (50 - 20) / 40
    assert row.low == pytest.approx(share * exact.low + (1 - share) * low)
    assert row.high == pytest.approx(share * exact.high + (1 - share) * high)


def test_skewness_of_clusters_is_that_of_the_residuals():
    rng = np.random.default_rng(1)
    for scale in (1.0, 1e-200, 1e200):
        totals, weights = scale * rng.exponential(size=30), rng.uniform(1, 5, 30)
        apart = totals - totals.sum() / weights.sum() * weights
        expected = ((apart / scale) ** 3).sum() / ((apart / scale) ** 2).sum() ** 1.5
        assert skewness_of(apart) == pytest.approx(expected, abs=1e-10)
        mean = Mean().add(totals / weights, weights)
        by_sums = skewness_of_sums(mean, sum_of_cubes(totals))
        assert by_sums == pytest.approx(expected, abs=1e-10)
    nearly_equal = 1 + 1e-9 * rng.exponential(size=30)  # rounded cubes say nothing
    by_sums = skewness_of_sums(Mean().add(nearly_equal), sum_of_cubes(nearly_equal))
    assert abs(by_sums) <= 1


def test_skewness_does_not_depend_on_the_order():
    rng = np.random.default_rng(2)
    apart = rng.exponential(size=100_000)
    apart -= apart.mean()
    assert {skewness_of(rng.permutation(apart)) for _ in range(20)} == {skewness_of(apart)}


@pytest.mark.parametrize("n_different", [0, 7, 20, 49, 50, 90])
@pytest.mark.parametrize("size", ["alike", "unlike"])
@pytest.mark.filterwarnings("ignore:All differences")
def test_tables_read_one_after_the_other_say_the_same(n_different, size):
    new = np.full(100, 0.5)
    new[:n_different] -= 0.25 if size == "alike" else np.linspace(-0.1, 0.3, n_different)
    tables = {
        name: pd.DataFrame({"group": range(100), "mrr": values})
        for name, values in (("old", np.full(100, 0.5)), ("new", new))
    }
    streams = {name: iter([one[:15], one[15:60], one[60:]]) for name, one in tables.items()}
    found, expected = (
        compare_models(scores, baseline="old", margin=0.1, value_range=(0, 1)).row("new")
        for scores in (streams, tables)
    )
    assert repr(dict(found)) == repr(dict(expected))  # NaN is not equal to itself


def test_streams_of_equal_differences_use_all_of_them():
    for n in (12, 100):
        tables = {
            name: pd.DataFrame({"group": range(n), "mrr": np.full(n, value)})
            for name, value in (("old", 0.5), ("new", 0.25))
        }
        streams = {name: iter([one[:5], one[5:]]) for name, one in tables.items()}
        found, expected = (
            compare_models(scores, baseline="old", margin=0.1).row("new")
            for scores in (streams, tables)
        )
        assert found.interval == "exact"
        assert dict(found) == dict(expected)


def test_the_largest_t_does_not_undo_it():
    difference = np.repeat([-0.5, 0.0], [14, 586])
    scores = {"old": np.zeros(600), "new": difference, "same": -difference[::-1]}
    options = {"baseline": "old", "value_range": (-1, 1), "n_resamples": 199}
    options |= {"correction": "max_t", "intervals": "simultaneous", "random_state": 0}
    wider = compare_models(scores, margin=0.02, **options)
    plain = compare_models(scores, **options)
    for row, other in zip(wider.rows(), plain.rows(), strict=True):
        assert row.high - row.low > other.high - other.low
        assert row.p_adjusted == other.p_adjusted
        assert (row.p_adjusted <= 0.05) == (not row.low <= 0 <= row.high)


def test_the_text_names_the_method():
    scores = {"old": np.zeros(80), "new": SKEWED}
    text = str(compare_models(scores, baseline="old", margin=0.3))
    assert text.startswith(
        "score, 80 queries; difference to old, margin 0.3; t test, widened interval"
    )
    users = np.repeat(np.arange(11), [70, *[1] * 10])
    with pytest.warns(UserWarning, match="rough with"):
        compare_models(scores, baseline="old", margin=0.3, clusters=users)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "zeros", "least"), [(60, 0.0, 0.95), (150, 0.6, 0.75)])
def test_power_is_nearly_that_of_student_where_many_differ(n, zeros, least):
    """Below fifty different queries the exact bound counts, and "equivalent" needs more."""
    rng = np.random.default_rng(0)
    n_equivalent = dict.fromkeys(("auto", "t"), 0)
    for _ in range(1000):
        difference = 0.1 * rng.normal(size=n) * (rng.random(n) >= zeros)
        margin = 2.5 * 0.1 * math.sqrt((1 - zeros) / n)
        for test in n_equivalent:
            row = compare(difference, margin, test=test, value_range=(-0.5, 0.5))
            n_equivalent[test] += row.verdict == "equivalent"
    assert least * n_equivalent["t"] < n_equivalent["auto"] < n_equivalent["t"]
