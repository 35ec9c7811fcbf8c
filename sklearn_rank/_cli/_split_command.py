"""`sklearn-rank split`: split a log by a rule, write and describe the parts."""

import gzip
import io
import warnings
from argparse import Namespace
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sklearn_rank._base._messages import quantity
from sklearn_rank._base._text import align_columns
from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._new_files import check_output, write_set
from sklearn_rank._cli._printing import print_notes, print_result, wrap_prose
from sklearn_rank._cli._results import as_json
from sklearn_rank._cli._split_arguments import BY_TIME, DROPPED
from sklearn_rank._cli.reading._csv import (
    CsvFormat,
    changed_error,
    iterate_row_texts,
    refuse_changes,
)
from sklearn_rank._cli.reading._id_tables import is_parquet
from sklearn_rank._cli.reading._log import LogFile, read_log
from sklearn_rank.exceptions import MisleadingScoreWarning
from sklearn_rank.model_selection import (
    LeaveLastOut,
    LeaveRandomOut,
    TimeSplit,
    UserKFold,
    describe_split,
    k_core,
    train_valid_test_split,
)

# Endings of the files, longer ones first.
ENDINGS = (".csv.gz", ".csv", ".tsv", ".parquet")
PARTS = ("train", "valid", "test")
ABOUT = "split.json"
FILE_NAMES = (*(part + ending for ending in ENDINGS for part in PARTS), ABOUT)
# Columns of a part, as `describe_split` names them for train and test.
COLUMN_FORMS = {
    "rows": "{}",
    "users": "{}_users",
    "items": "{}_items",
    "from": "{}_start",
    "to": "{}_end",
}
COUNTS = ("rows", "users", "items")
# Shares of the rows of valid and test, relative to the parts before them.
SHARES = {"cold_user_rows": "of new users", "cold_item_rows": "of new items"}
REPEATED = "repeated pairs"


def split(options: Namespace) -> None:
    """Run `sklearn-rank split`."""
    _check_folder(options)
    with refuse_changes(options.log):
        read, table, files = _make_parts(options)
    write_set(options.output, files, FILE_NAMES)
    wrote = wrap_prose(f"Wrote {', '.join(files)} into {options.output}.")
    print_result(wrap_prose(read), partial(_describe_table, table), wrote, wrote_files=True)


def _make_parts(options: Namespace) -> tuple[str, pd.DataFrame, dict[str, bytes]]:
    """Return what was read in words, a table of the parts, and the files."""
    roles = ("user", "item", *(["time"] if options.by in BY_TIME else []))
    columns = {role: getattr(options, role) for role in roles}
    csv = CsvFormat.from_options(options)
    log = read_log(options.log, columns, csv, "--by random or users")
    read = log.describe()
    if options.k_core is not None:
        log = _take_core(log, options.k_core)
    far = log.far_rows()
    if far is not None:
        print_notes(f"{far} Drop or correct them if they are wrong.")
    rows = _split_rows(log, options)
    n_left_out = len(log.rows) - sum(map(len, rows))
    if n_left_out:
        print_notes(f"{quantity(n_left_out, 'row')} are in no part, see --drop.")
    table = _describe_parts(log.X, PARTS, rows)
    parts = [log.rows[part] for part in rows]
    names = [f"{part}{file_ending(options.log)}" for part in PARTS]
    results = {"rows_read": log.n_rows_read, "parts": table.to_dict("index")}
    files = dict(zip(names, make_files(log, parts), strict=True))
    about = as_json(vars(options) | log.columns, results)
    files[ABOUT] = about.encode(errors="backslashreplace")
    return read, table, files


def _split_rows(log: LogFile, options: Namespace) -> list[np.ndarray]:
    """Return the rows of the parts."""
    try:
        with warnings.catch_warnings():
            # The note names the line of the file.
            warnings.simplefilter("ignore", MisleadingScoreWarning)
            return train_valid_test_split(
                log.rows,
                valid=_make_splitter(options, options.valid),
                test=_make_splitter(options, options.test),
                users=log.X["user"],
                items=log.X["item"],
                times=log.X.get("time"),
                return_indices=True,
            )
    except ValueError as error:
        has = f"{quantity(len(log.X), 'row')} of {quantity(log.n_users, 'user')}"
        if "time" in log.X:
            has += f" at {quantity(log.X['time'].nunique(), 'time')}"
        dropped = f" and --drop {','.join(options.drop)}" if options.drop else ""
        raise InputError(
            f"--by {options.by} with --valid {options.valid} and --test {options.test}"
            f"{dropped} leaves a part empty. The log has {has}; choose other sizes, or "
            "check the columns."
        ) from error


