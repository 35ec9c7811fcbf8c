"""Defaults computed once from the whole input.

A block, a fold or a partition must not decide them for itself.
"""

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


def bind_whole(
    named: NamedMetric, max_grade: float, n_items: int | None = None
) -> NamedMetric:
    """Return the metric with the parameters computed from the input.

    It has this highest grade and so many items, as far as that is known.
    """
    decide = {
        "max_grade": lambda given: _max_grade(given, max_grade),
        "n_items": lambda given: n_items if given is None else given,
    }
    whole = {name: decide[name](named.parameters[name]) for name in named.metric.whole}
    return named.with_parameters(**whole) if whole else named
