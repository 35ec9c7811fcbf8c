"""Which items may be recommended."""

from typing import Any

import numpy as np

from sklearn_rank._validation import check_integer
from sklearn_rank.recommenders._ids import as_ids, find_ids


def allowed_items(all_items: np.ndarray, items: Any, exclude: Any) -> np.ndarray:
    """Return the places of the items that may be recommended, ascending.

    Candidates that are not known are left out, as those that are new in a shop; that
    none is known is a mistake.
    """
    allowed = np.arange(len(all_items))
    if items is not None:
        items = as_ids(items, name="items")
        if len(items) == 0:
            raise ValueError("`items` is empty: no item may be recommended. None: all.")
        allowed = _known(all_items, items, name="items")
        if len(allowed) == 0:
            raise ValueError(
                f"None of the {len(items)} item(s) in `items` was in the data of "
                f"`fit`; ids there look like {all_items[:1].tolist()[0]!r}."
            )
    if exclude is not None:
        allowed = np.setdiff1d(allowed, _known(all_items, exclude, name="exclude"))
    return allowed


def _known(all_items: np.ndarray, ids: Any, *, name: str) -> np.ndarray:
    codes = find_ids(all_items, ids, name=name)
    return np.unique(codes[codes >= 0])


def check_n_items(n_items: Any, n_allowed: int, n_all: int) -> int:
    """Return `n_items`; raise unless a list can be filled with so many different items."""
    n_items = check_integer("n_items", n_items)
    if n_items > n_allowed:
        raise ValueError(
            f"`n_items` is {n_items}, but only {n_allowed} of {n_all} item(s) may be "
            f"recommended; lower `n_items`."
        )
    return n_items
