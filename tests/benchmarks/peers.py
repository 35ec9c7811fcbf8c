"""Other libraries as tasks; each is imported here and missing where not installed."""

import importlib
from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from tests.benchmarks.case import Built, Task
from tests.benchmarks.data import Queries

__all__ = ["imported", "lexsort", "pytrec_eval", "ranx", "torchmetrics"]

# trec_eval keeps scores in single precision, where a few of them tie.
SINGLE = 1e-5


def imported(name: str) -> ModuleType | None:
    """Return a module, None where its package is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def lexsort(data: Queries, most_repeats: int | None = None) -> Task:
    """The five metrics the plain way: one lexsort, then arithmetic on whole arrays."""
    run = partial(plain_metrics, data.y_true, data.y_score, data.groups)
    return Task(
        "NumPy, by a lexsort",
        run,
        dict,
        most_repeats=most_repeats,
        is_warmed_up=most_repeats is None,
    )


def plain_metrics(y_true: Any, y_score: Any, groups: Any, k: int = 10) -> dict[str, float]:
    """Return five metrics of scores without ties; each query has a relevant row."""
    query = np.unique(groups, return_inverse=True)[1]
    order = np.lexsort((-y_score, query))
    best = np.lexsort((-y_true, query))
    n_rows = np.bincount(query)
    start = np.repeat(np.cumsum(n_rows) - n_rows, n_rows)
    rank, query = np.arange(1, len(query) + 1) - start, query[order]
    grade, top = y_true[order], rank <= k
    hit = (grade > 0) & (y_score[order] > -np.inf)

    def total(values: np.ndarray) -> np.ndarray:
        return np.bincount(query, values * top, len(n_rows))

    hits_so_far = np.cumsum(hit)
    hits_so_far -= (hits_so_far - hit)[start]
    n_relevant = np.bincount(query, grade > 0)
    ideal = total(y_true[best] / np.log2(rank + 1))
    first_hit = hit & (hits_so_far == 1)
    values = {
        "ndcg@10": total(hit * grade / np.log2(rank + 1)) / ideal,
        "map(denominator='relevant')@10": total(hit * hits_so_far / rank) / n_relevant,
        "precision@10": total(hit) / k,
        "recall@10": total(hit) / n_relevant,
        "mrr@10": total(first_hit / rank),
    }
    return {name: float(value.mean()) for name, value in values.items()}


PYTREC_EVAL = {
    "ndcg@10": "ndcg_cut_10",
    "map(denominator='relevant')@10": "map_cut_10",
    "precision@10": "P_10",
    "recall@10": "recall_10",
}


def pytrec_eval(data: Queries, *, limits: tuple[float, float] | None = None) -> list[Task]:
    """trec_eval in C, alone and with the dictionaries it reads built from the arrays.

    These are built as is usual, row by row, and in the fastest way we know, for which there
    is no target.
    """
    alone, whole = limits or (None, None)
    names = (
        "pytrec_eval, evaluate alone",
        "pytrec_eval, with dictionaries",
        "pytrec_eval, with them built fast",
    )
    library = imported("pytrec_eval")
    if library is None:
        limits = (alone, whole, None)
        return [
            Task(name, None, limit=limit) for name, limit in zip(names, limits, strict=True)
        ]

    def build(dictionaries: Callable[[], tuple[dict, dict]]) -> tuple[Any, dict]:
        qrels, run = dictionaries()
        measures = {"ndcg_cut.10", "map_cut.10", "P.10", "recall.10", "recip_rank"}
        return library.RelevanceEvaluator(qrels, measures), run

    def evaluate(evaluator: Any, run: dict) -> dict:
        return evaluator.evaluate(run)

    def means(found: dict) -> dict[str, float]:
        return {
            ours: float(np.mean([query[theirs] for query in found.values()]))
            for ours, theirs in PYTREC_EVAL.items()
        }

    by_loop = partial(build, data.as_dictionaries_by_loop)
    fast = partial(build, data.as_dictionaries)
    built = Built(fast)
    return [
        Task(names[0], lambda: evaluate(*built.once()), means, SINGLE, alone),
        Task(names[1], lambda: evaluate(*by_loop()), means, SINGLE, whole, most_repeats=3),
        Task(names[2], lambda: evaluate(*fast()), means, SINGLE, most_repeats=3),
    ]


RANX = {
    "ndcg@10": "ndcg@10",
    "map(denominator='relevant')@10": "map@10",
    "precision@10": "precision@10",
    "recall@10": "recall@10",
    "mrr@10": "mrr@10",
}


def ranx(data: Queries, *, limits: tuple[float, float] | None = None) -> list[Task]:
    """The numba library, alone and with its Qrels and Run built; it uses all cores.

    Building takes long enough to be done once, in the first repetition.
    """
    alone, whole = limits or (None, None)
    names = ("ranx, with its Qrels and Run", "ranx, evaluate alone")
    library = imported("ranx")
    if library is None:
        return [Task(names[0], None, limit=whole), Task(names[1], None, limit=alone)]

    def build_of(rows: Queries) -> Callable[[], tuple[Any, Any]]:
        def build() -> tuple[Any, Any]:
            qrels, run = rows.as_dictionaries()
            return library.Qrels(qrels), library.Run(run)

        return build

    def evaluate(qrels: Any, run: Any) -> dict[str, float]:
        found = library.evaluate(qrels, run, list(RANX.values()))
        return {ours: float(found[theirs]) for ours, theirs in RANX.items()}

    evaluate(*build_of(data.first_queries(2))())  # compiles
    built = Built(build_of(data))
    tasks = [
        Task(names[0], lambda: evaluate(*built.anew()), dict, limit=whole, most_repeats=1),
        Task(names[1], lambda: evaluate(*built.once()), dict, limit=alone),
    ]
    for task in tasks:
        task.is_warmed_up = False
    return tasks


def torchmetrics(data: Queries) -> Task:
    """NDCG on the processor, the only one of the five that is timed here."""
    name = "torchmetrics, RetrievalNormalizedDCG"
    torch, library = imported("torch"), imported("torchmetrics.retrieval")
    if torch is None or library is None:
        return Task(name, None)
    truth, scores = torch.from_numpy(data.y_true), torch.from_numpy(data.y_score)
    groups = torch.from_numpy(np.asarray(data.groups, dtype=np.int64))

    def run() -> float:
        metric = library.RetrievalNormalizedDCG(top_k=10)
        metric.update(scores, truth, indexes=groups)
        return float(metric.compute())

    def value(found: float) -> dict[str, float]:
        return {"ndcg@10": found}

    return Task(name, run, value, SINGLE, most_repeats=3)
