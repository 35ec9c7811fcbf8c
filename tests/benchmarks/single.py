"""One metric at a time: the cost of a call, and of each metric on whole lists."""

from functools import partial

from sklearn_rank.metrics import ndcg_score, ranking_scores
from tests.benchmarks.case import Case, Task, argsort_of
from tests.benchmarks.data import make_queries
from tests.metrics.registered import METRICS

__all__ = ["CASES"]


def call(scale: int) -> Case:
    """1,000 rows at every scale: nothing but the overhead of a call."""
    from sklearn import metrics

    data = make_queries(1_000, 10)

    def ours() -> float:
        return ndcg_score(data.y_true, data.y_score, groups=data.groups, k=10)

    def theirs() -> float:
        grid = data.y_true.reshape(10, -1), data.y_score.reshape(10, -1)
        return metrics.ndcg_score(*grid, k=10)

    def as_ndcg(found: float) -> dict[str, float]:
        return {"ndcg@10": float(found)}

    peer = Task("scikit-learn's ndcg_score", theirs, as_ndcg, number=50)
    task = Task("ndcg_score", ours, as_ndcg, number=50)
    return Case("call", "1,000 rows in 10 queries, ndcg_score(k=10)", task, [peer], 0.3)


def whole_lists(name: str, scale: int) -> Case:
    data = make_queries(1_000_000 // scale, 10_000 // scale)

    def ours() -> dict[str, float]:
        return ranking_scores(
            data.y_true,
            data.y_score,
            groups=data.groups,
            metrics=name,
            replace_undefined_by=0,
        )

    size = f"{len(data.y_true):,} rows in {data.groups[-1] + 1:,} queries, no cutoff"
    return Case(f"whole-{name}", size, Task(name, ours), [argsort_of(data.y_score)])


CASES = {"call": call} | {f"whole-{name}": partial(whole_lists, name) for name in METRICS}
