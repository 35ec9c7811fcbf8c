"""What guards of misleading input cost, on a metric call of one million rows.

``python -m tests.benchmarks.guards`` prints, for each form of input, the time of the call
without its guards and the share that these add. A guard is a function that only looks; it
is patched out. Calls with and without take turns, so that other work slows both alike.
"""

import argparse
import gc
import statistics
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

from sklearn_rank.inputs import from_item_lists
from sklearn_rank.metrics import ranking_scores

__all__ = ["FORMS", "GUARDS", "forms", "shares", "without_guards"]

# Functions that raise or warn, by the module that calls them.
GUARDS = (
    "sklearn_rank.metrics._core._evaluate.check_arguments_paired",
    "sklearn_rank.metrics._core._evaluate.check_lists_do_not_end",
    "sklearn_rank.metrics._core._evaluate.warn_if_misleading",
    "sklearn_rank.metrics._core._registry._check_has_effect",
)
A_QUERY = 20
LIMIT = 0.03

Call = Callable[[], Any]


@contextmanager
def without_guards() -> Iterator[None]:
    """Leave out all guards of a metric call."""
    with ExitStack() as stack:
        for guard in GUARDS:
            stack.enter_context(patch(guard, lambda *arguments, **keywords: None))
        yield


def forms(n_rows: int) -> dict[str, Call]:
    """Return a call for each form of input, by what its guards have to look at."""
    rng = np.random.default_rng(0)
    n_queries = n_rows // A_QUERY
    grades = rng.choice([0, 0, 0, 1, 2], n_rows)
    ratings = rng.integers(1, 6, n_rows)
    score = rng.random(n_rows)
    groups = np.repeat(np.arange(n_queries), A_QUERY)
    mixed = rng.permutation(n_rows)
    missed = np.where(rng.random(n_rows) < 0.1, -np.inf, score)
    labels = np.arange(n_rows) + 7
    ones, of_query = np.ones(n_rows), groups % 4 + 1
    relevant = rng.integers(0, 1000, (n_queries, 3)).tolist()
    shown = (rng.integers(0, 1000, (n_queries, 1)) + np.arange(A_QUERY)).tolist()
    lists = from_item_lists([set(one) for one in relevant], shown)
    square = n_queries * A_QUERY // 1000, 1000

    def of(y_true: Any, y_score: Any, groups: Any, metrics: Any = "ndcg@10") -> Call:
        return lambda: ranking_scores(
            y_true, y_score, groups=groups, metrics=metrics, replace_undefined_by=np.nan
        )

    def labeled(make_index: Callable[[], Any]) -> Call:
        columns = (grades, score, groups)
        return of(*(pd.Series(column, index=make_index()) for column in columns))

    shared = pd.Index(labels)
    texts = [f"r{label}" for label in labels]
    return {
        "arrays": of(grades, score, groups),
        "arrays, rows lie anywhere": of(grades[mixed], score, groups[mixed]),
        "arrays, two metrics": of(grades, score, groups, ["ndcg@10", "map"]),
        "2-D": of(grades.reshape(square), score.reshape(square), None),
        "Series, one index": labeled(lambda: shared),
        "Series, equal integers": labeled(lambda: pd.Index(labels.copy())),
        "Series, equal texts": labeled(lambda: pd.Index(texts)),
        "ratings from 1 to 5": of(ratings, score, groups),
        "ratings, rows lie anywhere": of(ratings, score, groups[mixed]),
        "one grade in all": of(ones, score, groups),
        "one grade per query": of(of_query, score, groups),
        "lists": of(lists.y_true, lists.y_score, lists.groups),
        "lists, map": of(lists.y_true, lists.y_score, lists.groups, "map"),
        "auc, rows at -inf": of(grades, missed, groups, "auc"),
        "auc, rows at -inf of floats": of(grades.astype(float), missed, groups, "auc"),
    }


# Forms of mistakes, or nearly so: each query has one grade, which a warning tells of.
FORMS_THAT_WARN = {"one grade in all", "one grade per query"}
FORMS = tuple(forms(1000))


def _processor_time(call: Call) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def shares(call: Call, repeats: int) -> tuple[float, float]:
    """Return the seconds of a call without guards, and the share that these add.

    The share is that of the median of differences of calls next to each other.
    """
    times = []
    call()
    gc.disable()
    try:
        for repeat in range(repeats):
            pair = {}
            for is_guarded in (repeat % 2 == 0, repeat % 2 == 1):
                if is_guarded:
                    pair[True] = _processor_time(call)
                else:
                    with without_guards():
                        pair[False] = _processor_time(call)
            times.append((pair[False], pair[True]))
            gc.collect()
    finally:
        gc.enable()
    without = statistics.median(one for one, _ in times)
    added = statistics.median(other - one for one, other in times)
    return without, added / without


def main() -> None:
    """Print a line a form."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=31)
    options = parser.parse_args()
    print(f"{options.rows:,} rows, processor time, {options.repeats} repeats")
    print(f"{'form':<30} {'without (ms)':>12} {'guards':>8}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for form, call in forms(options.rows).items():
            seconds, share = shares(call, options.repeats)
            note = "" if share < LIMIT else f"above {LIMIT:.0%}"
            note += " (it warns)" if form in FORMS_THAT_WARN else ""
            print(f"{form:<30} {1000 * seconds:>12.1f} {share:>+8.1%}  {note}", flush=True)


if __name__ == "__main__":
    main()
