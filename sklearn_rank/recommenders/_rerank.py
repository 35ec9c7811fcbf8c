"""Orders of candidates: the list of each user grows item by item."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank._base._runs import ranges, sizes_of, starts_of
from sklearn_rank._base._validation import shorten
from sklearn_rank.metrics._core._catalogue import Catalogue
from sklearn_rank.metrics._core._catalogue_parts import (
    Items,
    PartById,
    compute_distances,
    read_categories,
    read_distances,
    require_ids,
)

# How much of a user's own shares is mixed into those of the list, as in the metric
# `calibration`: the divergence would be infinite if a category is missing.
_ALPHA = 0.01

# Distances of pairs of items.
PairDistances = Callable[[np.ndarray, np.ndarray], np.ndarray]


def scale_relevance(scores: np.ndarray) -> np.ndarray:
    """Return scores from 0 to 1 within each list, 1 where all are equal; -inf stays."""
    retrieved = ~np.isneginf(scores)
    half = scores / 2  # the span of the largest floats would overflow
    lowest = np.where(retrieved, half, np.inf).min(axis=1, keepdims=True)
    above = np.subtract(half, lowest, out=np.full_like(half, -np.inf), where=retrieved)
    span = above.max(axis=1, keepdims=True, initial=0.0)
    return np.where(span > 0, above / np.where(span > 0, span, 1), above + 1)


def order_greedily(
    scaled: np.ndarray, worth: "Worth", strength: float, k: int
) -> np.ndarray:
    """Return the columns of k candidates of each user, best first.

    Each rank goes to the candidate with the highest gain, (1 - strength) * relevance +
    strength * worth; of equal gains to the first. Candidates of relevance -inf come last.
    """
    n_users = len(scaled)
    users, columns = np.arange(n_users), np.empty((n_users, k), dtype=np.intp)
    fixed = _weigh_relevance(scaled, strength)
    for rank in range(k):
        gain = fixed + strength * worth.candidate_worth()
        best = gain.argmax(axis=1)
        columns[:, rank] = best
        fixed[users, best] = -np.inf
        worth.append(best)
    return columns


def _weigh_relevance(scaled: np.ndarray, strength: float) -> np.ndarray:
    """Return the share of relevance in the gain, very low for missing candidates.

    It is above -inf, the gain of items that are already in the list.
    """
    weighted = (1 - strength) * np.maximum(scaled, 0)
    return np.where(np.isneginf(scaled), np.finfo(float).min, weighted)


class CategoryEntries:
    """The categories of candidates, as entries (candidate, category, value)."""

    def __init__(self, shares: sparse.csr_array, items: np.ndarray):
        self.shape = items.shape
        start, size = shares.indptr[items.ravel()], sizes_of(shares.indptr)[items.ravel()]
        entry = ranges(start, size)
        self.starts = starts_of(size)
        self.candidate = np.arange(items.size).repeat(size)
        self.user = self.candidate // max(items.shape[1], 1)
        self.value = shares.data[entry]
        # Positions in a table users × categories.
        self.cell = self.user * shares.shape[1] + shares.indices[entry]

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Return the sum over the entries of each candidate."""
        total = np.bincount(self.candidate, values, int(np.prod(self.shape)))
        return total.reshape(self.shape)

    def take(self, column: np.ndarray) -> np.ndarray:
        """Return the entries of one candidate of each user."""
        candidate = np.arange(len(column)) * self.shape[1] + column
        return ranges(self.starts[candidate], sizes_of(self.starts)[candidate])


class MarginalRelevance:
    """Maximal marginal relevance: the distance from the nearest item of the list.

    `distance` returns the distances from one candidate of each user to all.
    """

    def __init__(self, items: np.ndarray, distance: Callable[[np.ndarray], np.ndarray]):
        self._distance = distance
        self._nearest = np.zeros(items.shape)
        self._is_empty = True

    def candidate_worth(self) -> np.ndarray:
        """Return the distances, 0 if the list is empty."""
        return self._nearest

    def append(self, column: np.ndarray) -> None:
        """Append one candidate to the list of each user."""
        distance = self._distance(column)
        nearest = distance if self._is_empty else np.minimum(self._nearest, distance)
        self._nearest, self._is_empty = nearest, False


