"""A floor of each row, found by folding."""

import numpy as np
import pytest

from sklearn_rank._base._runs import lower_bounds


@pytest.mark.parametrize("n_values", [3, 10**6])
@pytest.mark.parametrize("length", [10, 31, 64, 1001])
@pytest.mark.parametrize("k", [1, 3, 10])
def test_as_many_values_as_asked_reach_the_floor(n_values, length, k):
    values = np.random.default_rng(length).integers(0, n_values, (50, length)) / 7
    for least in {k, max(k, length // 4), length}:
        floor = lower_bounds(values, k, least)
        assert ((values >= floor[:, None]).sum(axis=1) >= k).all()
        assert np.isin(floor, values).all()
    exact = -np.sort(-values, axis=1)[:, k - 1]
    np.testing.assert_array_equal(lower_bounds(values, k, length), exact)
