"""Lists of items that a recommender proposes: check them, and keep the best."""

from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank._validation import shorten
from sklearn_rank.recommenders._pair_weights import count_pairs
from sklearn_rank.recommenders._pairs import Pairs


def as_hidden(pairs: Pairs, n_items: int) -> sparse.csr_array:
    """Return a matrix of rows × items, True for the pairs."""
    ones, shape = np.ones(len(pairs.row)), (pairs.n_rows, n_items)
    return count_pairs(pairs.row, pairs.item, ones, shape).astype(bool)


def checked_proposals(
    recommender: Any, found: Any, n_rows: int, n_items: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return checked (items, scores); raise unless they are lists of places in `items_`."""
    name = f"{type(recommender).__name__}.propose"
    if not (isinstance(found, tuple) and len(found) == 2):
        raise TypeError(f"{name} must return (items, scores), got {shorten(found)}.")
    items, scores = np.asarray(found[0]), np.asarray(found[1], dtype=np.float64)
    if items.shape != scores.shape or items.ndim != 2 or len(items) != n_rows:
        raise ValueError(
            f"{name} must return items and scores of one shape, a row a user "
            f"({n_rows}), got {items.shape} and {scores.shape}."
        )
    if items.dtype.kind not in "iu":
        raise TypeError(
            f"{name} must return positions in `items_`, integers, got {items.dtype}."
        )
    if not ((items >= -1) & (items < n_items)).all():
        raise ValueError(
            f"{name} must return positions in `items_`, 0 to {n_items - 1}, or -1 for "
            f"nothing, got {items.min()} to {items.max()}."
        )
    if np.isnan(scores).any() or np.isposinf(scores).any():
        raise ValueError(
            f"{name} returned scores that are neither finite nor -inf (not retrieved)."
        )
    ascending = np.sort(items, axis=1)
    is_repeated = (np.diff(ascending, axis=1) == 0) & (ascending[:, 1:] >= 0)
    if is_repeated.any():
        row = int(np.argmax(is_repeated.any(axis=1)))
        raise ValueError(f"{name} returned an item twice in row {row}.")
    return items.astype(np.intp), scores


def best_proposed(
    items: np.ndarray, scores: np.ndarray, k: int, hidden: Pairs, n_items: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return (items, scores) of the k best proposals that are not hidden, then -1, -inf.

    Of equal scores the first proposal comes first.
    """
    row = np.arange(len(items)).repeat(items.shape[1])
    is_hidden = hidden.hold(row, items.ravel(), n_items).reshape(items.shape)
    scores = np.where((items < 0) | is_hidden, -np.inf, scores)
    first = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    best = np.full((len(items), k), -np.inf)
    best[:, : first.shape[1]] = np.take_along_axis(scores, first, axis=1)
    columns = np.full((len(items), k), -1)
    columns[:, : first.shape[1]] = np.take_along_axis(items, first, axis=1)
    columns[np.isneginf(best)] = -1
    return columns, best
