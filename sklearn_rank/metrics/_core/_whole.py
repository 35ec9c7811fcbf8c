"""Defaults computed once from the whole input.

A block, a fold or a partition must not decide them for itself.
"""

from collections.abc import Callable, Mapping
from typing import Any

from sklearn_rank.metrics._core._metric import NamedMetric


def _max_grade(given: float | None, highest: float) -> float:
    """Return the highest grade there can be, which no grade may exceed."""
    if given is None:
        return highest or 1.0
    if highest > given:
        raise ValueError(
            f"`max_grade` is {given!r}, but `y_true` has grade {highest}; raise "
            "`max_grade`, or leave it out to take the largest grade."
        )
    return given


def _n_items(given: Any, known: int | None) -> Any:
    """Return the number of items that can be shown: what is known of it, if not given."""
    return known if given is None else given


# Of each parameter what decides it, given its value and what is known of the input.
WHOLE: Mapping[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "max_grade": ("max_grade", _max_grade),
    "n_items": ("n_items", _n_items),
}


def bind_whole(
    named: NamedMetric, max_grade: float, n_items: int | None = None
) -> NamedMetric:
    """Return the metric with the parameters computed from the input.

    It has this highest grade and so many items, as far as that is known.
    """
    known = {"max_grade": max_grade, "n_items": n_items}
    whole = {}
    for name in named.metric.whole:
        of, decide = WHOLE[name]
        whole[name] = decide(named.parameters[name], known[of])
    return named.with_parameters(**whole) if whole else named
