"""Tell scores that are best if small, such as distances and ranks, by name and content."""

from collections.abc import Callable

import numpy as np

from sklearn_rank._base._messages import LEAST_TO_WARN
from sklearn_rank._base._runs import begins_run, sizes_of, starts_of, starts_where

# Columns of these names are best if small.
_NAMES_OF_RANKS = {"rank", "ranking", "position", "pos", "place", "rank_pos"}
_NAMES_OF_DISTANCES = {"distance", "dist", "l2", "loss", "cost"}
# So many lists of this length may rise by chance, or fewer if there are no others.
_LEAST_ITEMS, _LEAST_LISTS = 3, 5


def is_name_of_distances(name: object, scores: np.ndarray) -> bool:
    """Return whether scores are named like distances, and none is negative."""
    is_distance = str(name).strip().casefold() in _NAMES_OF_DISTANCES
    return is_distance and len(scores) > 0 and bool(scores.min() >= 0)


def is_name_of_ranks(name: object, scores: np.ndarray, query: np.ndarray) -> bool:
    """Return whether scores are named like ranks, and are the ranks of each query."""
    if str(name).strip().casefold() not in _NAMES_OF_RANKS or len(scores) == 0:
        return False
    order = np.lexsort((scores, query))
    starts = starts_where(begins_run(query[order]))
    sizes = sizes_of(starts)
    if len(sizes) < 2 or sizes.max() < 2 or scores.min() not in (0, 1):
        return False
    ranks = np.arange(len(order)) - starts[:-1].repeat(sizes) + scores.min()
    return np.array_equal(scores[order], ranks)


def describe_rising_lists(
    name: str,
    scores: np.ndarray,
    sizes: np.ndarray,
    is_relevant: Callable[[], np.ndarray],
    n_errors: float = 2,
) -> str | None:
    """Describe lists whose scores rise as given, where relevant items score low; else None.

    The order of a mapping means nothing, so that relevant items must say it, too.
    """
    starts = starts_of(sizes)
    several = np.flatnonzero(sizes > 1)
    if len(several) < _LEAST_LISTS or not _rises(scores[slice(*starts[several[0] :][:2])]):
        return None
    inner = np.diff(np.repeat(np.arange(len(sizes)), sizes)) == 0
    if not (np.diff(scores)[inner] > 0).all():
        return None
    n = int(np.count_nonzero(sizes >= _LEAST_ITEMS))
    is_all = n >= _LEAST_LISTS and n == np.count_nonzero(sizes)
    if not (n >= LEAST_TO_WARN or is_all):
        return None
    if not _are_relevant_low(is_relevant(), sizes, n_errors):
        return None
    place = np.arange(len(scores)) - starts[:-1].repeat(sizes)
    counts = scores[0] in (0, 1) and bool((scores - place == scores[0]).all())
    if counts and len(several) >= LEAST_TO_WARN:
        return (
            f"Scores of `{name}` count the items of each list, as ranks do, but the "
            "highest score ranks first. Give lists of ids, best first, or -rank."
        )
    return (
        f"All {n:,} lists of `{name}` rise in score in the order given, but the highest "
        "score ranks first. Give distances as -distance; if the order is what counts, give "
        "lists of ids."
    )


def _rises(scores: np.ndarray) -> bool:
    return bool((np.diff(scores) > 0).all())


def _are_relevant_low(is_relevant: np.ndarray, sizes: np.ndarray, n_errors: float) -> bool:
    """Return whether relevant items are significantly early in the lists, by the AUC."""
    list_of = np.repeat(np.arange(len(sizes)), sizes)
    place = np.arange(len(list_of)) - starts_of(sizes)[:-1][list_of]
    n_relevant = np.bincount(list_of, is_relevant, len(sizes))
    n_pairs = n_relevant * (sizes - n_relevant)
    n_below = np.bincount(list_of, place * is_relevant, len(sizes))
    n_below -= n_relevant * (n_relevant - 1) / 2
    auc = n_below[n_pairs > 0] / n_pairs[n_pairs > 0]
    if len(auc) < 2:
        return False
    return bool(auc.mean() - 0.5 < -n_errors * auc.std(ddof=1) / np.sqrt(len(auc)))
