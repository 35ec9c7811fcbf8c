"""train_valid_test_split: three parts, by the rules of any splitter."""

from __future__ import annotations

from inspect import signature
from typing import Any, Literal, TypeAlias, overload

import numpy as np

from sklearn_rank._base._validation import check_option, shorten
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._columns import require_rows, take_rows
from sklearn_rank.inputs._interaction_log import count_rows_of
from sklearn_rank.model_selection._interaction_splitter import InteractionSplitter
from sklearn_rank.typing import ArrayLike, Duration, Integers, Labels, Table, Times

Size: TypeAlias = InteractionSplitter | Duration


@overload
def train_valid_test_split(
    X: Table,
    y: ArrayLike | None = None,
    *,
    splitter: InteractionSplitter | None = ...,
    valid: Size | None = ...,
    test: Size | None = ...,
    groups: Labels | None = ...,
    users: Labels | None = ...,
    items: Labels | None = ...,
    times: Times | None = ...,
    return_indices: Literal[True],
) -> list[Integers]: ...


@overload
def train_valid_test_split(
    X: Table,
    y: ArrayLike | None = None,
    *,
    splitter: InteractionSplitter | None = ...,
    valid: Size | None = ...,
    test: Size | None = ...,
    groups: Labels | None = ...,
    users: Labels | None = ...,
    items: Labels | None = ...,
    times: Times | None = ...,
    return_indices: Literal[False] = ...,
) -> list[Any]: ...


@explained
def train_valid_test_split(
    X: Table,
    y: ArrayLike | None = None,
    *,
    splitter: InteractionSplitter | None = None,
    valid: Size | None = None,
    test: Size | None = None,
    groups: Labels | None = None,
    users: Labels | None = None,
    items: Labels | None = None,
    times: Times | None = None,
    return_indices: bool = False,
) -> list[Any]:
    """Split rows into train, validation and test, by user, by time or both.

    The test is split off first, then the validation from the train rows that are left,
    so both follow the same rule: with `TimeSplit` the validation lies between train and
    test, with `LeaveLastOut` it is the row before the test row. Rows that a splitter
    drops are in no part.

    Parameters
    ----------
    X : array-like, sparse matrix or DataFrame of shape (n_rows, n_columns)
        The rows to split.
    y : array-like of shape (n_rows,), default=None
        Target, split alike.
    splitter : splitter of this module, default=None
        The rule for both. Not needed where `valid` and `test` are splitters.
    valid, test : splitter or size, default=None
        A splitter of its own, or another size for `splitter`: its `test_size`, in the same
        units. If None, `splitter` as it is. A share is one of the rows that are split, so
        for `valid` of those that `test` left. For splitters with several folds the last
        fold is taken.
    groups, users, items, times : array-like of shape (n_rows,), default=None
        Metadata for the splitters, instead of columns of X.
    return_indices : bool, default=False
        Whether to return the rows of the parts instead of the parts, for example to
        split metadata with them.

    Returns
    -------
    list
        `[X_train, X_valid, X_test]`, with `y_train, y_valid, y_test` behind where y is
        given; with `return_indices` three ascending integer arrays. Parts have the type
        of what they are parts of.

    Raises
    ------
    ValueError
        When a part would be empty, as the splitters do, or when lengths differ.
    TypeError
        When there is no splitter for a part, or one that has no size gets one.

    See Also
    --------
    sklearn.model_selection.train_test_split : Two parts of random rows.

    Examples
    --------
    >>> from sklearn_rank.model_selection import TimeSplit, train_valid_test_split
    >>> log = [["ann", 1], ["bob", 2], ["ann", 2], ["ann", 3], ["bob", 4], ["cy", 5]]
    >>> train, valid, test = train_valid_test_split(log, splitter=TimeSplit(time=1))
    >>> train
    [['ann', 1], ['bob', 2], ['ann', 2]]
    >>> valid
    [['ann', 3]]
    >>> test
    [['bob', 4], ['cy', 5]]
    """
    check_option("return_indices", return_indices, (True, False))
    metadata = {"groups": groups, "users": users, "items": items, "times": times}
    for_test = _choose_splitter(splitter, test, name="test")
    for_valid = _choose_splitter(splitter, valid, name="valid")
    n_rows = count_rows_of(X)
    for name, values in {"y": y, **metadata}.items():
        if values is not None:
            require_rows(values, n_rows, name=name)
    left, test_rows = _last_fold(for_test, X, metadata)
    inner = {
        name: None if values is None else take_rows(values, left)
        for name, values in metadata.items()
    }
    try:
        train, valid_rows = _last_fold(for_valid, take_rows(X, left), inner)
    except ValueError as error:
        raise ValueError(
            f"No validation part in the {len(left)} row(s) that the test leaves. {error}"
        ) from error
    parts = [left[train], left[valid_rows], test_rows]
    if return_indices:
        return parts
    arrays = [X] if y is None else [X, y]
    return [take_rows(array, rows) for array in arrays for rows in parts]


def _choose_splitter(
    splitter: InteractionSplitter | None, size: Any, *, name: str
) -> InteractionSplitter:
    if isinstance(size, InteractionSplitter):
        return size
    is_foreign = hasattr(size, "split") and not isinstance(size, str)
    if is_foreign or not isinstance(splitter, InteractionSplitter):
        raise TypeError(
            f"`{name}` needs a rule: give `splitter=` or `{name}=`, a splitter of "
            "sklearn_rank.model_selection such as TimeSplit(time='date'); got "
            f"{shorten(size if is_foreign else splitter)}."
        )
    return splitter if size is None else _resize(splitter, size, name=name)


def _resize(splitter: InteractionSplitter, size: Any, *, name: str) -> InteractionSplitter:
    """Return a splitter like the given one that holds out as much as `size` says."""
    params = {key: getattr(splitter, key) for key in signature(type(splitter)).parameters}
    if "test_size" not in params:
        raise TypeError(
            f"{type(splitter).__name__} has no size that `{name}={shorten(size)}` could "
            f"set; give a splitter as `{name}=`."
        )
    return type(splitter)(**{**params, "test_size": size})


def _last_fold(
    splitter: InteractionSplitter, X: Any, metadata: dict
) -> tuple[np.ndarray, np.ndarray]:
    *_, fold = splitter.split(X, **metadata)
    return fold
