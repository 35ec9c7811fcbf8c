"""`sklearn-rank core`: read a log, leave out what has few rows, write the rest."""

from argparse import Namespace
from functools import partial

from sklearn_rank._base._messages import quantity
from sklearn_rank._base._text import wrap_text
from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._printing import print_result
from sklearn_rank._cli.files._log_files import read_log_file
from sklearn_rank._cli.files._output_files import check_output, write_file
from sklearn_rank.model_selection import k_core


def core(options: Namespace) -> None:
    """Do what `sklearn-rank core` promises."""
    check_output(options.output, [options.log])
    log = read_log_file(options.log, {"user": options.user, "item": options.item})
    table = log.log.to_frame()
    users, items = (table[log.columns[role]] for role in ("user", "item"))
    kept = table[k_core(users, items, options.least, options.least)]
    if not len(kept):
        raise InputError(f"--least {options.least} leaves no row; a lower number may.")
    # Before it is printed: a pipe may be closed by then.
    write_file(options.output, kept.to_csv(index=False, lineterminator="\n").encode())
    wrote = f"Wrote {quantity(len(kept), 'row')} into {options.output}."
    print_result(partial(wrap_text, f"{log.describe()}\n{wrote}"), wrote_files=True)
