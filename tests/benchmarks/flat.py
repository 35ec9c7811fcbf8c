"""Flat input: one row per item, labels of queries beside them."""

from functools import partial
from typing import Any

import numpy as np

from sklearn_rank.metrics import ranking_scores
from tests.benchmarks import peers
from tests.benchmarks.case import Case, Task, argsort_of
from tests.benchmarks.data import Queries, make_queries

__all__ = ["CASES", "FIVE", "five_metrics"]

FIVE = ("ndcg@10", "map(denominator='relevant')@10", "precision@10", "recall@10", "mrr@10")


def five_metrics(y_true: Any, y_score: Any, groups: Any = None, **options: Any) -> Task:
    """All five, unless others are named, by the public function, with validation."""
    options = {"metrics": FIVE} | options

    def run() -> dict[str, float]:
        return ranking_scores(y_true, y_score, groups=groups, **options)

    return Task("ranking_scores", run, dict)


def case_of(name: str, data: Queries, peers_of_it: list[Task], **limits: Any) -> Case:
    n_rows, n_queries = len(data.y_true), len(np.unique(data.groups))
    size = f"{n_rows:,} rows in {n_queries:,} queries, five metrics at 10"
    return Case(
        name, size, five_metrics(*data.arrays), peers_of_it, inputs=data.arrays, **limits
    )


def in_runs(scale: int) -> Case:
    data = make_queries(1_000_000 // scale, 10_000 // scale)
    others = [
        argsort_of(data.y_score, limit=1.0),
        peers.lexsort(data),
        *peers.pytrec_eval(data, limits=(1 / 5, 1 / 50)),
        *peers.ranx(data, limits=(1 / 15, 1 / 50)),
        peers.torchmetrics(data),
    ]
    return case_of("flat-runs", data, others)


def shuffled(scale: int) -> Case:
    data = make_queries(1_000_000 // scale, 10_000 // scale).shuffled()
    others = [argsort_of(data.y_score, limit=2.0), peers.lexsort(data)]
    return case_of("flat-shuffled", data, others)


def ten_million(scale: int) -> Case:
    small = make_queries(1_000_000 // scale, 10_000 // scale)
    data = make_queries(10_000_000 // scale, 100_000 // scale)
    tenth = five_metrics(*small.arrays)
    tenth = Task("a tenth of the rows", tenth.run, limit=12.0)
    others = [tenth, argsort_of(data.y_score), peers.lexsort(data, most_repeats=1)]
    return case_of("flat-10x", data, others, limit_memory=6.0)


def ties(scale: int) -> Case:
    """Of 20 distinct scores; scikit-learn averages over ties as well, a query at a time."""
    untied = make_queries(1_000_000 // scale, 10_000 // scale)
    edges = np.quantile(untied.y_score, np.linspace(0, 1, 21)[1:-1])
    data = Queries(
        untied.y_true, np.searchsorted(edges, untied.y_score) / 20.0, untied.groups
    )
    without = Task("the same without ties", five_metrics(*untied.arrays).run, limit=2.0)
    sklearn = _sklearn_ndcg(data)
    return case_of("flat-ties", data, [without, argsort_of(data.y_score), sklearn])


def _sklearn_ndcg(data: Queries) -> Task:
    from sklearn.metrics import ndcg_score

    shape = len(np.unique(data.groups)), -1
    y_true, y_score = data.y_true.reshape(shape), data.y_score.reshape(shape)

    def value(found: float) -> dict[str, float]:
        return {"ndcg@10": found}

    run = partial(ndcg_score, y_true, y_score, k=10)
    return Task("scikit-learn's ndcg_score alone", run, value, most_repeats=3)


def strings_in_runs(scale: int) -> Case:
    numbered = make_queries(1_000_000 // scale, 10_000 // scale)
    data = _with_string_labels(numbered)
    others = [
        argsort_of(data.y_score, limit=1.3),
        _factorize(data),
        _with_integers(numbered),
    ]
    return case_of("strings-runs", data, others)


def strings_shuffled(scale: int) -> Case:
    numbered = make_queries(1_000_000 // scale, 10_000 // scale)
    data = _with_string_labels(numbered).shuffled()
    both = _factorize(data, n_argsorts=2, limit=1.0)
    others = [both, argsort_of(data.y_score), _with_integers(numbered.shuffled())]
    return case_of("strings-shuffled", data, others)


def _with_integers(data: Queries) -> Task:
    return Task("the same with integer labels", five_metrics(*data.arrays).run, dict)


def _with_string_labels(data: Queries) -> Queries:
    n_queries = int(data.groups[-1]) + 1
    labels = np.array([f"query-{number:06}" for number in range(n_queries)])
    return Queries(data.y_true, data.y_score, labels[data.groups])


def _factorize(data: Queries, n_argsorts: int = 0, limit: float | None = None) -> Task:
    pandas = peers.imported("pandas")
    name = "pandas.factorize" + (" + 2 np.argsort" if n_argsorts else "")
    if pandas is None:
        return Task(name, None, limit=limit)
    labels = data.groups.astype(object)

    def run() -> None:
        pandas.factorize(labels)
        for _ in range(n_argsorts):
            np.argsort(data.y_score)

    return Task(name, run, limit=limit)


def one_query(scale: int) -> Case:
    n_rows = 1_000_000 // scale
    data = make_queries(n_rows, 1)
    return case_of("one-query", data, [argsort_of(data.y_score), peers.lexsort(data)])


def queries_of_one_row(scale: int) -> Case:
    n_rows = 1_000_000 // scale
    data = make_queries(n_rows, n_rows)
    return case_of("one-row-queries", data, [argsort_of(data.y_score), peers.lexsort(data)])


def objects_of_one_row(scale: int) -> Case:
    n_rows = 2_000_000 // scale
    data = make_queries(n_rows, n_rows)
    labels = np.array([f"query-{number:07}" for number in range(n_rows)]).astype(object)
    others = [_with_integers(data)]
    others[0].limit = 3.0
    return case_of("objects", Queries(data.y_true, data.y_score, labels), others)


def many_columns(scale: int) -> Case:
    """Four metrics at 20 cutoffs, as displays and reports ask for them."""
    data = make_queries(1_000_000 // scale, 10_000 // scale)
    names = ("ndcg", "precision", "recall", "map")
    metrics = [f"{name}@{k}" for name in names for k in range(1, 21)]
    five = Task("five metrics", five_metrics(*data.arrays).run, dict, limit=3.0)
    ours = five_metrics(*data.arrays, metrics=metrics)
    size = f"{len(data.y_true):,} rows, {len(metrics)} columns"
    return Case("columns", size, ours, [five], inputs=data.arrays)


CASES = {
    "flat-runs": in_runs,
    "flat-shuffled": shuffled,
    "flat-ties": ties,
    "flat-10x": ten_million,
    "strings-runs": strings_in_runs,
    "strings-shuffled": strings_shuffled,
    "one-query": one_query,
    "one-row-queries": queries_of_one_row,
    "objects": objects_of_one_row,
    "columns": many_columns,
}
