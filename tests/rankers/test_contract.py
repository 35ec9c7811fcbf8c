"""scikit-learn's own checks of estimators."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression, Ridge

from sklearn_rank.rankers import GroupRanker, PairwiseRanker
from tests.estimator_checks import check_names, every_check, run_check

# A weight is one of a query, and these checks give the rows of a query several.
SEVERAL_WEIGHTS = (ValueError, "`sample_weight` differs within query")
REFUSED = {
    "check_sample_weights_not_overwritten": SEVERAL_WEIGHTS,
    "check_sample_weight_equivalence_on_dense_data": SEVERAL_WEIGHTS,
    "check_sample_weight_equivalence_on_sparse_data": SEVERAL_WEIGHTS,
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


# Its scores are numbers, as a regressor's, but it learns from grades that are classes, and
# these checks of regressors have targets that are not.
NO_GRADES = (ValueError, "Unknown label type: continuous")
REFUSED_BY_CLASSIFIERS = {
    "check_n_features_in_after_fitting": NO_GRADES,
    "check_regressors_train": NO_GRADES,
    "check_regressor_data_not_an_array": NO_GRADES,
    "check_regressors_no_decision_function": NO_GRADES,
    "check_fit_idempotent": NO_GRADES,
    "check_fit_check_is_fitted": NO_GRADES,
    "check_n_features_in": NO_GRADES,
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@every_check(GroupRanker(Ridge(), groups=1))
def test_pointwise(estimator, check):
    run_check(estimator, check, refused={})


@pytest.mark.filterwarnings("ignore::UserWarning")
@every_check(GroupRanker(LogisticRegression(), groups=1))
def test_pointwise_classifiers(estimator, check):
    run_check(estimator, check, refused=REFUSED_BY_CLASSIFIERS)


@pytest.mark.filterwarnings("ignore::UserWarning")
@every_check(QueriesOfThree(LogisticRegression()))
def test_pairwise(estimator, check):
    run_check(estimator, check, refused=REFUSED)


def test_what_is_refused_are_checks():
    assert check_names(QueriesOfThree(LogisticRegression())) >= set(REFUSED)
    assert check_names(GroupRanker(LogisticRegression())) >= set(REFUSED_BY_CLASSIFIERS)


def test_a_refused_check_that_passes_fails_the_suite():
    def check_that_passes(estimator):
        pass

    def check_that_fails_otherwise(estimator):
        raise ValueError("for another reason")

    for check in (check_that_passes, check_that_fails_otherwise):
        with pytest.raises((pytest.fail.Exception, AssertionError)):
            run_check(None, check, refused={check.__name__: SEVERAL_WEIGHTS})
