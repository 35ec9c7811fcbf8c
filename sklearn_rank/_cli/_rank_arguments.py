"""Tune a ranker on a file of queries and judge it on another.

TRAIN.svm has libsvm rows: a grade, then feature:value pairs. The rows of a query are
consecutive: a line of TRAIN.query has their number, or they have the same qid:. A grid
search over folds of whole queries chooses the parameters. On TEST.svm the best meets
the model as it comes, untuned, and equal scores for all rows.

models:
  lightgbm, xgboost, catboost   boosted trees of that package
  pairwise                      linear support vector machine on pairs of rows (RankSVM)
  pointwise                     ridge regression and boosted trees on the grades

Examples
--------
sklearn-rank rank train.svm --model lightgbm
sklearn-rank rank train.svm --test test.svm --model pairwise --output results
"""

import argparse

from sklearn_rank._cli._arguments import (
    JOBS,
    REQUIRED,
    SEARCH,
    add_metric,
    add_options,
    folds,
    names_parser,
)
from sklearn_rank._cli._errors import InputError

# Copied, because importing their package would slow down --help.
MODELS = ("lightgbm", "xgboost", "catboost", "pairwise", "pointwise")

HELP = "tune a ranker on a file of queries and judge it on another"
USAGE = "[options] --model MODEL TRAIN.svm"
FILES = """
--groups TRAIN.query
    sizes of the queries in TRAIN.svm, one a line (default: its qid:)
--test TEST.svm           libsvm file to judge the best on
--test-groups TEST.query  sizes of the queries in TEST.svm (default: its qid:)
-o, --output DIR
    folder for cv_results.csv, report.txt, .html and .json; with --test also
    metric_at_k.png and test_scores.txt, a score a row
--model MODEL             model to tune, see above; separate several by commas
"""


def add_arguments(rank: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    rank.add_argument("train", metavar="TRAIN.svm", help="libsvm file (.gz too)")
    add_options(rank, FILES, model={"type": names_parser(MODELS), **REQUIRED})
    add_metric(rank)
    add_options(rank, "--folds N  folds (default: 5)", folds={"type": folds})
    add_options(rank, SEARCH)
    add_options(rank, JOBS)


def check_together(options: argparse.Namespace) -> None:
    """Raise if options do not fit together."""
    if options.test_groups is not None and options.test is None:
        raise InputError("--test-groups needs --test, the file that it belongs to.")
