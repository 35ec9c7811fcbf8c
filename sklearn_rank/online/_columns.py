"""Columns of a log, checked: labels and numbers, one a row."""

from typing import Any

import numpy as np

from sklearn_rank._labels._encode import as_list, encode_labels
from sklearn_rank._validation import as_numbers, check_finite, shorten

# Labels that an error shows.
SHOWN = 3


def read_numbers(name: str, values: Any, n_rows: int | None = None) -> np.ndarray:
    """Return finite numbers as floats, as many as there are rows."""
    found = _read(name, values, n_rows)
    check_finite(name, found)
    return found


def read_numbers_or_nan(name: str, values: Any, n_rows: int) -> np.ndarray:
    """Return the same, of which some are missing."""
    found = _read(name, values, n_rows)
    check_finite(name, found[~np.isnan(found)])
    return found


def _read(name: str, values: Any, n_rows: int | None) -> np.ndarray:
    found = as_numbers(values, name)
    if found.ndim != 1 or len(found) == 0:
        raise ValueError(f"`{name}` must have one value a row, got shape {found.shape}.")
    _check_length(name, found, n_rows)
    return found.astype(np.float64)


def read_labels(name: str, values: Any, n_rows: int) -> tuple[list, np.ndarray]:
    """Return the distinct labels, and the place of each row's among them."""
    labels, codes = encode_labels(values, name=name)
    _check_length(name, codes, n_rows)
    return as_list(labels), codes


def _check_length(name: str, values: np.ndarray, n_rows: int | None) -> None:
    if n_rows is not None and len(values) != n_rows:
        raise ValueError(
            f"`{name}` has {len(values)} values, but there are {n_rows} rows; give one a "
            "row."
        )


def first_rows(codes: np.ndarray) -> np.ndarray:
    """Return the first row of each code."""
    return np.unique(codes, return_index=True)[1]


def which(labels: list, codes: np.ndarray, is_wrong: np.ndarray) -> tuple[int, str]:
    """Return how many labels have wrong rows, and some of them for an error."""
    wrong = np.unique(codes[is_wrong])
    return len(wrong), ", ".join(shorten(labels[code]) for code in wrong[:SHOWN])
