"""`sklearn-rank split`: split a log by a rule, write the parts, say what they hold."""

from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._format import counted
from sklearn_rank._cli._output_files import check_output, write_set
from sklearn_rank._cli._printing import ReportPrinter, print_error
from sklearn_rank._cli._results import as_json
from sklearn_rank._cli.split._log import Log, read_log
from sklearn_rank._cli.split._parts import ENDINGS, ending_of, files_of
from sklearn_rank.model_selection import (
    LeaveLastOut,
    LeaveRandomOut,
    TimeSplit,
    UserKFold,
    describe_split,
    k_core,
    train_valid_test_split,
)

PARTS = ("train", "valid", "test")
ABOUT = "split.json"
NAMES = (*(part + ending for ending in ENDINGS for part in PARTS), ABOUT)
COUNTS = ("rows", "users", "items")
# Shares of the rows of valid and of test, by the parts before them.
SHARES = {"cold_user_rows": "of new users", "cold_item_rows": "of new items"}
REPEATED = "repeated pairs"


def split(options: Namespace) -> None:
    """Do what `sklearn-rank split` promises."""
    _check_folder(options)
    log = read_log(options)
    if len(log.row) < log.n_rows_read:
        n_dropped = counted(log.n_rows_read - len(log.row), "row")
        print_error(f"note: {n_dropped} left out: user, item or time is empty.")
    if options.k_core is not None:
        log = _core(log, options.k_core)
    rows = _split(log, options)
    table = _describe(log, rows)
    ending = ending_of(options.log)
    files = files_of(options.log, [log.row[part] for part in rows])
    found = {
        "rows_read": log.n_rows_read,
        "parts": table.T.to_dict(),
    }
    named = {f"{part}{ending}": file for part, file in zip(PARTS, files, strict=True)}
    named[ABOUT] = as_json(vars(options), found).encode(errors="backslashreplace")
    write_set(options.output, named, NAMES)
    printer = ReportPrinter()
    printer.print(_as_text(table))
    printer.print(f"\nWrote {', '.join(named)} into {options.output}.")


def _split(log: Log, options: Namespace) -> list[np.ndarray]:
    """Return the rows of the parts."""
    try:
        return train_valid_test_split(
            log.row,
            valid=_splitter(options, options.valid),
            test=_splitter(options, options.test),
            users=log.users,
            times=log.times,
            return_indices=True,
        )
    except ValueError as error:
        most = int(np.unique(log.users, return_counts=True)[1].max())
        has = [
            counted(len(log.row), "row"),
            counted(len(np.unique(log.users)), "user"),
            f"{most:,} at most of one user",
        ]
        if log.times is not None:
            has.append(counted(len(np.unique(log.times)), "different time"))
        raise InputError(
            f"--by {options.by} with --valid {options.valid} and --test {options.test} "
            f"leaves a part empty. The log has {', '.join(has)}; choose other sizes, or "
            "check the columns."
        ) from error


def _check_folder(options: Namespace) -> None:
    there = [name for name in NAMES if Path(options.output, name).exists()]
    if there and not options.force:
        raise InputError(
            f"{options.output!r} has {there[0]!r} already; name another folder, or replace "
            "what is there with --force."
        )
    check_output(options.output, NAMES)


def _core(log: Log, least: int) -> Log:
    kept = k_core(log.users, log.items, least, least)
    if not kept.any():
        raise InputError(f"--k-core {least} leaves no row; a lower number may.")
    print_error(f"note: {counted(int((~kept).sum()), 'row')} left out by --k-core {least}.")
    return log.take(np.flatnonzero(kept))


def _splitter(options: Namespace, size: Any) -> Any:
    if options.by == "time":
        return TimeSplit(test_size=size)
    if options.by == "last":
        return LeaveLastOut(n_last=size)
    if options.by == "random":
        return LeaveRandomOut(n_out=size, random_state=options.seed)
    n_folds = max(round(1 / size), 2)
    return UserKFold(n_folds, shuffle=True, random_state=options.seed)


def _describe(log: Log, parts: list[np.ndarray]) -> pd.DataFrame:
    """Return a row a part: what it holds, and what of it the rows before lack."""
    rows = []
    for place, part in enumerate(parts):
        of = log.take(part)
        row: dict[str, Any] = {
            "rows": len(part),
            "users": len(np.unique(of.users)),
            "items": len(np.unique(of.items)),
        }
        if of.times is not None:
            row |= {"from": _as_time(of.times.min()), "to": _as_time(of.times.max())}
        if place:
            before = np.concatenate(parts[:place])
            about = describe_split(
                [(before, part)], None, users=log.users, items=log.items, check=None
            )
            row |= {title: float(about[name][0]) for name, title in SHARES.items()}
            row[REPEATED] = float(about["repeated_pairs"][0] / len(part))
        rows.append(row)
    return pd.DataFrame(rows, index=PARTS)


def _as_time(time: Any) -> Any:
    is_date = isinstance(time, np.datetime64)
    return str(np.datetime64(time, "s")).replace("T", " ") if is_date else time


def _as_text(table: pd.DataFrame) -> str:
    """Return a column a part, which fits a narrow terminal."""
    shares = [*SHARES.values(), REPEATED]
    shown = table.astype(object)
    for name in shown:
        form = "{:.1%}" if name in shares else "{:,}" if name in COUNTS else "{}"
        shown[name] = ["" if pd.isna(one) else form.format(one) for one in table[name]]
    return shown.T.to_string()
