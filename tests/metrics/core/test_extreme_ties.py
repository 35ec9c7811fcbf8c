"""Ties of "worst" and "best" against all orders of the tied rows, one by one.

An order is asked for by scores that do not tie, so that the extremes are those of the
metrics themselves, whatever they count.
"""

from dataclasses import replace
from itertools import combinations_with_replacement, permutations, product
from math import inf, nan

import numpy as np
import pytest

from sklearn_rank import metrics
from sklearn_rank.metrics import per_query_scores
from sklearn_rank.metrics._core._metric import BoundMetric
from tests.metrics.registered import METRICS

# All small lists, half of them with the relevant rows at the end.
pytestmark = pytest.mark.filterwarnings("ignore:Relevant rows score below")

CUTOFFS = [1, 2, 3, 4, None]
MIN_RELEVANCE = [None, 1.5, 2]


def up_and_down(grades):
    """Gains that do not rise with the grade, one of which is 0."""
    return np.select([grades == 1, grades == 2], [3.0, 0.5], 0.0)


def falls_late(ranks):
    return np.where(ranks < 3, 1.0, 0.25)


GAINS = ["linear", "exponential", up_and_down]
DISCOUNTS = ["log", falls_late]
OWN = {
    "recall": {"denominator": ["relevant", "attainable"]},
    "f1": {"beta": [0.5, 1.0]},
    "map": {"denominator": ["relevant", "attainable", "retrieved"]},
    "cg": {"gain": GAINS},
    "dcg": {"gain": GAINS, "discount": DISCOUNTS},
    "ndcg": {"gain": GAINS, "discount": DISCOUNTS},
    "rbp": {"persistence": [0.3, 0.95]},
    "rbp_residual": {"persistence": [0.3, 0.95]},
    "q_measure": {"beta": [0.0, 1.0, 10.0]},
    "insq": {"desired_gain": [0.5, 3.0]},
    "inst": {"desired_gain": [0.5, 1.0, 10.0]},
}


def variants(metric):
    """Yield the metric with each combination of its parameters."""
    options = dict(OWN.get(metric.name, {}))
    if metric.takes_k:
        options["k"] = CUTOFFS
    if "min_relevance" in metric.parameters:
        options["min_relevance"] = MIN_RELEVANCE
    if "max_grade" in metric.parameters:
        options["max_grade"] = [3, 5]
    for number, values in enumerate(product(*options.values())):
        given = dict(zip(options, values, strict=True))
        yield BoundMetric(f"variant {number}", metric, {**metric.parameters, **given})


def orders(scores):
    """Return scores without ties, one row for each order that the given ones allow."""
    n_rows = len(scores)
    ranked = {
        tuple(np.lexsort((broken, -scores)).tolist())
        for broken in permutations(range(n_rows))
    }
    strict = np.empty((len(ranked), n_rows))
    for row, order in enumerate(ranked):
        strict[row, list(order)] = np.arange(n_rows, 0, -1)
    strict[:, scores == -inf] = -inf
    return strict


def queries(metric):
    """Yield scores, and grades of queries that have these scores."""
    rng = np.random.default_rng(len(metric.name))
    grades = [0, 1, 2, 3, nan] if metric.unjudged != "refused" else [0, 1, 2, 3]
    for scores in ([0, 0], [0, 0, 0], [1, 0, 0], [0, 0, -inf], [2, 2, 1, 1]):
        every = np.array(list(combinations_with_replacement(grades, len(scores))))
        yield np.array(scores, dtype=float), rng.permuted(every, axis=1)
    for scores in ([0, 0, 0, 0, 0], [1, 0, 0, 0, 0], [2, 2, 1, 1, 1], [1, 1, 1, 0, -inf]):
        yield np.array(scores, dtype=float), rng.choice(grades, (25, len(scores)))


def values(variants, y_true, y_score, ties):
    """Return the values of each variant: a row of queries for each of them."""
    metrics = [replace(variant, ties=ties) for variant in variants]
    return np.array(
        list(per_query_scores(y_true, y_score, metrics=metrics).scores.values())
    )


