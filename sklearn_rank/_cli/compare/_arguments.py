"""The arguments of `sklearn-rank compare`."""

import argparse

from sklearn_rank._cli._argument_types import not_negative
from sklearn_rank._cli._comparison_arguments import add_comparison, add_truth, check_truth
from sklearn_rank._cli._errors import InputError

DESCRIPTION = """\
Compare runs on the same queries: differences with intervals and p-values.

Runs are TREC files with --qrels, or tables of recommended items with --truth, a row a user
and item. Queries are matched by label, and a query that a run does not answer counts as an
empty list. The name of a run is that of its file without its ending.
"""
CORRECTIONS = ("holm", "bonferroni", "fdr_bh", "max_t", "none")


def add_command(commands: argparse._SubParsersAction) -> None:
    """Add the command and its arguments."""
    compare = commands.add_parser(
        "compare",
        help="compare runs on the same queries",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    compare.add_argument("runs", metavar="RUN", nargs="+", help="two or more files")
    add_truth(compare)
    _add_pairs(compare)
    add_comparison(compare)


def check_together(options: argparse.Namespace) -> None:
    """Raise where options do not fit together."""
    check_truth(options)
    if len(options.runs) < 2:
        raise InputError("A comparison needs two runs or more, got 1.")
    if options.correction == "max_t" and options.all_pairs:
        raise InputError("--correction max_t needs a baseline; leave --all-pairs out.")


def _add_pairs(compare: argparse.ArgumentParser) -> None:
    pairs = compare.add_mutually_exclusive_group()
    pairs.add_argument(
        "--baseline",
        metavar="NAME",
        help="run that the others are compared with (default: the first)",
    )
    pairs.add_argument("--all-pairs", action="store_true", help="compare each with each")
    compare.add_argument(
        "--test",
        choices=("t", "randomization"),
        default="t",
        help="Student's t, or flips of signs (default: t)",
    )
    compare.add_argument(
        "--correction",
        choices=CORRECTIONS,
        default="holm",
        help="of p-values for several comparisons (default: holm)",
    )
    compare.add_argument(
        "--margin",
        metavar="M",
        type=not_negative,
        help="smallest difference that matters; adds a verdict to each comparison",
    )
