"""The folds of any splitter beside the log that it splits, to describe and to draw."""

from collections.abc import Collection, Iterable, Iterator
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from sklearn_rank._ids._encode import as_vector
from sklearn_rank._tables._columns import column_or_metadata
from sklearn_rank._tables._interaction_log import PARAMETERS, Log, read_log
from sklearn_rank._tables._pair_columns import column_names, named_column
from sklearn_rank._validation import is_iterable, shorten
from sklearn_rank.model_selection._interaction_splitter import InteractionSplitter


def read_split(
    cv: Any,
    X: Any,
    y: Any,
    groups: Any,
    values: tuple = (None, None, None),
    columns: tuple = (None, None, None),
    *,
    needed: Collection[str] = (),
) -> tuple[Log, Iterator[tuple[np.ndarray, np.ndarray]]]:
    """Return the log and the folds (train, test) of `cv`.

    `values` and `columns` are of users, items and times, None where they are not given.
    Columns that are not given are those of `cv`, if it is one of our splitters, or have the
    usual names. What is in `needed` must be there; of the rest the log holds what can be
    found.
    """
    check_splitter(cv)
    users, items, times = values
    passed = {"users": groups if users is None else users, "items": items, "times": times}
    named = {
        name: getattr(cv, parameter, None) if column is None else column
        for (name, parameter), column in zip(PARAMETERS.items(), columns, strict=True)
    }
    for name in ("users", "items"):
        if passed[name] is None and named[name] is None:
            named[name] = usual_column(X, name, is_needed=name in needed)
    known = {
        name for name in PARAMETERS if passed[name] is not None or named[name] is not None
    }
    log = read_log(X, passed, named, needed=known.union(needed), owner=type(cv).__name__)
    found = {
        # What `cv` names itself it finds itself.
        name: passed[name]
        if getattr(cv, parameter, None) is not None
        else column_or_metadata(
            X, passed[name], named[name], name=name, parameter=parameter
        )
        for name, parameter in PARAMETERS.items()
    }
    return log, _split(cv, X, y, groups, found, log.n_rows)


def usual_column(X: Any, name: str, *, is_needed: bool) -> Any:
    """Return the column of the usual name; if two have one and none is needed, None."""
    try:
        return named_column(column_names(X), PARAMETERS[name])
    except ValueError:
        if is_needed:
            raise
        return None


def _split(cv: Any, X: Any, y: Any, groups: Any, found: dict, n_rows: int) -> Iterator:
    if isinstance(cv, InteractionSplitter):
        folds = cv.split(X, y, **found)
    elif is_iterable_of_folds(cv):
        folds = cv
    else:
        folds = check_cv(cv, y).split(np.empty(n_rows) if X is None else X, y, groups)
    return read_folds(folds, n_rows)


def check_splitter(cv: Any) -> None:
    """Raise for values that scikit-learn does not accept as `cv`."""
    is_number = isinstance(cv, Integral) and not isinstance(cv, np.timedelta64)
    has_folds = hasattr(cv, "split") or is_iterable_of_folds(cv) or is_number
    if isinstance(cv, type | str | bytes) or not (cv is None or has_folds):
        raise TypeError(
            "`cv` must be a splitter such as TimeSplit(time='date'), a number of folds or "
            f"an iterable of (train, test), got {shorten(cv)}."
        )


def is_iterable_of_folds(cv: Any) -> bool:
    """Return whether `cv` is an iterable of folds, not a splitter or a number."""
    return is_iterable(cv) and not hasattr(cv, "split")


def read_folds(folds: Iterable, n_rows: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield folds as row numbers, or say what is wrong with one of them."""
    fold = -1
    for fold, parts in enumerate(folds):
        if not isinstance(parts, tuple | list) or len(parts) != 2:
            raise TypeError(
                f"Fold {fold} of `cv` must be a pair (train, test) of row numbers or of "
                f"masks, got {shorten(parts)}."
            )
        train, test = (
            _as_rows(rows, n_rows, f"Fold {fold} of `cv`", name)
            for name, rows in zip(("train", "test"), parts, strict=True)
        )
        yield train, test
    if fold < 0:
        raise ValueError("`cv` has no folds; give at least one (train, test).")


def _as_rows(rows: Any, n_rows: int, fold: str, name: str) -> np.ndarray:
    """Return row numbers, which scikit-learn takes as masks as well."""
    rows = as_vector(rows, name=name) if isinstance(rows, list) else rows
    rows = np.asarray(rows)
    if rows.dtype == bool and rows.shape == (n_rows,):
        return np.flatnonzero(rows)
    if rows.ndim != 1 or (len(rows) and rows.dtype.kind not in "iu"):
        raise TypeError(
            f"{fold} must have {name} rows by number or as a mask of {n_rows} values, got "
            f"dtype {rows.dtype} and shape {rows.shape}."
        )
    wrong = (rows < -n_rows) | (rows >= n_rows)
    if wrong.any():
        raise ValueError(
            f"{fold} has {name} row {rows[np.argmax(wrong)]}, but X has {n_rows} row(s)."
        )
    return rows.astype(np.intp) % n_rows
