"""Rows of a sparse product that have few zeros, summed in an array of all columns.

SciPy's product of sparse matrices goes over the terms twice and keeps a list of the columns
it hits. Where many columns are hit, an array takes less than half of the time.
"""

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from sklearn_rank._arrays._runs import cut_runs, sizes_of, starts_of

# Multiplications from which on a row is worth an array, and columns that take as long as
# one of them, for each column is looked at.
_MANY, _COLUMNS = 2**14, 8
# Multiplications, or columns, that share a few calls; also what a copy may always take.
_TOGETHER = 2**18
# The highest of one in so many runs of columns bound the highest of all.
_EVERY, _RUN = 8, 512
_ABOVE_0 = np.nextafter(0.0, 1.0)


def are_full(n_products: np.ndarray, n_columns: int) -> np.ndarray:
    """Return which rows of a product are worth an array, from their multiplications."""
    return n_products >= _MANY + n_columns // _COLUMNS


def full_products(rows: sparse.csr_array, matrix: sparse.csr_array) -> Iterator[np.ndarray]:
    """Yield the product of the two in blocks of rows, none of which is empty.

    The terms of a sum are added in the order of the columns of `rows`, which are sorted, as
    SciPy adds them in a product of sparse matrices.
    """
    n_columns = matrix.shape[1]
    work = np.add.reduceat(sizes_of(matrix.indptr)[rows.indices], rows.indptr[:-1])
    for first, last in cut_runs(starts_of(np.maximum(work, n_columns)), _TOGETHER):
        if work[first] > max(matrix.nnz // 2, _TOGETHER):  # one row alone
            sums = matrix.T @ rows[[first]].toarray()[0]  # copies nothing
        else:
            sums = _sums_side_by_side(rows[first:last], matrix, starts_of(work[first:last]))
        yield sums.reshape(last - first, n_columns)


def _sums_side_by_side(
    rows: sparse.csr_array, matrix: sparse.csr_array, starts: np.ndarray
) -> np.ndarray:
    """Return the rows of the product in one; `starts` are those of their terms."""
    n_rows, n_columns = rows.shape[0], matrix.shape[1]
    terms = matrix[rows.indices]
    for row in range(1, n_rows):
        terms.indices[starts[row] : starts[row + 1]] += row * n_columns
    entries = terms.data, terms.indices, terms.indptr
    beside = sparse.csr_array(entries, shape=(rows.nnz, n_rows * n_columns))
    return beside.T @ rows.data


def reaching(values: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return (row, column) of the k highest values above 0 of each row, and of others."""
    n_rows, n_columns = values.shape
    n_runs = n_columns // _RUN
    some = values[:, : n_runs * _RUN].reshape(n_rows, n_runs, _RUN)[:, ::_EVERY]
    some = some.reshape(n_rows, -1)
    bound = np.full((n_rows, 1), _ABOVE_0)
    if some.shape[1] >= k:
        last = some.shape[1] - k
        np.maximum(bound, np.partition(some, last, axis=1)[:, [last]], out=bound)
    return np.divmod(np.flatnonzero(values >= bound), n_columns)
