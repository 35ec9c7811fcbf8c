"""The words that parameters of metrics take: one check for functions, names and scorers.

A kernel declares them as the types of its parameters, such as ``Literal["linear"]``; those
of the mean are the same for all metrics. A function that stands for a word is tried.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints

from sklearn_rank._validation import check_option
from sklearn_rank.metrics._discount import TRIALS

__all__ = ["AVERAGES", "AVERAGING", "WEIGHTINGS", "check_options"]

AVERAGES = ("arithmetic", "geometric")
WEIGHTINGS = ("query", "positives", "pairs")

# Parameters of a metric that concern the mean and not the value of a query.
AVERAGING = {"average": AVERAGES, "weighting": WEIGHTINGS}


def check_options(kernel: Callable, parameters: Mapping[str, Any]) -> None:
    """Raise unless each parameter that takes words has one of its own."""
    declared = _declared(kernel)
    for name, value in parameters.items():
        words, takes_function = declared.get(name, (AVERAGING.get(name, ()), False))
        if takes_function and callable(value):
            TRIALS[name](value)
        elif words:
            check_option(name, value, words, otherwise=takes_function * "Or a function.")


@cache
def _declared(kernel: Callable) -> dict[str, tuple[tuple[str, ...], bool]]:
    """Return the words of each parameter, and whether a function may stand for them."""
    declared = {}
    for name, hint in get_type_hints(kernel).items():
        parts = [hint, *get_args(hint)]
        words = [
            word for part in parts if get_origin(part) is Literal for word in get_args(part)
        ]
        takes_function = any(get_origin(part) is Callable for part in parts)
        declared[name] = tuple(words), takes_function
    return declared
