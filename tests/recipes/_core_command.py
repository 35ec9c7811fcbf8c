"""`sklearn-rank core`: read a log, leave out what has few rows, write the rest."""

from argparse import Namespace

import numpy as np

from sklearn_rank._base._messages import quantity
from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._new_files import check_new_table, new_table
from sklearn_rank._cli._printing import print_result, wrap_prose
from sklearn_rank._cli.reading._csv import CsvFormat
from sklearn_rank._cli.reading._log import read_log
from sklearn_rank.model_selection import k_core


def core(options: Namespace) -> None:
    """Do what `sklearn-rank core` promises."""
    check_new_table(options.output, force=options.force, inputs=[options.log])
    columns = {"user": options.user, "item": options.item}
    log = read_log(options.log, columns, CsvFormat.from_options(options))
    is_kept = k_core(log.X["user"], log.X["item"], options.least, options.least)
    if not is_kept.any():
        raise InputError(f"--least {options.least} leaves no row; a lower number may.")
    kept = log.take(np.flatnonzero(is_kept))
    # Before it is printed: a pipe may be closed by then.
    with new_table(options.output, force=options.force) as write:
        write(kept.with_ids())
    wrote = f"Wrote {quantity(len(kept.X), 'row')} into {options.output}."
    print_result(wrap_prose(f"{log.describe()}\n{wrote}"), wrote_files=True)
