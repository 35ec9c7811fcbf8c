"""Base classes and callbacks of scikit-learn, with types that mypy can see."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

__all__ = [
    "BaseCrossValidator",
    "BaseEstimator",
    "CallbackSupportMixin",
    "MetaEstimatorMixin",
    "OneToOneFeatureMixin",
    "TransformerMixin",
]


# scikit-learn does not declare its types, so mypy takes its classes for anything: the
# constructor of a dataclass that has one as its base then accepts any argument. Other type
# checkers read the source of scikit-learn and get its own classes.

MYPY = False  # mypy takes this name as true


class CallbackSupportMixin:
    """Stands in for scikit-learn's, which came with 1.9."""


if MYPY:

    class BaseCrossValidator:
        """Base class of splitters."""

        def __getattr__(self, name: str) -> Any:
            """Return what scikit-learn defines."""

    class BaseEstimator:
        """Base class of estimators."""

        def __getattr__(self, name: str) -> Any:
            """Return what scikit-learn defines."""

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """Return the parameters by name."""

        def set_params(self, **params: Any) -> Self:
            """Set parameters by name."""

        def __sklearn_tags__(self) -> Any:
            """Return the tags."""

    class MetaEstimatorMixin:
        """Mixin of estimators that hold others."""

    class OneToOneFeatureMixin:
        """Mixin of transformers that keep the features."""

        def get_feature_names_out(self, input_features: Any = None) -> Any:
            """Return the names of the features."""

    class TransformerMixin:
        """Mixin of transformers."""

else:
    from sklearn.base import (
        BaseEstimator,
        MetaEstimatorMixin,
        OneToOneFeatureMixin,
        TransformerMixin,
    )
    from sklearn.model_selection import BaseCrossValidator

    with suppress(ImportError):
        from sklearn.callback import CallbackSupportMixin


# Callbacks came with scikit-learn 1.9; without them, fits run as they are.

Method = TypeVar("Method")

try:
    if TYPE_CHECKING:  # because scikit-learn does not declare types

        def with_callbacks(fit: Method) -> Method:
            """Return the method with callbacks."""
            return fit

    else:
        from sklearn.callback import with_callbacks

except ImportError:

    def with_callbacks(fit: Method) -> Method:
        """Return the method as it is."""
        return fit


@contextmanager
def fit_task(estimator: Any, X: Any, y: Any) -> Iterator[None]:
    """Tell the callbacks of an estimator that its fit begins, and that it ended."""
    # The underscore is scikit-learn's: its guide names the method as the one to call.
    begin = getattr(estimator, "_init_callback_context", None)
    if begin is None:
        yield
        return
    context = begin().call_on_fit_task_begin(estimator=estimator, X=X, y=y)
    yield
    context.call_on_fit_task_end(estimator=estimator, X=X, y=y)


# Results of searches.


def is_of_last_iteration(cv_results: Mapping[str, Any], n_candidates: int) -> np.ndarray:
    """Return which candidates are of the last iteration of a halving search, else all.

    Those of earlier iterations are scored on fewer rows.
    """
    iteration = np.asarray(cv_results.get("iter", np.zeros(n_candidates)))
    return iteration == iteration.max(initial=0)
