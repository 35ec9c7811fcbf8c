"""Read and check libsvm files and files of query sizes."""

import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from sklearn_rank._base._messages import quantity
from sklearn_rank._base._runs import begins_run, sizes_of, starts_where
from sklearn_rank._base._text import escape_controls
from sklearn_rank._cli._arguments import as_whole_number
from sklearn_rank._cli._errors import InputError, quote_value
from sklearn_rank._cli.reading._csv import LARGEST, check_file, guard_path, open_lines

LINES_AT_ONCE = 10_000
# Boosted trees need about a kilobyte for each feature number up to the highest.
MOST_FEATURES = 2**20
EXAMPLE = "'2 qid:7 1:0.5 4:1', a grade, perhaps a query, and feature:value in rising order"


def _read_svm(path: str) -> tuple[sparse.csr_matrix, np.ndarray, np.ndarray | None]:
    """Return the features, grades and, if the file has them, queries of its rows.

    Column j of the features is feature j, even if the file counts from 1.
    """
    check_file(path, "a libsvm file")
    with open_lines(path) as lines:
        try:
            X, y, qid = load_svmlight_file(lines, zero_based=True, query_id=True)
        except (ValueError, OverflowError) as error:
            raise _malformed_error(path) from error
    if len(y) == 0:
        raise InputError(f"{path!r} has no rows.")
    if X.nnz == 0:
        raise InputError(
            f"No row of {path!r} has a feature; needed are rows such as {EXAMPLE}."
        )
    _check_values(path, X, y)
    if 0 < len(qid) < len(y):
        number = _first_line(path, lambda row: b" qid:" not in row.replace(b"\t", b" "))
        raise InputError(f"Line {number} of {path!r} has no qid:, other lines have one.")
    return X, y, qid if len(qid) else None


def _line_of_row(path: str, row: int) -> int:
    """Return the number of the line of a row; empty lines have no row."""
    rows = iter(range(row + 1))
    return _first_line(path, lambda _: next(rows) == row)


def _find_row_of_value(X: sparse.csr_matrix, is_sought: np.ndarray) -> int:
    """Return the row of the first stored value in the mask."""
    return int(np.searchsorted(X.indptr, np.argmax(is_sought), side="right")) - 1


def _malformed_error(path: str) -> InputError:
    with open_lines(path) as lines:
        numbered = enumerate(lines, 1)
        blocks = iter(lambda: list(islice(numbered, LINES_AT_ONCE)), [])
        number, line, wrong = next(
            (number, line, wrong)
            for block in blocks
            if _describe_fault(line for _, line in block)
            for number, line in block
            if (wrong := _describe_fault([line]))
        )
    text = line.decode(errors="replace").strip()
    return InputError(
        f"Line {number} of {path!r} is {quote_value(text)}: {wrong} Needed is {EXAMPLE}."
    )


def _describe_fault(lines: Iterable[bytes]) -> str:
    try:
        load_svmlight_file(io.BytesIO(b"".join(lines)), zero_based=True, query_id=True)
    except OverflowError:
        return "a number is too large; number features and queries 1, 2, 3, ..."
    except ValueError:
        return "it is not a libsvm row."
    return ""


def _check_values(path: str, X: sparse.csr_matrix, y: np.ndarray) -> None:
    is_grade = (y >= 0) & (y <= LARGEST)
    if not is_grade.all():
        row = int(np.argmin(is_grade))
        raise InputError(
            f"Line {_line_of_row(path, row)} of {path!r} has the grade {y[row]:g}; grades "
            f"are numbers from 0 to {LARGEST:.0e}."
        )
    is_too_high = X.indices >= MOST_FEATURES
    if is_too_high.any():
        row = _find_row_of_value(X, is_too_high)
        raise InputError(
            f"Line {_line_of_row(path, row)} of {path!r} has feature "
            f"{X[row].indices.max()}, but models have room up to {MOST_FEATURES - 1:,}; "
            "number the features that occur 1, 2, 3, ..."
        )
    is_value = np.abs(X.data) <= LARGEST
    if not is_value.all():
        index = int(np.argmin(is_value))
        row = _find_row_of_value(X, ~is_value)
        raise InputError(
            f"Line {_line_of_row(path, row)} of {path!r} has the value {X.data[index]:g} "
            f"of feature {X.indices[index]}; values must be from {-LARGEST:.0e} to "
            f"{LARGEST:.0e}. Leave out missing values."
        )


