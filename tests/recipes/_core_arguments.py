"""Leave out users and items with few rows, until none is left.

Examples
--------
sklearn-rank core log.csv -o core.csv
sklearn-rank core log.csv --least 10 -o core.csv
"""

import argparse

from sklearn_rank._cli._arguments import add_columns, count
from sklearn_rank._cli._errors import InputError

HELP = "leave out users and items with few rows"
USAGE = "[options] -o FILE LOG"


def add_arguments(core: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add = core.add_argument
    add("log", metavar="LOG", help="CSV, JSON Lines or Parquet, packed or not")
    add("--least", metavar="N", type=count, default=5, help="rows of each (default: 5)")
    add_columns(core, "user", "item")
    text = "CSV file for the rows that are left"
    add("-o", "--output", metavar="FILE", required=True, help=text)


def check_together(options: argparse.Namespace) -> None:
    """Raise where options do not fit together."""
    if options.user is not None and options.user == options.item:
        raise InputError("--user and --item need different columns.")
