"""Weights of the entries of rows, before rows are multiplied.

A row is an item with its users, or a user with their items. Each class learns from all
rows, and then transforms these or others.
"""

from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer

from sklearn_rank._arrays._runs import sizes_of
from sklearn_rank._validation import check_option, check_real, check_share
from sklearn_rank.recommenders._pair_weights import with_data
from sklearn_rank.recommenders._pairs import Pairs


class Cosine:
    """Rows of length 1."""

    def fit(self, rows: sparse.csr_array) -> Self:
        """Learn nothing."""
        return self

    def transform(self, rows: sparse.csr_array) -> sparse.csr_array:
        """Return each row divided by its Euclidean length."""
        scaled = _scaled(rows)
        # The same sums as in scikit-learn, without its slow checks.
        square = np.bincount(Pairs.stored(rows).row, scaled.data**2, rows.shape[0])
        length = np.sqrt(square).repeat(sizes_of(rows.indptr))
        return with_data(rows, scaled.data / length)


class Jaccard:
    """Rows of ones: products count the columns that two rows share."""

    def fit(self, rows: sparse.csr_array) -> Self:
        """Learn nothing."""
        return self

    def transform(self, rows: sparse.csr_array) -> sparse.csr_array:
        """Return 1 for each stored entry."""
        return with_data(rows, np.ones(rows.nnz))


class Tfidf:
    """Rows of length 1; columns that many rows have count less."""

    def fit(self, rows: sparse.csr_array) -> Self:
        """Count the rows of each column."""
        self.tfidf_ = TfidfTransformer().fit(rows)
        return self

    def transform(self, rows: sparse.csr_array) -> sparse.csr_array:
        """Weight the rows as scikit-learn weights documents of words."""
        return self.tfidf_.transform(_scaled(rows))


class BM25:
    """Okapi BM25 of rows as documents and columns as words, as in `implicit`."""

    def __init__(self, k1: float, b: float):
        self.k1 = k1
        self.b = b

    def fit(self, rows: sparse.csr_array) -> Self:
        """Count the rows of each column, and measure the mean length of a row."""
        n_rows_with = np.bincount(rows.indices, minlength=rows.shape[1])
        self.idf_ = np.log(rows.shape[0]) - np.log1p(n_rows_with)
        # Not the sum of all divided by n, which may overflow.
        self.mean_length_ = (rows.sum(axis=1) / rows.shape[0]).sum() or 1.0
        return self

    def transform(self, rows: sparse.csr_array) -> sparse.csr_array:
        """Return the weight of each word in its document."""
        with np.errstate(over="ignore"):  # for weights near 0; 1 / inf is 0
            length = rows.sum(axis=1) / self.mean_length_
            norm = self.k1 * (1 - self.b + self.b * length)
            share = 1 / (1 + norm.repeat(sizes_of(rows.indptr)) / rows.data)
        return with_data(rows, share * (self.k1 + 1) * self.idf_[rows.indices])


def _scaled(rows: sparse.csr_array) -> sparse.csr_array:
    """Return the rows divided by powers of 2, which changes neither cosines nor digits.

    The squares of weights such as 1e200 would overflow, those of 1e-200 would be 0.
    """
    size = sizes_of(rows.indptr)
    is_filled = size > 0
    largest = np.maximum.reduceat(rows.data, rows.indptr[:-1][is_filled])
    exponent = np.frexp(largest)[1].repeat(size[is_filled])
    return with_data(rows, np.ldexp(rows.data, -exponent))


SIMILARITIES = ("cosine", "jaccard", "tfidf", "bm25")


def row_weights(similarity: str, k1: float, b: float) -> Any:
    """Return the weights of rows for a similarity."""
    check_option("similarity", similarity, SIMILARITIES)
    if similarity != "bm25":
        return {"cosine": Cosine, "jaccard": Jaccard, "tfidf": Tfidf}[similarity]()
    return BM25(check_real("k1", k1, "a number > 0", above=0), check_share("b", b))
