"""Arguments that several commands share, with the same names."""

import argparse

from sklearn_rank._cli.arguments._argument_types import (
    encoding,
    jobs,
    not_negative,
    separator,
    share,
)
from sklearn_rank._cli.printing._errors import InputError

COMPARED_BY = "ndcg@10"


def add_metric(command: argparse.ArgumentParser) -> None:
    """Add --metric."""
    command.add_argument(
        "--metric", default="ndcg@10", help="metric to tune by (default: ndcg@10)"
    )


def add_search(command: argparse.ArgumentParser) -> None:
    """Add --search, --choose and --time-budget."""
    command.add_argument(
        "--search",
        choices=("grid", "halving"),
        default="grid",
        help="all candidates on all folds; or all on one fold, the best third of each "
        "model on two, and so on, in about half of the time (default: grid)",
    )
    command.add_argument(
        "--choose",
        choices=("best", "one-se"),
        default="best",
        help="the best candidate, or the cheapest within one standard error of the paired "
        "difference to it (default: best)",
    )
    command.add_argument(
        "--time-budget",
        metavar="SECONDS",
        type=not_negative,
        help="start no fit after this time; the choice then depends on the speed of the "
        "machine",
    )


def add_jobs(command: argparse.ArgumentParser) -> None:
    """Add --jobs."""
    command.add_argument(
        "--jobs",
        metavar="N",
        type=jobs,
        default=-1,
        help="number of parallel fits, up to one per core (default: -1, one per core)",
    )


def add_columns(command: argparse.ArgumentParser, *names: str) -> None:
    """Add the columns of a log; their default names are those of the options."""
    other = {"user": " or user_id", "item": " or item_id"}
    for name in names:
        command.add_argument(
            f"--{name}",
            metavar="COL",
            default=name,
            help=f"column of {name}s (default: {name}{other.get(name, '')})",
        )


def add_columns_of_lists(command: argparse.ArgumentParser, truth: str = "") -> None:
    """Add the columns of item lists and, if `truth` names it, of the judgments."""
    add_columns(command, "user", "item")
    # TREC files have no columns.
    command.set_defaults(user=None, item=None)
    order = command.add_mutually_exclusive_group()
    order.add_argument(
        "--rank", metavar="COL", help="column of ranks, the best is lowest (default: rank)"
    )
    order.add_argument("--score", metavar="COL", help="column of scores instead of ranks")
    if truth:
        command.add_argument(
            "--rating",
            metavar="COL",
            help=f"column of grades in {truth} (default: each of its rows is relevant)",
        )
    add_csv_format(command)


def add_csv_format(command: argparse.ArgumentParser) -> None:
    """Add --sep and --encoding, of all CSV files that a command reads."""
    command.add_argument(
        "--sep",
        metavar="TEXT",
        type=separator,
        help="separator of CSV files (default: comma, semicolon or tab, detected from "
        "the first line)",
    )
    command.add_argument(
        "--encoding",
        metavar="NAME",
        type=encoding,
        help="encoding of CSV files that are not UTF-8, such as latin-1",
    )


def add_new_file(command: argparse.ArgumentParser, holds: str) -> None:
    """Add --output, a file with what `holds` says, and --force."""
    command.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        required=True,
        help=f"file for {holds}, written atomically",
    )
    add_force(command)


def add_force(command: argparse.ArgumentParser) -> None:
    """Add --force."""
    command.add_argument("--force", action="store_true", help="replace an existing file")


def add_truth(command: argparse.ArgumentParser) -> None:
    """Add the options that name the judgments."""
    command.add_argument(
        "--qrels", metavar="QRELS", help="TREC judgments (.gz too); runs are TREC files"
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
        help=f"metric to compare by; repeat it for several (default: {COMPARED_BY})",
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
        help="folder for comparison.txt, .json and .png, report.html and per_query.csv",
    )


def check_truth(options: argparse.Namespace) -> None:
    """Raise unless the judgments are named."""
    if (options.qrels is None) == (options.truth is None):
        raise InputError(
            "Name what is relevant with one of --qrels (TREC) and --truth (a table)."
        )
