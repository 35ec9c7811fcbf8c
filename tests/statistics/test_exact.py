"""Exact intervals: numbers known otherwise, other roads to them, and when they are used."""

import math

import numpy as np
import pytest
from scipy import stats

from sklearn_rank.metrics import per_query_scores
from sklearn_rank.metrics._core._bounded_mean import BoundedMean, chance_below_zero
from sklearn_rank.metrics._core._mean_intervals import MANY_DIFFERENT, count_different
from sklearn_rank.metrics._core._parameters import Range
from sklearn_rank.statistics import compare_models, confidence_interval


def interval_of(values, low, high, **options):
    values = np.array(values, dtype=float)
    return BoundedMean.from_sums(values, np.ones(len(values)), Range(low, high)).interval(
        0.95, **options
    )


def about(*values):
    return pytest.approx(values, rel=2e-6, abs=2e-6)


def test_known_examples():
    """By integrals, partial fractions and enumeration of another implementation."""
    assert interval_of([0] * 50, -1, 1) == about(-0.0711217, 0.0711217)
    assert interval_of([0] * 47 + [-0.3, -0.2, 0.1], -1, 1) == about(-0.080079, 0.064796)
    assert interval_of([0] * 46 + [1, -1, -1, -1], -1, 1) == about(-0.151905, 0.065836)
    assert interval_of([0.5, 0.7, 0.2], 0, 1) == about(0.120507, 0.855775)
    scores = {"zero": np.full(50, 0.5), "one": np.r_[np.full(46, 0.5), 1, 0, 0, 0]}
    row = compare_models(scores, baseline="zero", value_range=(-0.5, 0.5 + 0.5)).row("one")
    assert row.interval == "exact"


def test_p_of_three_losses_and_a_gain():
    old = np.r_[np.zeros(47), np.ones(3)]
    new = np.r_[np.zeros(46), 1, 0, 0, 0]
    row = compare_models({"old": old, "new": new}, baseline="old", value_range=(0, 1)).row(
        "new"
    )
    assert (row.low, row.high, row.p_value) == about(-0.151905, 0.065836, 0.625)


