"""Reading the columns of a file, as categories of whatever type the file gives them."""

import difflib
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
from pandas.api.types import union_categoricals

from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._paths import check_file
from sklearn_rank.datasets import make_interactions

__all__ = ["EMBEDDED", "read_columns"]

EMBEDDED = "the embedded log"
# Text takes far more memory than the codes of its categories.
ROWS_AT_ONCE = 1_000_000
PARQUET = (".parquet", ".pq")


def read_columns(path: str | None, wanted: Mapping[str, str]) -> pd.DataFrame:
    """Return the columns of a file by role, each of a categorical dtype.

    `wanted` maps a role, which is the name of an option, to the name of its column.
    Categories keep the text of a CSV file (007 stays 007) and store it once.
    """
    if path is None:
        log = make_interactions(2000, 1000, 100_000, random_state=0, as_frame=True)
        return _select(EMBEDDED, log, list(log.columns), wanted)
    check_file(path, "a CSV or parquet file")
    read = _read_parquet if Path(path).suffix.lower() in PARQUET else _read_csv
    try:
        return read(path, wanted)
    except UnicodeDecodeError as error:
        raise InputError(
            f"{path!r} is not UTF-8 text ({error.reason}); save it as UTF-8 or parquet."
        ) from error
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise InputError(f"Cannot read {path!r}: {error}") from error


def _read_parquet(path: str, wanted: Mapping[str, str]) -> pd.DataFrame:
    try:
        table = pd.read_parquet(path).reset_index(drop=True)
    except ImportError as error:
        raise InputError(
            "Parquet files need pyarrow, which is not installed. "
            "Run: python -m pip install pyarrow"
        ) from error
    return _select(path, table, list(table.columns), wanted)


def _read_csv(path: str, wanted: Mapping[str, str]) -> pd.DataFrame:
    separator, header = _read_header(path)
    places = _find_columns(path, header, wanted)
    parts = pd.read_csv(
        path,
        sep=separator,
        header=0,
        names=range(len(header)),
        usecols=sorted(places.values()),
        index_col=False,
        # Not "category": it would take 007 for the number 7.
        dtype=str,
        # "NA" is a country and a fine name of an item: only an empty cell is missing.
        keep_default_na=False,
        na_values=[""],
        encoding="utf-8-sig",
        chunksize=ROWS_AT_ONCE,
    )
    coded = [part.astype("category") for part in parts]
    return pd.DataFrame(
        {
            role: union_categoricals([part[place] for part in coded])
            for role, place in places.items()
        }
    )


def _read_header(path: str) -> tuple[str, list[str]]:
    """Return the separator and the names in the first line."""
    for separator in (",", ";", "\t"):
        try:
            first = pd.read_csv(
                path,
                sep=separator,
                header=None,
                nrows=1,
                dtype=str,
                keep_default_na=False,
                encoding="utf-8-sig",
            )
        except pd.errors.EmptyDataError as error:
            raise InputError(f"{path!r} is empty.") from error
        header = first.iloc[0].tolist()
        if len(header) > 1:
            return separator, header
    return ",", header


def _select(
    source: str, table: pd.DataFrame, columns: list, wanted: Mapping[str, str]
) -> pd.DataFrame:
    places = _find_columns(source, columns, wanted)
    return pd.DataFrame(
        {role: table.iloc[:, place].astype("category") for role, place in places.items()}
    )


def _find_columns(source: str, columns: list, wanted: Mapping[str, str]) -> dict[str, int]:
    return {
        role: _find_column(source, columns, name, role) for role, name in wanted.items()
    }


def _find_column(source: str, columns: list, name: str, role: str) -> int:
    names = [str(column) for column in columns]
    count = names.count(name)
    if count == 0:
        listed = ", ".join(map(repr, _nearest_first(name, names)))
        raise InputError(
            f"{source} has no column {name!r}; name one with --{role}. "
            f"Its columns, nearest match first: {listed}."
        )
    if count > 1:
        raise InputError(
            f"{source} has {count} columns named {name!r}, so --{role} is ambiguous; "
            "rename them."
        )
    return names.index(name)


def _nearest_first(name: str, columns: Iterable[Any]) -> list[str]:
    def distance(column: str) -> float:
        matcher = difflib.SequenceMatcher(None, name.lower(), column.lower())
        return -matcher.ratio()

    return sorted(columns, key=distance)
