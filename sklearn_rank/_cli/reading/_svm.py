"""Rows of a libsvm file; what is wrong with it is told with the number of the line."""

import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import islice

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from sklearn_rank._cli.printing._errors import InputError
from sklearn_rank._cli.printing._format import shown
from sklearn_rank._cli.reading._input_files import LARGEST, check_file, open_lines

LINES_AT_ONCE = 10_000
# Boosted trees take about a kilobyte for each number up to the highest, used or not.
MOST_FEATURES = 2**20
EXAMPLE = "'2 qid:7 1:0.5 4:1', a grade, perhaps a query, and feature:value in rising order"


@dataclass(frozen=True)
class SvmRows:
    """Features, grades and, where the file has them, queries of its rows."""

    X: sparse.csr_matrix  # column j is feature j, whether the file counts from 0 or 1
    y: np.ndarray
    qid: np.ndarray | None


def read_svm(path: str) -> SvmRows:
    """Read a libsvm file and check its values."""
    check_file(path, "a libsvm file")
    with open_lines(path) as lines:
        try:
            X, y, qid = load_svmlight_file(lines, zero_based=True, query_id=True)
        except (ValueError, OverflowError) as error:
            raise _malformed(path, error) from error
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
    return SvmRows(X, y, qid if len(qid) else None)


def line_of_row(path: str, row: int) -> int:
    """Return the number of the line that holds a row; empty lines hold none."""
    rows = iter(range(row + 1))
    return _first_line(path, lambda _: next(rows) == row)


def row_with(X: sparse.csr_matrix, is_sought: np.ndarray) -> int:
    """Return the first row with a stored value that the mask names."""
    return int(np.searchsorted(X.indptr, np.argmax(is_sought), side="right")) - 1


def _malformed(path: str, error: Exception) -> InputError:
    with open_lines(path) as lines:
        n_good = 0
        while block := list(islice(lines, LINES_AT_ONCE)):
            if _wrong_with(block):
                break
            n_good += len(block)
    for number, line in enumerate(block, n_good + 1):
        if wrong := _wrong_with([line]):
            text = line.decode(errors="replace").strip()
            return InputError(
                f"Line {number} of {path!r} is {shown(text)}: {wrong} Needed is {EXAMPLE}."
            )
    return InputError(f"Cannot read {path!r}: {error}")


def _wrong_with(lines: Iterable[bytes]) -> str:
    try:
        load_svmlight_file(io.BytesIO(b"".join(lines)), zero_based=True, query_id=True)
    except OverflowError:
        return "a number is too large; number features and queries 1, 2, 3, ..."
    except ValueError:
        return "it is no row of libsvm."
    return ""


def _check_values(path: str, X: sparse.csr_matrix, y: np.ndarray) -> None:
    is_grade = (y >= 0) & (y <= LARGEST)
    if not is_grade.all():
        row = int(np.argmin(is_grade))
        raise InputError(
            f"Line {line_of_row(path, row)} of {path!r} has the grade {y[row]:g}; grades "
            f"are numbers from 0 to {LARGEST:.0e}."
        )
    is_too_high = X.indices >= MOST_FEATURES
    if is_too_high.any():
        row = row_with(X, is_too_high)
        raise InputError(
            f"Line {line_of_row(path, row)} of {path!r} has feature "
            f"{X[row].indices.max()}, but models have room up to {MOST_FEATURES - 1:,}; "
            "number the features that occur 1, 2, 3, ..."
        )
    is_value = np.abs(X.data) <= LARGEST
    if not is_value.all():
        place = int(np.argmin(is_value))
        row = row_with(X, ~is_value)
        raise InputError(
            f"Line {line_of_row(path, row)} of {path!r} has the value {X.data[place]:g} of "
            f"feature {X.indices[place]}; values reach from {-LARGEST:.0e} to "
            f"{LARGEST:.0e}. Leave out what is missing."
        )


def _first_line(path: str, is_sought: Callable[[bytes], bool]) -> int:
    with open_lines(path) as lines:
        rows = ((n, line.partition(b"#")[0].strip()) for n, line in enumerate(lines, 1))
        return next(n for n, row in rows if row and is_sought(row))
