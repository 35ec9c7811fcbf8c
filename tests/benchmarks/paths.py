"""Inputs that the package has a path of its own for, beside like inputs without it.

Each target is met with its path and missed without it, so that paths stay worth their code.
"""

import numpy as np

from tests.benchmarks.case import Case, Task
from tests.benchmarks.data import Queries, make_queries
from tests.benchmarks.flat import FIVE, five_metrics

__all__ = ["CASES"]


def _task(name: str, data: Queries, limit: float, metrics: tuple[str, ...] = FIVE) -> Task:
    return Task(name, five_metrics(*data.arrays, metrics=metrics).run, limit=limit)


def _case(name: str, data: Queries, peer: Task, metrics: tuple[str, ...] = FIVE) -> Case:
    n_rows, n_queries = len(data.y_true), len(np.unique(data.groups))
    size = f"{n_rows:,} rows in {n_queries:,} queries, {len(metrics)} metric(s)"
    return Case(name, size, five_metrics(*data.arrays, metrics=metrics), [peer])


def _uneven(data: Queries) -> Queries:
    """Return the queries less one row of each tenth query."""
    stays = np.ones(len(data.groups), dtype=bool)
    stays[:: 10 * np.count_nonzero(data.groups == 0)] = False
    return Queries(*(array[stays] for array in data.arrays))


def equal_sizes(scale: int) -> Case:
    """Queries of one size are sorted one by one, in one call."""
    data = make_queries(1_000_000 // scale, 10_000 // scale)
    peer = _task("the same less a row of some queries", _uneven(data), limit=0.9)
    return _case("path-equal-sizes", data, peer)


def few_ties(scale: int) -> Case:
    """Scattered rows: only rows that tie are looked at again."""
    untied = make_queries(1_000_000 // scale, 10_000 // scale).shuffled()
    data = Queries(untied.y_true, np.round(untied.y_score, 4), untied.groups)
    return _case("path-few-ties", data, _task("the same without ties", untied, limit=1.6))


def small_grades(scale: int) -> Case:
    """The best order of small whole grades is found by counting."""
    data = _uneven(make_queries(1_000_000 // scale, 10_000 // scale, 0.5))
    part = np.random.default_rng(1).random(len(data.y_true))
    of_many_values = Queries(data.y_true * (1 - part / 2), data.y_score, data.groups)
    name, metrics = "the same with grades of many values", ("ndcg@10",)
    peer = _task(name, of_many_values, 0.95, metrics)
    return _case("path-small-grades", data, peer, metrics)


def long_strings(scale: int) -> Case:
    """Long labels in long runs: only where runs begin are all characters looked at."""
    numbered = make_queries(1_000_000 // scale, 1_000 // scale)
    labels = np.array([f"query-{number:030}" for number in range(1_000 // scale)])
    data = Queries(numbered.y_true, numbered.y_score, labels[numbered.groups])
    peer = _task("the same with integer labels", numbered, limit=2.25)
    return _case("path-long-strings", data, peer)


CASES = {
    "path-equal-sizes": equal_sizes,
    "path-few-ties": few_ties,
    "path-small-grades": small_grades,
    "path-long-strings": long_strings,
}
