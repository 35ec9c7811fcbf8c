"""Check columns of a log: labels and numbers, one per row."""

from numbers import Real
from typing import Any

import numpy as np

from sklearn_rank._ids._encode import as_list, encode_labels
from sklearn_rank._validation import (
    check_finite,
    check_length,
    check_values,
    number_vector,
    shorten,
)
from sklearn_rank.metrics._core._clusters import Clusters

# The number of labels that an error shows.
SHOWN = 3


def read_numbers(
    name: str, values: Any, n_rows: int | None = None, *, may_miss: bool = False
) -> np.ndarray:
    """Return finite numbers as floats, one per row; NaN if allowed."""
    found = number_vector(name, values, "one value per row")
    check_length(name, found, n_rows)
    found = found.astype(np.float64)
    check_finite(name, found[~np.isnan(found)] if may_miss else found)
    return found


def read_clicks(name: str, values: Any, n_rows: int | None = None) -> np.ndarray:
    """Return clicks; raise unless they are 0 or 1."""
    found = read_numbers(name, values, n_rows)
    is_wrong = ~np.isin(found, (0, 1))
    advice = "give 0 or 1; an item counts once per impression"
    check_values(name, found, is_wrong, "invalid", advice)
    return found


def read_labels(name: str, values: Any, n_rows: int) -> tuple[list, np.ndarray]:
    """Return the distinct labels, and the index of each row's label."""
    labels, codes = encode_labels(values, name=name)
    check_length(name, codes, n_rows)
    return as_list(labels), codes


def read_positions(values: Any, n_rows: int) -> tuple[list, np.ndarray]:
    """Return the distinct positions from the top, and the index of each row's position."""
    positions, codes = read_labels("position", values, n_rows)
    names = [one for one in positions if not isinstance(one, Real)]
    if names:
        raise ValueError(
            f"`position` has {shorten(names[0])}, which is not a number; as text '10' "
            "sorts before '2'. Give numbers, 1 for the first position."
        )
    return positions, codes


def clusters_of(
    name: str, values: Any, what: str, labels: list, codes: np.ndarray
) -> Clusters:
    """Return the clusters of lists from a label per row, such as the user."""
    if values is None:
        clusters = Clusters(len(labels))
    else:
        of_row = read_labels(name, values, len(codes))[1]
        of_label = one_each(
            labels,
            codes,
            of_row,
            f"{{}} {what}(s) are of more than one {name}, such as {{}}; give each list its "
            "own label.",
        )
        clusters = Clusters.of(of_label, None)
    if clusters.n_clusters < 2:
        raise ValueError(f"There is 1 {name}; an interval and a test need two.")
    return clusters


def one_each(
    labels: list, codes: np.ndarray, values: np.ndarray, message: str
) -> np.ndarray:
    """Return the value of each label; raise if the rows of a label have several."""
    of_label = np.empty(int(codes.max()) + 1, dtype=values.dtype)
    of_label[codes[::-1]] = values[::-1]  # the first value of each label is written last
    expected = of_label[codes]
    is_other = (values != expected) & ((values == values) | (expected == expected))
    if is_other.any():
        wrong = np.unique(codes[is_other])
        shown = ", ".join(shorten(labels[code]) for code in wrong[:SHOWN])
        raise ValueError(message.format(len(wrong), shown))
    return of_label
