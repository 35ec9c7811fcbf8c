"""Sparse matrices of every format as CSR, with each cell stored once."""

from typing import Any

import numpy as np
from scipy import sparse

from sklearn_rank._values._number_arrays import NotNumbers


def stored_numbers(matrix: Any, subject: str) -> Any:
    """Return a sparse matrix as CSR: columns in order, and each cell once.

    Duplicate entries are summed in a type that holds the sum. The result may share its
    memory with `matrix`. `subject` begins the text of errors.
    """
    if matrix.ndim != 2:
        raise ValueError(
            f"{subject} is sparse and has {matrix.ndim} dimension(s), shape "
            f"{matrix.shape}; a sparse matrix has a row a query. Call its toarray()."
        )
    if matrix.dtype.kind not in "biuf":
        raise NotNumbers(f"{subject} must hold numbers, got dtype {matrix.dtype}.")
    if matrix.format == "csr":
        stored = sparse.csr_array(matrix)
        if stored.has_canonical_format:
            return stored
    return _each_cell_once(matrix, subject)


def without_zeros(stored: Any) -> Any:
    """Return a CSR matrix whose stored values all differ from 0."""
    if np.all(stored.data):
        return stored
    stored = stored.copy()
    stored.eliminate_zeros()
    return stored


def _each_cell_once(matrix: Any, subject: str) -> Any:
    # Some formats sum on conversion to CSR, so the type is changed first.
    wide = {"i": np.int64, "u": np.uint64, "f": np.promote_types(matrix.dtype, np.float64)}
    summed = _summed(matrix, wide.get(matrix.dtype.kind, matrix.dtype))
    if summed.nnz < matrix.nnz and matrix.dtype.kind in "iu" and _overflows(matrix):
        raise ValueError(
            f"{subject} has duplicate entries, and their sum is beyond 64 bits; remove the "
            "duplicates."
        )
    return summed


def _summed(matrix: Any, dtype: Any) -> Any:
    matrix = matrix if matrix.format in ("csr", "csc") else matrix.tocoo()
    stored = sparse.csr_array(matrix.astype(dtype, copy=matrix.format == "csr"))
    stored.sum_duplicates()  # sorts the columns of each row, too
    return stored


def _overflows(matrix: Any) -> bool:
    """Return whether a sum of duplicate integer entries exceeds 64 bits."""
    cells = matrix.tocoo()
    limits = np.iinfo(np.int64 if matrix.dtype.kind == "i" else np.uint64)
    whole = cells.data.astype(limits.dtype)
    high, low = (
        _summed(
            sparse.coo_array((half.astype(np.int64), (cells.row, cells.col)), matrix.shape),
            np.int64,
        ).data
        for half in (whole // 2**32, whole % 2**32)
    )
    high += low // 2**32  # what the lower halves carry
    return bool(high.min() < limits.min // 2**32 or high.max() > limits.max // 2**32)
