"""Leave out users and items with few rows, until none is left.

Examples
--------
sklearn-rank core log.csv -o core.csv
sklearn-rank core log.csv --least 10 -o core.parquet
"""

import argparse

from sklearn_rank._cli._arguments import CSV, add_columns, add_new_file, add_options, count
from sklearn_rank._cli._errors import InputError

HELP = "leave out users and items with few rows"
USAGE = "[options] -o FILE LOG"


def add_arguments(core: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    core.add_argument("log", metavar="LOG", help="CSV (.gz too) or parquet file")
    core.add_argument(
        "--least", metavar="N", type=count, default=5, help="rows of each (default: 5)"
    )
    add_columns(core, "user", "item")
    add_options(core, CSV)
    add_new_file(core, "the rows that are left (.csv, .csv.gz, .tsv or .parquet)")


def check_together(options: argparse.Namespace) -> None:
    """Raise where options do not fit together."""
    if options.user == options.item:
        raise InputError("--user and --item need different columns.")
