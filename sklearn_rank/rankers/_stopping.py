"""When a ranker stops early, as its parameters say it."""

from typing import Any, NamedTuple

from sklearn_rank._validation import check_integer, check_real, shorten
from sklearn_rank._values._has_rows import has_rows
from sklearn_rank.rankers._stopping_metric import MeanOfMetric


class Stopping(NamedTuple):
    """When to stop, on which queries, and by what."""

    rounds: int | None = None
    fraction: Any = None
    metric: MeanOfMetric | None = None


def read_stopping(rounds: Any, metric: Any, fraction: Any) -> Stopping:
    """Check the parameters of a ranker and return what they mean."""
    rounds = check_integer("early_stopping_rounds", rounds, none="no early stopping")
    if rounds is None and metric is not None:
        raise ValueError(
            f"`stopping_metric={shorten(metric)}` needs `early_stopping_rounds`, how many "
            "rounds to wait for a better value."
        )
    if rounds is None:
        return Stopping()
    fraction = _check_fraction(fraction)
    if metric is None:
        return Stopping(rounds, fraction)
    return Stopping(rounds, fraction, MeanOfMetric(metric, parameter="stopping_metric"))


def _check_fraction(value: Any) -> Any:
    """Return a share as a float; a mask and a splitter as they are."""
    is_splitter = hasattr(value, "split") and not isinstance(value, str | bytes | type)
    if is_splitter or has_rows(value):
        return value
    needed = (
        "a share of the queries between 0 and 1, a splitter such as GroupShuffleSplit(1), "
        "or a mask of the rows to hold out"
    )
    return check_real("validation_fraction", value, needed, above=0, below=1)
