"""Compare runs on the same queries: differences with intervals and p-values.

Runs are TREC files with --qrels. With --truth they are tables of recommended items with
one row per user and item (CSV or parquet), or JSON with the items of each user. Without
both they are tables of values: the query in the first column, and a column for each
metric, as `evaluate --values` writes them.

Queries are matched by label, and a query that a run does not answer counts as an empty
list. The name of a run is that of its file without its ending.

Examples
--------
sklearn-rank compare bm25.run dense.run --qrels qrels.txt
sklearn-rank compare old.csv new.csv --truth test.csv --metric ndcg@10
sklearn-rank compare a.csv b.csv c.csv --truth test.csv --all-pairs --output results
"""

import argparse

from sklearn_rank._cli._arguments import add_comparison, add_options, add_truth, check_truth
from sklearn_rank._cli._errors import InputError

HELP = "compare runs on the same queries"
USAGE = "[options] RUN RUN ..."
PAIRS = """
--baseline NAME  run that the others are compared with (default: the first)
--all-pairs      compare all pairs of runs
"""
OPTIONS = """
--test NAME={auto,t,randomization,exact,anytime}
    t (Student's), randomization (flips of signs), exact (bounds), anytime (bets that hold
    at every number of queries; those that no run answers are left out), or auto: exact
    where few queries differ, else t (default: auto)
--correction NAME={holm,bonferroni,fdr_bh,max_t,none}
    of p-values for several comparisons: holm (default), bonferroni, fdr_bh, max_t or none
--intervals {each,simultaneous}
    whether each interval holds alone, or all together (default: each)
--margin M  smallest difference that matters; adds a verdict to each comparison
"""


def add_arguments(compare: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    compare.add_argument("runs", metavar="RUN", nargs="+", help="two or more files")
    add_truth(compare)
    add_options(compare.add_mutually_exclusive_group(), PAIRS)
    add_options(compare, OPTIONS)
    add_comparison(compare)


def check_together(options: argparse.Namespace) -> None:
    """Raise if options do not fit together."""
    check_truth(options)
    if len(options.runs) < 2:
        raise InputError("A comparison needs two runs or more, got 1.")
