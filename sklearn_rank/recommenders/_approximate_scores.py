"""Fast float32 scores of factors that are stored as float64.

They take half the time; the few items that they cannot separate are scored exactly.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

# Scores up to this size are far from the largest float32.
_LARGEST_SCORE = 1e30


@dataclass(frozen=True, eq=False)
class ApproximateScores:
    """Scores in float32, and functions for exact ones.

    `score_pairs(rows, items)` and `score_rows(rows)` are exact; rows count from 0.
    """

    scores: np.ndarray
    error: np.ndarray  # of each row: the largest difference from the exact scores
    score_pairs: Callable[[np.ndarray, np.ndarray], np.ndarray]
    score_rows: Callable[[np.ndarray], np.ndarray]

    @property
    def nbytes(self) -> int:
        return self.scores.nbytes


def approximate_scorer(model: Any) -> Callable[[np.ndarray], ApproximateScores] | None:
    """Return a function from users to approximate scores; None if it is not faster."""
    user_factors, item_factors = model.user_factors_, model.item_factors_
    item_offset = model.item_offset_
    if user_factors.dtype != np.float64 or item_factors.dtype != np.float64:
        return None
    longest = _norms(user_factors).max(), _norms(item_factors).max()
    if not max(*longest, longest[0] * longest[1], abs(item_offset).max()) < _LARGEST_SCORE:
        return None
    factors = np.ascontiguousarray(item_factors.T, dtype=np.float32)
    offset = item_offset.astype(np.float32) if item_offset.any() else None
    largest_offset = abs(item_offset).max()

    def score(users: np.ndarray) -> ApproximateScores:
        of_users = user_factors[users]
        scores = of_users.astype(np.float32) @ factors
        if offset is not None:
            scores += offset
        # Two factors, their products, sums and the offset are rounded, the smallest to 0.
        n_roundings, norms = len(factors) + 4, _norms(of_users)
        limits = np.finfo(np.float32)
        error = limits.eps * (norms * longest[1] + largest_offset)
        error += limits.tiny * (1 + norms + longest[1])
        return ApproximateScores(
            scores,
            n_roundings * error,
            lambda rows, items: model.score_pairs(users[rows], items),
            lambda rows: model.score_users(users[rows]),
        )

    return score


def _norms(factors: np.ndarray) -> np.ndarray:
    return np.sqrt(np.einsum("ij,ij->i", factors, factors))
