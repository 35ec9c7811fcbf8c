"""Validation queries for early stopping: a share, a mask, a splitter, or a separate set."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

import numpy as np
from sklearn.model_selection import GroupShuffleSplit

from sklearn_rank._base._numbers import has_rows
from sklearn_rank._base._validation import check_given, shorten
from sklearn_rank.rankers._query_rows import QueryRows

_SET_FORM = "[(X, y, groups)], or [(X, y)] where the ranker's `groups` names a column of X"


# Names of the groups of a set that are passed beside it.
_GROUPS_OF_SET = ("eval_groups", "eval_qid", "eval_group")
# Arguments with one value per row, and their names for validation rows in the libraries.
_SET_ARGUMENTS = {
    "sample_weight": ("eval_sample_weight", "sample_weight_eval_set"),
    "init_score": ("eval_init_score",),
    "base_margin": ("base_margin_eval_set",),
    **dict.fromkeys(("baseline", "subgroup_id", "pairs"), ()),
}


def read_eval_set(eval_set: Any) -> tuple[Any, Any, Any]:
    """Return X, y and groups of the one set in `eval_set`, or say what form it needs."""
    sets = list(eval_set) if isinstance(eval_set, list | tuple) else []
    validation_set = sets[0] if len(sets) == 1 else None
    if not isinstance(validation_set, list | tuple) or len(validation_set) not in (2, 3):
        raise ValueError(
            f"`eval_set` must hold one set, {_SET_FORM}; got {shorten(eval_set)}."
        )
    X, y, groups = (*validation_set, None)[:3]
    return X, y, groups


def add_groups_to_set(
    eval_set: Any, fit_params: Mapping[str, Any]
) -> tuple[Any, dict[str, Any]]:
    """Return a set with its groups in it, where they are called as the libraries do.

    Libraries want sizes or sorted numbers, for rows that lie together.
    """
    params = dict(fit_params)
    name = next((name for name in _GROUPS_OF_SET if name in params), None)
    sets = list(eval_set) if isinstance(eval_set, list | tuple) else []
    if name is None or len(sets) != 1 or len(params[name]) != 1 or has_groups(sets):
        return eval_set, params
    X, y = sets[0]
    groups = params[name][0]
    if len(groups) != len(y) or (name == "eval_group" and set(groups) == {1}):
        return eval_set, params  # sizes, which LightGBM takes
    del params[name]
    return [(X, y, groups)], params


def has_groups(eval_set: Any) -> bool:
    """Return whether an `eval_set` brings groups, which no library's own form does."""
    sets = eval_set if isinstance(eval_set, list | tuple) else []
    is_bare = isinstance(eval_set, tuple) and len(eval_set) == 3
    return is_bare or any(isinstance(s, list | tuple) and len(s) == 3 for s in sets)


def eval_set_arguments(rows: QueryRows) -> dict[str, Any]:
    """Return the arguments of `fit` for an own set, as they are called beside X.

    A model that starts from scores needs those of the set as well.
    """
    params = rows.shared_arguments()
    for name, of_set in _SET_ARGUMENTS.items():
        values = next((params.pop(alias) for alias in of_set if alias in params), None)
        if values is None and name != "sample_weight" and rows.extra.get(name) is not None:
            advice = f"pass {of_set[0]}=[values]" if of_set else "hold out queries of X"
            raise ValueError(
                f"`{name}` was passed for the rows of X, but not for these; {advice}."
            )
        if values is not None:
            if not isinstance(values, list | tuple) or len(values) != 1:
                raise ValueError(f"`{of_set[0]}` must hold one array, as it has one set.")
            params[name] = values[0]
    return params


def check_library_form(
    fit_params: Mapping[str, Any], *, stops: bool, has_steps: bool
) -> None:
    """Raise for validation rows in a library's own form, where these cannot be right."""
    reason = "`early_stopping_rounds` needs to know its queries"
    if has_steps:
        reason = "the steps of the pipeline would not transform it"
    for name in ("eval_X", "X_val"):
        if name in fit_params and (stops or has_steps):
            raise ValueError(
                f"`{name}` was passed, but {reason}; pass eval_set=[(X, y, groups)]."
            )


def hold_out_queries(
    rows: QueryRows, fraction: Any, random_state: Any, X: Any = None, groups: Any = None
) -> tuple[QueryRows, QueryRows]:
    """Return the rows of the queries to learn from, and of those to stop by.

    X and groups are as the user gave them, for splitters.
    """
    if len(rows.labels) < 2:
        raise ValueError(
            "`early_stopping_rounds` holds out queries, but there is only one "
            f"({rows.label(0)!r}); check `groups`, or set early_stopping_rounds=None."
        )
    if hasattr(fraction, "split"):
        y = np.empty_like(rows.y)
        y[rows.index] = rows.y
        held_out, learned = _split_rows(fraction, X, y, groups)
    elif has_rows(fraction):
        held_out = _as_mask(fraction, len(rows.y))
        learned = ~held_out
    else:
        splitter = GroupShuffleSplit(1, test_size=fraction, random_state=random_state)
        train, validation = next(splitter.split(rows.y, groups=rows.query))
        return rows.take(np.sort(train)), rows.take(np.sort(validation))
    held_out, learned = held_out[rows.index], learned[rows.index]
    _check_parts(rows, held_out, learned)
    return rows.take(np.flatnonzero(learned)), rows.take(np.flatnonzero(held_out))


def _split_rows(splitter: Any, X: Any, y: np.ndarray, groups: Any) -> tuple:
    """Return masks of the rows that a splitter holds out, and of those it learns from."""
    metadata = {"groups": groups} if _takes_groups(splitter) else {}
    folds = list(islice(splitter.split(X, y, **metadata), 2))
    if len(folds) != 1:
        raise ValueError(
            f"`validation_fraction={shorten(splitter)}` must give one fold, but gives "
            f"{'several' if folds else 'none'}; set n_splits=1."
        )
    ((train, validation),) = folds
    held_out, learned = np.zeros((2, len(y)), dtype=bool)
    held_out[validation], learned[train] = True, True
    return held_out, learned


def _takes_groups(splitter: Any) -> bool:
    """Return whether a splitter wants the queries: some warn of what they do not use.

    Those that find users in a column of X call these the groups.
    """
    if getattr(splitter, "user", None) is not None:
        return False
    if not hasattr(splitter, "get_metadata_routing"):
        return True
    return bool(splitter.get_metadata_routing().consumes("split", ["groups"]))


def _as_mask(values: Any, n_rows: int) -> np.ndarray:
    mask = np.asarray(values)
    needed = "a share between 0 and 1, a splitter, or a mask with True for each row"
    is_mask = mask.dtype == bool and mask.ndim == 1
    check_given("validation_fraction", values, is_mask, needed)
    if len(mask) != n_rows:
        raise ValueError(
            f"`validation_fraction` is a mask of {len(mask)} values, but X has {n_rows} "
            "rows; give one value per row, or in a search a splitter."
        )
    return mask


def _check_parts(rows: QueryRows, held_out: np.ndarray, learned: np.ndarray) -> None:
    for name, part in (("hold out", held_out), ("learn from", learned)):
        if not part.any():
            raise ValueError(
                f"`validation_fraction` leaves none of the {len(rows.y)} rows to {name}."
            )
    cut = np.intersect1d(rows.query[held_out], rows.query[learned])
    if len(cut):
        raise ValueError(
            f"`validation_fraction` cuts {len(cut)} of {len(rows.labels)} queries, such as "
            f"{rows.label(int(cut[0]))!r}. Hold out whole queries; a splitter of this "
            "package does so with keep_together='query', the column of groups."
        )
