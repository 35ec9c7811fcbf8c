"""Conventions: definitions of metrics in other libraries, as parameters of this package."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from math import nan
from types import MappingProxyType
from typing import Any, Literal

from sklearn_rank._base._validation import suggest
from sklearn_rank.metrics._core._grammar import parse_name
from sklearn_rank.metrics._core._metric import BoundMetric


@dataclass(frozen=True)
class Convention:
    """How one library defines its metrics.

    Parameters
    ----------
    library : str
        The library, and its version if that matters.
    checked : {"run", "read"}
        How its definitions are known: the tests run the library itself, or we read its
        source and the tests have numbers computed by hand.
    metrics : mapping of str to dict
        The parameters with which our metrics agree with the library, by our name.
        They include ``ties`` and ``replace_undefined_by`` if these differ from those of the
        library, and ``k`` if a name without a cutoff has a different meaning than here.
    ties : {"average", "worst", "best", "first"}, default="first"
        Treatment of rows with equal scores.
    undefined : float, default=0.0
        Value of a query without relevant items; NaN if it is left out.
    uncut : set of str
        Metrics without a cutoff in the library.
    left_out : mapping of str to dict
        Metrics that are NaN for a query without relevant items, for any value of
        `undefined`, and the parameters with which they are NaN.
    ties_by_item : bool, default=False
        Whether tied rows are in descending order of their ids, where ``items=`` has these.
    answered_only : bool, default=False
        Whether queries without a retrieved row are left out.
    judged_only : bool, default=False
        Whether queries without a judgment are left out.
    decides : set of str
        Parameters of names such as ``"11pt_avg"`` that differ from version to version of
        the library.
    words : mapping of str to str
        Differences that no parameter can express, by our name of the metric, or by a topic.

    Examples
    --------
    >>> from sklearn_rank.metrics import conventions
    >>> conventions["lightgbm"].metrics["ndcg"]
    {'gain': 'exponential'}
    """

    library: str
    checked: Literal["run", "read"]
    metrics: Mapping[str, dict[str, Any]]
    ties: str = "first"
    undefined: float = 0.0
    uncut: frozenset[str] = frozenset()
    left_out: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    ties_by_item: bool = False
    answered_only: bool = False
    judged_only: bool = False
    decides: frozenset[str] = frozenset()
    words: Mapping[str, str] = field(default_factory=dict)


def follow_convention(
    name: str, wanted: Sequence[BoundMetric], sets_ties: bool, sets_undefined: bool
) -> list[BoundMetric]:
    """Return metrics as a library defines them, and its value of undefined queries.

    Parameters in a name take precedence.
    """
    bound_metrics, convention = [], conventions[name]
    for metric in wanted:
        if _is_alike_everywhere(metric, convention):
            bound_metrics.append(metric)
            continue
        theirs: dict[str, Any] = {}
        if metric.metric.rows != "function":
            theirs |= _parameters_of_library(name, convention, metric.metric.name)
        undefined = theirs.pop("replace_undefined_by", convention.undefined)
        ties = theirs.pop("ties", convention.ties)
        kept = {key: value for key, value in theirs.items() if key not in metric.chosen}
        bound = metric.with_parameters(**kept)
        left_out = convention.left_out.get(metric.metric.name)
        if left_out is not None and left_out.items() <= bound.parameters.items():
            undefined = nan
        bound = replace(bound, judged_only=convention.judged_only)
        if sets_ties:
            bound = replace(bound, ties=ties, ties_by_item=convention.ties_by_item)
        if sets_undefined:
            leaves_out = convention.answered_only
            bound = replace(bound, replace_undefined_by=undefined, answered_only=leaves_out)
        bound_metrics.append(bound)
    return bound_metrics


def _is_alike_everywhere(metric: BoundMetric, convention: Convention) -> bool:
    """Return whether no library defines a metric otherwise."""
    is_of_rows = metric.metric.name == "judged" or metric.metric.rows == "rated"
    return is_of_rows and metric.metric.name not in convention.metrics


def _parameters_of_library(
    name: str, convention: Convention, metric: str
) -> Mapping[str, Any]:
    if metric not in convention.metrics:
        otherwise = f"not in {convention.library}, or not as our parameters express it"
        why = convention.words.get(metric, otherwise)
        raise ValueError(
            f"Convention {name!r} has no parameters for metric {metric!r}: {why}. "
            f"{suggest(metric, convention.metrics)}"
        )
    return convention.metrics[metric]


def _read_conventions() -> Mapping[str, Convention]:
    """Return the conventions of the table; one that is like another adds to that one."""
    by_name: dict[str, Convention] = {}
    table = files(__package__).joinpath("conventions.toml").read_text("utf-8")
    for name, entry in tomllib.loads(table).items():
        entry["metrics"] = dict(map(parse_name, entry.get("metrics", "").split()))
        sets = {key: frozenset(entry[key]) for key in ("decides", "uncut") if key in entry}
        like = entry.pop("like", None)
        if like is not None:
            for key in ("metrics", "words"):
                entry[key] = getattr(by_name[like], key) | entry[key]
            entry = vars(by_name[like]) | entry
        by_name[name] = Convention(**(entry | sets))
    return MappingProxyType(by_name)


conventions = _read_conventions()
