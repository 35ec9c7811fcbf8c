"""All metrics by name, and the names that carry parameters, such as "ndcg@10"."""

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sklearn_rank._ranked_lists import RankedLists
from sklearn_rank._validation import check_parameters, suggest
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
from sklearn_rank.metrics._options import check_options
from sklearn_rank.metrics._rating import RATING_ERRORS, RatingError

__all__ = ["METRICS", "NamedMetric", "common_depth", "parse_metric", "parse_metrics"]

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

_NAME = re.compile(
    r"\s*(?P<name>\w+)\s*(\((?P<arguments>.*)\))?\s*(@\s*(?P<k>[^\s()]+))?\s*",
    re.DOTALL,
)


@dataclass(frozen=True)
class NamedMetric:
    """A metric with all its parameters, under the name by which it was asked for."""

    name: str
    metric: Metric | RatingError
    parameters: Mapping[str, Any]
    given: frozenset[str] = frozenset()  # parameters that are not defaults

    @property
    def lower_is_better(self) -> bool:
        """Whether a scorer has to negate it."""
        return self.metric.lower_is_better

    @property
    def unjudged(self) -> bool:
        """Whether grades may be NaN."""
        return isinstance(self.metric, Metric) and self.metric.unjudged

    def per_query(self, lists: RankedLists) -> np.ndarray:
        """Return one value per query, in the order of the labels."""
        assert isinstance(self.metric, Metric)
        own = {
            name: value for name, value in self.parameters.items() if name not in AVERAGING
        }
        return lists.by_label(self.metric.kernel(lists, **own))

    def weight(self, lists: RankedLists) -> np.ndarray | None:
        """Return the weight of each query in the mean (None: all the same)."""
        weighting = self.parameters.get("weighting", "query")
        weight = query_weight(lists, weighting, self.parameters.get("min_relevance"))
        return combine_weights(weight, lists.weight)

    def mean(
        self, values: np.ndarray, weight: np.ndarray | None, replace_undefined_by: float
    ) -> tuple[float, int]:
        """Return the mean over queries, and how many undefined ones it leaves out."""
        average = self.parameters.get("average", "arithmetic")
        return mean_of_defined(values, weight, replace_undefined_by, average)


def common_depth(wanted: Iterable[NamedMetric]) -> int | None:
    """Return the last rank that any of the metrics looks at, None for the whole list."""
    cutoffs = [named.parameters.get("k") for named in wanted]
    known = [cutoff for cutoff in cutoffs if cutoff is not None]
    return max(known) if known and len(known) == len(cutoffs) else None


def parse_metrics(
    metrics: str | Callable | Iterable[str | Callable], **defaults: Any
) -> list[NamedMetric]:
    """Return the metrics of one name or several; each name may stand once."""
    several = (
        metrics
        if isinstance(metrics, Iterable) and not isinstance(metrics, str)
        else [metrics]
    )
    parsed = [parse_metric(metric, **defaults) for metric in several]
    names = [metric.name for metric in parsed]
    if not names:
        raise ValueError("`metrics` is empty; name at least one, for example 'ndcg@10'.")
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise ValueError(f"`metrics` names {sorted(repeated)} more than once.")
    return parsed


def parse_metric(metric: "str | Callable | NamedMetric", **defaults: Any) -> NamedMetric:
    """Return the metric for a name or for one of our functions.

    `defaults` are parameters for the metrics that have them; what a name says wins.
    """
    if isinstance(metric, NamedMetric):
        return metric
    found, given, name = _look_up(metric)
    if isinstance(found, RatingError):
        return NamedMetric(name, found, {})
    for parameter in given:
        if parameter not in found.parameters:
            raise ValueError(
                f"Metric {found.name!r} has no parameter {parameter!r} (in {name!r}). "
                f"{suggest(parameter, found.parameters)}"
            )
    shared = {key: value for key, value in defaults.items() if key in found.parameters}
    parameters = {**found.parameters, **shared, **given}
    check_parameters(parameters)
    check_options(found.kernel, parameters)
    return NamedMetric(name, found, parameters, frozenset({**shared, **given}))


def _look_up(metric: Any) -> tuple[Metric | RatingError, dict[str, Any], str]:
    if callable(metric):
        for known in METRICS.values():
            if known.function is metric:
                return known, {}, known.name
        raise ValueError(
            f"{getattr(metric, '__name__', metric)!r} is not a metric of sklearn_rank. "
            "For another function use sklearn.metrics.make_scorer."
        )
    if not isinstance(metric, str):
        raise TypeError(
            "`metrics` takes names such as 'ndcg@10' and functions of this package, "
            f"got {metric!r}."
        )
    return _look_up_name(metric)


def _look_up_name(text: str) -> tuple[Metric | RatingError, dict[str, Any], str]:
    match = _NAME.fullmatch(text)
    name = match["name"] if match else text
    if match is None or (name not in METRICS and name not in RATING_ERRORS):
        known = [f"{key}@k" if metric.takes_k else key for key, metric in METRICS.items()]
        raise ValueError(f"Unknown metric {text!r}. {_nearest(name, known)}")
    given = _literals(text, match["arguments"])
    if match["k"] is not None:
        if "k" in given:
            raise ValueError(f"{text!r} gives the cutoff twice, as k= and after @.")
        given["k"] = _cutoff_of(text, match["k"])
    if name in RATING_ERRORS:
        if given:
            raise ValueError(f"Metric {name!r} takes no parameters, got {text!r}.")
        return RATING_ERRORS[name], {}, text
    return METRICS[name], given, text


def _nearest(name: str, known: list[str]) -> str:
    """Return the valid names; the nearest is sought without its cutoff."""
    valid = suggest("", [*known, *RATING_ERRORS])
    hint = suggest(name, [*METRICS, *RATING_ERRORS]).partition(" Did")
    return valid + hint[1] + hint[2]


def _literals(text: str, arguments: str | None) -> dict[str, Any]:
    if not arguments:
        return {}
    try:
        call = ast.parse(f"f({arguments})", mode="eval").body
        assert isinstance(call, ast.Call)
        if call.args or any(keyword.arg is None for keyword in call.keywords):
            raise ValueError("only name=value")
        return {str(word.arg): ast.literal_eval(word.value) for word in call.keywords}
    except (SyntaxError, ValueError) as error:
        raise ValueError(
            f"Cannot read the parameters in {text!r}: write them as Python literals by "
            "name, for example \"ndcg(gain='exponential')@10\"."
        ) from error


def _cutoff_of(text: str, k: str) -> int:
    try:
        cutoff = int(k)
    except ValueError:
        cutoff = 0
    if cutoff < 1:
        raise ValueError(
            f"The cutoff after @ must be a positive integer, got {k!r} in {text!r}."
        )
    return cutoff
