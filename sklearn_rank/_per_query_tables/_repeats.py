"""Detect queries split across partitions."""

from typing import Any

import numpy as np

from sklearn_rank._ids._agree import show
from sklearn_rank._ids._codes import ascends_strictly
from sklearn_rank._ids._encode import as_vector, encode_labels
from sklearn_rank._ids._numbers import numbers_of
from sklearn_rank._per_query_tables._frame_libraries import arrow_strings

MISSING = (
    "bring the rows of a query together before they are scored, with "
    "frame.shuffle(query) in Dask, frame.repartition(query) in Spark, "
    "data.repartition(n, keys=[query]) in Ray."
)


def in_order(labels: Any, advice: str = MISSING) -> tuple[np.ndarray, np.ndarray]:
    """Return sorted labels and the index of each; raise for a duplicate."""
    strings = arrow_strings(labels)
    if strings is not None:
        return _strings_in_order(strings, advice)
    vector = as_vector(labels, name="group")
    if ascends_strictly(vector):
        return vector, np.arange(len(vector))
    distinct, codes = encode_labels(vector, name="group")
    if len(distinct) < len(codes):
        counts = np.bincount(codes)
        raise cut(distinct[np.argmax(counts > 1)], int(np.sum(counts > 1)), advice)
    order = np.empty(len(codes), dtype=np.intp)
    order[codes] = np.arange(len(codes))
    return vector[order], order


def _strings_in_order(strings: Any, advice: str) -> tuple[np.ndarray, np.ndarray]:
    """Do the same for Arrow strings, which Arrow sorts faster than Python."""
    import pyarrow.compute as pc

    order = pc.array_sort_indices(strings)
    ordered = strings.take(order)
    labels = ordered.to_numpy(zero_copy_only=False)
    is_again = pc.equal(ordered[1:], ordered[:-1]).to_numpy(zero_copy_only=False)
    if is_again.any():
        again = set(labels[1:][is_again].tolist())
        raise cut(min(again), len(again), advice)
    return labels, order.to_numpy().astype(np.intp)


def cut(label: Any, n_queries: int, advice: str = MISSING) -> ValueError:
    """Return the error for split queries, with one of them."""
    several = "1 query is" if n_queries == 1 else f"{n_queries} queries are"
    return ValueError(
        f"{several} in the values more than once, such as {show(label)}: the rows were "
        f"in several tables, so that these values are wrong; {advice}"
    )


class SeenLabels:
    """The labels of tables that are not kept, in 8 bytes each.

    Whole numbers are kept as they are. Other labels are hashed to 64 bits; 1e8 distinct
    labels collide in 3 of 10,000 data sets.
    """

    def __init__(self, advice: str = MISSING) -> None:
        self._advice = advice
        # Sorted arrays, each longer than the next: few, and cheap to merge.
        self._seen: list[np.ndarray] = []

    def add(self, labels: Any) -> None:
        """Add the distinct labels of a table; raise if one was seen before."""
        numbers = self.check(labels)
        numbers.sort()
        while self._seen and len(self._seen[-1]) <= len(numbers):
            numbers = np.concatenate([self._seen.pop(), numbers])
            numbers.sort()
        if len(numbers):
            self._seen.append(numbers)

    def check(self, labels: Any) -> np.ndarray:
        """Raise if a label was seen before; return the hashes."""
        vector = as_vector(labels, name="group")
        numbers = numbers_of(vector, hash)
        is_again = np.zeros(len(vector), dtype=bool)
        for seen in self._seen:
            place = np.minimum(np.searchsorted(seen, numbers), len(seen) - 1)
            is_again |= seen[place] == numbers
        if is_again.any():
            raise cut(vector[is_again.argmax()], int(is_again.sum()), self._advice)
        return numbers
