"""Values of queries as tables, whole and in parts, for tests of streams and engines."""

from itertools import pairwise

import numpy as np
import pandas as pd

N = 300
MODELS = {"old": 0.0, "new": 0.02, "other": -0.01}


def make_values(seed, shift=0.0, labels=int, weights=None):
    """Return values of queries, some undefined for all models and some for one."""
    rng, own = np.random.default_rng(0), np.random.default_rng(seed)
    base = rng.random(N)
    values = np.clip(base + shift + 0.05 * own.standard_normal(N), 0, 1)
    values[:20] = base[:20]  # ties
    undefined = (np.arange(N) % 11 == 0) | (own.random(N) < 0.01)
    columns = {
        "group": np.array([labels(one) for one in range(N)]),
        "rows": np.full(N, 7),
        "ndcg@10": np.where(undefined, np.nan, values),
        "mean_rank": 1 + 9 * values[::-1],
    }
    if weights is not None:
        columns |= {f"weight.{name}": weights for name in ("ndcg@10", "mean_rank")}
    return pd.DataFrame(columns)


def tables_of(**options):
    return {
        name: make_values(seed, shift, **options)
        for seed, (name, shift) in enumerate(MODELS.items())
    }


def in_parts(values, sizes, to=lambda frame: frame):
    ends = np.cumsum([0, *sizes])
    return (to(values[start:end]) for start, end in pairwise(ends))


def assert_like(found, expected, share=0.0):
    """The same bits; with weights, of which one has this share, powers are added up."""
    assert str(found) == str(expected)
    assert repr(found) == repr(expected)
    for mine, theirs in ((found.columns, expected.columns), (found.means, expected.means)):
        assert list(mine) == list(theirs)
        for name, column in theirs.items():
            if column.dtype == object:
                assert mine[name].tolist() == column.tolist()
            else:
                rtol = 3 * share**3
                np.testing.assert_allclose(mine[name], column, rtol=rtol, atol=rtol * 0.1)
    assert found.n_undefined == expected.n_undefined
    assert found.lower_is_better == expected.lower_is_better
    assert found.settings.items() >= expected.settings.items()


WEIGHTS = {
    "alike": None,
    "unlike": np.random.default_rng(5).integers(0, 4, N) * 1.0,
    "large": np.random.default_rng(5).random(N) * 1e300,
}
OPTIONS = [
    {"baseline": "old"},
    {},
    {"baseline": "new", "alternative": "less", "correction": "bonferroni", "margin": 0.01},
    {"metrics": "mean_rank", "family": "all", "correction": None, "confidence_level": 0.9},
]
