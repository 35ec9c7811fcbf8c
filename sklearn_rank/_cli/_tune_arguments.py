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
    CSV,
    JOBS,
    SEARCH,
    add_columns,
    add_metric,
    add_options,
    names_parser,
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
RATING = "column of ratings >= 0: weights to learn from, grades to judge by"
CHOICE = f"""
--min-relevance X  lowest rating that counts as relevant (default: any above 0)
--models NAMES
    what to try, out of {", ".join(MODEL_NAMES)} (default: all but implicit, which needs the
    package of that name, and repeats, which needs --include-seen and times, as far as the
    number of items allows)
"""
FOLDS = """
--include-seen
    also recommend and judge items that users already have; tries repeats
--cv {time,last,random,user}
    validate on windows of time, on each user's last row, or in logs without times on random
    rows of each user or of some users (default: time)
--folds N   folds (default: 3)
--holdout SHARE
    share of the rows for the final comparison: the newest, or by --cv random ones, or of
    the users (default: 0.2)
--test LOG  log of its own for the final comparison, in place of a share of the rows
"""
FILES = """
--report {accuracy,beyond}
    beyond: add novelty, diversity and coverage of each candidate
-o, --output DIR
    folder for cv_results.csv, report.txt, .html and .json, and metric_at_k.png; with
    --report beyond also accuracy_and_novelty.png
--save FILE  file for the tuned model, fitted on all rows, as for `recommend`
--force      replace the file of --save if it exists
"""


def add_arguments(tune: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    tune.add_argument("log", nargs="?", metavar="LOG", help="CSV (.gz too) or parquet file")
    add_columns(tune, "user", "item", "time")
    # Some --cv read no time, so it has no default there.
    tune.set_defaults(time=None)
    add_options(tune, "--rating COL  " + RATING)
    add_options(tune, CSV)
    add_options(tune, CHOICE, models={"type": names_parser(MODEL_NAMES)})
    add_metric(tune)
    for options in (FOLDS, SEARCH, JOBS, FILES):
        add_options(tune, options)


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
