"""Read tables of users and items: complete rows with matching ids."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sklearn_rank._base._messages import quantity
from sklearn_rank._base._validation import check_installed, suggest
from sklearn_rank._cli._errors import InputError, quote_value
from sklearn_rank._cli.reading._csv import (
    AS_USUAL,
    CsvFormat,
    check_file,
    guard_path,
    line_of_row,
    read_csv,
)
from sklearn_rank.datasets import make_interactions
from sklearn_rank.inputs._columns import named_column

EMBEDDED_LOG = "the embedded log"
# A function that names the place of a row in its file, for an error.
LocateRow = Callable[[int], str]
# A function of the source and of its columns that returns the index of each role.
Finder = Callable[[str, list], dict[str, int]]
PARQUET = (".parquet", ".pq")
MOST_INT64 = 2.0**63
# What pandas raises for metadata that it cannot read.
UNREADABLE_METADATA = (LookupError, TypeError, AttributeError)


def read_columns(
    path: str | None,
    wanted: Mapping[str, str],
    csv: CsvFormat = AS_USUAL,
    advice: Mapping[str, str] | None = None,
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return the columns of a file by role, each of a categorical dtype, and their names.

    `wanted` maps a role (the name of an option) to the name of its column. Users and items
    may also be in a column such as user_id. Categories keep the text of a CSV file (007
    stays 007) and store each value once. `advice` says by role what to do without it.
    """
    names = dict(wanted)

    def find(source: str, columns: list) -> dict[str, int]:
        names.update(_find_usual_names(columns, wanted))
        check_different(names)
        return _find_columns(source, columns, names, advice or {})

    return read_table(path, find, csv), names


def read_table(path: str | None, find: Finder, csv: CsvFormat) -> pd.DataFrame:
    """Return the columns that `find` selects, by role, each of a categorical dtype."""
    if path is None:
        log = make_interactions(2000, 1000, 100_000, random_state=0, as_frame=True)
        return _select(EMBEDDED_LOG, log, find)
    check_file(path, "a CSV or parquet file")
    if is_parquet(path):
        return _read_parquet(path, find)
    if Path(path).suffix.lower() == ".json":
        raise InputError(
            f"{path!r} is JSON, which is for lists alone; needed is a CSV or parquet file."
        )
    return read_csv(path, partial(find, path), csv)


def check_different(columns: Mapping[str, str]) -> None:
    """Raise if two roles name the same column."""
    roles: dict[str, str] = {}
    for role, name in columns.items():
        if name in roles:
            raise InputError(
                f"--{roles[name]} and --{role} both name the column {name!r}; name two."
            )
        roles[name] = role


def drop_incomplete(
    source: str, table: pd.DataFrame, needed: Mapping[str, str]
) -> tuple[pd.DataFrame, dict[str, int], list[str]]:
    """Drop rows with an empty value; count them by the name of the first empty column.

    Return the counts also in words. Raise if no row is left.
    """
    if not len(table):
        raise InputError(f"{source} has column names but no rows.")
    dropped = {}
    for role, name in needed.items():
        is_missing = table[role].isna()
        if is_missing.any():
            dropped[name] = int(np.count_nonzero(is_missing))
            table = table[~is_missing]
    reasons = [
        f"{quantity(n, 'row')} where column {name!r} is empty"
        for name, n in dropped.items()
    ]
    if not len(table):
        raise InputError(f"{source} has no complete row: {', '.join(reasons)}.")
    return table, dropped, reasons


def note_dropped(path: str, dropped: Mapping[str, int]) -> list[str]:
    """Return notes for users on the rows that were left out."""
    return [
        f"{quantity(n, 'row')} of {path} left out: column {name!r} is empty."
        for name, n in dropped.items()
    ]


def read_numbers(values: pd.Index, but: str) -> np.ndarray:
    """Return numbers; text, and the kinds of dtype in `but`, become NaN.

    pandas turns booleans (b), dates (M) and durations (m) into numbers. Integers stay
    integers: a float cannot hold nanoseconds since 1970 exactly.
    """
    if values.dtype.kind in but:
        return np.full(len(values), np.nan)
    read = _as_numbers(pd.Series(values))
    if isinstance(read.dtype, np.dtype) and read.dtype.kind in "iu":
        return read.to_numpy()
    return read.to_numpy(dtype=np.float64, na_value=np.nan)


def _as_numbers(values: pd.Series) -> pd.Series:
    """Return numbers; other cells become NaN."""
    if values.dtype.kind not in "biufcmM":
        # pandas before 3 ends the process on an exponent beyond 32 bits.
        is_long = values.astype(str).str.contains(r"[eE][+-]?\d{8}")
        values = values.mask(is_long, "no number")
    return pd.to_numeric(values, errors="coerce")


def find_bad_rows(
    column: pd.Series,
    is_good: np.ndarray,
    name: str,
    needed: str,
    locate: LocateRow,
    most: float,
) -> tuple[np.ndarray, str]:
    """Return a mask of the bad rows and a description of the first.

    `is_good` checks the categories. Raise if the share of bad rows is `most` or more.
    """
    codes = column.cat.codes.to_numpy()
    # The code of a missing value is -1: the False at the end.
    is_bad = ~np.append(is_good, False)[codes]
    n_bad = np.count_nonzero(is_bad)
    if not n_bad:
        return is_bad, ""
    first = int(np.argmax(is_bad))
    value = "empty" if codes[first] < 0 else quote_value(column.iloc[first])
    where = locate(column.index[first])
    if n_bad >= most * len(column):
        raise InputError(
            f"Column {name} needs {needed}, but in {where} it is {value} (number of bad "
            f"rows: {n_bad:,})."
        )
    return is_bad, f"{value} in {where}"


