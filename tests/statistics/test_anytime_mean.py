"""Intervals by bets, which hold at every number of queries."""

import numpy as np
import pytest

from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.statistics import compare_models, confidence_interval

DIFFERENCES = np.array([0.1, -0.2, 0.3, 0, 0.05, -0.1, 0.2, 0.15, 0, 0.1])
NO_RANGE = "needs the lowest and the highest possible value"


def compare(difference, **given):
    """Return the comparison of two models from 0 to 1 with these differences."""
    models = {"new": np.maximum(difference, 0), "old": np.maximum(-difference, 0)}
    given = {"baseline": "old", "value_range": (0, 1), "test": "anytime", **given}
    return compare_models(models, **given).row("new")


# ---- printed examples, and plain loops -------------------------------------------------


@pytest.mark.parametrize(
    ("difference", "low", "high", "p"),
    [
        (DIFFERENCES, -0.449976, 0.513153, 1),
        (np.tile(DIFFERENCES, 30), 0.028736, 0.089326, 2.580273e-05),
        (np.zeros(400), -0.016672, 0.016672, 1),
    ],
)
def test_printed_differences(difference, low, high, p):
    row = compare(difference)
    assert (row.low, row.high) == pytest.approx((low, high), abs=5e-7)
    assert row.p_value == pytest.approx(p, rel=5e-7)
    assert row.interval == "anytime"
    found = confidence_interval(difference, method="anytime", value_range=(-1, 1))
    assert (found.low, found.high) == pytest.approx((low, high), abs=5e-7)


def test_printed_mean():
    values = [1, 1, 0, 1, 0.5, 1, 1, 0, 1, 1]
    found = confidence_interval(values, method="anytime", value_range=(0, 1))
    assert (found.low, found.high) == pytest.approx((0.269224, 0.977945), abs=5e-7)
    assert found.method == "anytime"
    metric = PerQueryScores(range(10), {"ndcg@10": values}, ranges={})
    with pytest.raises(ValueError, match=NO_RANGE):
        confidence_interval(metric, method="anytime")


def wealth_by_loops(values, mean):
    """Return the mean over stakes of what bets against the mean have won."""
    total = 0.0
    for j in range(64):
        stake = 0.01 * 99.8 ** (j / 63)
        won = 1.0
        for value in values:
            won *= 1 - stake + stake * value / mean
        total += won
    return total / 64


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_interval_and_p_by_plain_loops(alternative):
    rng = np.random.default_rng(1)
    difference = np.round(rng.uniform(-0.3, 0.8, 25), 2)
    row = compare(difference, alternative=alternative, confidence_level=0.9)
    up, down = (difference + 1) / 2, (1 - difference) / 2
    sides = 2 if alternative == "two-sided" else 1
    won = []
    if alternative != "less":
        assert wealth_by_loops(up, (row.low + 1) / 2) == pytest.approx(sides / 0.1)
        won.append(wealth_by_loops(up, 0.5))
    else:
        assert row.low == -1
    if alternative != "greater":
        assert wealth_by_loops(down, (1 - row.high) / 2) == pytest.approx(sides / 0.1)
        won.append(wealth_by_loops(down, 0.5))
    else:
        assert row.high == 1
    assert row.p_value == pytest.approx(min(1, sides / max(won)))


def test_p_is_small_exactly_where_the_interval_excludes_0():
    rng = np.random.default_rng(0)
    outside = 0
    for _ in range(60):
        row = compare(rng.uniform(-0.5, 0.5, 80) + rng.uniform(-0.3, 0.3))
        assert (row.p_value <= 0.05) == (row.low > 0 or row.high < 0)
        outside += row.p_value <= 0.05
    assert 10 < outside < 50


def test_neither_the_order_nor_many_values_matter():
    rng = np.random.default_rng(0)
    difference = np.clip(rng.normal(0.01, 0.2, 40_000), -1, 1)
    row, other = compare(difference), compare(rng.permutation(difference))
    assert (row.low, row.high) == pytest.approx((other.low, other.high), abs=1e-12)
    assert row.low < 0.01 < row.high
    assert row.high - row.low < 0.01


