"""Made-up logs and queries.

Queries have scores without ties unless asked for, and a relevant row each.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from sklearn_rank.datasets import make_interactions

__all__ = ["Queries", "make_pairs", "make_pairs_like", "make_queries"]


@dataclass(frozen=True, eq=False)
class Queries:
    """Rows of flat form."""

    y_true: np.ndarray
    y_score: np.ndarray
    groups: np.ndarray

    @property
    def arrays(self) -> tuple[np.ndarray, ...]:
        return self.y_true, self.y_score, self.groups

    def as_dictionaries(self) -> tuple[dict, dict]:
        """Return {query: {row: grade}} and {query: {row: score}}, as trec_eval reads them.

        Rows of a query lie together. Only relevant rows are judged, as is usual. Names are
        of one length, for ranx compiles anew for each.
        """
        starts = np.flatnonzero(np.r_[True, self.groups[1:] != self.groups[:-1]])
        rows = np.array([f"d{row:08}" for row in range(len(self.groups))], dtype=object)
        qrels, run = {}, {}
        for start, stop in zip(starts, np.r_[starts[1:], len(rows)], strict=True):
            part, grades = slice(start, stop), self.y_true[start:stop]
            query, hits = f"q{self.groups[start]:08}", np.flatnonzero(grades)
            ids = rows[part]
            run[query] = dict(zip(ids.tolist(), self.y_score[part].tolist(), strict=True))
            qrels[query] = dict(zip(ids[hits].tolist(), grades[hits].tolist(), strict=True))
        return qrels, run

    def as_dictionaries_by_loop(self) -> tuple[dict, dict]:
        """Return the same, row by row, as trec_eval's files and logs are mostly read."""
        qrels: dict[str, dict[str, int]] = {}
        run: dict[str, dict[str, float]] = {}
        rows = zip(*(array.tolist() for array in self.arrays), strict=True)
        for row, (grade, score, group) in enumerate(rows):
            query, item = f"q{group:08}", f"d{row:08}"
            run.setdefault(query, {})[item] = score
            if grade > 0:
                qrels.setdefault(query, {})[item] = grade
        return qrels, run

    def first_queries(self, n_queries: int) -> "Queries":
        stop = np.searchsorted(self.groups, n_queries)
        return Queries(*(array[:stop] for array in self.arrays))

    def shuffled(self) -> "Queries":
        order = np.random.default_rng(1).permutation(len(self.groups))
        return Queries(*(array[order] for array in self.arrays))


@lru_cache(maxsize=2)
def make_queries(n_rows: int, n_queries: int, share_relevant: float = 0.05) -> Queries:
    """Return queries of equal size, numbered from 0, with grades 0 to 4."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(n_queries), n_rows // n_queries)
    y_true = rng.integers(1, 5, n_rows) * (rng.random(n_rows) < share_relevant)
    size = n_rows // n_queries
    y_true[np.arange(n_queries) * size + rng.integers(0, size, n_queries)] = 3
    # Better scores for better rows, as a model has them.
    y_score = rng.standard_normal(n_rows) + y_true / 2
    return Queries(y_true, y_score, groups)


def make_pairs(n_items: int) -> np.ndarray:
    """Return the users and items of a made-up log."""
    n_users = max(10_000, n_items)
    n_rows = min(30, n_items // 4) * n_users
    log = make_interactions(n_users, n_items, n_rows, random_state=0)
    return np.column_stack([log.user, log.item])


# Users, items and rows: users with many items, and with few.
SHAPES = {"dense": (6_000, 3_600, 670_000), "thin": (30_000, 40_000, 800_000)}


def make_pairs_like(shape: str, scale: int) -> np.ndarray:
    """Return the users and items of a made-up log of one of the shapes."""
    n_users, n_items, n_rows = SHAPES[shape]
    log = make_interactions(
        n_users // scale, n_items // scale, n_rows // scale**2, random_state=0
    )
    return np.column_stack([log.user, log.item])
