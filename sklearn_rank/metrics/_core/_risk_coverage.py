"""Risk and coverage: the losses of queries by confidence, and the area under their curve.

Queries with the same confidence tie: what is computed is the mean over all orders of them.
"""

import math
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

import numpy as np

from sklearn_rank._base._runs import begins_run, sizes_of, starts_where
from sklearn_rank.metrics._core._metric import BoundMetric, check_rewards_abstention
from sklearn_rank.metrics._core._registry import parse_metric
from sklearn_rank.metrics._core._summaries import ComputedSummary

# The metric behind losses: one minus its value, for a query that is answered.


class MetricOfLosses:
    """The check of a metric's name as a parameter."""

    def check(self, name: str, value: Any) -> str:
        """Return the name; raise unless one minus the metric is a loss."""
        bound = parse_metric(value)
        check_rewards_abstention(
            bound, f"`{name}` is a metric whose loss is 1 - value, but"
        )
        reason = ""
        if bound.metric.columns:
            reason = f"needs the column {bound.metric.columns[0].name!r}"
        elif bound.metric.unjudged == "needed":
            reason = "treats unjudged rows by itself"
        elif any(
            bound.parameters[parameter] is None for parameter in bound.metric.from_data
        ):
            part = bound.metric.from_data[0]
            reason = f"takes {part} from the data; write {bound.metric.name}({part}=...)"
        if reason:
            raise ValueError(f"`{name}` cannot be {bound.name!r}, which {reason}.")
        return bound.name


MetricName = Annotated[str, MetricOfLosses()]


@lru_cache(maxsize=64)
def bind_metric_of_losses(
    metric: str, k: int | None, min_relevance: float | None
) -> BoundMetric:
    """Return the metric with these parameters, unless its name has others."""
    bound = parse_metric(metric, k=k, min_relevance=min_relevance)
    if min_relevance is not None and "min_relevance" not in bound.parameters:
        raise ValueError(
            f"`min_relevance` has no effect: {bound.name!r} takes none. Leave it out, or "
            "name a metric that takes it."
        )
    return bound


Area = Literal["selective", "joint"]
Adjust = Literal["excess", "normalized", None]


class RiskByPlace(NamedTuple):
    """Queries by descending confidence, and the expected risk down to each place."""

    order: np.ndarray  # of the queries
    starts: np.ndarray  # of each block of tied queries, and the end of the last
    step: np.ndarray  # the mean weight of the block of each place
    reached: np.ndarray  # the weight of all queries down to each place
    risk: np.ndarray

    @classmethod
    def compute(
        cls, confidence: np.ndarray, loss: np.ndarray, weight: np.ndarray
    ) -> "RiskByPlace":
        """Order queries, and spread the weight and the loss of each block evenly."""
        order = np.lexsort((weight, loss, -confidence))
        starts = starts_where(begins_run(confidence[order]))
        size = sizes_of(starts)
        weight, lost = weight[order], (weight * loss)[order]
        of_block = np.add.reduceat(weight, starts[:-1]), np.add.reduceat(lost, starts[:-1])
        t = np.arange(1, len(order) + 1) - starts[:-1].repeat(size)
        reached, lost = (
            (np.cumsum(total) - total).repeat(size) + t * (total / size).repeat(size)
            for total in of_block
        )
        step = (of_block[0] / size).repeat(size)
        return cls(order, starts, step, reached, lost / reached)

    @property
    def ends(self) -> np.ndarray:
        """The last place of each block."""
        return self.starts[1:] - 1

    def curve(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the risk and the coverage at the end of each block."""
        return self.risk[self.ends], self.reached[self.ends] / self.reached[-1:]

    def selective(self) -> float:
        """Return the area under the risk of the answered queries (AURC)."""
        return float(self.step @ self.risk / self.reached[-1])

    def joint(self) -> float:
        """Return the area under the risk of the answered queries times coverage (AUGRC)."""
        risk, coverage = (np.append(0, values) for values in self.curve())
        joint = coverage * risk
        return float(np.diff(coverage) @ (joint[1:] + joint[:-1]) / 2)

    def values(self, loss: np.ndarray) -> np.ndarray:
        """Return one value per query, whose weighted mean is the selective area."""
        ahead = self.step / self.reached
        sums = (self.risk, *(np.cumsum(v[::-1])[::-1] for v in (ahead, ahead * self.risk)))
        size = sizes_of(self.starts)
        risk, a, b = (
            (np.add.reduceat(v, self.starts[:-1]) / size).repeat(size) for v in sums
        )
        areas = np.empty(len(loss))
        areas[self.order] = risk + loss[self.order] * a - b
        return areas


def risk_curves(
    confidence: np.ndarray, loss: np.ndarray, weight: np.ndarray
) -> dict[str, Any]:
    """Return the points of the curve and of that of the best order, for a picture."""
    places, best = (RiskByPlace.compute(by, loss, weight) for by in (confidence, -loss))
    risk, coverage = places.curve()
    oracle_risk, oracle_coverage = best.curve()
    return {
        "risk": risk,
        "coverage": coverage,
        "threshold": confidence[places.order][places.ends],
        "oracle_risk": oracle_risk,
        "oracle_coverage": oracle_coverage,
        "area": places.selective() if len(loss) else math.nan,
    }


def area_of(
    confidence: np.ndarray, loss: np.ndarray, weight: np.ndarray, area: str
) -> float:
    """Return the area under the curve of queries."""
    places = RiskByPlace.compute(confidence, loss, weight)
    return places.selective() if area == "selective" else places.joint()


@dataclass(frozen=True, eq=False)
class RiskCoverage(ComputedSummary):
    """The losses of all queries with their confidence.

    A kernel returns the loss, the confidence and whether the query is answerable.
    """

    instead: ClassVar[str] = "abstention_report has values per query with this mean"

    # Rows: loss (NaN if undefined), confidence, is answerable, weight.
    table: np.ndarray = field(default_factory=lambda: np.empty((4, 0)))

    def add(self, found: Any, weight: np.ndarray | None = None) -> Self:
        """Return the summary with more queries."""
        weight = np.ones(len(found[0])) if weight is None else weight
        return replace(self, table=np.hstack([self.table, np.array([*found, weight])]))

    def merge(self, other: Self) -> Self:
        """Return the summary of the queries of both."""
        return replace(self, table=np.hstack([self.table, other.table]))

    @cached_property
    def is_used(self) -> np.ndarray:
        """Whether each query has a loss and a weight."""
        return ~np.isnan(self.table[0]) & (self.table[3] != 0)

    @property
    def n(self) -> int:
        """The number of queries behind the result."""
        return int(self.is_used.sum())

    @property
    def undefined(self) -> int:
        """The number of queries that are left out: answerable, and without a value."""
        return int((np.isnan(self.table[0]) & (self.table[3] != 0)).sum())


def aurc(found: RiskCoverage, area: Area, adjust: Adjust) -> float:
    """Return the area, or its distance from that of the best order of the queries."""
    if not found.n:
        return math.nan
    loss, confidence, _, weight = found.table[:, found.is_used]
    value = area_of(confidence, loss, weight, area)
    if adjust is None:
        return value
    best = area_of(-loss, loss, weight, area)
    if adjust == "excess":
        return value - best
    if loss.min() == loss.max():
        return math.nan
    random = float(weight @ loss / weight.sum())
    return (value - best) / ((random if area == "selective" else random / 2) - best)
