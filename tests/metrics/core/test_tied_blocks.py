"""One block of hundreds of tied rows, where counting replaces the sum over all orders.

With n tied rows of which R are relevant, the chance of an arrangement is one over the
binomial coefficient of n and R. Whole numbers keep the sums below exact.
"""

from fractions import Fraction
from math import comb, fsum, log2

import numpy as np
import pytest

from sklearn_rank.metrics import per_query_scores

BLOCKS = [(5, 2), (300, 1), (300, 7), (300, 150), (299, 298), (2000, 40)]
CUTOFFS = [1, 2, 17, 250]

each_block = pytest.mark.parametrize(("n", "n_relevant"), BLOCKS)
each_cutoff = pytest.mark.parametrize("k", CUTOFFS)


def scored(metric, n, n_relevant, grade=1.0):
    """Return the value of a query whose rows all tie."""
    y_true = np.zeros(n)
    y_true[:n_relevant] = grade
    each = per_query_scores(y_true, np.zeros(n), groups=np.zeros(n), metrics=[metric])
    return each.scores[metric][0]


def ratio(one, other):
    """Return the quotient of two integers that may be too large for floats."""
    return float(Fraction(one, other))


def hits_beside_one_at(rank, n, n_relevant):
    """Return the expected relevant rows down to `rank`, given that one stands there."""
    return 1 + (rank - 1) * (n_relevant - 1) / (n - 1)


@each_block
@each_cutoff
def test_reciprocal_rank(n, n_relevant, k):
    """The others lie below the first: C(n - rank, R - 1) of C(n, R) arrangements."""
    expected = fsum(
        ratio(comb(n - rank, n_relevant - 1), comb(n, n_relevant)) / rank
        for rank in range(1, min(k, n) + 1)
    )
    assert scored(f"mrr@{k}", n, n_relevant) == pytest.approx(expected, rel=1e-11)


@each_block
@each_cutoff
def test_hit_rate(n, n_relevant, k):
    k_rows = min(k, n)
    expected = 1 - ratio(comb(n - n_relevant, k_rows), comb(n, k_rows))
    assert scored(f"hit_rate@{k}", n, n_relevant) == pytest.approx(expected, rel=1e-11)


@each_block
@each_cutoff
def test_average_precision(n, n_relevant, k):
    expected = fsum(
        n_relevant / n * hits_beside_one_at(rank, n, n_relevant) / rank
        for rank in range(1, min(k, n) + 1)
    ) / min(k, n_relevant)
    assert scored(f"map@{k}", n, n_relevant) == pytest.approx(expected, rel=1e-11)


@each_block
@pytest.mark.parametrize("k", [2, 17, 100])
def test_average_precision_over_hits(n, n_relevant, k):
    """Given h hits in the first k, these are spread evenly over the k ranks."""
    k_rows = min(k, n)

    def given(h):
        return fsum(
            hits_beside_one_at(rank, k_rows, h) / rank / k_rows
            for rank in range(1, k_rows + 1)
        )

    expected = fsum(
        ratio(comb(k_rows, h) * comb(n - k_rows, n_relevant - h), comb(n, n_relevant))
        * given(h)
        for h in range(1, min(k_rows, n_relevant) + 1)
    )
    metric = f"map(denominator='retrieved')@{k}"
    assert scored(metric, n, n_relevant) == pytest.approx(expected, rel=1e-11)


@each_block
@each_cutoff
def test_ndcg(n, n_relevant, k):
    weights = [1 / log2(rank + 1) for rank in range(1, n + 1)][:k]
    expected = n_relevant / n * fsum(weights) / fsum(weights[:n_relevant])
    assert scored(f"ndcg@{k}", n, n_relevant) == pytest.approx(expected, rel=1e-11)


@each_block
@pytest.mark.parametrize("k", [1, 2, 17, 60])
@pytest.mark.parametrize("grade", [1, 4])
def test_expected_reciprocal_rank(n, n_relevant, k, grade):
    """h of the rows above are relevant, each leaves the user unsatisfied with 1 - s."""
    satisfied = (2**grade - 1) / 2**4
    expected = fsum(
        ratio(comb(rank - 1, h) * comb(n - rank, n_relevant - 1 - h), comb(n, n_relevant))
        * (1 - satisfied) ** h
        * satisfied
        / rank
        for rank in range(1, min(k, n) + 1)
        for h in range(min(rank, n_relevant))
    )
    value = scored(f"err(max_grade=4)@{k}", n, n_relevant, grade)
    assert value == pytest.approx(expected, rel=1e-11)


@each_block
@each_cutoff
def test_q_measure(n, n_relevant, k):
    """For grade 1 gains count hits, so the blended ratio is 2 hits / (rank + ideal)."""
    expected = fsum(
        n_relevant
        / n
        * 2
        * hits_beside_one_at(rank, n, n_relevant)
        / (rank + min(rank, n_relevant))
        for rank in range(1, min(k, n) + 1)
    ) / min(k, n_relevant)
    assert scored(f"q_measure@{k}", n, n_relevant) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize(("n", "n_relevant"), BLOCKS[:-1])
def test_bpref(n, n_relevant):
    """A relevant row has a irrelevant ones above in C(...) C(...) arrangements."""
    n_irrelevant = n - n_relevant
    missed = sum(
        comb(rank - 1, above)
        * comb(n - rank, n_irrelevant - above)
        * min(above, n_relevant)
        for rank in range(1, n + 1)
        for above in range(min(rank, n_irrelevant + 1))
    )
    lost = ratio(missed, comb(n, n_relevant) * n_relevant)
    expected = 1 - lost / min(n_relevant, n_irrelevant)
    assert scored("bpref", n, n_relevant) == pytest.approx(expected, rel=1e-11)


@each_block
def test_means_of_all_places(n, n_relevant):
    assert scored("auc", n, n_relevant) == pytest.approx(1 / 2, rel=1e-12)
    assert scored("mean_rank", n, n_relevant) == pytest.approx((n + 1) / 2, rel=1e-12)
    share = n_relevant / n
    assert scored("precision@3", n, n_relevant) == pytest.approx(share, rel=1e-12)
    assert scored("r_precision", n, n_relevant) == pytest.approx(share, rel=1e-12)


@pytest.mark.parametrize("name", ["hit_rate", "mrr", "map", "ndcg", "err", "q_measure"])
def test_sums_of_probabilities_do_not_pass_one(name):
    """Nor does rounding take the best of orders there."""
    sizes = np.repeat(np.arange(1, 120), 3)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    place = np.arange(len(groups)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    y_true = (place < np.repeat(np.tile([1, 3, 200], 119), sizes)).astype(float)
    names = [f"{name}@{k}" for k in (1, 2, 3, 7, 50, 200)]
    for y_score in (np.zeros(len(groups)), y_true, -place.astype(float)):
        each = per_query_scores(y_true, y_score, groups=groups, metrics=names)
        for values in each.scores.values():
            assert values.max() <= 1