def _first_line(path: str, is_sought: Callable[[bytes], bool]) -> int:
    with open_lines(path) as lines:
        rows = ((n, line.partition(b"#")[0].strip()) for n, line in enumerate(lines, 1))
        return next(n for n, row in rows if row and is_sought(row))


@dataclass(frozen=True)
class QueryFile:
    """Rows of a file, those of a query next to each other."""

    source: str
    X: Any  # CSR, or dense if a model needs it
    y: np.ndarray
    groups: np.ndarray  # of each row: 0, 1, 2, ...

    @property
    def sizes(self) -> np.ndarray:
        """Number of rows of each query."""
        return np.bincount(self.groups)

    @property
    def n_features(self) -> int:
        """Number of features that occur in at least one row."""
        return len(np.unique(self.X.nonzero()[1]))

    def describe(self) -> str:
        """Describe the rows that were read, as lines of text."""
        low, high = self.sizes.min(), self.sizes.max()
        return (
            f"Read {escape_controls(self.source)}: {quantity(len(self.y), 'row')} in "
            f"{quantity(len(self.sizes), 'query')} ({low:,} to {high:,} rows each)\n"
            f"  {quantity(self.n_features, 'feature')}, grades {self.y.min():g} to "
            f"{self.y.max():g}"
        )


@guard_path
def read_queries(path: str, sizes_path: str | None, option: str) -> QueryFile:
    """Read a libsvm file and the sizes of its queries, or its qid.

    `option` names the file of sizes.
    """
    if sizes_path is not None:
        check_file(sizes_path, "a file of sizes")
    X, y, qid = _read_svm(path)
    if sizes_path is not None:
        sizes = _read_sizes(sizes_path)
        # Python's integers do not overflow.
        total = sum(sizes.tolist())
        if total != len(y):
            raise InputError(
                f"The {quantity(len(sizes), 'size')} in {sizes_path!r} sum to {total:,}, "
                f"but {path!r} has {quantity(len(y), 'row')}; do the two belong together?"
            )
        if qid is not None and not np.array_equal(_count_rows_of_queries(path, qid), sizes):
            raise InputError(
                f"{path!r} has qid: in its rows, which make other queries than the sizes "
                f"in {sizes_path!r}; use only one of the two."
            )
    elif qid is not None:
        sizes = _count_rows_of_queries(path, qid)
    else:
        raise InputError(
            f"{path!r} does not name its queries: its rows have no qid:. Name the file of "
            f"their sizes with {option}."
        )
    if y.max() == 0:
        raise InputError(f"No row of {path!r} has a grade above 0: nothing is relevant.")
    return QueryFile(path, X, y, np.repeat(np.arange(len(sizes)), sizes))


def align_features(train: QueryFile, test: QueryFile) -> QueryFile:
    """Return the test rows with a column for each feature of the training rows."""
    n_features = train.X.shape[1]
    if test.X.shape[1] > n_features:
        row = _find_row_of_value(test.X, test.X.indices >= n_features)
        raise InputError(
            f"Line {_line_of_row(test.source, row)} of {test.source!r} has feature "
            f"{test.X[row].indices.max()}, but the last one of {train.source!r} is "
            f"{n_features - 1}; both files need the same features."
        )
    # Zeros are not written, so a file may lack the last features.
    X = test.X.copy()
    X.resize(len(test.y), n_features)
    return replace(test, X=X)


def _read_sizes(path: str) -> np.ndarray:
    sizes = []
    with open_lines(path) as lines:
        for number, line in enumerate(lines, 1):
            text = line.decode(errors="replace").strip()
            size = as_whole_number(text)
            if text and not size:
                raise InputError(
                    f"Line {number} of {path!r} is {quote_value(text)}; needed is the "
                    "number of rows of a query, a whole number above 0."
                )
            if size:
                sizes.append(size)
    return np.array(sizes, dtype=np.int64)


def _count_rows_of_queries(path: str, qid: np.ndarray) -> np.ndarray:
    starts = starts_where(begins_run(qid))
    of_run = qid[starts[:-1]]
    _, first = np.unique(of_run, return_index=True)
    if len(first) < len(of_run):
        row = int(starts[np.setdiff1d(np.arange(len(of_run)), first)[0]])
        raise InputError(
            f"qid:{qid[row]} appears again in line {_line_of_row(path, row)} of {path!r} "
            "after another query; rows of a query must be consecutive. Sort them by qid."
        )
    return sizes_of(starts)
