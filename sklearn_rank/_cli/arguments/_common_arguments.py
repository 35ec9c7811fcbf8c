"""Arguments that several commands share, with the same names."""

import argparse
from typing import Any

from sklearn_rank._cli.arguments._argument_types import (
    encoding,
    jobs,
    not_negative,
    separator,
    share,
)
from sklearn_rank._cli.arguments._declared_options import REQUIRED, add_options
from sklearn_rank._cli.printing._errors import InputError

COMPARED_BY = "ndcg@10"
SEARCH = """
--search {grid,halving}
    all candidates on all folds; or all on one fold, the best third of each model on two,
    and so on, in about half of the time (default: grid)
--choose {best,one-se}
    the best candidate, or the cheapest within one standard error of the paired difference
    to it (default: best)
--time-budget SECONDS
    start no fit after this time; the choice then depends on the speed of the machine
"""
ORDER = """
--rank COL   column of ranks, the best is lowest (default: rank)
--score COL  column of scores instead of ranks
"""
CSV = """
--sep TEXT
    separator of CSV files (default: comma, semicolon or tab, detected from the first line)
--encoding NAME  encoding of CSV files that are not UTF-8, such as latin-1
"""
TRUTH = """
--qrels QRELS  TREC judgments (.gz too); runs are TREC files
--truth TABLE
    relevant items, CSV, parquet or JSON; runs are tables of recommended items
"""
COMPARISON = f"""
--metric METRIC
    metric to compare by; repeat it for several (default: {COMPARED_BY})
--confidence-level LEVEL  of the intervals (default: 0.95)
-o, --output DIR
    folder for comparison.txt, .json and .png, report.html and per_query.csv
"""


def add_metric(command: Any) -> None:
    """Add --metric."""
    add_options(
        command,
        "--metric METRIC  metric to tune by (default: ndcg@10)",
        metric={"default": "ndcg@10"},
    )


def add_search(command: Any) -> None:
    """Add --search, --choose and --time-budget."""
    add_options(command, SEARCH, time_budget={"type": not_negative})


def add_jobs(command: Any) -> None:
    """Add --jobs."""
    add_options(
        command,
        "--jobs N  number of parallel fits, up to one per core (default: -1, one per core)",
        jobs={"type": jobs, "default": -1},
    )


def add_columns(command: Any, *names: str) -> None:
    """Add the columns of a log; their default names are those of the options."""
    other = {"user": " or user_id", "item": " or item_id"}
    for name in names:
        text = f"--{name} COL  column of {name}s (default: {name}{other.get(name, '')})"
        add_options(command, text, **{name: {"default": name}})


def add_columns_of_lists(command: argparse.ArgumentParser, truth: str = "") -> None:
    """Add the columns of item lists and, if `truth` names it, of the judgments."""
    add_columns(command, "user", "item")
    # TREC files have no columns.
    command.set_defaults(user=None, item=None)
    add_options(command.add_mutually_exclusive_group(), ORDER)
    if truth:
        text = f"column of grades in {truth} (default: each of its rows is relevant)"
        add_options(command, f"--rating COL  {text}")
    add_csv_format(command)


def add_csv_format(command: Any) -> None:
    """Add --sep and --encoding, of all CSV files that a command reads."""
    add_options(command, CSV, sep={"type": separator}, encoding={"type": encoding})


def add_new_file(command: Any, holds: str) -> None:
    """Add --output, a file with what `holds` says, and --force."""
    text = f"-o, --output FILE  file for {holds}, written atomically"
    add_options(command, text, output=REQUIRED)
    add_force(command)


def add_force(command: Any) -> None:
    """Add --force."""
    add_options(command, "--force  replace an existing file")


def add_truth(command: argparse.ArgumentParser) -> None:
    """Add the options that name the judgments."""
    add_options(command, TRUTH)
    add_columns_of_lists(command, "--truth")


def add_comparison(command: Any) -> None:
    """Add the metrics, the level and the folder."""
    add_options(
        command,
        COMPARISON,
        metric={"action": "append"},
        confidence_level={"type": share, "default": 0.95},
    )


def check_truth(options: argparse.Namespace) -> None:
    """Raise unless the judgments are named."""
    if (options.qrels is None) == (options.truth is None):
        raise InputError(
            "Name what is relevant with one of --qrels (TREC) and --truth (a table)."
        )
