"""scikit-learn's checks of estimators, and which of them are refused and why."""

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

__all__ = ["check_names", "every_check", "run_check"]


def every_check(*estimators):
    """Return a mark that calls a test with each (estimator, check)."""
    # parametrize_with_checks does so too, with a generator in some versions, which pytest
    # deprecates.
    cases = [case for one in estimators for case in estimator_checks_generator(one)]
    ids = [f"{type(one).__name__}-{_name(check)}" for one, check in cases]
    return pytest.mark.parametrize(("estimator", "check"), cases, ids=ids)


def run_check(estimator, check, refused):
    """Run a check; one that is refused must fail with the error given for it.

    Other than a mark for expected failures this is strict: a check that passes, or fails
    for another reason, fails the suite.
    """
    error = refused.get(_name(check))
    if error is None:
        check(estimator)
        return
    kind, message = error
    with pytest.raises(kind, match=message):
        check(estimator)


def check_names(estimator):
    """Return the names of all checks, for tests that what is refused is one of them."""
    return {_name(check) for _, check in estimator_checks_generator(estimator)}


def _name(check):
    while hasattr(check, "__wrapped__"):
        check = check.__wrapped__
    return getattr(check, "func", check).__name__
