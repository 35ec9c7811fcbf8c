import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from sklearn_rank.statistics._options import correct_p_values


@pytest.mark.parametrize(
    ("p_values", "correction", "expected"),
    [
        ([0.01, 0.04, 0.03, 0.005], "holm", [0.03, 0.06, 0.06, 0.02]),
        ([0.01, 0.04, 0.03, 0.005], "fdr_bh", [0.02, 0.04, 0.04, 0.02]),
        ([0.01, 0.04, 0.03, 0.005], "bonferroni", [0.04, 0.16, 0.12, 0.02]),
        ([0.01, 0.04, 0.03, 0.005], None, [0.01, 0.04, 0.03, 0.005]),
        ([0.01, 0.011], "holm", [0.02, 0.02]),
        ([0.6, 0.7], "holm", [1, 1]),
        ([0.01, np.nan, 0.03], "holm", [0.02, np.nan, 0.03]),
        ([0.01, np.nan, 0.03], "fdr_bh", [0.02, np.nan, 0.03]),
        ([np.nan], "bonferroni", [np.nan]),
    ],
)
def test_corrected(p_values, correction, expected):
    found = correct_p_values(np.array(p_values), correction)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("correction", ["holm", "bonferroni", "fdr_bh"])
def test_statsmodels_agrees(correction):
    p_values = np.random.default_rng(0).uniform(size=20) ** 3
    expected = multipletests(p_values, method=correction)[1]
    np.testing.assert_allclose(correct_p_values(p_values, correction), expected, rtol=1e-12)
