"""The arguments of the command line, each checked by itself."""

import argparse
import math
from collections.abc import Sequence
from typing import NoReturn

from sklearn_rank import __version__

__all__ = ["InputError", "parse_arguments"]

DESCRIPTION = """\
Tune a recommender on a log of interactions and compare it with popularity.

The newest part of the log is held out. On the rest, a grid search with a holdout in time
chooses between popularity and matrix factorisations. The winner then meets popularity on
the part held out. Without LOG.csv an embedded, made-up log shows how it works.
"""


class InputError(Exception):
    """Something the user gave cannot be used; the message is one line and says why."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message} (see {self.prog} --help)")


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the options of the command; an InputError says which one is wrong."""
    parser = _Parser(
        prog="sklearn-rank",
        description="Judge and tune rankers and recommenders.",
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_tune(commands)
    options = parser.parse_args(argv)
    if options.min_relevance is not None and options.rating is None:
        raise InputError("--min-relevance needs --rating, the column that it applies to.")
    return options


def _add_tune(commands: argparse._SubParsersAction) -> None:
    tune = commands.add_parser(
        "tune",
        help="tune a recommender on a log and compare it with popularity",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    tune.add_argument(
        "log", nargs="?", metavar="LOG.csv", help="CSV (.gz too) or parquet file"
    )
    _add_columns(tune)
    _add_search(tune)
    tune.add_argument(
        "--output",
        metavar="DIR",
        help="folder for cv_results.csv, report.txt, report.json and metric_at_k.png",
    )


def _add_columns(tune: argparse.ArgumentParser) -> None:
    for name in ("user", "item", "time"):
        tune.add_argument(
            f"--{name}",
            metavar="COL",
            default=name,
            help=f"column of the {name}s (default: {name})",
        )
    tune.add_argument(
        "--rating",
        metavar="COL",
        help="column of ratings >= 0: weights to learn from, grades to judge by",
    )
    tune.add_argument(
        "--min-relevance",
        metavar="X",
        type=_positive,
        help="lowest rating that counts as relevant (default: any above 0)",
    )


def _add_search(tune: argparse.ArgumentParser) -> None:
    tune.add_argument(
        "--metric", default="ndcg@10", help="metric to tune by (default: ndcg@10)"
    )
    tune.add_argument(
        "--cv",
        choices=("time", "last"),
        default="time",
        help="validate on windows of time or on each user's last row (default: time)",
    )
    tune.add_argument(
        "--folds", metavar="N", type=_count, default=3, help="folds (default: 3)"
    )
    tune.add_argument(
        "--holdout",
        metavar="SHARE",
        type=_share,
        default=0.2,
        help="share of the rows, the newest, for the final comparison (default: 0.2)",
    )
    tune.add_argument(
        "--jobs",
        metavar="N",
        type=_jobs,
        default=-1,
        help="fits at the same time, -1 for one a core (default: -1)",
    )


def _number(text: str, needed: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"needs {needed}, got {text!r}")
    return number


def _positive(text: str) -> float:
    number = _number(text, needed := "a number above 0")
    if number <= 0:
        raise argparse.ArgumentTypeError(f"needs {needed}, got {text!r}")
    return number


def _share(text: str) -> float:
    share = _number(text, needed := "a share above 0 and below 1, such as 0.2")
    if not 0 < share < 1:
        raise argparse.ArgumentTypeError(f"needs {needed}, got {text!r}")
    return share


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"needs a whole number above 0, got {text!r}")
    return int(text)


def _jobs(text: str) -> int:
    return -1 if text == "-1" else _count(text)