@pytest.mark.parametrize("name", sorted(METRICS))
def test_worst_and_best_are_the_extremes_and_average_the_mean(name):
    metric = METRICS[name]
    for scores, y_true in queries(metric):
        strict, tied = orders(scores), np.tile(scores, (len(y_true), 1))
        each = np.repeat(y_true, len(strict), axis=0), np.tile(strict, (len(y_true), 1))
        every = list(variants(metric))
        of_orders = values(every, *each, "first").reshape(len(every), len(y_true), -1)
        ends = [of_orders.min(axis=2), of_orders.max(axis=2)]
        worst, best = reversed(ends) if metric.lower_is_better else ends
        mean = of_orders.mean(axis=2)
        for ties, expected in {"worst": worst, "best": best, "average": mean}.items():
            actual = values(every, y_true, tied, ties)
            for variant, found, wanted in zip(every, actual, expected, strict=True):
                message = f"{ties}, {dict(variant.parameters)}"
                np.testing.assert_allclose(
                    found, wanted, rtol=1e-12, atol=1e-15, err_msg=message
                )


# ---- what has no name in strings -------------------------------------------------------

IPS = {
    "ips_recall_at_k_score": {"min_relevance": [None, 1.5]},
    "ips_hit_rate_at_k_score": {"min_relevance": [None, 1.5]},
    "ips_ndcg_score": {"gain": ["linear", up_and_down]},
}


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("name", IPS)
def test_propensities_of_tied_rows(name, seed):
    """Over all orders of two queries together, for the weights of both make one mean."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, 2)
    groups = np.repeat([0, 1], sizes)
    y_true = rng.choice([0.0, 1, 2, 3], len(groups))
    y_true[0] = 3
    rows = {"groups": groups, "propensity": rng.choice([1, 0.5, 0.1], len(groups))}
    y_score = rng.choice([-inf, 0.0, 0.0, 1.0], len(groups))
    both = [orders(y_score[groups == query]) for query in (0, 1)]
    options = {"k": [1, 2, None], "self_normalized": [True, False], **IPS[name]}
    function = getattr(metrics, name)
    for chosen in product(*options.values()):
        params = dict(zip(options, chosen, strict=True)) | rows
        params["replace_undefined_by"] = 0.0
        of_orders = [
            function(y_true, np.concatenate(pair), **params) for pair in product(*both)
        ]
        worst = function(y_true, y_score, ties="worst", **params)
        best = function(y_true, y_score, ties="best", **params)
        assert worst == pytest.approx(min(of_orders), rel=1e-12)
        assert best == pytest.approx(max(of_orders), rel=1e-12)


@pytest.mark.parametrize("name", IPS)
@pytest.mark.parametrize("ties", ["worst", "average", "best"])
def test_row_order_is_irrelevant_with_propensities(name, ties):
    rng = np.random.default_rng(0)
    columns = {
        "y_true": rng.choice([0.0, 1, 1], 30),
        "y_score": rng.choice([0.0, 1], 30),
        "groups": np.repeat(np.arange(5), 6),
        "propensity": rng.choice([1, 0.5, 0.1], 30),
    }
    columns["y_true"][::6] = 1
    function = getattr(metrics, name)
    expected = function(**columns, k=2, ties=ties)
    for _ in range(10):
        order = rng.permutation(30)
        shuffled = {key: column[order] for key, column in columns.items()}
        assert function(**shuffled, k=2, ties=ties) == pytest.approx(expected, rel=1e-13)


OUTSIDE = {
    "y_true": [1.0, nan, 1.0, nan],
    "groups": ["q"] * 4,
    "pooled": [True, False, True, True],
}


def test_below_a_row_outside_the_pool_the_order_by_grade_is_not_the_best():
    relevant_first, unjudged_first = (
        metrics.inferred_average_precision_score(y_score=y_score, **OUTSIDE)
        for y_score in ([4, 3, 2, 1], [4, 3, 1, 2])
    )
    assert unjudged_first > relevant_first


@pytest.mark.parametrize("ties", ["worst", "best"])
def test_extremes_below_a_row_outside_the_pool_are_refused(ties):
    rows = OUTSIDE | {"y_score": [2, 2, 1, 1], "ties": ties}
    with pytest.raises(ValueError, match=f"`ties` is '{ties}', which is not known where"):
        metrics.inferred_average_precision_score(**rows)
    rows["pooled"] = [True] * 4
    assert metrics.inferred_average_precision_score(**rows) > 0
