"""The metric behind losses: one minus its value, for a query that is answered."""

from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any, ClassVar

from sklearn_rank.metrics._core._metric import BoundMetric, check_rewards_abstention


class MetricOfLosses:
    """The check of a metric's name as a parameter; the registry above sets `parse`."""

    parse: ClassVar[Callable[..., BoundMetric]]

    def check(self, name: str, value: Any) -> str:
        """Return the name; raise unless one minus the metric is a loss."""
        named = MetricOfLosses.parse(value)
        check_rewards_abstention(
            named, f"`{name}` is a metric whose loss is 1 - value, but"
        )
        reason = ""
        if named.metric.columns:
            reason = f"needs the column {named.metric.columns[0].name!r}"
        elif named.metric.unjudged == "needed":
            reason = "treats unjudged rows by itself"
        elif any(named.parameters[one] is None for one in named.metric.from_data):
            part = named.metric.from_data[0]
            reason = f"takes {part} from the data; write {named.metric.name}({part}=...)"
        if reason:
            raise ValueError(f"`{name}` cannot be {named.name!r}, which {reason}.")
        return named.name


MetricName = Annotated[str, MetricOfLosses()]


@lru_cache(maxsize=64)
def bind_metric_of_losses(
    metric: str, k: int | None, min_relevance: float | None
) -> BoundMetric:
    """Return the metric with these parameters, unless its name has others."""
    named = MetricOfLosses.parse(metric, k=k, min_relevance=min_relevance)
    if min_relevance is not None and "min_relevance" not in named.parameters:
        raise ValueError(
            f"`min_relevance` has no effect: {named.name!r} takes none. Leave it out, or "
            "name a metric that takes it."
        )
    return named
