"""Read runs and judgments as tables with a row for each user and item."""

import json
import math
import re
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sklearn_rank._base._text import escape_controls
from sklearn_rank._cli._errors import InputError, quote_value
from sklearn_rank._cli.reading._csv import (
    LONGEST_LINE,
    PACKED,
    CsvFormat,
    check_file,
    guard_path,
    open_lines,
    read_csv,
)
from sklearn_rank._cli.reading._id_tables import (
    PARQUET,
    IdTable,
    as_text,
    is_parquet,
    locate_row,
    read_id_table,
)
from sklearn_rank.inputs._columns import named_column
from sklearn_rank.inputs._entries import is_number_text

TABLES = (".csv", ".tsv", *PARQUET)
# Fields: query Q0 document rank score tag ..., and query iteration document relevance.
NUMBER_FIELDS = {6: (3, 4), 4: (3,)}
FORMS = '{"user": ["item", ...], ...} or {"user": {"item": number, ...}, ...}'
AGAIN = " a second time"
_BETWEEN_IDS = re.compile(r"[\s,]+")


def is_trec(path: str) -> bool:
    """Return whether a file that is not a table has the fields of TREC in line 1."""
    check_file(path, "a CSV, parquet, JSON or TREC file")
    if is_json(path) or _unpacked_name(path).suffix.lower() in TABLES:
        return False
    with open_lines(path) as lines:
        fields = lines.readline(LONGEST_LINE).split()
    places = NUMBER_FIELDS.get(min(len(fields), 6), ())
    return bool(places) and all(map(is_number_text, (fields[index] for index in places)))


def is_beir(path: str) -> bool:
    """Return whether a file begins with the names that BEIR gives to its columns."""
    if is_parquet(path):
        return False
    with open_lines(path) as lines:
        return lines.readline(LONGEST_LINE).split() == [b"query-id", b"corpus-id", b"score"]


def is_json(path: str) -> bool:
    """Return whether a file holds JSON, by its name."""
    return _unpacked_name(path).suffix.lower() == ".json"


def check_options_of_tables(
    options: Namespace, names: Iterable[str], paths: Sequence[str]
) -> None:
    """Raise if an option of tables is given but no file is a table."""
    chosen = [name for name in names if getattr(options, name) is not None]
    if chosen and all(is_json(path) or is_trec(path) for path in paths):
        form = "JSON" if is_json(paths[0]) else "TREC"
        raise InputError(
            f"--{chosen[0]} is for tables, but {paths[0]!r} is a {form} file; leave "
            f"--{chosen[0]} out, or give a CSV or parquet file."
        )


@guard_path
def read_run(path: str, options: Namespace, *, texts: bool) -> IdTable:
    """Return a run: user, item, and rank or score, without duplicate items of a user.

    With `texts`, ids are text.
    """
    columns = {"rank": options.rank or "rank"}
    if options.score is not None:
        columns = {"score": options.score}
    csv = CsvFormat.from_options(options)
    run = _read_lists_in_cells(path, options, texts) or _read_table(
        path, "score", options, columns, texts
    )
    rows = run.rows
    needed = "a list names an item once"
    _check_rows(run, csv, "item", rows.duplicated(["user", "item"]), needed, AGAIN)
    if "rank" in rows:
        is_bad = ~((rows["rank"] >= 0) & (rows["rank"] < np.inf))
        _check_rows(run, csv, "rank", is_bad, "ranks are finite numbers from 0")
        needed = "ranks are distinct, use --score for ties"
        _check_rows(run, csv, "rank", rows.duplicated(["user", "rank"]), needed, AGAIN)
    else:
        needed = "scores are finite numbers, or -inf for an item that was not retrieved"
        _check_rows(run, csv, "score", ~(rows["score"] < np.inf), needed)
    return run


def _read_lists_in_cells(path: str, options: Namespace, texts: bool) -> IdTable | None:
    """Return a run whose cells hold lists; None for other files."""
    if options.score is not None or is_json(path):
        return None
    rows = read_list_cells(path, options, options.rank or "rank")
    if rows is None:
        return None
    if texts:
        rows = rows.assign(**{name: as_text(rows[name]) for name in ("user", "item")})
    return IdTable(path, rows, [f"Each cell of {path} is read as a list of ids."])


def _check_rows(
    run: IdTable, csv: CsvFormat, role: str, is_bad: pd.Series, needed: str, again: str = ""
) -> None:
    """Raise with the first bad row, if there is one."""
    if not is_bad.any():
        return
    first = int(np.argmax(is_bad))
    user, value = (run.rows[name].iloc[first] for name in ("user", role))
    row = int(run.rows.index[first])
    location = "" if is_json(run.path) else f" in {locate_row(run.path, row, csv)}"
    raise InputError(
        f"{run.path!r} has {role} {quote_value(value)}{again} for user {quote_value(user)}"
        f"{location} (number of such rows: {np.count_nonzero(is_bad):,}); {needed}."
    )


def read_relevant(
    path: str, options: Namespace, runs: Iterable[str], *, texts: bool
) -> IdTable:
    """Return the judgments: user, item, and the rating if its column is named.

    Of duplicates the highest rating counts. Cells are lists if those of all runs are: an
    item of a user may have a name with spaces.
    """
    rating = {} if options.rating is None else {"rating": options.rating}
    table = None if rating else _read_lists_in_cells(path, options, texts)
    if table is None or not all(_read_lists_in_cells(run, options, texts) for run in runs):
        table = _read_table(path, "rating", options, rating, texts)
    rows = table.rows
    if "rating" in rows:
        rows = rows.sort_values("rating", ascending=False, kind="stable")
    rows = rows.drop_duplicates(["user", "item"]).sort_index()
    n_again = len(table.rows) - len(rows)
    if not n_again:
        return table
    again = (
        f"1 row of {path} repeats a user and item: the two count once."
        if n_again == 1
        else f"{n_again:,} rows of {path} repeat a user and item: they count once."
    )
    return IdTable(path, rows, [*table.notes, again])


