"""Pairs against plain loops."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from sklearn_rank.rankers._pairwise_ranker import difference_operator, sample_pairs

rows = st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 2)), min_size=1, max_size=25)


def all_pairs(y, query):
    return {
        (i, j)
        for i in range(len(y))
        for j in range(len(y))
        if query[i] == query[j] and y[i] > y[j]
    }


@given(rows, st.none() | st.integers(1, 6), st.integers(0, 5))
def test_pairs_are_of_one_query_better_first_and_within_the_bound(rows, max_pairs, seed):
    query, y = np.array(rows).T
    better, worse = sample_pairs(y, query, max_pairs, np.random.default_rng(seed))
    pairs = list(zip(better.tolist(), worse.tolist(), strict=True))
    expected = all_pairs(y, query)
    assert len(set(pairs)) == len(pairs)
    assert set(pairs) <= expected
    for label in set(query.tolist()):
        n_all = sum(query[i] == label for i, _ in expected)
        n_drawn = sum(query[i] == label for i in better)
        assert n_drawn == (n_all if max_pairs is None else min(n_all, max_pairs))


def test_every_pair_is_as_likely_as_any_other():
    y, query = np.array([3, 1, 0, 2, 1, 0]), np.zeros(6, dtype=int)
    n_pairs, n_draws = len(all_pairs(y, query)), 4000
    rng = np.random.default_rng(0)
    drawn = np.zeros((6, 6))
    for _ in range(n_draws):
        better, worse = sample_pairs(y, query, 4, rng)
        drawn[better, worse] += 1
    counts = np.array([drawn[pair] for pair in all_pairs(y, query)])
    chance = 4 / n_pairs
    spread = np.sqrt(n_draws * chance * (1 - chance))
    assert drawn.sum() == counts.sum() == 4 * n_draws
    assert np.abs(counts - n_draws * chance).max() < 4.5 * spread


def test_a_long_query_never_has_all_its_pairs_in_memory():
    n_rows = 200_000  # about 2e10 pairs
    y = np.arange(n_rows)
    better, worse = sample_pairs(y, np.zeros(n_rows, int), 50, np.random.default_rng(0))
    assert len(better) == 50
    assert (y[better] > y[worse]).all()


@given(rows)
def test_the_operator_makes_differences_and_two_classes(rows):
    query, y = np.array(rows).T
    better, worse = sample_pairs(y, query, None, np.random.default_rng(0))
    X = np.random.default_rng(0).normal(size=(len(y), 3))
    operator, sign = difference_operator(better, worse, len(y))
    if len(better) == 1:
        better, worse = np.repeat(better, 2), np.repeat(worse, 2)
    expected = [s * (X[b] - X[w]) for b, w, s in zip(better, worse, sign, strict=True)]
    assert np.allclose(operator @ X, np.reshape(expected, (-1, 3)))
    assert np.allclose((operator @ sparse.csr_matrix(X)).toarray(), operator @ X)
    assert abs(sign.sum()) <= 1
    assert len(better) == 0 or set(sign) == {-1, 1}
