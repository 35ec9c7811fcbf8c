"""Work that must grow no faster than its input: a larger input beside a smaller one."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from sklearn_rank.metrics import per_query_scores
from sklearn_rank.model_selection import k_core
from sklearn_rank.online import compare_variants, team_draft_interleave
from sklearn_rank.statistics import rater_agreement
from tests.benchmarks.case import Case, Task, argsort_of

__all__ = ["CASES"]

Make = Callable[[int], Callable[[], Any]]


def grow(name: str, make: Make, small: int, large: int, limit: float, scale: int) -> Case:
    """Return a case; `make` returns the call for a size."""
    small, large = (max(2, size // scale) for size in (small, large))
    peer = Task(f"size {small:,}", make(small), limit=limit)
    return Case(f"grow-{name}", f"size {large:,}", Task("larger", make(large)), [peer])


def strata(n_strata: int) -> Callable[[], Any]:
    rng = np.random.default_rng(0)
    stratum = rng.integers(0, n_strata, 10_000)
    outcome, variant = rng.random(10_000), rng.permutation(10_000) % 2
    return partial(compare_variants, outcome, variant, control=0, strata=stratum)


def grades(n_values: int) -> Callable[[], Any]:
    table = np.random.default_rng(0).integers(0, n_values, (1_500, 4)).astype(float)
    options: dict[str, Any] = {"level": "interval"}
    return partial(rater_agreement, table, **options)


def chain(n_users: int) -> Callable[[], Any]:
    """Each user has two items, which the next users share: it falls apart row by row."""
    users = np.arange(n_users).repeat(2)
    return partial(k_core, users, (np.arange(2 * n_users) + 1) // 2, 2, 2)


def parts(n_parts: int) -> Callable[[], Any]:
    rng = np.random.default_rng(0)
    n_rows = 50 * n_parts
    y_true, y_score = rng.integers(0, 2, n_rows), rng.random(n_rows)
    some = [
        per_query_scores(
            y_true[rows], y_score[rows], groups=rows // 5, replace_undefined_by=0
        )
        for rows in np.arange(n_rows).reshape(n_parts, 50)
    ]
    return lambda: some[0].merge(*some[1:])


def team_draft(scale: int) -> Case:
    rng = np.random.default_rng(0)
    rankings = [rng.permutation(10_000 // scale) for _ in range(2)]
    task = Task("team draft", partial(team_draft_interleave, rankings, random_state=0))
    peer = argsort_of(rng.random(1_000_000 // scale), limit=3.0)
    return Case("grow-team-draft", f"{10_000 // scale:,} items", task, [peer])


CASES = {
    "grow-strata": partial(grow, "strata", strata, 4, 200, 4.0),
    "grow-grades": partial(grow, "grades", grades, 15, 500, 4.0),
    "grow-k-core": partial(grow, "k-core", chain, 2_000, 8_000, 7.0),
    "grow-merge": partial(grow, "merge", parts, 60, 240, 7.0),
    "grow-team-draft": team_draft,
}
