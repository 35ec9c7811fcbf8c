"""Recommend items to users with a model saved by `sklearn-rank tune --save`.

The output has a row for each user and item, with rank and score, best first. Its
columns of users and items are named as in the log of the model. Users whom the model
does not know get the most popular items.

A model file holds only numbers and text; loading it runs no code. Models around other
libraries are kept as pickles: --trust loads them, and runs the code in them.

Examples
--------
sklearn-rank recommend model.npz -o recs.csv
sklearn-rank recommend model.npz --users mail.csv -n 5 -o recs.parquet
sklearn-rank recommend model.npz --items stock.csv -o recs.csv.gz
"""

import argparse

from sklearn_rank._cli._arguments import CSV, add_new_file, add_options
from sklearn_rank._cli._errors import InputError

HELP = "recommend items to users with a saved model"
USAGE = "[options] -o FILE MODEL"
IDS = """
--{role}s FILE  file with a column of {role}s (default: all of the model)
--{role} COL    column of --{role}s (default: as in the log of the model)
"""
OPTIONS = """
-n N            items a user (default: 10)
--include-seen  also recommend items that the user already has in the log
--trust         also load a pickle and run its code: only if you trust its author
"""


def add_arguments(recommend: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    recommend.add_argument("model", metavar="MODEL", help="file of a model")
    for role in ("user", "item"):
        add_options(recommend, IDS.format(role=role))
    add_options(recommend, CSV)
    add_options(recommend, OPTIONS)
    add_new_file(recommend, "the lists (.csv, .csv.gz, .tsv or .parquet)")


def check_together(options: argparse.Namespace) -> None:
    """Raise if options do not fit together."""
    for role in ("user", "item"):
        column, file = getattr(options, role), getattr(options, f"{role}s")
        if column is not None and file is None:
            raise InputError(f"--{role} needs --{role}s, the file that has the column.")
