"""`sklearn-rank split`: split a log by a rule, write and describe the parts."""

import gzip
import io
import json
import os
import warnings
from argparse import Namespace
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from sklearn_rank._base._messages import quantity
from sklearn_rank._base._text import align_columns, wrap_text
from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._printing import as_json, print_notes, print_result
from sklearn_rank._cli._split_arguments import BY_TIME, DROPPED
from sklearn_rank._cli.files._log_files import LogFile, read_log_file
from sklearn_rank._cli.files._output_files import check_output, write_folder
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
ENDINGS = (".csv.gz", ".csv", ".tsv", ".parquet", ".jsonl")
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
    roles = ("user", "item", *(["time"] if options.by in BY_TIME else []))
    wanted = {role: getattr(options, role) for role in roles}
    log = read_log_file(options.log, wanted, "--by random or users")
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
    table = _describe_parts(log, PARTS, rows)
    ending = _ending(log)
    files = {
        f"{name}{ending}": _as_bytes(log, log.frame.iloc[log.rows[part]], ending)
        for name, part in zip(PARTS, rows, strict=True)
    }
    report = {"rows_read": len(log.frame), "parts": table.to_dict("index")}
    about = as_json(Namespace(**vars(options) | log.columns), report) + "\n"
    files[ABOUT] = about.encode(errors="backslashreplace")
    write_folder(options.output, files, FILE_NAMES)
    wrote = f"Wrote {', '.join(files)} into {options.output}."
    texts = partial(wrap_text, read), partial(_describe_table, table)
    print_result(*texts, partial(wrap_text, wrote), wrote_files=True)


def _split_rows(log: LogFile, options: Namespace) -> list[np.ndarray]:
    """Return the positions of the parts among the rows that are used."""
    try:
        with warnings.catch_warnings():
            # The note names the row of the file.
            warnings.simplefilter("ignore", MisleadingScoreWarning)
            return train_valid_test_split(
                log.log,
                valid=_make_splitter(options, options.valid),
                test=_make_splitter(options, options.test),
                return_indices=True,
            )
    except ValueError as error:
        users, times = len(log.log.users_), log.log.times
        has = f"{quantity(len(log.rows), 'row')} of {quantity(users, 'user')}"
        if times is not None:
            has += f" at {quantity(len(np.unique(times.values)), 'time')}"
        dropped = f" and --drop {','.join(options.drop)}" if options.drop else ""
        raise InputError(
            f"--by {options.by} with --valid {options.valid} and --test {options.test}"
            f"{dropped} leaves a part empty. The log has {has}; choose other sizes, or "
            "check the columns."
        ) from error


def _check_folder(options: Namespace) -> None:
    paths = [os.path.join(options.output, name) for name in FILE_NAMES]
    there = next((path for path in paths if os.path.exists(path)), None)
    if there is not None and not options.force:
        raise InputError(
            f"{options.output!r} has {os.path.basename(there)!r} already; name another "
            "folder, or replace the files with --force."
        )
    for path in paths:
        check_output(path, [options.log], makes_folder=True)


def _take_core(log: LogFile, least: int) -> LogFile:
    users, items = (log.log.table[log.columns[role]] for role in ("user", "item"))
    kept = k_core(users, items, least, least)
    if not kept.any():
        raise InputError(f"--k-core {least} leaves no row; lower it.")
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
    log: LogFile, names: Sequence[str], parts: Sequence[np.ndarray]
) -> pd.DataFrame:
    """Return a row for each part: its contents, and the share that is new in it."""
    train, valid, test = parts
    folds = [(train, valid), (np.concatenate([train, valid]), test)]
    table = log.log.table
    columns: dict[str, Any] = {
        f"{role}s": table[name] for role, name in log.columns.items()
    }
    about = describe_split(folds, None, **columns, check=None)
    rows = []
    for side, fold in (("train", 0), ("test", 0), ("test", 1)):
        fields = {title: name.format(side) for title, name in COLUMN_FORMS.items()}
        row = {
            t: _plain_value(about[name][fold])
            for t, name in fields.items()
            if name in about
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


# Parts of a log as files in its format, with all columns.


def _ending(log: LogFile) -> str:
    """Return the ending of the files: the ending of the log if it is known."""
    ending = next((end for end in ENDINGS if log.source.lower().endswith(end)), None)
    return ending or (".csv" if log.text is not None else ".jsonl")


def _as_bytes(log: LogFile, rows: pd.DataFrame, ending: str) -> bytes:
    """Return rows of the log as the content of a file, with all columns."""
    if ending == ".parquet":
        file = io.BytesIO()
        rows.to_parquet(file, index=False)
        return file.getvalue()
    if ending == ".jsonl":
        records = rows.to_dict("records")
        lines = [json.dumps(record, ensure_ascii=False, default=str) for record in records]
        return "".join(f"{line}\n" for line in lines).encode()
    text = rows.to_csv(
        index=False, sep=log.text.separator if log.text else ",", lineterminator="\n"
    ).encode()
    # Without a time stamp, so that equal parts are equal files.
    return gzip.compress(text, mtime=0) if ending == ".csv.gz" else text
