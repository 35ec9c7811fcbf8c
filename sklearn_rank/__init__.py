"""Evaluate and tune rankers and recommenders with scikit-learn.

Modules of the package, such as ``sklearn_rank.metrics``, are imported when they are first
used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from sklearn_rank._hints._explain import raise_missing

if TYPE_CHECKING:
    from sklearn_rank import (
        datasets,
        distributed,
        exceptions,
        experiments,
        inputs,
        metrics,
        model_selection,
        online,
        rankers,
        recommenders,
        statistics,
        typing,
    )
    from sklearn_rank._base._machine import __version__, show_versions

__all__ = [
    "__version__",
    "datasets",
    "distributed",
    "exceptions",
    "experiments",
    "inputs",
    "metrics",
    "model_selection",
    "online",
    "rankers",
    "recommenders",
    "show_versions",
    "statistics",
    "typing",
]


if not TYPE_CHECKING:  # checkers believe that a module with it has every name

    def __getattr__(name: str) -> Any:
        if name in {"__version__", "show_versions"}:
            return getattr(import_module("sklearn_rank._base._machine"), name)
        if name in __all__:
            return import_module(f"sklearn_rank.{name}")
        raise_missing(__name__, name)


def __dir__() -> list[str]:
    return __all__
