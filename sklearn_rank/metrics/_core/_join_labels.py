"""Labels of several parts of a data set, joined."""

from collections.abc import Sequence

import numpy as np

from sklearn_rank._ids._encode import as_list, as_vector


def join_labels(parts: Sequence[np.ndarray], *, name: str) -> np.ndarray:
    """Return the labels of all parts without rounding or conversion to strings."""
    kinds = {part.dtype.kind for part in parts}
    if len(kinds) == 1 or (kinds == {"i", "u"} and np.result_type(*parts).kind in "iu"):
        return np.concatenate(parts)
    labels = [label for part in parts for label in as_list(part)]
    return as_vector(labels, name=name)
