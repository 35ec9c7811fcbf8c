"""All metrics by name, and the names that carry parameters, such as "ndcg@10"."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._ranked_lists import RankedLists
from sklearn_rank._validation import check_parameters, shorten, suggest
from sklearn_rank.metrics import (
    _blended,
    _cascade,
    _confusion,
    _cutoff,
    _gain,
    _goal,
    _hits,
    _inferred,
    _pairwise,
    _persistence,
    _position,
)
from sklearn_rank.metrics._average import (
    AVERAGING,
    combine_weights,
    mean_of_defined,
    query_weight,
)
from sklearn_rank.metrics._metric import Metric
from sklearn_rank.metrics._names import EXAMPLE, parse_name
from sklearn_rank.metrics._options import check_options
from sklearn_rank.metrics._rating import RATING_ERRORS, RatingError

__all__ = [
    "METRICS",
    "NamedMetric",
    "as_list",
    "common_depth",
    "parse_metric",
    "parse_metrics",
]

METRICS: dict[str, Metric] = {
    metric.name: metric
    for family in (
        _cutoff,
        _hits,
        _position,
        _gain,
        _persistence,
        _cascade,
        _goal,
        _blended,
        _inferred,
        _pairwise,
        _confusion,
    )
    for metric in family.METRICS
}


@dataclass(frozen=True)
class NamedMetric:
    """A metric with all its parameters, under the name by which it was asked for."""

    name: str
    metric: Metric | RatingError
    parameters: Mapping[str, Any]
    given: frozenset[str] = frozenset()  # parameters that are not defaults
    ties: str | None = None  # as a convention has them; None: as those of the others

    @property
    def lower_is_better(self) -> bool:
        """Whether a scorer has to negate it."""
        return self.metric.lower_is_better

    @property
    def unjudged(self) -> bool:
        """Whether grades may be NaN."""
        return isinstance(self.metric, Metric) and self.metric.unjudged

    @property
    def reads_judgments(self) -> bool:
        """Whether it has to be known which rows are judged."""
        return isinstance(self.metric, Metric) and self.metric.reads == "judgments"

    def per_query(self, lists: RankedLists) -> np.ndarray:
        """Return one value per query, in the order of the labels."""
        assert isinstance(self.metric, Metric)
        own = {
            name: value for name, value in self.parameters.items() if name not in AVERAGING
        }
        known = lists if self.unjudged else lists.judged()
        return lists.by_label(self.metric.kernel(known, **own))

    def weight(self, lists: RankedLists) -> np.ndarray | None:
        """Return the weight of each query in the mean (None: all the same)."""
        weighting = self.parameters.get("weighting", "query")
        weight = query_weight(lists, weighting, self.parameters.get("min_relevance"))
        return combine_weights(weight, lists.weight)

    def mean(
        self, values: np.ndarray, weight: np.ndarray | None, fill: float
    ) -> tuple[float, int]:
        """Return the mean over queries, and how many undefined ones it leaves out."""
        average = self.parameters.get("average", "arithmetic")
        return mean_of_defined(values, weight, fill, average)


def common_depth(wanted: Iterable[NamedMetric]) -> int | None:
    """Return the last rank that any of the metrics looks at, None for the whole list."""
    cutoffs = [named.parameters.get("k") for named in wanted]
    known = [cutoff for cutoff in cutoffs if cutoff is not None]
    return max(known) if known and len(known) == len(cutoffs) else None


def as_list(metrics: Any) -> list:
    """Return one metric or several as a list; text is one."""
    is_one = isinstance(metrics, str) or not isinstance(metrics, Iterable)
    return [metrics] if is_one else list(metrics)


def parse_metrics(
    metrics: str | Callable | Iterable[str | Callable], **defaults: Any
) -> list[NamedMetric]:
    """Return the metrics of one name or several; each name may stand once."""
    parsed = [parse_metric(metric, **defaults) for metric in as_list(metrics)]
    names = [metric.name for metric in parsed]
    if not names:
        raise ValueError("`metrics` is empty; name at least one, for example 'ndcg@10'.")
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        listed = ", ".join(map(shorten, sorted(repeated)))
        raise ValueError(f"`metrics` names {listed} more than once; name each once.")
    return parsed


def parse_metric(metric: "str | Callable | NamedMetric", **defaults: Any) -> NamedMetric:
    """Return the metric for a name or for one of our functions.

    `defaults` are parameters for the metrics that have them; what a name says wins. They
    are checked for the others too: a wrong one is no less wrong for having no effect.
    """
    check_parameters(defaults)
    if isinstance(metric, NamedMetric):
        return metric
    found: Metric | RatingError
    given: dict[str, Any] = {}
    if callable(metric):
        found = _look_up_function(metric)
        name = found.name
    elif isinstance(metric, str):
        found, given = _look_up_name(metric)
        name = metric
    else:
        raise TypeError(
            "`metrics` takes names such as 'ndcg@10' and functions of this package, "
            f"got {shorten(metric)}."
        )
    if isinstance(found, RatingError):
        return NamedMetric(name, found, {})
    shared = {key: value for key, value in defaults.items() if key in found.parameters}
    parameters = check_parameters({**found.parameters, **shared, **given})
    check_options(found.kernel, parameters)
    return NamedMetric(name, found, parameters, frozenset({**shared, **given}))


def _look_up_function(function: Callable) -> Metric:
    for known in METRICS.values():
        if known.function is function:
            return known
    raise ValueError(
        f"{shorten(getattr(function, '__name__', function))} is not a metric of "
        "sklearn_rank. For another function use sklearn.metrics.make_scorer."
    )


def _look_up_name(text: str) -> tuple[Metric | RatingError, dict[str, Any]]:
    name, given = parse_name(text)
    if name in RATING_ERRORS:
        if given:
            raise ValueError(
                f"Metric {name!r} takes no parameters, got {shorten(text)}; write {name!r}."
            )
        return RATING_ERRORS[name], {}
    if name not in METRICS:
        known = [f"{key}@k" if metric.takes_k else key for key, metric in METRICS.items()]
        raise ValueError(f"Unknown metric {shorten(text)}. {_nearest(name, known)}")
    _check_given(text, METRICS[name], given)
    return METRICS[name], given


def _nearest(name: str, known: list[str]) -> str:
    """Return the valid names; the nearest is sought without its cutoff."""
    valid = suggest("", [*known, *RATING_ERRORS])
    hint = suggest(name, [*METRICS, *RATING_ERRORS]).partition(" Did")
    return valid + hint[1] + hint[2]


def _check_given(text: str, metric: Metric, given: Mapping[str, Any]) -> None:
    """Raise unless the metric has these parameters, with such values."""
    for parameter in given:
        if parameter not in metric.parameters:
            raise ValueError(
                f"Metric {metric.name!r} has no parameter {shorten(parameter)} (in "
                f"{shorten(text)}). {suggest(parameter, metric.parameters)}"
            )
    try:
        check_parameters(dict(given))
    except (TypeError, ValueError) as error:
        # In a name everything is text, and so its value is wrong, not its type.
        raise ValueError(
            f"Metric {shorten(text)}: {error} Write for example {EXAMPLE}."
        ) from error
