"""The support of a report: numbers of queries and of retrieved and relevant items."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self

import numpy as np

from sklearn_rank._ranking._ranked_lists import RankedLists
from sklearn_rank._text._table import aligned
from sklearn_rank.metrics._core._evaluate import Evaluation
from sklearn_rank.metrics._core._metric import Metric, NamedMetric
from sklearn_rank.metrics._core._parameters import MinRelevance
from sklearn_rank.metrics._core._summaries import OfAllQueries

NAME = "support"


def counts(lists: RankedLists, min_relevance: MinRelevance) -> Any:
    """Return the numbers of retrieved and of relevant items, and of those that are both."""
    is_relevant = lists.is_relevant(min_relevance)
    is_hit = is_relevant & (lists.above < lists.n_retrieved[lists.query])
    hits = lists.sum(lists.query[is_hit])
    return np.array([lists.n_retrieved, lists.n_relevant(min_relevance), hits])


@dataclass(frozen=True, eq=False)
class Support(OfAllQueries):
    """Numbers of queries and of their items, without weights."""

    n: int = 0
    undefined: int = 0
    retrieved: int = 0
    relevant: int = 0
    relevant_retrieved: int = 0

    def add(self, found: Any, weight: np.ndarray | None = None) -> Self:
        """Return the counts with those of more queries."""
        retrieved, relevant, both = map(int, found.sum(axis=1))
        return self.merge(type(self)(found.shape[1], 0, retrieved, relevant, both))

    def merge(self, other: Self) -> Self:
        """Return the sums of both."""
        names = [one.name for one in fields(self)]
        sums = {name: getattr(self, name) + getattr(other, name) for name in names}
        return replace(self, **sums)

    def cells(self) -> dict[str, int]:
        """Return the counts by their names in reports."""
        return {
            "queries": self.n,
            "retrieved": self.retrieved,
            "relevant": self.relevant,
            "relevant_retrieved": self.relevant_retrieved,
        }


SUPPORT = Metric(NAME, counts, counts, summary=Support(), unjudged="irrelevant")


def count_items(min_relevance: float | None, ties: str) -> NamedMetric:
    """Return the metric that counts the items of a report."""
    relevance = SUPPORT.checks["min_relevance"].check("min_relevance", min_relevance)
    return NamedMetric(NAME, SUPPORT, {"min_relevance": relevance}, ties=ties)


def take_counts(found: Evaluation) -> dict[str, int]:
    """Remove the counts from the evaluation, and return them."""
    counted = found.of_all.pop(NAME)
    found.wanted = [named for named in found.wanted if named.name != NAME]
    assert isinstance(counted, Support)
    return counted.cells()


def with_counts(report: Any, numbers: Mapping[str, int] | None) -> Any:
    """Return a report (text, dict or DataFrame) with the counts, if any."""
    if numbers is None:
        return report
    if isinstance(report, str):
        return f"{report}\n\n{_as_lines(numbers)}"
    if isinstance(report, dict):
        return {**report, NAME: dict(numbers)}
    report.attrs[NAME] = dict(numbers)
    return report


def _as_lines(numbers: Mapping[str, int]) -> str:
    lines = [[name.replace("_", " "), str(count)] for name, count in numbers.items()]
    return "\n".join(aligned(lines))
