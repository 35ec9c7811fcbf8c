"""The arguments of `sklearn-rank tune`."""

import argparse

from sklearn_rank._cli.arguments._argument_types import (
    count,
    names_among,
    positive,
    share,
)
from sklearn_rank._cli.arguments._common_arguments import (
    add_columns,
    add_csv_format,
    add_jobs,
    add_metric,
    add_search,
)
from sklearn_rank._cli.printing._errors import InputError

# Copied, because importing their package would slow down --help.
NAMES = (
    "popularity",
    "factorization",
    "user_neighbors",
    "neighbors",
    "nmf",
    "ease",
    "slim",
    "two_stages",
    "implicit",
    "repeats",
)
WITHOUT_TIMES = ("random", "user")

HELP = "tune recommenders on a log and compare them with popularity"
USAGE = "[options] [LOG]"
DESCRIPTION = """\
Tune recommenders on a log of interactions and compare them with popularity.

The newest part of the log is held out. On the rest, a grid search with a holdout in \
time chooses among the recommenders of --models. The best of each family then meets \
popularity, plain and with the best half-life (time-decayed), on the part held out. \
Without LOG an embedded, made-up log shows how it works.

Times are dates, or numbers: YYYYMMDD and the seconds to nanoseconds since 1970 are read \
as dates. A log without times needs --cv random or user.
"""
EXAMPLES = """\
sklearn-rank tune log.csv --output results --save model.npz
sklearn-rank tune log.csv --user customer --item article --time day --rating stars
sklearn-rank tune pairs.tsv --cv random --models popularity,neighbors
"""


def add_arguments(tune: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    tune.add_argument("log", nargs="?", metavar="LOG", help="CSV (.gz too) or parquet file")
    _add_columns(tune)
    _add_search(tune)
    tune.add_argument(
        "--report",
        choices=("accuracy", "beyond"),
        default="accuracy",
        help="beyond: add novelty, diversity and coverage of each candidate",
    )
    tune.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        help="folder for cv_results.csv, report.txt, .html and .json, and metric_at_k.png; "
        "with --report beyond also accuracy_and_novelty.png",
    )
    tune.add_argument(
        "--save",
        metavar="FILE",
        help="file for the tuned model, fitted on all rows, as for `recommend`",
    )
    tune.add_argument(
        "--force", action="store_true", help="replace the file of --save if it exists"
    )


def check_together(options: argparse.Namespace) -> None:
    """Raise if options do not fit together."""
    if options.min_relevance is not None and options.rating is None:
        raise InputError("--min-relevance needs --rating, the column that it applies to.")
    if options.cv in WITHOUT_TIMES and options.time is not None:
        raise InputError(f"--cv {options.cv} uses no times; leave out --time.")
    if options.cv == "user" and options.folds < 2:
        raise InputError("--cv user needs --folds 2 or more.")
    if options.force and options.save is None:
        raise InputError("--force needs --save, the file that it replaces.")


def _add_columns(tune: argparse.ArgumentParser) -> None:
    add_columns(tune, "user", "item", "time")
    # Some --cv read no time, so it has no default there.
    tune.set_defaults(time=None)
    tune.add_argument(
        "--rating",
        metavar="COL",
        help="column of ratings >= 0: weights to learn from, grades to judge by",
    )
    add_csv_format(tune)
    tune.add_argument(
        "--min-relevance",
        metavar="X",
        type=positive,
        help="lowest rating that counts as relevant (default: any above 0)",
    )


def _add_search(tune: argparse.ArgumentParser) -> None:
    tune.add_argument(
        "--models",
        metavar="NAMES",
        type=names_among(NAMES),
        help=f"what to try, out of {', '.join(NAMES)} (default: all but implicit, "
        "which needs the package of that name, and repeats, which needs --include-seen "
        "and times, as far as the number of items allows)",
    )
    add_metric(tune)
    tune.add_argument(
        "--include-seen",
        action="store_true",
        help="also recommend and judge items that users already have; tries repeats",
    )
    tune.add_argument(
        "--cv",
        choices=("time", "last", "random", "user"),
        default="time",
        help="validate on windows of time, on each user's last row, or in logs without "
        "times on random rows of each user or of some users (default: time)",
    )
    tune.add_argument(
        "--folds", metavar="N", type=count, default=3, help="folds (default: 3)"
    )
    tune.add_argument(
        "--holdout",
        metavar="SHARE",
        type=share,
        default=0.2,
        help="share of the rows for the final comparison: the newest, or by --cv random "
        "ones, or of the users (default: 0.2)",
    )
    tune.add_argument(
        "--test",
        metavar="LOG",
        help="log of its own for the final comparison, in place of a share of the rows",
    )
    add_search(tune)
    add_jobs(tune)
