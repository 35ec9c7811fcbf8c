"""The folds of any splitter beside the log that it splits, to describe and to draw."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from sklearn_rank._columns import column_or_metadata
from sklearn_rank.model_selection._base import InteractionSplitter
from sklearn_rank.model_selection._log import PARAMETERS, Log, read_log

__all__ = ["read_split"]


def read_split(
    cv: Any, X: Any, y: Any, groups: Any, passed: dict, columns: dict, *, needed: set
) -> tuple[Log, Iterator[tuple[np.ndarray, np.ndarray]]]:
    """Return the log and the folds (train, test) of `cv`.

    Columns that are not given are those of `cv`, if it is one of our splitters. What is
    in `needed` must be there; of the rest the log holds what can be found.
    """
    if passed["users"] is None:
        passed = {**passed, "users": groups}
    columns = {
        name: getattr(cv, parameter, None) if columns[name] is None else columns[name]
        for name, parameter in PARAMETERS.items()
    }
    known = {
        name for name in PARAMETERS if passed[name] is not None or columns[name] is not None
    }
    log = read_log(X, passed, columns, needed=known | needed, owner=type(cv).__name__)
    found = {
        # What `cv` names itself it finds itself.
        name: passed[name]
        if getattr(cv, parameter, None) is not None
        else column_or_metadata(
            X, passed[name], columns[name], name=name, parameter=parameter
        )
        for name, parameter in PARAMETERS.items()
    }
    return log, _split(cv, X, y, groups, found, log.n_rows)


def _split(cv: Any, X: Any, y: Any, groups: Any, found: dict, n_rows: int) -> Iterator:
    if isinstance(cv, InteractionSplitter):
        folds = cv.split(X, y, **found)
    else:
        folds = check_cv(cv, y).split(np.empty(n_rows) if X is None else X, y, groups)
    for train, test in folds:
        yield _as_rows(train), _as_rows(test)


def _as_rows(rows: Any) -> np.ndarray:
    # scikit-learn takes folds as masks as well.
    rows = np.asarray(rows)
    return np.flatnonzero(rows) if rows.dtype == bool else rows.astype(np.intp)