@pytest.mark.parametrize("n", [2, 10, 100, 1_000, 1_000_000])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_of_0_and_1_it_is_clopper_and_pearson(n, level):
    for hits in {0, 1, 2, min(n, 9), n // 2, n - 1, n}:
        counts = np.array([n - hits, hits], dtype=float)
        is_there = counts > 0
        values = np.array([0.0, 1])[is_there]
        mean = BoundedMean(values, np.ones(len(values)), counts[is_there], Range(0, 1))
        tail = (1 - level) / 2
        low = stats.beta.ppf(tail, hits, n - hits + 1) if hits else 0
        high = stats.beta.isf(tail, hits + 1, n - hits) if hits < n else 1
        assert mean.interval(level) == pytest.approx((low, high), rel=4e-5, abs=1e-12)


def test_the_chance_by_partial_fractions():
    rng = np.random.default_rng(0)
    for _ in range(50):
        factors = rng.normal(size=6)
        negative = factors < 0
        expected = 1.0 if negative.all() else 0.0
        if negative.any() and not negative.all():
            expected = sum(
                1 / np.prod(1 - np.delete(factors, place) / factors[place])
                for place in np.flatnonzero(negative)
            )
        assert chance_below_zero(factors, np.ones(6)) == pytest.approx(expected, abs=1e-9)


def test_the_chance_where_no_line_is_better_than_the_others():
    loss = 1 - 1e-9
    for factor in (3e-4, 1e-4):
        expected = 1 / ((1 + 1 / loss) * (1 + factor / loss))
        found = chance_below_zero(np.array([1, -loss, factor]), np.ones(3))
        assert found == pytest.approx(expected, abs=1e-9)


def test_one_side_of_a_p_value_is_half_of_both():
    values = np.r_[np.zeros(14), np.full(6, 0.9)]
    of = BoundedMean.from_sums(values, np.ones(20), Range(-1, 1)).p_value
    assert of("greater") == pytest.approx(of("two-sided") / 2)
    scores = {"zero": 0 * values, "new": values}
    for alternative in ("greater", "less"):
        row = compare_models(scores, alternative=alternative, value_range=(0, 1)).row("new")
        assert (row.interval, row.p_value) == ("exact", pytest.approx(of(alternative)))
    moved = BoundedMean.from_sums(
        values - row.high, np.ones(20), Range(-1 - row.high, 1 - row.high)
    )
    assert moved.p_value("less") == pytest.approx(0.05)


def test_the_chance_by_simulation():
    rng = np.random.default_rng(0)
    factors, counts = np.array([0.3, 0.1, -0.8, -0.05]), np.array([2.0, 30, 1, 40])
    drawn = rng.gamma(counts, size=(200_000, 4)) @ factors
    share = np.mean(drawn <= 0)
    assert chance_below_zero(factors, counts) == pytest.approx(share, abs=0.004)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_interval_is_where_p_is_half_of_the_rest(weighted):
    rng = np.random.default_rng(1)
    weights = rng.uniform(0.5, 3, 30) if weighted else np.ones(30)
    values = np.where(np.arange(30) < 25, 0, rng.uniform(-1, 1, 30))
    low, high = BoundedMean.from_sums(values * weights, weights, Range(-1, 1)).interval(0.9)
    for mean in (low, high):
        moved = BoundedMean.from_sums(
            (values - mean) * weights, weights, Range(-1 - mean, 1 - mean)
        )
        assert moved.p_value("two-sided") == pytest.approx(0.1, abs=1e-8)
    apart = BoundedMean.from_sums(values * weights, weights, Range(-1, 1))
    assert apart.interval(0.95, "greater") == (pytest.approx(low), math.inf)
    assert apart.interval(0.95, "less") == (-math.inf, pytest.approx(high))


def test_very_many_weights_are_taken_together():
    weights = np.random.default_rng(0).uniform(0.5, 2, 20_000)
    low, high = BoundedMean.from_sums(np.zeros(20_000), weights, Range(-1, 1)).interval(
        0.95
    )
    equal = interval_of(np.zeros(20_000), -1, 1)
    assert (low, high) == pytest.approx(equal, rel=2e-3)


def test_the_rule():
    share = Range(0, 1)

    def count(*values):
        return count_different(np.hstack(values), share)

    assert count(np.full(20, 0.5), 0.1) == 1
    assert count(0.1, 0.2, np.full(5, 0.5)) == 2
    assert count(np.full(9, 0.6), np.full(91, 0.5)) == 9
    assert count(np.full(20, 0.5), np.linspace(0, 0.4, 10)) == 10
    assert count(np.full(60, 0.5), np.linspace(0, 0.4, 49)) == 49
    assert count(np.full(60, 0.5), np.linspace(0, 0.4, 55)) == MANY_DIFFERENT
    assert count(0.1, 0.5, 0.2, 0.5) == MANY_DIFFERENT  # half
    assert count(0.0, 1, 0, 1) == 2  # of hits the rarer decides
    late = np.r_[np.full(2000, 0.5), np.zeros(50)]
    assert count(late) == MANY_DIFFERENT
    assert count(late[:-1]) == 49


def test_exact_intervals_need_a_known_range():
    values = np.r_[np.zeros(40), 0.1]
    assert confidence_interval(values).method == "t, widened"
    assert confidence_interval(values, value_range=(0, 1)).method == "exact"
    row = compare_models({"a": values, "b": 0 * values}).row("b")
    assert row.interval == "t"
    with pytest.raises(ValueError, match="`test` 'exact' needs the lowest"):
        compare_models({"a": values, "b": 0 * values}, test="exact")
    found = compare_models({"a": values, "b": 0 * values}, test="exact", value_range=(0, 1))
    assert found.settings["interval"] == found.row("b").interval == "exact"


def test_metrics_know_their_range():
    groups = np.repeat(np.arange(30), 3)
    y_true = np.tile([1, 0, 0], 30)
    scores = {
        name: per_query_scores(
            y_true, np.tile(one, 30), groups=groups, metrics=["mrr", "mean_rank"]
        )
        for name, one in {"a": [3, 2, 1], "b": [6, 5, 4]}.items()
    }
    found = compare_models(scores, metrics="mrr", margin=0.05)
    row = found.row("b")
    assert (row.low, row.high) == about(*interval_of([0] * 30, -1, 1))
    assert (row.verdict, row.interval, row.p_value) == ("undecided", "exact", 1)
    assert "0 of 30 queries differ; a loss of up to 0.116 is not" in str(found)
    assert "margin 0.05 needs 72 such queries." in " ".join(str(found).split())
    with pytest.warns(UserWarning, match="All values of `mean_rank` are 1"):
        found = confidence_interval(scores["a"])
    assert found["mean_rank"].method == "t"
    assert (found["mrr"].low, found["mrr"].high) == about(0.025 ** (1 / 30), 1)


def test_equal_differences_of_a_known_range_have_an_interval():
    """They differ in all queries, but the error of their mean is 0."""
    scores = {"low": np.full(30, 0.25), "high": np.full(30, 0.5)}
    row = compare_models(scores, baseline="low", value_range=(0, 1)).row("high")
    assert (row.n_different, row.standard_error, row.interval) == (30, 0, "exact")
    assert (row.low, row.high) == about(*interval_of([0.25] * 30, -1, 1))
    assert row.low < 0.25 < row.high
    pd = pytest.importorskip("pandas")
    tables = {n: pd.DataFrame({"group": range(30), "mrr": v}) for n, v in scores.items()}
    streams = {name: iter([one[:7], one[7:]]) for name, one in tables.items()}
    found = compare_models(streams, baseline="low", value_range=(0, 1)).row("high")
    assert (found.low, found.high) == pytest.approx((row.low, row.high))


def test_notes_of_many_comparisons_are_cut():
    scores = {
        name: np.r_[np.full(49, 0.5), 0.1 * place] for place, name in enumerate("abcde")
    }
    text = str(compare_models(scores, value_range=(0, 1)))
    assert text.count("1 of 50 queries differ.") == 5
    assert "5 more are by exact bounds." in text


def test_streams_count_the_few_that_differ():
    pd = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    old = rng.uniform(size=60)
    new = np.where(np.arange(60) % 20 == 3, rng.uniform(size=60), old)
    tables = {
        name: pd.DataFrame({"group": np.arange(60), "rows": 9, "ndcg@10": values})
        for name, values in {"old": old, "new": new, "up": old * 0.5 + 0.5}.items()
    }
    expected = compare_models(tables, baseline="old")
    streams = {name: iter([one[:7], one[7:]]) for name, one in tables.items()}
    found = compare_models(streams, baseline="old")
    assert found.columns["interval"].tolist() == ["exact", "t"]
    for name in ("low", "high", "p_value"):
        assert found.columns[name] == pytest.approx(expected.columns[name], rel=1e-9)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:Few queries decide")
@pytest.mark.parametrize(
    ("kind", "least"), [("ones", 0.95), ("uniform", 0.97), ("skewed", 0.80)]
)
def test_coverage_where_few_differ(kind, least):
    """Of 200 queries some 7 differ; Student's t covers .87 to .95, and .63 if skewed."""
    rng = np.random.default_rng(0)
    draw = {
        "ones": (lambda n: -np.ones(n), -1.0),
        "uniform": (lambda n: -rng.uniform(size=n), -0.5),
        "skewed": (lambda n: np.where(rng.random(n) < 0.1, -1, 1 / 9), 0.0),
    }[kind]
    covers = 0
    for _ in range(1_000):
        values = np.where(rng.random(200) < 7 / 200, draw[0](200), 0.0)
        found = confidence_interval(values, value_range=(-1, 1))
        covers += found.low <= draw[1] * 7 / 200 <= found.high
    assert covers / 1_000 >= least
