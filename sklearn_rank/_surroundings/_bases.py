"""The base classes of scikit-learn, with types that mypy can see.

scikit-learn does not declare its types, so mypy takes its classes for anything: the
constructor of a dataclass that has one as its base then accepts any argument. Other type
checkers read the source of scikit-learn and get its own classes.
"""

from contextlib import suppress
from typing import Any, Self

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

__all__ = [
    "BaseCrossValidator",
    "BaseEstimator",
    "CallbackSupportMixin",
    "MetaEstimatorMixin",
    "OneToOneFeatureMixin",
    "TransformerMixin",
]