def test_values_at_the_ends_of_the_range():
    for values, low, high in (([0] * 30, 0, 0.2), ([1] * 30, 0.8, 1)):
        found = confidence_interval(values, method="anytime", value_range=(0, 1))
        assert low - 0.05 < found.low <= found.high < high + 0.05
        assert {found.low, found.high} & {0, 1}
    found = confidence_interval([1e-9] * 3, method="anytime", value_range=(0, 1))
    assert found.low < 1e-9


def test_margin_verdict_correction_and_means():
    models = {
        "old": np.full(900, 0.5),
        "same": np.full(900, 0.5),
        "new": np.tile([0.8, 0.6], 450),
    }
    given = {"value_range": (0, 1), "test": "anytime", "baseline": "old"}
    found = compare_models(models, margin=0.02, intervals="simultaneous", **given)
    assert [row.verdict for row in found.rows()] == ["equivalent", "better"]
    alone = compare_models(models, margin=0.02, **given)
    assert alone.row("new").low > found.row("new").low
    assert found.row("new").p_adjusted == pytest.approx(2 * found.row("new").p_value)
    mean = confidence_interval(models["new"], method="anytime", value_range=(0, 1))
    assert found.means["low"].tolist()[2] == mean.low
    assert "bets, valid at any time" in str(found)


# ---- refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"clusters": [0] * 5 + [1] * 5}, "'anytime' bets on one query after the other"),
        ({"sample_weight": [1] * 10}, "no clusters, no weights and no label twice"),
        ({"groups": [*"aabcdefghi"]}, "mean over the queries of a user, or use 't'"),
        ({"value_range": None}, f"`test` 'anytime' {NO_RANGE}"),
        ({"correction": "max_t"}, "'max_t' flips the signs of a fixed number"),
        ({"correction": "max_t", "intervals": "simultaneous"}, "does not go with `test`"),
    ],
)
def test_comparisons_that_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        compare(DIFFERENCES, **given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"clusters": [0] * 5 + [1] * 5}, "`method` 'anytime' bets on one query"),
        ({"sample_weight": [1] * 10}, "no clusters, no weights"),
        ({"groups": [*"aabcdefghi"]}, "no label twice"),
        ({"value_range": None}, f"`method` 'anytime' {NO_RANGE}"),
        ({"value_range": (0, 1)}, "outside `value_range`"),
    ],
)
def test_means_that_are_refused(given, message):
    given = {"value_range": (-1, 1), **given}
    with pytest.raises(ValueError, match=message):
        confidence_interval(DIFFERENCES, method="anytime", **given)


def test_streams_are_refused():
    stream = iter([PerQueryScores(range(10), {"a": DIFFERENCES})])
    with pytest.raises(ValueError, match="`test='anytime'` needs the values of all"):
        compare_models({"a": stream, "b": stream}, test="anytime")


# ---- rates of 400 runs -----------------------------------------------------------------

MARGIN, LOOKS = 0.02, range(50, 1501, 50)


def verdicts(values):
    """Yield the number of queries and the interval at each look."""
    for n in LOOKS:
        found = confidence_interval(values[:n], method="anytime", value_range=(-1, 1))
        yield n, found.low, found.high


@pytest.mark.slow
@pytest.mark.parametrize("change", [-0.5, 0.5])
def test_rate_of_false_verdicts_of_rare_changes(change):
    """4 % of the queries change by .5, so that the mean is at the margin."""
    rng = np.random.default_rng(0)
    n_false = 0
    for _ in range(400):
        values = np.where(rng.random(LOOKS[-1]) < 0.04, change, 0.0)
        n_false += any(
            low > -MARGIN if change < 0 else high < MARGIN
            for _, low, high in verdicts(values)
        )
    assert n_false / 400 <= 0.02


@pytest.mark.slow
@pytest.mark.parametrize("mean", [MARGIN, -3 * MARGIN])
def test_median_number_of_queries_of_clear_differences(mean):
    """Against the plan for one look with power .8 at the distance of the margin."""
    rng = np.random.default_rng(0)
    sd = 0.25
    planned = (2.8 * sd / MARGIN) ** 2
    n_needed = []
    for _ in range(400):
        values = np.clip(np.round(rng.normal(mean, sd, LOOKS[-1]), 1), -1, 1)
        decided = (
            n for n, low, high in verdicts(values) if low >= -MARGIN or high < -MARGIN
        )
        n_needed.append(next(decided, LOOKS[-1]))
    assert 0.28 < np.median(n_needed) / planned < 0.42
