"""The arguments of `sklearn-rank tune`."""

import argparse

from sklearn_rank._cli._argument_types import count, names_among, positive, share
from sklearn_rank._cli._common_arguments import add_jobs, add_metric
from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli.tune._recommenders import RECOMMENDERS

DESCRIPTION = """\
Tune a recommender on a log of interactions and compare it with popularity.

The newest part of the log is held out. On the rest, a grid search with a holdout in time
chooses among the recommenders of --models. The winner then meets popularity, plain and
with the best half-life (time-decayed), on the part held out. Without LOG.csv an embedded,
made-up log shows how it works.
"""


def add_command(commands: argparse._SubParsersAction) -> None:
    """Add the command and its arguments."""
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
        "--report",
        choices=("accuracy", "beyond"),
        default="accuracy",
        help="beyond: novelty, diversity and coverage of each candidate, too",
    )
    tune.add_argument(
        "--output",
        metavar="DIR",
        help="folder for cv_results.csv, report.txt, report.json and metric_at_k.png; "
        "with --report beyond also accuracy_and_novelty.png",
    )


def check_together(options: argparse.Namespace) -> None:
    """Raise where options do not fit together."""
    if options.min_relevance is not None and options.rating is None:
        raise InputError("--min-relevance needs --rating, the column that it applies to.")


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
        type=positive,
        help="lowest rating that counts as relevant (default: any above 0)",
    )


def _add_search(tune: argparse.ArgumentParser) -> None:
    tune.add_argument(
        "--models",
        metavar="NAMES",
        type=names_among(tuple(RECOMMENDERS)),
        help=f"what to try, out of {','.join(RECOMMENDERS)} (default: all but implicit, "
        "which needs the package of that name, as far as the number of items allows)",
    )
    add_metric(tune)
    tune.add_argument(
        "--cv",
        choices=("time", "last"),
        default="time",
        help="validate on windows of time or on each user's last row (default: time)",
    )
    tune.add_argument(
        "--folds", metavar="N", type=count, default=3, help="folds (default: 3)"
    )
    tune.add_argument(
        "--holdout",
        metavar="SHARE",
        type=share,
        default=0.2,
        help="share of the rows, the newest, for the final comparison (default: 0.2)",
    )
    add_jobs(tune)
