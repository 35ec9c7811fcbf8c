"""Several repeats of one system, in intervals, comparisons, gates and leagues."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from sklearn_rank.metrics import per_query_scores
from sklearn_rank.statistics import (
    compare_models,
    confidence_interval,
    gate_model,
    rank_models,
)
from tests.benchmarks.repeat_rates import draw_repeats, intervals


def drawn(seed, n_queries, n_old, n_new, of_repeats=0.05):
    rng = np.random.default_rng(seed)
    queries = rng.exponential(0.3, n_queries)

    def system(n, shift):
        own = rng.normal(0, 0.15, n_queries)
        noise = rng.exponential(0.2, (n_queries, n))
        return (queries + own + shift)[:, None] + rng.normal(0, of_repeats, n) + noise

    return system(n_old, 0.0), system(n_new, 0.05)


def mean_squares(table):
    """Return the mean squares of repeats and of the rest, cell by cell."""
    n_queries, n_repeats = table.shape
    mean = sum(map(sum, table)) / table.size
    of_query = [sum(row) / n_repeats for row in table]
    of_repeat = [sum(column) / n_queries for column in table.T]
    between = n_queries * sum((m - mean) ** 2 for m in of_repeat) / (n_repeats - 1)
    rest = sum(
        (table[q, r] - of_query[q] - of_repeat[r] + mean) ** 2
        for q in range(n_queries)
        for r in range(n_repeats)
    )
    return between, rest / ((n_queries - 1) * (n_repeats - 1))


def by_hand(systems, of_queries, df):
    """Return the squared error and its degrees of freedom, from the formulas."""
    variance, doubt = of_queries, of_queries**2 / df
    for table in systems:
        n_queries, n_repeats = table.shape
        if n_repeats == 1:
            continue
        of_repeats, of_rest = mean_squares(table)
        x = (of_repeats - of_rest) / (n_queries * n_repeats)
        x = max(x, 0) if n_repeats == 2 else x
        variance += x
        if x > 0:
            size, free = n_queries * n_repeats, n_repeats - 1
            doubt += (of_repeats / size) ** 2 / free
            doubt += (of_rest / size) ** 2 / ((n_queries - 1) * free)
    variance = max(variance, of_queries / 4)
    return variance, min(max(variance**2 / doubt, 1), df)


@pytest.mark.parametrize(
    ("seed", "n_queries", "n_old", "n_new", "of_repeats"),
    [
        (0, 40, 3, 3, 0.05),
        (1, 40, 5, 3, 0.0),
        (2, 12, 2, 2, 0.0),
        (3, 25, 1, 5, 0.1),
        (4, 200, 10, 2, 0.3),
    ],
)
def test_an_interval_by_hand(seed, n_queries, n_old, n_new, of_repeats):
    old, new = drawn(seed, n_queries, n_old, n_new, of_repeats)
    d = new.mean(axis=1) - old.mean(axis=1)
    variance, df = by_hand([old, new], d.var(ddof=1) / n_queries, n_queries - 1)
    half = stats.t.ppf(0.975, df) * math.sqrt(variance)
    row = compare_models({"old": old, "new": new}, baseline="old").row("new")
    assert row.difference == pytest.approx(d.mean(), abs=1e-12)
    assert row.standard_error == pytest.approx(math.sqrt(variance), rel=1e-9)
    assert row.df == pytest.approx(df, rel=1e-9)
    assert (row.low, row.high) == pytest.approx((d.mean() - half, d.mean() + half), 1e-9)
    assert row.p_value == pytest.approx(
        2 * stats.t.sf(abs(d.mean()) / math.sqrt(variance), df), rel=1e-8
    )
    assert row.n_repeats == (n_new, n_old)
    squares = [mean_squares(table) for table in (old, new) if table.shape[1] > 1]
    sizes = [table.shape[1] for table in (old, new) if table.shape[1] > 1]
    rest = sum(of_rest / n for (_, of_rest), n in zip(squares, sizes, strict=True))
    assert row.components == pytest.approx(
        {
            "query": math.sqrt(max(d.var(ddof=1) - rest, 0)),
            "repeat": math.sqrt(sum(max(r - e, 0) / n_queries for r, e in squares)),
            "rest": math.sqrt(sum(e for _, e in squares)),
        },
        rel=1e-8,
    )


def test_clusters_of_queries_by_hand():
    old, new = drawn(5, 60, 3, 4)
    clusters = np.arange(60) // 4
    d = new.mean(axis=1) - old.mean(axis=1)
    sums = np.array([d[clusters == c].sum() for c in range(15)])
    of_clusters = ((sums - sums.mean()) ** 2).sum() / 60**2 / (1 - 1 / 15)
    variance, df = by_hand([old, new], of_clusters, 14)
    row = compare_models({"old": old, "new": new}, clusters=clusters).rows()[0]
    assert (row.standard_error, row.df) == pytest.approx((math.sqrt(variance), df), 1e-9)


def test_weights_that_are_equal_are_none():
    old, new = drawn(6, 30, 3, 3)
    plain, weighed = (
        compare_models({"old": old, "new": new}, sample_weight=weight).rows()[0]
        for weight in (None, np.full(30, 2.0))
    )
    assert weighed.standard_error == pytest.approx(plain.standard_error, rel=1e-12)
    assert weighed.df == pytest.approx(plain.df, rel=1e-12)


def test_a_margin_moves_the_end_of_the_longer_tail_by_hand():
    old, new = drawn(7, 100, 5, 5)
    d = new.mean(axis=1) - old.mean(axis=1)
    of_queries = d.var(ddof=1) / 100
    variance, df = by_hand([old, new], of_queries, 99)
    residuals = d - d.mean()
    skewness = (residuals**3).sum() / (residuals**2).sum() ** 1.5
    t = stats.t.ppf(0.975, df)
    shift = (2 * t**2 + 1) / 6 * skewness * math.sqrt(of_queries) * of_queries / variance
    half = t * math.sqrt(variance)
    low, high = d.mean() - half + min(shift, 0), d.mean() + half + max(shift, 0)
    row = gate_model(old, new, margin=0.5).comparison.row("candidate")
    assert row.interval == "t, widened"
    assert (row.low, row.high) == pytest.approx((low, high), rel=1e-8)


def test_one_system_by_hand():
    table, _ = drawn(8, 40, 4, 1)
    of_repeats, of_rest = mean_squares(table)
    of_queries = table.mean(axis=1).var(ddof=1) / 40
    variance, df = by_hand([table], of_queries, 39)
    interval = confidence_interval(table, method="t")
    half = stats.t.ppf(0.975, df) * math.sqrt(variance)
    ends = table.mean() - half, table.mean() + half
    assert (interval.low, interval.high, interval.df) == pytest.approx((*ends, df), 1e-9)
    assert interval.n_repeats == 4
    assert of_repeats > of_rest
    assert interval.high - interval.low > 2 * stats.t.ppf(0.975, 39) * of_queries**0.5


def results(seed, n_repeats, metrics="ndcg@10", n_queries=40):
    rng, of_all = np.random.default_rng(seed), np.random.default_rng(99)
    grades = of_all.integers(0, 3, (n_queries, 12))
    noise = (rng.normal(size=grades.shape) for _ in range(n_repeats))
    return [per_query_scores(grades, grades + 1.5 * n, metrics=metrics) for n in noise]


def test_results_are_matched_by_label():
    old, new = results(0, 3), results(1, 4)
    expected = compare_models(
        {
            name: np.column_stack([each.scores["ndcg@10"] for each in of])
            for name, of in (("old", old), ("new", new))
        },
        value_range=(0, 1),
    ).rows()[0]
    row = compare_models({"old": old, "new": new}).rows()[0]
    assert (row.low, row.high) == pytest.approx((expected.low, expected.high), rel=1e-12)
    by_query = [
        dict(zip(range(40), each.scores["ndcg@10"].tolist(), strict=True)) for each in new
    ]
    shuffled = [dict(reversed(each.items())) for each in by_query]
    for repeats in (by_query, [by_query[0], *shuffled[1:]]):
        found = compare_models({"old": by_query[0], "new": repeats}).rows()[0]
        assert found.n_repeats == (4, 1)
        assert found.mean == pytest.approx(row.mean, rel=1e-12)
    frame = pd.DataFrame(np.column_stack([each.scores["ndcg@10"] for each in new]))
    assert compare_models({"a": frame, "b": frame[0]}).rows()[0].n_repeats == (1, 4)


def test_one_mean_has_one_interval():
    old, new = results(0, 3, ["ndcg@10", "mrr"]), results(1, 4, ["ndcg@10", "mrr"])
    means = compare_models({"old": old, "new": new}).means
    intervals_of = {"old": confidence_interval(old), "new": confidence_interval(new)}
    for metric, model, low, high in zip(
        *(means[name] for name in ("metric", "model", "low", "high")), strict=True
    ):
        interval = intervals_of[model][metric]
        assert (interval.low, interval.high) == (low, high)


def test_repeats_without_noise_are_one_repeat():
    rng = np.random.default_rng(0)
    old, new = rng.random(30), rng.random(30)
    once = compare_models({"old": old, "new": new}, test="t").rows()[0]
    same = compare_models(
        {"old": np.tile(old[:, None], 3), "new": np.tile(new[:, None], 3)}
    ).rows()[0]
    assert (same.low, same.high) == pytest.approx((once.low, once.high), rel=1e-12)
    gate = gate_model(np.tile(old[:, None], 3), np.tile(old[:, None], 2), margin=0.1)
    assert gate.verdict == "undecided"  # nothing differs, and no exact interval exists


def test_leagues_take_repeats_over_queries():
    scores = {
        name: {"a": results(k, 3), "b": results(k + 5, 2), "c": results(k + 9, 1)[0]}
        for k, name in enumerate(["x", "y", "z"])
    }
    with pytest.warns(UserWarning, match="or repeats of noisy systems"):
        ranking = rank_models(scores, over="queries")
    pair = ranking.pair("a", "b")
    rows = [
        compare_models({"a": of["a"], "b": of["b"]}).rows()[0] for of in scores.values()
    ]
    error = math.sqrt(sum(row.standard_error**2 for row in rows)) / 3
    assert pair.standard_error == pytest.approx(error, rel=1e-12)


def test_texts():
    old, new = drawn(0, 40, 3, 5, 0.02)
    text = compare_models({"old": old, "new": new}, baseline="old").to_text(200)
    row = compare_models({"old": old, "new": new}, baseline="old").row("new")
    sd = row.components
    assert (
        f"new - old: 5 and 3 repeats; SD between queries {sd['query']:.3f}, between "
        f"repeats {sd['repeat']:.3f}, rest {sd['rest']:.3f}." in text
    )
    once = "old was run once: how it varies from time to time is not in the interval."
    both = compare_models({"old": old[:, 0], "new": new, "more": new}, baseline="old")
    assert str(both.to_text(200)).count(once) == 1
    gate = gate_model(old[:, 0], new, margin=0.1)
    assert any("baseline was run once" in note for note in gate.notes)
    few = np.tile(np.linspace(0, 1, 40)[:, None], 3)
    other = few.copy()
    other[:6, 0] += 0.1
    assert "only 6 of 40 queries differ, and repeats have no exact interval" in str(
        compare_models({"few": few, "other": other}).to_text(200)
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "exact"}, r"`test` 'exact' has no form for several repeats"),
        ({"test": "randomization"}, "`test` 'randomization' has no form"),
        ({"test": "anytime", "value_range": (0, 9)}, "`test` 'anytime' has no form"),
        ({"test": stats.ttest_rel}, "has no form for several repeats"),
        ({"correction": "max_t", "baseline": "a"}, "`correction` 'max_t' has no form"),
    ],
)
def test_what_has_no_form(options, message):
    old, new = drawn(0, 20, 3, 3)
    with pytest.raises(ValueError, match=message):
        compare_models({"a": np.abs(old), "b": np.abs(new)}, **options)


def test_what_is_missing():
    old, new = drawn(0, 20, 3, 3)
    old[7, 1] = np.nan
    labels = [f"q{n}" for n in range(20)]
    with pytest.raises(ValueError, match=r"'a' has no value of query 'q7' in repeat 2"):
        compare_models({"a": old, "b": new}, groups=labels)
    with pytest.raises(ValueError, match=r"no value of query 7 in repeat 2"):
        confidence_interval(old)
    old[7] = new[7] = np.nan  # undefined, not missing
    assert compare_models({"a": old, "b": new}).rows()[0].n_queries == 19
    shorter = [*results(0, 2), *results(0, 1, n_queries=39)]
    with pytest.raises(ValueError, match="'a', repeat 1 and 'a', repeat 3 cannot be com"):
        compare_models({"a": shorter, "b": results(1, 2)})
    for method in ("bca", "exact", "anytime"):
        with pytest.raises(ValueError, match=f"`method` '{method}' has no form"):
            confidence_interval(new, method=method)
    for model in (np.ones((3, 20)), list(np.ones((3, 20)))):
        with pytest.raises(
            ValueError, match=r"20 repeats of 3 queries; give np\.transpose"
        ):
            compare_models({"a": model, "b": model})
    outside = np.abs(drawn(1, 20, 1, 3)[1])
    outside[3] = (0.5, -0.1, 0.5)
    for judge in (
        lambda: compare_models({"a": outside, "b": outside}, value_range=(0, 9)),
        lambda: gate_model(outside, outside, margin=1, value_range=(0, 9)),
        lambda: confidence_interval(outside, value_range=(0, 9)),
    ):
        with pytest.raises(ValueError, match=r"outside `value_range` \(0, 9\)"):
            judge()
    with pytest.raises(ValueError, match="needs equal repeats of its metrics"):
        compare_models({"a": {"x": new, "y": new[:, 0]}, "b": {"x": new, "y": new}})


def test_the_copy_is_the_method():
    for seed, (n_old, n_new) in enumerate([(3, 3), (2, 5), (1, 4), (10, 10)]):
        rng = np.random.default_rng(seed)
        old, new = draw_repeats(rng, 3, 40, n_old, n_new, 0.02, "few")
        for margin in (None, 1.0):
            low, high = intervals(old, new, widened=margin is not None)
            for n in range(3):
                both = {"old": old[n], "new": new[n]}
                row = compare_models(both, baseline="old", margin=margin).row("new")
                assert (row.low, row.high) == pytest.approx((low[n], high[n]), rel=1e-9)


# Fixed queries: the mean over the queries is one value of each repeat.


@pytest.mark.parametrize(("n_old", "n_new"), [(3, 5), (4, 4), (1, 6), (5, 1)])
def test_fixed_queries_by_welch(n_old, n_new):
    old, new = drawn(1, 40, n_old, n_new, 0.03)
    sides = [side.mean(axis=0) for side in (old, new)]
    several = [means for means in sides if len(means) > 1]
    if len(several) == 2:
        test = stats.ttest_ind(sides[1], sides[0], equal_var=False)
        low, high = test.confidence_interval(0.95)
    else:  # the other side is taken to vary as much
        means = several[0]
        error = means.std(ddof=1) * math.sqrt(1 + 1 / len(means))
        half = stats.t.ppf(0.975, len(means) - 1) * error
        gap = sides[1].mean() - sides[0].mean()
        low, high = gap - half, gap + half
    for margin, verdict in ((-low + 0.001, "pass"), (-low - 0.001, "undecided")):
        gate = gate_model(old, new, margin=max(margin, 0), queries="fixed")
        row = gate.to_dict()["rows"][0]
        assert (row["low"], row["high"]) == pytest.approx((low, high), rel=1e-9)
        assert gate.verdict == (verdict if margin > 0 else "pass")
    worse = gate_model(new, new - high - 0.2, margin=0.01, queries="fixed")
    assert worse.verdict == "fail" or n_new > 1
    notes = [note for note in gate.notes if "was run once" in note]
    assert len(notes) == (min(n_old, n_new) == 1)
    assert f"{n_new} and {n_old} repeats on these 40 queries" in gate.lines[0]


def test_fixed_queries_and_repeats_without_noise_are_exact():
    old = np.tile(np.linspace(0, 1, 20)[:, None], 3)
    same = gate_model(old, old, margin=0.01, queries="fixed")
    assert same.verdict == "pass"
    assert "identical on all 20 queries" in same.lines[0]
    worse = gate_model(old, old - 0.02, margin=0.01, queries="fixed")
    assert worse.verdict == "fail"
    assert "exact on these 20 queries" in worse.lines[0]
    turned = np.column_stack([old[:, 0], old[:, 0] + 0.1, old[:, 0] - 0.1])
    noisy = gate_model(turned, turned[:, ::-1], margin=0.01, queries="fixed")
    assert noisy.verdict == "undecided"


def test_a_floor_of_repeats():
    old, new = drawn(2, 30, 4, 4, 0.05)
    means = new.mean(axis=0)
    low, high = stats.t.interval(0.95, 3, means.mean(), means.std(ddof=1) / 2)
    for floor, verdict in ((low - 0.01, "pass"), (low + 0.01, "undecided"), (9, "fail")):
        gate = gate_model(old, new, margin=9, floor=floor, queries="fixed")
        assert gate.floors[0]["interval"] == pytest.approx([low, high], rel=1e-9)
        assert gate.floors[0]["verdict"] == verdict
    assert "interval [" in gate.lines[1]


@pytest.mark.slow
@pytest.mark.parametrize(("n_queries", "n_repeats"), [(60, 3), (200, 5)])
def test_fixed_queries_cover(n_queries, n_repeats):
    """The queries stay, and all else is drawn anew."""
    rng, n, margin = np.random.default_rng(5), 2000, 0.02
    level = rng.random((n_queries, 1))
    verdicts = []
    for _ in range(n):
        old, new = (
            level
            + rng.normal(0, 0.02, n_repeats)
            + rng.exponential(0.2, (n_queries, n_repeats))
            for _ in range(2)
        )
        gate = gate_model(old, new - margin, margin=margin, queries="fixed")
        verdicts.append(gate.verdict)
    for verdict in ("pass", "fail"):
        assert verdicts.count(verdict) / n < 0.025 + 3 * 0.0035, verdict


@pytest.mark.slow
@pytest.mark.parametrize(("n_queries", "n_repeats"), [(40, 3), (120, 5)])
@pytest.mark.parametrize("of_repeats", [0.0, 0.02])
def test_coverage(n_queries, n_repeats, of_repeats):
    rng, n = np.random.default_rng(20261129), 2000
    old, new = draw_repeats(rng, n, n_queries, n_repeats, n_repeats, of_repeats, "skewed")
    rows = [
        compare_models({"old": a, "new": b}, baseline="old").row("new")
        for a, b in zip(old, new, strict=True)
    ]
    covered = np.mean([row.low <= 0 <= row.high for row in rows])
    assert 0.93 < covered < 0.97  # the standard error is .005
