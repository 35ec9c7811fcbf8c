"""Tune recommenders on a log of interactions and compare them with popularity.

The newest part of the log is held out. On the rest, a grid search with a holdout in
time chooses among the recommenders of --models. The best of each family then meets
popularity, plain and with the best half-life (time-decayed), on the part held out.
Without LOG an embedded, made-up log shows how it works.

Times are dates, or numbers: YYYYMMDD and the seconds to nanoseconds since 1970 are read
as dates. A log without times needs --cv random or user.

Examples
--------
sklearn-rank tune log.csv --output results --save model.npz
sklearn-rank tune log.csv --user customer --item article --time day --rating stars
sklearn-rank tune pairs.tsv --cv random --models popularity,neighbors
"""

import argparse

from sklearn_rank._cli._arguments import (
    DEFAULT_METRIC,
    add_columns,
    count,
    jobs,
    names_type,
    non_negative_number,
    positive_number,
    share,
)
from sklearn_rank._cli._errors import InputError

# Copied, because importing their package would slow down --help.
MODEL_NAMES = (
    *("popularity", "factorization", "user_neighbors", "neighbors", "nmf", "ease", "slim"),
    *("two_stages", "implicit", "repeats"),
)
CV_WITHOUT_TIMES = ("random", "user")

HELP = "tune recommenders on a log and compare them with popularity"
USAGE = "[options] [LOG]"


def add_arguments(tune: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add = tune.add_argument
    text = "CSV, JSON Lines or Parquet, packed or not; or a public data set as downloaded"
    add("log", nargs="?", metavar="LOG", help=text)
    add_columns(tune, "user", "item", "time")
    text = "column of ratings >= 0: weights for models, grades for metrics"
    add("--rating", metavar="COL", help=text)
    text = "lowest rating that counts as relevant (default: any above 0)"
    add("--min-relevance", metavar="X", type=positive_number, help=text)
    text = f"""what to try, out of {", ".join(MODEL_NAMES)} (default: all but implicit,
        which needs the package of that name, and repeats, which needs --include-seen and
        times, as far as the number of items allows)"""
    add("--models", metavar="NAMES", type=names_type(MODEL_NAMES), help=text)
    text = "metric to tune by (default: %(default)s)"
    add("-m", "--metric", metavar="METRIC", default=DEFAULT_METRIC, help=text)
    text = "also recommend and judge items that users already have; tries repeats"
    add("--include-seen", action="store_true", help=text)
    text = """validate on windows of time, on each user's last row, or in logs without times
        on random rows of each user or of some users (default: time)"""
    add("--cv", choices=("time", "last", "random", "user"), default="time", help=text)
    add("--folds", metavar="N", type=count, default=3, help="folds (default: %(default)s)")
    text = """share of the rows for the final comparison: the newest, or by --cv random
        ones, or of the users (default: %(default)s)"""
    add("--holdout", metavar="SHARE", type=share, default=0.2, help=text)
    text = "separate log for the final comparison, in place of a share of the rows"
    add("--test", metavar="LOG", help=text)
    text = """all candidates on all folds; or all on one fold, the best third of each model
        on two, and so on, in about half of the time (default: grid)"""
    add("--search", choices=("grid", "halving"), default="grid", help=text)
    text = """the best candidate, or the cheapest within one standard error of the paired
        difference to it (default: best)"""
    add("--choose", choices=("best", "one-se"), default="best", help=text)
    text = "start no fit after this time; the choice then depends on the machine's speed"
    add("--time-budget", metavar="SECONDS", type=non_negative_number, help=text)
    text = "number of parallel fits, up to one per core (default: -1, one per core)"
    add("--jobs", metavar="N", type=jobs, default=-1, help=text)
    text = "beyond: add novelty, diversity and coverage of each candidate"
    add("--report", choices=("accuracy", "beyond"), default="accuracy", help=text)
    text = """folder for cv_results.csv, report.txt, .html and .json, and metric_at_k.png;
        with --report beyond also accuracy_and_novelty.png"""
    add("-o", "--output", metavar="DIR", help=text)
    text = "file for the tuned model, fitted on all rows, which `load_model` reads"
    add("--save", metavar="FILE", help=text)
    text = "replace the file of --save if it exists"
    add("--force", action="store_true", help=text)
    text = "file for the lists of the tuned model, as `evaluate` reads them (.csv, .jsonl)"
    add("--lists", metavar="FILE", help=text)
    text = "file of users who get a list, one per line (default: all users of LOG)"
    add("--users", metavar="FILE", help=text)
    text = "length of the lists (default: %(default)s)"
    add("-n", metavar="N", type=count, default=10, help=text)


def check_together(options: argparse.Namespace) -> None:
    """Raise if options do not fit together."""
    if options.min_relevance is not None and options.rating is None:
        raise InputError("--min-relevance needs --rating, the column that it applies to.")
    if options.cv in CV_WITHOUT_TIMES and options.time is not None:
        raise InputError(f"--cv {options.cv} uses no times; leave out --time.")
    if options.cv == "user" and options.folds < 2:
        raise InputError("--cv user needs --folds 2 or more.")
    if options.force and options.save is None:
        raise InputError("--force needs --save, the file that it replaces.")
    if options.users is not None and options.lists is None:
        raise InputError("--users needs --lists, the file for their lists.")
