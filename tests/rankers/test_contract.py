"""scikit-learn's own checks of estimators."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.utils.estimator_checks import parametrize_with_checks

from sklearn_rank.rankers import GroupRanker, PairwiseRanker

PER_QUERY = "a weight is one of a query, and the checks give the rows of a query several"


class QueriesOfThree(PairwiseRanker):
    """The checks know no groups, and in a column of random numbers no two are equal."""

    def fit(self, X, y, groups=None, sample_weight=None):
        return super().fit(X, y, _by_three(X, groups), sample_weight)

    def score(self, X, y, groups=None, sample_weight=None):
        return super().score(X, y, _by_three(X, groups), sample_weight)


def _by_three(X, groups):
    rows = X if sparse.issparse(X) else np.asarray(X)
    return np.arange(rows.shape[0]) // 3 if groups is None else groups


@pytest.mark.filterwarnings("ignore::UserWarning")
@parametrize_with_checks(
    [GroupRanker(Ridge(), groups=1), GroupRanker(LogisticRegression(), groups=1)]
)
def test_pointwise(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore::UserWarning")
@parametrize_with_checks(
    [QueriesOfThree(LogisticRegression())],
    expected_failed_checks=lambda estimator: {
        "check_sample_weights_not_overwritten": PER_QUERY,
        "check_sample_weight_equivalence_on_dense_data": PER_QUERY,
        "check_sample_weight_equivalence_on_sparse_data": PER_QUERY,
    },
)
def test_pairwise(estimator, check):
    check(estimator)