def locate_row(path: str | None, row: int, csv: CsvFormat = AS_USUAL) -> str:
    """Return the place of a row in words, for an error; rows count from 0."""
    if path is None or is_parquet(path):
        return f"row {row + 1}"
    return f"line {line_of_row(path, row, csv)}"


def is_parquet(path: str) -> bool:
    """Return whether a file is parquet, by its name."""
    return Path(path).suffix.lower() in PARQUET


def _read_parquet(path: str, find: Finder) -> pd.DataFrame:
    check_installed("pyarrow", "arrow", "A parquet file")
    from pyarrow.lib import ArrowException

    try:
        table = pd.read_parquet(path)
    except (OSError, ValueError, ArrowException, *UNREADABLE_METADATA) as error:
        raise InputError(
            f"{path!r} is not a complete parquet file: {error} Write it again, or as CSV."
        ) from error
    return _select(path, table, find)


def _select(source: str, table: pd.DataFrame, find: Finder) -> pd.DataFrame:
    places = find(source, list(table.columns))
    rows = table.reset_index(drop=True)
    categories = {
        role: _as_category(rows.iloc[:, index], str(table.columns[index]))
        for role, index in places.items()
    }
    return pd.DataFrame(categories)


def _as_category(column: pd.Series, name: str) -> pd.Series:
    try:
        return column.astype("category")
    except TypeError as error:
        raise InputError(
            f"Column {name!r} needs one value per row, but it holds lists or the like."
        ) from error


def _find_usual_names(columns: list, wanted: Mapping[str, str]) -> dict[str, str]:
    """Return the usual names of users and items if the name of the option is missing."""
    usual = {}
    for role in ("user", "item"):
        if wanted.get(role) == role and role not in columns:
            with suppress(ValueError):  # two have one
                usual[role] = named_column(columns, role)
    return {role: name for role, name in usual.items() if name is not None}


def _find_columns(
    source: str, columns: list, wanted: Mapping[str, str], advice: Mapping[str, str]
) -> dict[str, int]:
    names = [str(column) for column in columns]
    # A column has one role.
    free = [name for name in names if name not in wanted.values()]
    places = {}
    for role, name in wanted.items():
        count = names.count(name)
        if count == 0:
            separator = " Name its separator with --sep."
            more = separator if len(names) == 1 else advice.get(role, "")
            raise InputError(
                f"{source} has no column {name!r}; name one with --{role}. "
                f"{suggest(name, free)}{more}"
            )
        if count > 1:
            raise InputError(
                f"{source} has {count} columns named {name!r} for --{role}; rename them."
            )
        places[role] = names.index(name)
    return places


@dataclass(frozen=True)
class IdTable:
    """A table with columns by role, and notes for users."""

    path: str
    rows: pd.DataFrame
    notes: list[str]


@guard_path
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
    needed = {role: names[role] for role in ids}
    columns, dropped, _ = drop_incomplete(repr(path), columns, needed)
    read = {role: columns[role].astype(columns[role].cat.categories.dtype) for role in ids}
    for role, name in numbers.items():
        # Relevance may be True or False; ranks and scores may not.
        but = "mM" if role == "rating" else "bmM"
        read[role] = read_number_column(path, columns[role], name, csv, but)
    return IdTable(path, pd.DataFrame(read), note_dropped(path, dropped))


def as_model_ids(ids: pd.Series, model_ids: Any, role: str) -> pd.Series:
    """Return ids of a file in the type of the model's ids."""
    if _is_text(model_ids):
        return ids if _is_text(ids) else as_text(ids)
    if not _is_text(ids):
        return _as_whole_like(model_ids, ids)
    if pd.Series(model_ids[:1]).dtype.kind not in "iuf":
        raise InputError(
            f"The {role}s of the model are neither text nor numbers, but "
            f"{type(model_ids[0]).__name__}s; give them in a parquet file."
        )
    numbers = _as_numbers(ids)
    is_bad = ~np.isfinite(numbers.to_numpy(np.float64))
    if is_bad.any():
        raise InputError(
            f"The {role}s of the model are numbers, such as {quote_value(model_ids[0])}, "
            f"but the file has {quote_value(ids[is_bad].iloc[0])}."
        )
    return _as_whole_like(model_ids, numbers)


def _as_whole_like(model_ids: Any, ids: pd.Series) -> pd.Series:
    """Return ids as whole numbers if these and those of the model all are."""
    if pd.Series(model_ids[:1]).dtype.kind in "iu" and _is_whole(ids):
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


def read_number_column(
    path: str, column: pd.Series, name: str, csv: CsvFormat, but: str = "bmM"
) -> pd.Series:
    """Return numbers; raise for an empty cell, or for another value."""
    values = read_numbers(column.cat.categories, but)
    where = partial(locate_row, path, csv=csv)
    find_bad_rows(column, ~np.isnan(values), f"{name!r} of {path!r}", "a number", where, 0)
    return pd.Series(values[column.cat.codes], index=column.index)
