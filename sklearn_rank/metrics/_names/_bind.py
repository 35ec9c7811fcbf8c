"""Bind metrics from names and shared options."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sklearn_rank._ranking._ties import TIES
from sklearn_rank._validation import check_option, shorten
from sklearn_rank.metrics._core._metric import NamedMetric
from sklearn_rank.metrics._core._undefined import check_undefined
from sklearn_rank.metrics._names._convention import follow
from sklearn_rank.metrics._names._conventions import conventions
from sklearn_rank.metrics._names._registry import METRICS, parse_metrics


def bind(
    metrics: Any,
    ties: Any = "average",
    replace_undefined_by: Any = "warn",
    convention: Any = None,
    *,
    leaves_out: Any = "warn",
    counts_beside: bool = False,
    **defaults: Any,
) -> list[NamedMetric]:
    """Return the metrics of one name or several with shared options.

    `leaves_out` is the default of `replace_undefined_by`; a convention replaces it.
    `defaults` are parameters for the metrics that have them; None means not given. One
    without effect is an error, unless `counts_beside` is set.
    """
    check_option("ties", ties, TIES)
    given = {name: value for name, value in defaults.items() if value is not None}
    fill = check_undefined(replace_undefined_by)
    wanted = parse_metrics(metrics, ties=ties, replace_undefined_by=fill, **given)
    for name, value in given.items():
        if not counts_beside:
            _check_has_effect(name, value, wanted)
    if convention is None:
        return wanted
    check_option("convention", convention, conventions)
    is_default = fill == leaves_out or (fill != fill and leaves_out != leaves_out)
    return follow(
        convention,
        conventions[convention],
        wanted,
        sets_ties=ties == "average",
        sets_undefined=is_default,
    )


def _check_has_effect(name: str, value: Any, wanted: Sequence[NamedMetric]) -> None:
    """Raise for a keyword that all its metrics override by name."""
    having = [named for named in wanted if name in named.parameters]
    for named in having:
        # The value in a name wins, but the other one must be valid too.
        value = named.metric.checked({name: value})[name]
    if not having and any(name in metric.parameters for metric in METRICS.values()):
        names = ", ".join(repr(named.name) for named in wanted)
        raise ValueError(
            f"`{name}` has no effect: {names} {'take' if len(wanted) > 1 else 'takes'} "
            "none. Leave it out, or name a metric that takes it."
        )
    if not having or any(_is_same(named.parameters[name], value) for named in having):
        return
    first = having[0]
    advice = "Leave one of the two out."
    if name == "k" and first.name != first.name_without_cutoff:
        word = first.name_without_cutoff
        advice = f"Write {f'{word}@{value}'!r}, or {word!r} with k={value}."
    raise ValueError(
        f"{first.name!r} sets {name}={shorten(first.parameters[name])}, so "
        f"{name}={shorten(value)} has no effect. {advice}"
    )


def _is_same(one: Any, other: Any) -> bool:
    return one is other or np.array_equal(one, other)
