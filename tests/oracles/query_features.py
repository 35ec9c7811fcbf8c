"""Small graded training data for rankers, with queries of all kinds."""

import numpy as np

__all__ = ["query_features"]


def query_features(seed, n_queries, *, max_grade=4, longest=9, n_levels=3):
    """Return X, y and query numbers in ascending order.

    The features take few values, so that predictions tie; some queries have one row,
    some have no relevant row.
    """
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, longest + 1, n_queries)
    queries = np.repeat(np.arange(n_queries), lengths)
    X = rng.integers(0, n_levels, (len(queries), 3)).astype(float)
    appeal = X @ [1.0, -0.5, 0.25] + rng.normal(size=len(queries))
    y = np.clip(np.round(appeal * max_grade / 3), 0, max_grade)
    y[np.isin(queries, np.arange(0, n_queries, 7))] = 0
    return X, y, queries