def id_columns(options: Namespace) -> dict[str, str]:
    """Return the columns of users and items, by role."""
    return {"user": options.user or "user", "item": options.item or "item"}


def list_column_names(names: Mapping[str, str]) -> dict[str, str]:
    """Return the names of the user and item columns, unless other columns have the name."""
    return {
        role: role if name in ("rank", "score") else name for role, name in names.items()
    }


def _read_table(
    path: str, role: str, options: Namespace, numbers: Mapping[str, str], texts: bool
) -> IdTable:
    """Return a table; `role` is the role of the numbers in JSON."""
    ids = id_columns(options)
    if is_json(path):
        table = IdTable(path, _read_json_lists(path, role), [])
    else:
        table = read_id_table(path, ids, CsvFormat.from_options(options), numbers)
    if texts:
        for name in ids:
            table.rows[name] = as_text(table.rows[name])
    return table


def _unpacked_name(path: str) -> Path:
    """Return the name of a file without the ending of its compression."""
    name = Path(path)
    return Path(name.stem) if name.suffix.lower() in PACKED else name


def _read_json_lists(path: str, role: str) -> pd.DataFrame:
    """Return users, items, and their ranks, or their numbers under `role`."""
    check_file(path, "a JSON file")
    try:
        with open_lines(path) as file:
            lists = json.load(file, object_pairs_hook=partial(_check_names_once, path))
    except RecursionError as error:
        raise InputError(f"{path!r} is nested too deep; needed is {FORMS}.") from error
    except ValueError as error:
        raise InputError(f"{path!r} is not valid JSON: {error}.") from error
    if not isinstance(lists, dict) or not any(lists.values()):
        raise InputError(f"{path!r} has no lists of items; needed is {FORMS}.")
    kinds = {type(items) for items in lists.values() if items}
    if kinds not in ({list}, {dict}):
        raise InputError(f"{path!r} needs lists of one kind: {FORMS}.")
    rows = [
        (user, *_checked(path, user, item, number))
        for user, items in lists.items()
        for item, number in _numbered_items(items)
    ]
    name = "rank" if kinds == {list} else role
    return pd.DataFrame(rows, columns=["user", "item", name])


def _check_names_once(path: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; raise for a duplicate name, since a value would be lost."""
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        again = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{path!r} has {quote_value(again)} twice in a JSON object.")
    return members


def _numbered_items(items: Any) -> Iterator[tuple[Any, Any]]:
    """Yield each item with its number or rank."""
    if isinstance(items, dict):
        yield from items.items()
    else:
        yield from ((item, rank) for rank, item in enumerate(items or (), 1))


def _checked(path: str, user: str, item: Any, number: Any) -> tuple[Any, Any]:
    for value, kinds, needed in (
        (item, str | int, "items must be texts or whole numbers"),
        (number, int | float, "the value of an item must be a number"),
    ):
        is_nan = isinstance(value, float) and math.isnan(value)
        if not isinstance(value, kinds) or isinstance(value, bool) or is_nan:
            quoted = quote_value("null" if value is None else value)
            raise InputError(
                f"{path!r} has {quoted} in the list of user {quote_value(user)}; {needed}."
            )
    return item, number


# Tables with one row per user, whose cells hold the ids of a list.


def read_list_cells(path: str, options: Namespace, order: str) -> pd.DataFrame | None:
    """Return user, item and rank of a table of lists in cells; None for other tables.

    Such a table has no column `order`, of ranks or scores, each user once, and several ids
    in a cell: text between spaces or commas, or a list of a parquet file.
    """
    rows = _read_users_and_cells(path, options, order).dropna()
    lists = [ids_of_cell(cell) for cell in rows.get("item", ())]
    if max(map(len, lists), default=0) < 2 or rows["user"].duplicated().any():
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
    """Return the columns user and item, none if the table has not those of lists."""

    def find(names: list) -> dict[str, int]:
        user = options.user or named_column(names, "user")
        candidates = [name for name in names if name != user]
        item = options.item or named_column(names, "item")
        item = candidates[0] if item not in names and len(candidates) == 1 else item
        if order in names or user not in names or item not in names:
            return {}
        return {"user": names.index(user), "item": names.index(item)}

    if not is_parquet(path):
        return read_csv(path, find, CsvFormat.from_options(options))
    try:
        table = pd.read_parquet(path)
    except (OSError, ValueError, ImportError):  # the reader of other tables says why
        return pd.DataFrame()
    places = find(list(table.columns))
    return pd.DataFrame({role: table.iloc[:, index] for role, index in places.items()})


# The names that a run may have, the shortest first; the last ones differ in any case.
RUN_NAMES: tuple[Callable[[str], str], ...] = (
    lambda path: _unpacked_name(path).stem,
    lambda path: Path(path).name,
    str,
    repr,
)


def name_runs(paths: Sequence[str]) -> dict[str, str]:
    """Return the path of each run by its name, which a terminal can show."""
    resolved = [Path(path).resolve() for path in paths]
    for index, path in enumerate(resolved):
        if path in resolved[:index]:
            raise InputError(f"The run {paths[index]!r} is given twice.")
    each = ([escape_controls(short(path)) for path in paths] for short in RUN_NAMES)
    names = next(names for names in each if len(set(names)) == len(names))
    return dict(zip(names, paths, strict=True))