def distance_to_all(between: PairDistances, items: np.ndarray) -> Callable:
    """Return a function from one candidate of each user to its distances to all."""

    def distance(column: np.ndarray) -> np.ndarray:
        taken = np.take_along_axis(items, column[:, np.newaxis], axis=1)
        candidates, neighbors = items.ravel(), np.broadcast_to(taken, items.shape).ravel()
        return between(candidates, neighbors).reshape(items.shape)

    return distance


def cosine_distance_to_all(unit: sparse.csr_array, items: np.ndarray) -> Callable:
    """Return such a function for 1 minus the cosine of vectors of length 1."""
    entries, n_cells = CategoryEntries(unit, items), len(items) * unit.shape[1]

    def distance(column: np.ndarray) -> np.ndarray:
        taken, of_taken = np.zeros(n_cells), entries.take(column)
        taken[entries.cell[of_taken]] = entries.value[of_taken]
        return np.maximum(1 - entries.sums(entries.value * taken[entries.cell]), 0)

    return distance


class AspectCoverage:
    """xQuAD: the user's categories that the list does not cover yet.

    The largest share of a user counts 1.
    """

    def __init__(self, entries: CategoryEntries, wanted: np.ndarray):
        self._entries = entries
        largest = wanted.max(axis=1, keepdims=True)
        self._left = (wanted / np.where(largest > 0, largest, 1)).ravel()

    def candidate_worth(self) -> np.ndarray:
        """Return what each candidate covers of what is left."""
        return self._entries.sums(self._left[self._entries.cell] * self._entries.value)

    def append(self, column: np.ndarray) -> None:
        """Append one candidate to the list of each user."""
        taken = self._entries.take(column)
        self._left[self._entries.cell[taken]] *= 1 - self._entries.value[taken]


class CalibrationGain:
    """Calibration: the negative divergence of the list from the shares of the user.

    A candidate changes the terms of its own categories beyond the length of the list, so
    only these are computed for each candidate.
    """

    def __init__(self, entries: CategoryEntries, wanted: np.ndarray):
        self._entries, self._wanted = entries, wanted
        self._total = np.zeros(wanted.shape)
        self._has_some = sizes_of(entries.starts).reshape(entries.shape) > 0
        self._n_taken = np.zeros((len(wanted), 1))
        self._own = wanted.ravel()[entries.cell]
        self._matters = np.flatnonzero(self._own > 0)

    def candidate_worth(self) -> np.ndarray:
        """Return the negative divergence of the list with each candidate."""
        without = self._divergence(np.maximum(self._n_taken, 1))
        longer = self._divergence(self._n_taken + 1)
        entry, n_entries = self._matters, len(self._own)
        own, cell = self._own[entry], self._entries.cell[entry]
        length = self._n_taken[self._entries.user[entry], 0] + 1
        before = _mix_shares(self._total.ravel()[cell] / length, own)
        added = (1 - _ALPHA) * self._entries.value[entry] / length
        change = np.zeros(n_entries)
        change[entry] = own * np.log1p(added / before)
        worth = np.where(self._has_some, self._entries.sums(change) - longer, -without)
        # Lists with equal shares have equal worth, despite rounding.
        return np.round(worth, 12)

    def append(self, column: np.ndarray) -> None:
        """Append one candidate to the list of each user."""
        taken = self._entries.take(column)
        self._total.ravel()[self._entries.cell[taken]] += self._entries.value[taken]
        self._n_taken += np.take_along_axis(self._has_some, column[:, np.newaxis], axis=1)

    def _divergence(self, length: np.ndarray) -> np.ndarray:
        """Return the divergence of lists with these categories and so many items."""
        own = self._wanted
        mixed = _mix_shares(self._total / length, own)
        ratio = np.divide(own, mixed, out=np.ones_like(own), where=own > 0)
        return (own * np.log(ratio)).sum(axis=1, keepdims=True)


def _mix_shares(shares: np.ndarray, own: np.ndarray) -> np.ndarray:
    return (1 - _ALPHA) * shares + _ALPHA * own


# The worth that candidates add to lists besides their relevance.
Worth = MarginalRelevance | AspectCoverage | CalibrationGain


