"""Queries that were cut: their label stands in a table of values more than once."""

from typing import Any

import numpy as np

from sklearn_rank._labels._encode import as_list, as_vector, encode_labels
from sklearn_rank._validation import shorten

MISSING = (
    "bring the rows of a query together before they are scored, with "
    "frame.shuffle(query) in Dask, frame.repartition(query) in Spark, "
    "data.repartition(n, keys=[query]) in Ray."
)


def check_once(labels: Any, advice: str = MISSING) -> np.ndarray:
    """Raise where a label stands more than once; return their order."""
    distinct, codes = encode_labels(labels, name="group")
    if len(distinct) < len(codes):
        counts = np.bincount(codes)
        raise cut(distinct[np.argmax(counts > 1)], int(np.sum(counts > 1)), advice)
    return np.argsort(codes)


def cut(label: Any, n_queries: int, advice: str = MISSING) -> ValueError:
    """Return the error for queries in several places, one of which is named."""
    shown = label.item() if isinstance(label, np.generic) else label
    several = "1 query stands" if n_queries == 1 else f"{n_queries} queries stand"
    return ValueError(
        f"{several} in the values more than once, such as {shorten(shown)}: the rows were "
        f"in several tables, so that these values are wrong; {advice}"
    )


class SeenLabels:
    """The labels of tables that are not kept: 8 bytes for each.

    Integers are kept as they are. Other labels are known by a number of 64 bits, which
    for 1e8 different labels agrees by chance in 3 of 10,000 data sets.
    """

    def __init__(self) -> None:
        # Each is in order, and longer than those after it: few of them, cheap to merge.
        self._seen: list[np.ndarray] = []

    def add(self, labels: Any) -> None:
        """Add the labels of a table, each once there; raise where one was seen before."""
        vector = as_vector(labels, name="group")
        if vector.dtype.kind in "iub":
            numbers = vector.astype(np.int64)
        else:
            numbers = np.fromiter(map(hash, as_list(vector)), np.int64, len(vector))
        is_again = np.zeros(len(vector), dtype=bool)
        for seen in self._seen:
            place = np.minimum(np.searchsorted(seen, numbers), len(seen) - 1)
            is_again |= seen[place] == numbers
        if is_again.any():
            raise cut(vector[is_again.argmax()], int(is_again.sum()))
        numbers.sort()
        while self._seen and len(self._seen[-1]) <= len(numbers):
            numbers = np.concatenate([self._seen.pop(), numbers])
            numbers.sort()
        if len(numbers):
            self._seen.append(numbers)
