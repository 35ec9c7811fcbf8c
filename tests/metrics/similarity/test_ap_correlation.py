"""AP correlation: published values, all orders of ties, and bad input."""

from itertools import groupby, permutations, product

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_rank.metrics import ap_correlation_score

X1 = [0.67, 0.45, 0.29, 0.12, 0.57, 0.24, 0.94, 0.75, 0.08, 0.54]
Y1 = [0.48, 0.68, 0.32, 0.09, 0.06, 0.61, 0.87, 0.22, 0.44, 0.84]
X2 = [0.897, 0.372, 0.908, 0.898, 0.661, 0.062, 0.177, 0.384, 0.498, 0.992]
Y2 = [0.82, 0.406, 0.817, 0.953, 0.673, 0.073, 0.364, 0.547, 0.589, 0.988]
X3 = [0.266, 0.573, 0.202, 0.945, 0.629, 0.206, 0.687, 0.77, 0.718, 0.38]
Y3 = [0.263, 0.843, 0.728, 0.928, 0.08, 0.114, 0.467, 0.641, 0.973, 0.644]


def by_definition(truth, order):
    """Return the correlation of an order of items, best first."""
    n = len(order)
    total = sum(
        sum(truth[other] > truth[order[i]] for other in order[:i]) / i for i in range(1, n)
    )
    return 2 * total / (n - 1) - 1


def orders_of(scores):
    ranked = sorted(range(len(scores)), key=lambda i: -scores[i])
    groups = [list(tied) for _, tied in groupby(ranked, key=lambda i: scores[i])]
    for order in product(*(permutations(group) for group in groups)):
        yield [item for group in order for item in group]


@pytest.mark.parametrize(
    ("x", "y", "plain", "a", "b"),
    [
        (X1, Y1, 0.392857, 0.399030, 0.267196),
        (X2, Y2, 0.851852, 0.745370, 0.732143),
        (X3, Y3, 0.250353, 0.269180, 0.296958),
    ],
)
def test_values_of_the_literature(x, y, plain, a, b):
    # Python rounds the number itself; NumPy rounds ten times of it, and 0.45 down.
    x_rounded, y_rounded = ([round(value, 1) for value in scores] for scores in (x, y))
    assert ap_correlation_score(x, y) == pytest.approx(plain, abs=5e-7)
    assert ap_correlation_score(x, y_rounded) == pytest.approx(a, abs=5e-7)
    found = ap_correlation_score(x_rounded, y_rounded, ties="b")
    assert found == pytest.approx(b, abs=5e-7)
    assert ap_correlation_score(y_rounded, x_rounded, ties="b") == pytest.approx(found)


def test_it_is_not_symmetric():
    assert ap_correlation_score(Y1, X1) == pytest.approx(0.261287, abs=5e-7)
    assert stats.kendalltau(X1, Y1).statistic == pytest.approx(0.2)
    rounded = ([round(value, 1) for value in scores] for scores in (X1, Y1))
    assert stats.kendalltau(*rounded).statistic == pytest.approx(0.229900, abs=5e-7)


def test_errors_at_the_top_cost_more():
    top, bottom = [3, 4, 2, 1], [4, 3, 1, 2]
    assert ap_correlation_score([4, 3, 2, 1], top) == pytest.approx(1 / 3)
    assert ap_correlation_score([4, 3, 2, 1], bottom) == pytest.approx(7 / 9)
    for scores, expected in ((top, 0.52), (bottom, 0.813333)):
        assert stats.kendalltau([4, 3, 2, 1], scores).statistic == pytest.approx(2 / 3)
        found = stats.weightedtau([4, 3, 2, 1], scores).statistic
        assert found == pytest.approx(expected, abs=5e-7)


def test_ends_of_the_range():
    assert ap_correlation_score([1, 2, 3], [10, 20, 30]) == 1
    assert ap_correlation_score([1, 2, 3], [-1, -2, -3]) == -1
    assert ap_correlation_score([1, 2, 3, 4], [0, 0, 0, 0]) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize("seed", range(12))
def test_ties_are_the_mean_over_all_orders(seed):
    rng = np.random.default_rng(seed)
    truth, estimate = rng.permutation(6), rng.integers(0, 3, 6)
    orders = list(orders_of(estimate.tolist()))
    expected = np.mean([by_definition(truth, order) for order in orders])
    found = ap_correlation_score(truth, estimate)
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_a_pair_that_ties_in_one_ranking_alone_costs_one_direction():
    """Of the estimate's three pairs it is an error; of the truth's two it is none."""
    first, second = 2 * np.mean([1 / 1, 1 / 2]) - 1, 2 * np.mean([1 / 1, 1 / 1]) - 1
    found = ap_correlation_score([2, 1, 1], [3, 2, 1], ties="b")
    assert found == pytest.approx((first + second) / 2)
    assert ap_correlation_score([2, 1, 1], [2, 1, 1], ties="b") == 1


def test_without_ties_both_treat_them_alike():
    found = ap_correlation_score(X1, Y1, ties="b")
    both = ap_correlation_score(X1, Y1), ap_correlation_score(Y1, X1)
    assert found == pytest.approx(np.mean(both))


def test_many_items():
    rng = np.random.default_rng(0)
    truth, estimate = rng.permutation(500), rng.permutation(500)
    expected = by_definition(truth, np.argsort(-estimate))
    assert ap_correlation_score(truth, estimate) == pytest.approx(expected, rel=1e-10)


def test_all_items_tie():
    with pytest.warns(UndefinedMetricWarning, match="all items tie"):
        assert np.isnan(ap_correlation_score([1, 2], [1, 1], ties="b"))


@pytest.mark.parametrize(
    ("truth", "estimate", "ties", "text"),
    [
        ([1, 1, 2], [1, 2, 3], "a", "ties='b' takes them"),
        ([1, 2], [1, 2, 3], "a", "2 items, but `estimate` has 3"),
        ([1], [1], "a", "needs two"),
        ([1, np.nan], [1, 2], "a", "`truth` has 1 missing"),
        ([[1, 2]], [1, 2], "a", "one score per item"),
        ([1, 2], [1, 2], "c", "ties"),
        (["x", "y"], [1, 2], "a", "numbers"),
    ],
)
def test_refuses(truth, estimate, ties, text):
    with pytest.raises(ValueError, match=text):
        ap_correlation_score(truth, estimate, ties=ties)


def test_series_of_another_order_are_not_mixed_up():
    truth = pd.Series([3.0, 2.0, 1.0], index=["a", "b", "c"])
    estimate = pd.Series([3.0, 2.0, 1.0], index=["c", "b", "a"])
    with pytest.raises(ValueError, match="truth and estimate have one index in two orders"):
        ap_correlation_score(truth, estimate)
    assert ap_correlation_score(truth, estimate.loc[truth.index]) == -1
    assert ap_correlation_score(truth, estimate.to_numpy()) == 1