def order_candidates(
    model: Any, items: np.ndarray, scores: np.ndarray, had: sparse.csr_array, k: int
) -> np.ndarray:
    """Return the columns of the first k candidates in the order of a fitted model."""
    scaled = scale_relevance(scores)
    if model.method == "popularity":
        n_users = model._n_users
        worth = 1 - np.log1p(n_users[items]) / np.log1p(n_users.max())
        gain = _weigh_relevance(scaled, model.strength) + model.strength * worth
        return np.argsort(-gain, axis=1, kind="stable")[:, :k]
    return order_greedily(scaled, _worth(model, items, had), model.strength, k)


def _worth(model: Any, items: np.ndarray, had: sparse.csr_array) -> Worth:
    if model._distances is not None:
        between = pair_distances(model._distances, model.items_)
        return MarginalRelevance(items, distance_to_all(between, items))
    if model.method == "mmr":
        return MarginalRelevance(items, cosine_distance_to_all(model._shares, items))
    of_users = shares_of_users(had, model._shares)
    wanted = of_users.toarray()
    wanted[np.diff(of_users.indptr) == 0] = model._mean_shares
    kind = AspectCoverage if model.method == "xquad" else CalibrationGain
    return kind(CategoryEntries(model._shares, items), wanted)


# Categories and distances of the items of a log, in the forms that diversity metrics take.


def shares_of_items(table: Any, items: np.ndarray) -> sparse.csr_array | None:
    """Return the share of each category in each item, and an empty last row.

    None if nothing is given.
    """
    table = _catalogue_part(table, "categories")
    if table is None:
        return None
    part, all_items = require_ids(table, "categories"), Items(items)
    assert part.labels is not None
    is_known = all_items.find(part.labels, name="categories") >= 0
    shares = read_categories(part, all_items).shares if is_known.any() else None
    if shares is None or shares.nnz == 0:
        raise ValueError(
            f"`categories` has none of the {len(items)} items of `fit`, such as "
            f"{shorten(items[0])}; give the categories of each by its id."
        )
    return sparse.vstack([shares, sparse.csr_array((1, shares.shape[1]))]).tocsr()


def distances_of_items(distance: Any, categories: Any, items: np.ndarray) -> Any:
    """Return a function of two ids, or a table by position; None if nothing is given.

    A catalogue may be given as either.
    """
    is_catalogue = isinstance(categories, Catalogue)
    source = categories if distance is None and is_catalogue else distance
    source = _catalogue_part(source, "distance")
    if source is None or callable(source):
        return source
    if isinstance(source, str):
        raise ValueError(
            f"`distance` got {shorten(source)}; give None for 1 less the cosine of "
            "`categories`, a function of two ids, or a square matrix by id."
        )
    part = require_ids(source, "distance")
    table = read_distances(part, Items(items))
    return (table + table.T) / 2


def pair_distances(distances: Any, items: np.ndarray) -> PairDistances:
    """Return a function from positions of items, pair by pair, to their distances."""
    if callable(distances):
        return lambda left, right: compute_distances(distances, items, left, right)
    return lambda left, right: distances[left, right]


def shares_of_users(had: sparse.csr_array, shares: sparse.csr_array) -> sparse.csr_array:
    """Return the share of each category in the items of users, empty for users without."""
    counted = sparse.csr_array(had.astype(bool), dtype=np.float64) @ shares[:-1]
    return _divide_rows(counted, counted.sum(axis=1))


def mean_shares(of_users: sparse.csr_array) -> np.ndarray:
    """Return the mean over users with a category."""
    return of_users.sum(axis=0) / np.count_nonzero(np.diff(of_users.indptr))


def unit_vectors(table: sparse.csr_array) -> sparse.csr_array:
    """Scale rows to length 1; empty rows stay empty."""
    return _divide_rows(table, np.sqrt(table.multiply(table).sum(axis=1)))


def _divide_rows(table: sparse.csr_array, by: np.ndarray) -> sparse.csr_array:
    return sparse.csr_array(sparse.diags_array(1 / np.where(by > 0, by, 1)) @ table)


def _catalogue_part(value: Any, name: str) -> Any:
    """Return a part of a catalogue by id, and anything else as it is."""
    if not isinstance(value, Catalogue):
        return value
    part = getattr(value, name)
    if part is None or callable(part) or value.items is None:
        return part
    return PartById(value.items, part)
