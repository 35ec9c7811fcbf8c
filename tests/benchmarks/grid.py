"""Grid input: one row per query, one column per item."""

from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank.metrics import ndcg_score
from tests.benchmarks import peers
from tests.benchmarks.case import Case, Task
from tests.benchmarks.flat import five_metrics

__all__ = ["CASES"]


def _as_ndcg(found: float) -> dict[str, float]:
    return {"ndcg": float(found)}


def _graded(share_graded: float, scale: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    shape = 2_000 // scale, 1_000
    y_true = rng.integers(1, 5, shape) * (rng.random(shape) < share_graded)
    return y_true, rng.standard_normal(shape) + y_true / 2


def _by_scikit_learn(name: str, *arrays: np.ndarray, **options: Any) -> Task:
    from sklearn import metrics

    run = partial(metrics.ndcg_score, *arrays, **options)
    return Task(name, run, _as_ndcg, most_repeats=3)


def dense(name: str, share_graded: float, scale: int) -> Case:
    y_true, y_score = _graded(share_graded, scale)
    theirs = partial(_by_scikit_learn, y_true=y_true, y_score=y_score)
    default = theirs("scikit-learn's ndcg_score")
    default.limit = 1 / 30
    others = [
        default,
        theirs("scikit-learn's, ignore_ties=True", ignore_ties=True),
        Task("np.argsort(y_score, axis=1)", lambda: np.argsort(y_score, axis=1)),
    ]
    ours = Task("ndcg_score", lambda: ndcg_score(y_true, y_score), _as_ndcg)
    size = f"{y_true.shape[0]:,} x 1,000, {share_graded:.0%} with a grade, ndcg_score"
    return Case(name, size, ours, others, inputs=(y_true, y_score))


def at_10(name: str, share_graded: float, is_tied: bool, scale: int) -> Case:
    y_true, y_score = _graded(share_graded, scale)
    y_score = y_score.round(1) if is_tied else y_score
    place = y_score.shape[1] - 10
    theirs = _by_scikit_learn("scikit-learn's, k=10", y_true, y_score, k=10)
    theirs.limit = 1 / 15
    others = [
        Task("np.partition", lambda: np.partition(y_score, place, axis=1), limit=2.5),
        theirs,
    ]
    ours = Task("ndcg_score, k=10", lambda: ndcg_score(y_true, y_score, k=10), _as_ndcg)
    size = f"{y_true.shape[0]:,} x 1,000, {share_graded:.0%} with a grade, ndcg_score(k=10)"
    return Case(name, size, ours, others, inputs=(y_true, y_score))


def sparse_truth(scale: int) -> Case:
    rng = np.random.default_rng(3)
    shape = 6_000 // scale, 4_000
    y_score = rng.standard_normal(shape)
    y_true = _interactions(rng, shape, n_each=20)

    def partition() -> np.ndarray:
        return np.argpartition(y_score, 10, axis=1)

    def by_hand() -> float:
        top = np.argpartition(-y_score, 10, axis=1)[:, :10]
        order = np.argsort(-np.take_along_axis(y_score, top, axis=1), axis=1)
        top = np.take_along_axis(top, order, axis=1)
        hits = y_true[np.arange(shape[0])[:, None], top].toarray()
        discount = 1 / np.log2(np.arange(2, 12))
        return float((hits @ discount / discount.sum()).mean())

    others = [
        Task("np.argpartition(y_score, 10)", partition, limit=1.0),
        Task("NumPy, by argpartition", by_hand, _as_ndcg),
    ]
    ours = Task("ndcg_score", lambda: ndcg_score(y_true, y_score, k=10), _as_ndcg)
    size = f"{shape[0]:,} x {shape[1]:,}, 20 relevant a query, ndcg_score(k=10)"
    return Case("grid-sparse-truth", size, ours, others, inputs=(y_true, y_score))


def stored_scores(scale: int) -> Case:
    """Scores of 100 retrieved items a query; what is not stored was not retrieved."""
    rng = np.random.default_rng(4)
    shape = 6_000 // scale, 4_000
    y_true = _interactions(rng, shape, n_each=20)
    y_score = _interactions(rng, shape, n_each=100)
    y_score.data = rng.random(y_score.nnz) + 0.1

    def in_flat_form() -> dict[str, float]:
        both = ((y_score > 0) + (y_true > 0)).tocoo()
        score = y_score[both.row, both.col]
        score = np.where(score == 0, -np.inf, score)
        return peers.plain_metrics(y_true[both.row, both.col], score, both.row)

    others = [Task("NumPy, by a lexsort", in_flat_form, dict)]
    size = f"{shape[0]:,} x {shape[1]:,}, 100 scores per query, five metrics at 10"
    ours = five_metrics(y_true, y_score)
    return Case("grid-stored-scores", size, ours, others, inputs=(y_true, y_score))


def _interactions(rng, shape: tuple[int, int], n_each: int) -> sparse.csr_array:
    columns = np.argpartition(rng.random(shape, dtype=np.float32), n_each, axis=1)
    columns = np.sort(columns[:, :n_each], axis=1).ravel()
    ends = np.arange(shape[0] + 1) * n_each
    return sparse.csr_array((np.ones(len(columns)), columns, ends), shape=shape)


CASES = {
    "grid-dense": partial(dense, "grid-dense", 0.05),
    "grid-all-graded": partial(dense, "grid-all-graded", 1.0),
    **{
        f"grid-at-10-{share:.0%}" + "-tied" * is_tied: partial(
            at_10, f"grid-at-10-{share:.0%}" + "-tied" * is_tied, share, is_tied
        )
        for share in (0.01, 0.05, 1.0)
        for is_tied in (False, True)
    },
    "grid-sparse-truth": sparse_truth,
    "grid-stored-scores": stored_scores,
}
