"""The arguments of the commands that compare runs: the truth, and how to compare."""

import argparse

from sklearn_rank._cli.arguments._argument_types import share
from sklearn_rank._cli.arguments._common_arguments import add_columns_of_lists
from sklearn_rank._cli.printing._errors import InputError

METRIC = "ndcg@10"
# Of the files of --output.
TEXTS = ("comparison.txt", "comparison.json", "per_query.csv")
PICTURE = "comparison.png"
NAMES = (*TEXTS, PICTURE)


def add_truth(command: argparse.ArgumentParser) -> None:
    """Add the options that say what is relevant."""
    command.add_argument(
        "--qrels", metavar="QRELS", help="judgments of TREC (.gz too); runs are TREC files"
    )
    command.add_argument(
        "--truth",
        metavar="TABLE",
        help="relevant items, CSV, parquet or JSON; runs are tables of recommended items",
    )
    add_columns_of_lists(command, "--truth")


def add_comparison(command: argparse.ArgumentParser) -> None:
    """Add the metrics, the level and the folder."""
    command.add_argument(
        "--metric",
        metavar="METRIC",
        action="append",
        help=f"metric to compare by; repeat it for several (default: {METRIC})",
    )
    command.add_argument(
        "--confidence-level",
        metavar="LEVEL",
        type=share,
        default=0.95,
        help="of the intervals (default: 0.95)",
    )
    command.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        help="folder for comparison.txt, .json and .png, and per_query.csv",
    )


def check_truth(options: argparse.Namespace) -> None:
    """Raise unless it is said what is relevant."""
    if (options.qrels is None) == (options.truth is None):
        raise InputError(
            "Name what is relevant with one of --qrels (TREC) and --truth (a table)."
        )
