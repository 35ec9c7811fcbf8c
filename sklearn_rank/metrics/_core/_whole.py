"""Parameters that the whole input decides where they are None: worked out once.

A block, a fold or a partition must not decide them for itself.
"""

from collections.abc import Callable, Mapping

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


WHOLE: Mapping[str, Callable[[float | None, float], float]] = {"max_grade": _max_grade}


def bind_whole(named: NamedMetric, max_grade: float) -> NamedMetric:
    """Return the metric with the parameters that an input of this highest grade decides."""
    whole = {
        name: WHOLE[name](named.parameters[name], max_grade) for name in named.metric.whole
    }
    return named.with_parameters(**whole) if whole else named
