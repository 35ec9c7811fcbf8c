"""Splitters beside one lexsort of users and times; bench_split has a table of its own."""

from functools import lru_cache, partial

import numpy as np

from sklearn_rank.model_selection import k_core
from tests.benchmarks.bench_split import SPLITTERS, make_log
from tests.benchmarks.case import Case, Task

__all__ = ["CASES"]

log_of = lru_cache(maxsize=1)(make_log)


def split(name: str, scale: int) -> Case:
    users, items, times = log_of(10_000_000 // scale)
    cv = SPLITTERS[name]

    def ours() -> list[int]:
        folds = cv.split(None, users=users, items=items, times=times)
        return [len(test) for _, test in folds]

    sort = partial(np.lexsort, (times, users))
    lexsort = Task("np.lexsort((times, users))", sort, limit=3.0)
    size = f"{len(users):,} rows, all folds of {name}"
    case = Case(f"split-{type(cv).__name__}", size, Task(name, ours), [lexsort])
    case.inputs, case.limit_memory, case.most_repeats = (users, times), 5.0, 3
    return case


def core(bound: int, scale: int) -> Case:
    """Rows of users and items with enough rows, beside the distinct ids of one column."""
    users, items, _ = log_of(2_000_000 // scale)
    ours = Task("k_core", lambda: k_core(users, items, bound, bound))
    peer = Task("np.unique of the users", lambda: np.unique(users), limit=0.35)
    size = f"{len(users):,} rows, {bound} rows at least"
    return Case(f"core-{bound}", size, ours, [peer])


CASES = {f"core-{bound}": partial(core, bound) for bound in (5, 20)} | {
    f"split-{type(cv).__name__}": partial(split, name)
    for name, cv in reversed(SPLITTERS.items())  # of two the plainer one
}
