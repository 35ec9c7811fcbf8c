"""Compare runs on the same queries: differences with intervals and p-values.

Runs are ranked lists in any of the forms of `evaluate`, with --truth GOLDEN. Without it
they are tables of values: the query in the first column, and a column for each metric, as
`evaluate -o` writes them.

Queries are matched by label, and a query that a run does not answer counts as an empty
list. The name of a run is that of its file without its ending.

Examples
--------
sklearn-rank compare bm25.run dense.run --qrels qrels.txt
sklearn-rank compare old.jsonl new.jsonl --truth golden.jsonl -m ndcg@10,mrr
sklearn-rank compare a.csv b.csv c.csv --truth test.csv --all-pairs -o page.html
"""

import argparse

from sklearn_rank._cli._arguments import (
    add_cluster,
    add_fields,
    add_level,
    add_metrics,
    add_output,
    non_negative_number,
)
from sklearn_rank._cli._errors import InputError

HELP = "compare runs on the same queries"
USAGE = "[options] RUN RUN ... [--truth GOLDEN]"
TESTS = ("auto", "t", "randomization", "exact", "anytime")
CORRECTIONS = ("holm", "bonferroni", "fdr_bh", "max_t", "none")


def add_arguments(compare: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add = compare.add_argument
    add("runs", metavar="RUN", nargs="+", help="two or more files")
    pairs = compare.add_mutually_exclusive_group().add_argument
    text = "run that the others are compared with (default: the first)"
    pairs("--baseline", metavar="NAME", help=text)
    pairs("--all-pairs", action="store_true", help="compare all pairs of runs")
    add_metrics(compare, "ndcg@10; for values all")
    text = """t (Student's), randomization (flips of signs), exact (bounds), anytime (bets
        that hold at every number of queries; those that no run answers are left out), or
        auto: exact where few queries differ, else t (default: auto)"""
    add("--test", metavar="NAME", choices=TESTS, default="auto", help=text)
    text = "of p-values for several comparisons: %(choices)s (default: holm)"
    add("--correction", metavar="NAME", choices=CORRECTIONS, default="holm", help=text)
    text = "whether each interval holds alone, or all together (default: each)"
    add("--intervals", choices=("each", "simultaneous"), default="each", help=text)
    text = "smallest difference that matters; adds a verdict to each comparison"
    add("--margin", metavar="M", type=non_negative_number, help=text)
    add_cluster(compare)
    add_level(compare)
    add_output(compare)
    add_fields(compare)


def check_together(options: argparse.Namespace) -> None:
    """Raise if options do not fit together."""
    if len(options.runs) < 2:
        raise InputError("A comparison needs two runs or more, got 1.")
    if options.cluster is not None and options.truth is None:
        raise InputError("--cluster is a field of a golden set; add --truth GOLDEN.")
