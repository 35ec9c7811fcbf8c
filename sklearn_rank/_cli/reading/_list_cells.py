"""Tables with one row per user, whose cells hold the ids of a list."""

import re
from argparse import Namespace
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd

from sklearn_rank._cli.reading._csv import CsvFormat, read_csv
from sklearn_rank._cli.reading._id_tables import is_parquet
from sklearn_rank.inputs._columns import named_column

_BETWEEN_IDS = re.compile(r"[\s,]+")


class _NoListsError(Exception):
    """The table has not the columns of lists in cells."""


def read_list_cells(path: str, options: Namespace, order: str) -> pd.DataFrame | None:
    """Return user, item and rank of a table of lists in cells; None for other tables.

    Such a table has no column `order`, of ranks or scores, each user once, and several ids
    in a cell: text between spaces or commas, or a list of a parquet file.
    """
    try:
        rows = _read_users_and_cells(path, options, order)
    except _NoListsError:
        return None
    rows = rows.dropna()
    lists = [ids_of_cell(cell) for cell in rows["item"]]
    if rows["user"].duplicated().any() or max(map(len, lists), default=0) < 2:
        return None
    return expand_lists(rows["user"], lists)


def ids_of_cell(cell: Any) -> list:
    """Return the ids in a cell."""
    if isinstance(cell, np.ndarray | list | tuple):
        return list(cell)
    if not isinstance(cell, str):
        return [cell]
    words = _BETWEEN_IDS.split(cell.strip().strip("[](){}"))
    return [word.strip("'\"") for word in words if word.strip("'\"")]


def expand_lists(users: pd.Series, lists: Iterable[list]) -> pd.DataFrame:
    """Return one row per user and item, with the rank; the index is the row of the user."""
    return pd.DataFrame(
        [
            (user, item, rank)
            for user, items in zip(users, lists, strict=True)
            for rank, item in enumerate(items, 1)
        ],
        columns=["user", "item", "rank"],
        index=users.index.repeat([*map(len, lists)]),
    )


def _read_users_and_cells(path: str, options: Namespace, order: str) -> pd.DataFrame:
    def find(names: list) -> dict[str, int]:
        user = options.user or named_column(names, "user")
        others = [name for name in names if name != user]
        item = options.item or named_column(names, "item")
        item = others[0] if item not in names and len(others) == 1 else item
        if order in names or user not in names or item not in names:
            raise _NoListsError
        return {"user": names.index(user), "item": names.index(item)}

    if not is_parquet(path):
        return read_csv(path, find, CsvFormat.from_options(options))
    try:
        table = pd.read_parquet(path)
    except (OSError, ValueError, ImportError):  # the reader of other tables says why
        raise _NoListsError from None
    places = find(list(table.columns))
    return pd.DataFrame({role: table.iloc[:, place] for role, place in places.items()})
