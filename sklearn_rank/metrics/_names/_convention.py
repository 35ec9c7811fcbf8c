"""Conventions of other libraries, and metrics that follow one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import nan
from typing import Any, Literal

from sklearn_rank._validation import suggest
from sklearn_rank.metrics._core._metric import NamedMetric


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
        library, and ``k`` if a name without a cutoff has another meaning than here.
    ties : {"average", "worst", "best", "first"}, default="first"
        Treatment of rows with equal scores.
    undefined : float, default=0.0
        Value of a query without relevant items; NaN if it is left out.
    uncut : set of str
        Metrics without a cutoff in the library.
    left_out : mapping of str to dict
        Metrics that are NaN for a query without relevant items, for any value of
        `undefined`, and the parameters with which they are NaN.
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
    words: Mapping[str, str] = field(default_factory=dict)


def follow(
    name: str,
    convention: Convention,
    wanted: Sequence[NamedMetric],
    *,
    sets_ties: bool,
    sets_undefined: bool,
) -> list[NamedMetric]:
    """Return metrics as a library defines them, and its value of undefined queries.

    Parameters in a name take precedence.
    """
    found = []
    for named in wanted:
        theirs = dict(_parameters(name, convention, named.metric.name))
        undefined = theirs.pop("replace_undefined_by", convention.undefined)
        ties = theirs.pop("ties", convention.ties)
        kept = {key: value for key, value in theirs.items() if key not in named.given}
        bound = named.with_parameters(**kept)
        left_out = convention.left_out.get(named.metric.name)
        if left_out is not None and left_out.items() <= bound.parameters.items():
            undefined = nan
        if not sets_ties:
            ties = named.ties
        if not sets_undefined:
            undefined = named.replace_undefined_by
        found.append(replace(bound, ties=ties, replace_undefined_by=undefined))
    return found


def _parameters(name: str, convention: Convention, metric: str) -> Mapping[str, Any]:
    if metric not in convention.metrics:
        otherwise = f"not in {convention.library}, or not as our parameters express it"
        why = convention.words.get(metric, otherwise)
        raise ValueError(
            f"Convention {name!r} has no parameters for metric {metric!r}: {why}. "
            f"{suggest(metric, convention.metrics)}"
        )
    return convention.metrics[metric]
