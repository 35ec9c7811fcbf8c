"""Rows in queries: read from files, checked, and described."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sklearn_rank._arrays._runs import begins_run, sizes_of, starts_where
from sklearn_rank._cli.arguments._argument_types import as_whole
from sklearn_rank._cli.printing._errors import InputError
from sklearn_rank._cli.printing._format import counted, shown
from sklearn_rank._cli.reading._input_files import check_file, open_lines
from sklearn_rank._cli.reading._svm import SvmRows, line_of_row, read_svm, row_with


@dataclass(frozen=True)
class Queries:
    """Rows of a file, those of a query next to each other."""

    source: str
    X: Any  # CSR, or dense where a model wants it
    y: np.ndarray
    groups: np.ndarray  # of each row: 0, 1, 2, ...

    @property
    def sizes(self) -> np.ndarray:
        """Number of rows of each query."""
        return np.bincount(self.groups)

    @property
    def n_features(self) -> int:
        """Number of features that occur in some row."""
        return len(np.unique(self.X.nonzero()[1]))

    def take(self, rows: np.ndarray) -> "Queries":
        """Return the rows that a mask names."""
        return replace(self, X=self.X[rows], y=self.y[rows], groups=self.groups[rows])

    def describe(self) -> str:
        """Return what was read, as lines of text."""
        low, high = self.sizes.min(), self.sizes.max()
        return (
            f"Read {self.source}: {counted(len(self.y), 'row')} in "
            f"{counted(len(self.sizes), 'query')} ({low:,} to {high:,} rows each)\n"
            f"  {counted(self.n_features, 'feature')}, grades {self.y.min():g} to "
            f"{self.y.max():g}"
        )


def read_queries(path: str, sizes_path: str | None, option: str) -> Queries:
    """Read a libsvm file and the sizes of its queries, or its qid.

    `option` is the one that names the file of sizes.
    """
    if sizes_path is not None:
        check_file(sizes_path, "a file of sizes")
    rows = read_svm(path)
    if sizes_path is not None:
        sizes = _read_sizes(sizes_path)
        _check_sum(path, len(rows.y), sizes_path, sizes)
        _check_agree(path, rows, sizes_path, sizes)
    elif rows.qid is not None:
        sizes = _sizes_of_runs(path, rows.qid)
    else:
        raise InputError(
            f"{path!r} does not tell its queries: its rows have no qid:. Name the file of "
            f"their sizes with {option}."
        )
    if rows.y.max() == 0:
        raise InputError(f"No row of {path!r} has a grade above 0: nothing is relevant.")
    return Queries(path, rows.X, rows.y, np.repeat(np.arange(len(sizes)), sizes))


def with_features_of(train: Queries, test: Queries) -> Queries:
    """Return the test rows with a column for each feature of the training rows."""
    n_features = train.X.shape[1]
    if test.X.shape[1] > n_features:
        row = row_with(test.X, test.X.indices >= n_features)
        raise InputError(
            f"Line {line_of_row(test.source, row)} of {test.source!r} has feature "
            f"{test.X[row].indices.max()}, but the last one of {train.source!r} is "
            f"{n_features - 1}; both files need the same features."
        )
    # Zeros are not written, so the last features may be missing from one file.
    X = test.X.copy()
    X.resize(len(test.y), n_features)
    return replace(test, X=X)


def _read_sizes(path: str) -> np.ndarray:
    sizes = []
    with open_lines(path) as lines:
        for number, line in enumerate(lines, 1):
            text = line.decode(errors="replace").strip()
            size = as_whole(text)
            if text and not size:
                raise InputError(
                    f"Line {number} of {path!r} is {shown(text)}; needed is the number of "
                    "rows of a query, a whole number above 0."
                )
            if size:
                sizes.append(size)
    return np.array(sizes, dtype=np.int64)


def _check_sum(path: str, n_rows: int, sizes_path: str, sizes: np.ndarray) -> None:
    # As Python's integers, which do not run over.
    total = sum(sizes.tolist())
    if total != n_rows:
        raise InputError(
            f"The {counted(len(sizes), 'size')} in {sizes_path!r} sum to {total:,}, "
            f"but {path!r} has {counted(n_rows, 'row')}; do the two belong together?"
        )


def _check_agree(path: str, rows: SvmRows, sizes_path: str, sizes: np.ndarray) -> None:
    if rows.qid is None:
        return
    of_runs = _sizes_of_runs(path, rows.qid)
    if not np.array_equal(of_runs, sizes):
        raise InputError(
            f"{path!r} has qid: in its rows, which make other queries than the sizes in "
            f"{sizes_path!r}; use only one of the two."
        )


def _sizes_of_runs(path: str, qid: np.ndarray) -> np.ndarray:
    starts = starts_where(begins_run(qid))
    of_run = qid[starts[:-1]]
    _, first = np.unique(of_run, return_index=True)
    if len(first) < len(of_run):
        row = int(starts[np.setdiff1d(np.arange(len(of_run)), first)[0]])
        raise InputError(
            f"qid:{qid[row]} comes back in line {line_of_row(path, row)} of {path!r} after "
            "another query; rows of a query must be consecutive. Sort the file by qid."
        )
    return sizes_of(starts)
