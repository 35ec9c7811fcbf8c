"""Categories and distances of the items of a log, as diversity metrics take them."""

from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank._validation import shorten
from sklearn_rank.metrics._core._catalogue import Catalogue
from sklearn_rank.metrics._core._catalogue_parts import (
    ById,
    Items,
    distances_by_function,
    read_categories,
    read_distances,
    require_ids,
)
from sklearn_rank.recommenders._rerank import Between


def shares_of_items(given: Any, items: np.ndarray) -> sparse.csr_array | None:
    """Return the share of each category in each item, and an empty last row.

    None if nothing is given.
    """
    given = _part_of(given, "categories")
    if given is None:
        return None
    part, known = require_ids(given, "categories"), Items(items)
    assert part.labels is not None
    is_known = known.find(part.labels, name="categories") >= 0
    shares = read_categories(part, known).shares if is_known.any() else None
    if shares is None or shares.nnz == 0:
        raise ValueError(
            f"`categories` has none of the {len(items)} items of `fit`, such as "
            f"{shorten(items[0])}; give the categories of each by its id."
        )
    return sparse.vstack([shares, sparse.csr_array((1, shares.shape[1]))]).tocsr()


def distances_of_items(distance: Any, categories: Any, items: np.ndarray) -> Any:
    """Return a function of two ids, or a table by place; None if nothing is given.

    A catalogue may be given as either.
    """
    is_catalogue = isinstance(categories, Catalogue)
    given = categories if distance is None and is_catalogue else distance
    given = _part_of(given, "distance")
    if given is None or callable(given):
        return given
    if isinstance(given, str):
        raise ValueError(
            f"`distance` got {shorten(given)}; give None for 1 less the cosine of "
            "`categories`, a function of two ids, or a square matrix by id."
        )
    part = require_ids(given, "distance")
    table = read_distances(part, Items(items), len(items), name="distance")
    return (table + table.T) / 2


def between_items(distances: Any, items: np.ndarray) -> Between:
    """Return a function from places of items, pair by pair, to their distances."""
    if callable(distances):
        return lambda one, other: distances_by_function(distances, items, one, other)
    return lambda one, other: distances[one, other]


def shares_of_users(had: sparse.csr_array, shares: sparse.csr_array) -> sparse.csr_array:
    """Return the share of each category in the items of users, empty for users without."""
    counted = sparse.csr_array(had.astype(bool), dtype=np.float64) @ shares[:-1]
    return _scaled(counted, counted.sum(axis=1))


def mean_shares(of_users: sparse.csr_array) -> np.ndarray:
    """Return the mean over users with a category."""
    return of_users.sum(axis=0) / np.count_nonzero(np.diff(of_users.indptr))


def unit_vectors(table: sparse.csr_array) -> sparse.csr_array:
    """Scale rows to length 1; empty rows stay empty."""
    return _scaled(table, np.sqrt(table.multiply(table).sum(axis=1)))


def _scaled(table: sparse.csr_array, by: np.ndarray) -> sparse.csr_array:
    return sparse.csr_array(sparse.diags_array(1 / np.where(by > 0, by, 1)) @ table)


def _part_of(given: Any, name: str) -> Any:
    """Return a part of a catalogue by id, and anything else as it is."""
    if not isinstance(given, Catalogue):
        return given
    part = getattr(given, name)
    if part is None or callable(part) or given.items is None:
        return part
    return ById(given.items, part)
