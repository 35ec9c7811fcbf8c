"""A metric as a record: what the table of each family file is made of."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, wraps
from typing import Any, Literal, TypeVar

from sklearn_rank.metrics._average import Kernel

__all__ = ["Metric", "needs_scorer"]

# What concerns rows and queries, or the mean, and no name in a string can carry.
SHARED = ("groups", "pooled", "ties", "sample_weight", "replace_undefined_by")

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Metric:
    """A metric: its name in strings, its public function and its kernel.

    The kernel takes ranked lists and the metric's own parameters, and returns one value
    per query, NaN where the definition has none. `unjudged` metrics take NaN grades.
    `reads` says what a value depends on beside the list and what is relevant: on all items
    of the catalog, or on which items somebody judged.
    """

    name: str
    function: Callable[..., float]
    kernel: Kernel
    lower_is_better: bool = False
    unjudged: bool = False
    reads: Literal["list", "catalog", "judgments"] = "list"

    @cached_property
    def parameters(self) -> dict[str, Any]:
        """The metric's own parameters and their defaults."""
        signature = inspect.signature(self.function)
        return {
            name: parameter.default
            for name, parameter in signature.parameters.items()
            if parameter.kind is parameter.KEYWORD_ONLY and name not in SHARED
        }

    @property
    def takes_k(self) -> bool:
        """Whether the metric has a cutoff."""
        return "k" in self.parameters


def needs_scorer(function: Function) -> Function:
    """Explain a metric that is called as a scorer: metric(estimator, X, y)."""

    @wraps(function)
    def checked(y_true, y_score, *arguments, **parameters):
        if hasattr(y_true, "fit"):
            raise TypeError(
                f"{function.__name__} is a metric and was called with an estimator, as a "
                "scorer is; pass scoring=make_ranking_scorer("
                f"{function.__name__}, ...) instead."
            )
        return function(y_true, y_score, *arguments, **parameters)

    return checked  # type: ignore[return-value]
