"""Each metric where all rows tie, beside the same rows without ties."""

from functools import partial
from typing import Any

import numpy as np

from sklearn_rank.metrics import ranking_scores
from sklearn_rank.metrics._core._metric import Metric
from tests.benchmarks.case import Case, Task
from tests.benchmarks.data import make_queries
from tests.metrics.registered import METRICS

__all__ = ["CASES"]

N_ROWS = 100_000
# What takes too long where so many rows tie, and says so.
REFUSED = ("inst", "interpolated_precision", "eleven_point_precision")
# Ours may take so many times what it takes without ties, on the whole list and at 10.
WHOLE_LIMIT, CUT_LIMIT = 5.0, 3.0


def all_tied(name: str, n_queries: int, scale: int) -> Case:
    n_rows, n_queries = N_ROWS // scale, max(n_queries // scale, 1)
    data = make_queries(n_rows, n_queries)
    metric = METRICS[name.partition("@")[0]]
    y_true = _judged_in_part(data.y_true) if metric.unjudged == "needed" else data.y_true
    spelled = f"{name}(k=None)" if metric.takes_k and "@" not in name else name
    if spelled == "accuracy@10":
        spelled = "accuracy(n_items=None)@10"  # without it, the name has two meanings

    def run(y_score: np.ndarray) -> dict[str, float] | None:
        try:
            return ranking_scores(
                y_true, y_score, groups=data.groups, metrics=spelled, replace_undefined_by=0
            )
        except ValueError:
            if name.startswith(REFUSED):
                return None
            raise

    ours = Task(spelled, partial(run, np.zeros(n_rows)))
    limit = CUT_LIMIT if "@" in name else WHOLE_LIMIT
    without = Task("the same without ties", partial(run, data.y_score), limit=limit)
    size = f"{n_rows:,} rows in {n_queries:,} queries, all tied"
    return Case(f"tied-{n_queries}-{name}", size, ours, [without])


def _judged_in_part(y_true: np.ndarray) -> np.ndarray:
    """Return the grades, a fifth of them unknown."""
    is_unknown = np.random.default_rng(1).random(len(y_true)) < 0.2
    return np.where(is_unknown, np.nan, y_true)


def _names(metric: Metric) -> list[str]:
    return [metric.name, *([f"{metric.name}@10"] if metric.takes_k else [])]


CASES: dict[str, Any] = {
    f"tied-{n_queries}-{name}": partial(all_tied, name, n_queries)
    for n_queries in (1, 100)
    for metric in METRICS.values()
    for name in _names(metric)
}
