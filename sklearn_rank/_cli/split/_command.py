"""`sklearn-rank split`: split a log by a rule, write the parts, say what they hold."""

from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np

from sklearn_rank._cli._csv import CsvFormat
from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._format import counted
from sklearn_rank._cli._new_file import check_not_read
from sklearn_rank._cli._output_files import check_output, write_set
from sklearn_rank._cli._printing import print_error, print_result
from sklearn_rank._cli._results import as_json
from sklearn_rank._cli.split._arguments import DROPPED
from sklearn_rank._cli.split._log import Log, read_log
from sklearn_rank._cli.split._parts import ENDINGS, ending_of, files_of
from sklearn_rank._cli.split._table import as_text, describe_parts
from sklearn_rank.model_selection import (
    LeaveLastOut,
    LeaveRandomOut,
    TimeSplit,
    UserKFold,
    k_core,
    train_valid_test_split,
)

PARTS = ("train", "valid", "test")
ABOUT = "split.json"
NAMES = (*(part + ending for ending in ENDINGS for part in PARTS), ABOUT)


def split(options: Namespace) -> None:
    """Do what `sklearn-rank split` promises."""
    _check_folder(options)
    log = read_log(options)
    if len(log.row) < log.n_rows_read:
        n_dropped = counted(log.n_rows_read - len(log.row), "row")
        why = "user, item or time is empty or cannot be read"
        print_error(f"note: {n_dropped} left out: {why}.")
    if options.k_core is not None:
        log = _core(log, options.k_core)
    rows = _split(log, options)
    n_left_out = len(log.row) - sum(map(len, rows))
    if n_left_out:
        print_error(f"note: {counted(n_left_out, 'row')} are in no part, see --drop.")
    table = describe_parts(log, dict(zip(PARTS, rows, strict=True)))
    ending = ending_of(options.log)
    parts = [log.row[part] for part in rows]
    files = files_of(options.log, parts, CsvFormat.of(options))
    found = {
        "rows_read": log.n_rows_read,
        "parts": table.T.to_dict(),
    }
    named = {f"{part}{ending}": file for part, file in zip(PARTS, files, strict=True)}
    named[ABOUT] = as_json(vars(options), found).encode(errors="backslashreplace")
    write_set(options.output, named, NAMES)
    said = f"Wrote {', '.join(named)} into {options.output}."
    print_result(f"{as_text(table)}\n\n{said}", wrote_files=True)


def _split(log: Log, options: Namespace) -> list[np.ndarray]:
    """Return the rows of the parts."""
    try:
        return train_valid_test_split(
            log.row,
            valid=_splitter(options, options.valid),
            test=_splitter(options, options.test),
            users=log.users,
            items=log.items,
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
        dropped = f" and --drop {','.join(options.drop)}" if options.drop else ""
        raise InputError(
            f"--by {options.by} with --valid {options.valid} and --test {options.test}"
            f"{dropped} leaves a part empty. The log has {', '.join(has)}; choose other "
            f"sizes,{' drop less,' * bool(dropped)} or check the columns."
        ) from error


def _check_folder(options: Namespace) -> None:
    there = [name for name in NAMES if Path(options.output, name).exists()]
    if there and not options.force:
        raise InputError(
            f"{options.output!r} has {there[0]!r} already; name another folder, or replace "
            "what is there with --force."
        )
    for name in NAMES:
        # A part would take the place of the log, which makes all parts.
        check_not_read(str(Path(options.output, name)), [options.log])
    check_output(options.output, NAMES)


def _core(log: Log, least: int) -> Log:
    kept = k_core(log.users, log.items, least, least)
    if not kept.any():
        raise InputError(f"--k-core {least} leaves no row; a lower number may.")
    print_error(f"note: {counted(int((~kept).sum()), 'row')} left out by --k-core {least}.")
    return log.take(np.flatnonzero(kept))


def _splitter(options: Namespace, size: Any) -> Any:
    dropped: dict[str, Any] = {DROPPED[name]: "drop" for name in options.drop}
    if options.by == "time":
        return TimeSplit(test_size=size, **dropped)
    if options.by == "last":
        return LeaveLastOut(n_last=size, **dropped)
    if options.by == "random":
        return LeaveRandomOut(n_out=size, random_state=options.seed, **dropped)
    return UserKFold(round(1 / size), shuffle=True, random_state=options.seed, **dropped)
