"""scikit-learn's own checks of estimators."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.utils.estimator_checks import (
    estimator_checks_generator,
    parametrize_with_checks,
)

from sklearn_rank.rankers import GroupRanker, PairwiseRanker

# A weight is one of a query, and these checks give the rows of a query several.
REFUSED = {
    "check_sample_weights_not_overwritten",
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
}


class QueriesOfThree(PairwiseRanker):
    """The checks know no groups, and in a column of random numbers no two are equal."""

    def fit(self, X, y, groups=None, sample_weight=None):
        return super().fit(X, y, _by_three(X, groups), sample_weight)

    def score(self, X, y, groups=None, sample_weight=None):
        return super().score(X, y, _by_three(X, groups), sample_weight)


def _by_three(X, groups):
    rows = X if sparse.issparse(X) else np.asarray(X)
    return np.arange(rows.shape[0]) // 3 if groups is None else groups


def _name(check):
    return check.func.__name__ if hasattr(check, "func") else check.__name__


@pytest.mark.filterwarnings("ignore::UserWarning")
@parametrize_with_checks(
    [GroupRanker(Ridge(), groups=1), GroupRanker(LogisticRegression(), groups=1)]
)
def test_pointwise(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore::UserWarning")
@parametrize_with_checks([QueriesOfThree(LogisticRegression())])
def test_pairwise(estimator, check):
    if _name(check) not in REFUSED:
        check(estimator)
        return
    # Not marked as an expected failure, which any error would be: for this reason only.
    with pytest.raises(ValueError, match="`sample_weight` differs within query"):
        check(estimator)


def test_the_checks_that_are_refused_are_checks():
    estimator = QueriesOfThree(LogisticRegression())
    checks = {_name(check) for _, check in estimator_checks_generator(estimator)}
    assert checks >= REFUSED
