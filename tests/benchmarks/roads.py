"""The two roads to the first ranks: sort each list, or only what may be among them.

Which is taken follows from the length of lists and the cutoff alone. Targets say that the
choice is never much worse than the better one, however many rows have a grade.
"""

from collections.abc import Callable
from functools import partial
from itertools import product
from unittest import mock

import numpy as np

from sklearn_rank._ranking import _rank
from sklearn_rank.metrics import ndcg_score
from tests.benchmarks.case import Case, Task

__all__ = ["CASES"]

N_CELLS = 600_000
LENGTHS = 30, 100, 300, 1_000, 5_000
SHARES = 0.02, 0.3, 1.0
CUTOFFS = 1, 10, 50
LIMIT = 1.2


def road(length: int, share: float, k: int, scale: int) -> Case:
    rng = np.random.default_rng(6)
    shape = max(N_CELLS // scale // length, 1), length
    y_true = rng.integers(1, 5, shape) * (rng.random(shape) < share)
    y_score = rng.standard_normal(shape) + y_true / 2

    def run(cutoff: int | None = k) -> float:
        return ndcg_score(y_true, y_score, k=cutoff, replace_undefined_by=0)

    def forced(is_long: bool) -> Callable[[], float]:
        def run_forced() -> float:
            with mock.patch.object(_rank, "has_long_lists", return_value=is_long):
                return run()

        return run_forced

    peers = [
        Task("every list sorted", forced(False), _as_ndcg, limit=LIMIT),
        Task("first ranks alone", forced(True), _as_ndcg, limit=LIMIT),
        Task("without a cutoff", partial(run, None), limit=LIMIT),
    ]
    size = f"{shape[0]:,} x {length:,}, {share:.0%} with a grade, ndcg_score(k={k})"
    return Case(
        f"road-{length}-{share:.0%}@{k}", size, Task("ndcg_score", run, _as_ndcg), peers
    )


def _as_ndcg(found: float) -> dict[str, float]:
    return {"ndcg": found}


CASES = {
    f"road-{length}-{share:.0%}@{k}": partial(road, length, share, k)
    for length, share, k in product(LENGTHS, SHARES, CUTOFFS)
    if 2 * k < length
}
