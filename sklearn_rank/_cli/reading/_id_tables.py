"""Read tables of users and items: complete rows with matching ids."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from sklearn_rank._cli.printing._errors import InputError, shown
from sklearn_rank._cli.reading._columns import (
    bad_rows,
    drop_incomplete,
    numbers_in,
    place_of_row,
    read_columns,
)
from sklearn_rank._cli.reading._csv import CsvFormat
from sklearn_rank._text._wording import counted

MOST_INT64 = 2.0**63


@dataclass(frozen=True)
class IdTable:
    """A table with columns by role, and notes for users."""

    path: str
    rows: pd.DataFrame
    notes: list[str]


def read_id_table(
    path: str,
    ids: Mapping[str, str],
    csv: CsvFormat,
    numbers: Mapping[str, str] | None = None,
) -> IdTable:
    """Return columns of a CSV or parquet file by role; rows without an id are left out.

    `ids` and `numbers` are the names of columns by role. The index is the row of the file,
    from 0.
    """
    numbers = numbers or {}
    columns, names = read_columns(path, {**ids, **numbers}, csv)
    if not len(columns):
        raise InputError(f"{path!r} has column names but no rows.")
    columns, dropped = drop_incomplete(columns, {role: names[role] for role in ids})
    notes = [
        f"{counted(n, 'row')} of {path} left out: column {name!r} is empty."
        for name, n in dropped.items()
    ]
    if not len(columns):
        raise InputError(f"{path!r} has no complete row. {' '.join(notes)}")
    read = {role: columns[role].astype(columns[role].cat.categories.dtype) for role in ids}
    for role, name in numbers.items():
        read[role] = _numbers(path, columns[role], role, name, csv)
    return IdTable(path, pd.DataFrame(read), notes)


def as_known(ids: pd.Series, known: Any, what: str) -> pd.Series:
    """Return ids of a file in the type of the model's ids."""
    if _is_text(known):
        return ids if _is_text(ids) else as_text(ids)
    if not _is_text(ids):
        return _whole_as(known, ids)
    if pd.Series(known[:1]).dtype.kind not in "iuf":
        raise InputError(
            f"The {what}s of the model are neither text nor numbers, but "
            f"{type(known[0]).__name__}s; give them in a parquet file."
        )
    numbers = pd.to_numeric(ids, errors="coerce")
    is_bad = ~np.isfinite(numbers.to_numpy(np.float64))
    if is_bad.any():
        raise InputError(
            f"The {what}s of the model are numbers, such as {shown(known[0])}, but the "
            f"file has {shown(ids[is_bad].iloc[0])}."
        )
    return _whole_as(known, numbers)


def _whole_as(known: Any, ids: pd.Series) -> pd.Series:
    """Return ids as whole numbers if these and the known ones all are."""
    if pd.Series(known[:1]).dtype.kind in "iu" and _is_whole(ids):
        return ids.astype(np.int64)
    return ids


def _is_whole(ids: pd.Series) -> bool:
    """Return whether floats are whole numbers of 64 bits, as a missing value makes them."""
    return ids.dtype.kind == "f" and bool(((ids % 1 == 0) & (ids.abs() < MOST_INT64)).all())


def as_text(ids: pd.Series) -> pd.Series:
    """Return ids as text; floats with whole values as whole numbers."""
    if _is_whole(ids):
        ids = ids.astype(np.int64)
    return ids.astype(str)


def _is_text(ids: Any) -> bool:
    values = pd.Series(ids[:1])
    return pd.api.types.is_string_dtype(values)


def _numbers(
    path: str, column: pd.Series, role: str, name: str, csv: CsvFormat
) -> pd.Series:
    # Relevance may be True or False; ranks and scores may not.
    values = numbers_in(column.cat.categories, "mM" if role == "rating" else "bmM")
    where = partial(place_of_row, path, csv=csv)
    bad_rows(column, ~np.isnan(values), f"{name!r} of {path!r}", "a number", where, 0)
    return pd.Series(values[column.cat.codes], index=column.index)