def _check_folder(options: Namespace) -> None:
    there = [name for name in FILE_NAMES if Path(options.output, name).exists()]
    if there and not options.force:
        raise InputError(
            f"{options.output!r} has {there[0]!r} already; name another folder, or replace "
            "the files with --force."
        )
    check_output(options.output, FILE_NAMES, [options.log])


def _take_core(log: LogFile, least: int) -> LogFile:
    kept = k_core(log.X["user"], log.X["item"], least, least)
    if not kept.any():
        raise InputError(f"--k-core {least} leaves no row; a lower number may.")
    print_notes(f"{quantity(int((~kept).sum()), 'row')} left out by --k-core {least}.")
    return log.take(np.flatnonzero(kept))


def _make_splitter(options: Namespace, size: Any) -> Any:
    dropped: dict[str, Any] = {DROPPED[name]: "drop" for name in options.drop}
    if options.by == "time":
        return TimeSplit(test_size=size, **dropped)
    if options.by == "last":
        return LeaveLastOut(test_size=size, **dropped)
    if options.by == "random":
        return LeaveRandomOut(test_size=size, random_state=options.seed, **dropped)
    return UserKFold(round(1 / size), shuffle=True, random_state=options.seed, **dropped)


def _describe_parts(
    X: pd.DataFrame, names: Sequence[str], parts: Sequence[np.ndarray]
) -> pd.DataFrame:
    """Return a row for each part: its contents, and the share that is new in it."""
    train, valid, test = parts
    folds = [(train, valid), (np.concatenate([train, valid]), test)]
    columns: dict[str, Any] = {f"{role}s": values for role, values in X.items()}
    about = describe_split(folds, None, **columns, check=None)
    rows = []
    for side, fold in (("train", 0), ("test", 0), ("test", 1)):
        keys = {title: name.format(side) for title, name in COLUMN_FORMS.items()}
        row = {
            t: _plain_value(about[name][fold]) for t, name in keys.items() if name in about
        }
        if side == "test":
            row |= {title: about[name][fold] for name, title in SHARES.items()}
            row[REPEATED] = about["repeated_pairs"][fold] / about["test"][fold]
        rows.append(row)
    return pd.DataFrame(rows, index=list(names))


def _plain_value(value: Any) -> Any:
    is_date = isinstance(value, np.datetime64)
    return pd.Timestamp(value).isoformat(" ", "seconds") if is_date else value


def _describe_table(table: pd.DataFrame, width: int) -> str:
    """Return a column for each part, as lines of text."""
    shares = [*SHARES.values(), REPEATED]
    lines = [["", *table.index]]
    for name, cells in table.items():
        form = "{:.1%}" if name in shares else "{:,}" if name in COUNTS else "{}"
        lines.append(
            [name, *("" if pd.isna(cell) else form.format(cell) for cell in cells)]
        )
    return "\n".join(align_columns(lines, width))


# Write parts of a log as files in its format, with all columns.


def file_ending(path: str) -> str:
    """Return the ending of the files: the ending of the log if it is known."""
    if is_parquet(path):
        return ".parquet"
    return next((end for end in ENDINGS if path.lower().endswith(end)), ".csv")


def make_files(log: LogFile, parts: Sequence[np.ndarray]) -> list[bytes]:
    """Return files, each with some rows of the file of a log in its order."""
    assert log.path is not None
    if is_parquet(log.path):
        return _parquet_files(log.path, parts, log.n_rows_read)
    files = _csv_files(log.path, parts, log.n_rows_read, log.csv)
    if file_ending(log.path) == ".csv.gz":
        # Without a time stamp, so that equal parts are equal files.
        files = [gzip.compress(file, mtime=0) for file in files]
    return files


def _csv_files(
    path: str, parts: Sequence[np.ndarray], n_rows: int, csv: CsvFormat
) -> list[bytes]:
    """Copy the lines of the rows unchanged, with separators and quotes."""
    part_of_row = np.full(n_rows, -1)
    for part, of_part in enumerate(parts):
        part_of_row[of_part] = part
    files = [io.StringIO(newline="") for _ in parts]
    rows = iterate_row_texts(path, csv)
    names = next(rows)
    for file in files:
        file.write(names)
    try:
        for part, row in zip(part_of_row.tolist(), rows, strict=True):
            if part >= 0:
                files[part].write(row)
    except ValueError as error:  # other rows than were counted
        raise changed_error(path) from error
    return [file.getvalue().encode(csv.encoding or "utf-8") for file in files]


def _parquet_files(path: str, parts: Sequence[np.ndarray], n_rows: int) -> list[bytes]:
    from pyarrow import parquet

    table: Any = parquet.read_table(path)
    if table.num_rows != n_rows:
        raise changed_error(path)
    files = []
    for rows in parts:
        file = io.BytesIO()
        parquet.write_table(table.take(rows), file)
        files.append(file.getvalue())
    return files
