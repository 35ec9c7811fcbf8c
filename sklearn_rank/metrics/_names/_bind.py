"""Metrics as they are asked for: by name, with all that says how they count."""

from typing import Any

from sklearn_rank._ranking._ties import TIES
from sklearn_rank._validation import check_option
from sklearn_rank.metrics._core._metric import NamedMetric
from sklearn_rank.metrics._core._undefined import check_undefined
from sklearn_rank.metrics._names._convention import follow
from sklearn_rank.metrics._names._conventions import conventions
from sklearn_rank.metrics._names._registry import parse_metrics


def bind(
    metrics: Any,
    *,
    ties: Any = "average",
    replace_undefined_by: Any = "warn",
    convention: Any = None,
    leaves_out: Any = "warn",
    **defaults: Any,
) -> list[NamedMetric]:
    """Return the metrics of one name or several, with all that says how they count.

    `leaves_out` is the default of `replace_undefined_by`, in place of which a convention
    says what it is. `defaults` are parameters for the metrics that have them; None is no
    default.
    """
    check_option("ties", ties, TIES)
    given = {name: value for name, value in defaults.items() if value is not None}
    fill = check_undefined(replace_undefined_by)
    wanted = parse_metrics(metrics, ties=ties, replace_undefined_by=fill, **given)
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
