"""The queries that an estimator was fitted to; find other rows of these queries."""

from typing import Any, NamedTuple

import numpy as np

from sklearn_rank._base._labels import encode_labels, find_labels
from sklearn_rank._base._messages import keep_text

# Warnings of scorers, each shown once.
CUT_QUERIES = "cut queries"


class FittedQueries(NamedTuple):
    """The queries that `fit` saw, with their numbers of rows."""

    labels: np.ndarray
    sizes: np.ndarray

    def warning(self, groups: Any, labels: np.ndarray | None = None) -> str:
        """Return a warning if queries of some rows are queries of `fit`, or ''.

        No warning, but a note in results, if they are the queries of `fit`, all with as
        many rows: tools score these for a comparison. No warning if both number their
        queries from the first on but have different counts, as files with sizes instead
        of ids do. `labels`, those of `groups`, save a pass over the rows if none is known.
        """
        if labels is not None and not self._knows(labels).any():
            return ""
        labels, codes = encode_labels(groups, name="groups")
        if (
            len(labels) != len(self.labels)
            and _are_consecutive(labels)
            and _are_consecutive(self.labels)
        ):
            return ""
        again = np.flatnonzero(self._knows(labels))
        position = find_labels(self.labels, labels[again], name="groups")
        if not len(again):
            return ""
        is_alike = (np.bincount(codes)[again] == self.sizes[position]).all()
        if is_alike and len(again) == len(labels) == len(self.labels):
            keep_text(f"The {len(labels):,} queries are those of fit: a training score.")
            return ""
        return describe_cut_queries(len(again), len(labels))

    def _knows(self, labels: np.ndarray) -> np.ndarray:
        return find_labels(self.labels, labels, name="groups") >= 0


def _are_consecutive(labels: np.ndarray) -> bool:
    """Return whether sorted labels are consecutive numbers from 0 or 1."""
    if labels.dtype.kind not in "iuf" or not len(labels) or labels[0] not in {0, 1}:
        return False
    return np.array_equal(labels, labels[0] + np.arange(len(labels)))


def describe_cut_queries(
    n_cut: int, n_queries: int, advice: str = "Use GroupKFold."
) -> str:
    """Return the warning that test queries are also in the training data.

    Less than a tenth of them change little: then results keep a note, and '' is returned.
    """
    if 10 * n_cut < n_queries:
        keep_text(f"{n_cut} of {n_queries} queries {'is' if n_cut == 1 else 'are'} cut.")
        return ""
    return (
        f"{n_cut} of {n_queries} queries have rows in the training data too, so scores are "
        f"too good. {advice} This is fine if queries are users with a history, or if each "
        "part numbers its queries from 0."
    )
