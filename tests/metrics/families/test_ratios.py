"""Ratios of two sums over queries: pooled recall, PSP, PSnDCG, GAUC by rows."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank.metrics import (
    label_propensity,
    per_query_scores,
    pooled_recall_at_k_score,
    propensity_scored_ndcg_at_k_score,
    propensity_scored_precision_at_k_score,
    ranking_scores,
    roc_auc_per_query_score,
)

N_LABELS = 6
LABELS = st.lists(st.sampled_from([0, 1]), min_size=N_LABELS, max_size=N_LABELS)
SCORES = st.permutations(range(N_LABELS))
INVERSE = st.lists(st.integers(1, 9), min_size=N_LABELS, max_size=N_LABELS)
MATRIX = st.lists(st.tuples(LABELS, SCORES), min_size=1, max_size=4)
PSP = propensity_scored_precision_at_k_score
PSNDCG = propensity_scored_ndcg_at_k_score


def discounted(gains, k):
    return sum(gain / np.log2(rank + 1) for rank, gain in enumerate(gains[:k], start=1))


@settings(deadline=None)
@given(MATRIX, INVERSE, st.integers(1, 7))
def test_plain_loops_give_the_same(rows, inverse, k):
    y_true, y_score = (np.array(side) for side in zip(*rows, strict=True))
    if not y_true.any():
        return
    found = best = discounted_found = discounted_best = 0.0
    for relevant, scores in zip(y_true, y_score, strict=True):
        gains = [inverse[i] * relevant[i] for i in np.argsort(-scores)]
        found += sum(gains[:k])
        best += max(sum(some) for some in combinations(gains, min(k, N_LABELS)))
        if relevant.any():
            plain = discounted([1] * relevant.sum(), k)
            discounted_found += discounted(gains, k) / plain
            discounted_best += discounted(sorted(gains, reverse=True), k) / plain
    options = {"k": k, "propensity": 1 / np.array(inverse), "replace_undefined_by": 0.0}
    assert PSP(y_true, y_score, **options) == pytest.approx(found / best, rel=1e-12)
    value = PSNDCG(y_true, y_score, **options)
    assert value == pytest.approx(discounted_found / discounted_best, rel=1e-12)


def test_the_worked_example():
    inverse = np.array([4, 5, 6, 1, 2, 3])
    score = PSP([[1] * 6], [[0, 0, 0, 1, 1, 1]], propensity=1 / inverse, k=3)
    assert score == pytest.approx(2 / 5, rel=1e-12)


def test_equal_propensities_cancel():
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 2, (30, 8)), rng.random((30, 8))
    given = {"propensity": np.full(8, 0.3), "metrics": ["psp@3", "pooled_recall@3"]}
    found = ranking_scores(y_true, y_score, **given)
    assert found["psp@3"] == pytest.approx(found["pooled_recall@3"], rel=1e-12)


@pytest.mark.parametrize("name", ["psp@3", "psndcg@3", "pooled_recall@3"])
def test_values_of_queries_and_their_weights_make_the_score(name):
    rng = np.random.default_rng(1)
    y_true, y_score = rng.integers(0, 2, (30, 5)), rng.integers(0, 3, (30, 5))
    y_true[4] = 0
    weight = rng.random(30)
    given = {"propensity": rng.uniform(0.1, 1, 5), "metrics": name, "sample_weight": weight}
    with pytest.warns(UndefinedMetricWarning, match="undefined for 1 of 30 queries"):
        score = ranking_scores(y_true, y_score, **given)[name]
    each = per_query_scores(y_true, y_score, **given)
    assert np.isnan(each.scores[name][4])
    assert each.mean()[name] == score
    assert 0 < score < 1
    as_zero = ranking_scores(y_true, y_score, **given, replace_undefined_by=0.0)
    assert as_zero[name] == score


def test_ties_and_constant_scores():
    """A constant score gets what chance gives: k of n of the weights."""
    score = PSP([[1, 1, 1, 1]], [[0] * 4], propensity=[1, 1 / 2, 1 / 3, 1 / 4], k=2)
    assert score == pytest.approx(10 * 2 / 4 / 7, rel=1e-12)
    worst = PSP(
        [[1, 1, 1, 1]], [[0] * 4], propensity=[1, 1 / 2, 1 / 3, 1 / 4], k=2, ties="worst"
    )
    assert worst == pytest.approx(3 / 7, rel=1e-12)


def test_without_any_relevant_label():
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(PSP([[0, 0]], [[1, 2]], propensity=[1, 1], sample_weight=[2]))


def test_pooled_recall_of_two_users():
    rows = {"y_true": [1, 1, 1, 1, 0], "y_score": [5, 4, 3, 2, 1], "groups": [*"aaabb"]}
    assert pooled_recall_at_k_score(**rows, k=2) == 1
    assert pooled_recall_at_k_score(**rows, k=2, denominator="relevant") == 3 / 4


def test_gauc_by_impressions():
    rows = {"y_true": [1, 0, 0, 1, 0], "y_score": [2, 1, 3, 1, 2], "groups": [*"aaabb"]}
    score = roc_auc_per_query_score(**rows, weighting="rows")
    assert score == pytest.approx((1 / 2 * 3 + 0 * 2) / 5)


def test_propensities_of_labels():
    """The model of the paper: a label in all rows is seen nearly always."""
    found = label_propensity([0, 10, 10_000], 10_000)
    constant = (np.log(10_000) - 1) * 2.5**0.55
    expected = 1 / (1 + constant * np.exp(-0.55 * np.log(np.array([0, 10, 10_000]) + 1.5)))
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert label_propensity(np.array([[3.0, 4.0]]), 10, a=0.5, b=0.4).shape == (2,)


BAD = [
    (([-1], 10), "first at 0 .-1.0.; give numbers from 0 to n=10"),
    (([1, 11], 10), "first at 1 .11."),
    (([np.nan], 10), "first at 0 .nan."),
    (([1], 2), "`n` must be"),
    (([1], 10, 0), "`a`"),
    (([1], 10, 0.5, -1), "`b`"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD)
def test_counts_that_are_none(arguments, message):
    with pytest.raises(ValueError, match=message):
        label_propensity(*arguments)


@pytest.mark.parametrize("metric", [PSP, PSNDCG])
@pytest.mark.parametrize("wrong", [0, -0.5, 1.5, np.nan])
def test_propensities_out_of_their_range(metric, wrong):
    with pytest.raises(ValueError, match=r"wrong value\(s\), the first at 1.*1 at most"):
        metric([[1, 1]], [[2, 1]], propensity=[0.5, wrong])
