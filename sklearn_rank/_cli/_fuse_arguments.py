"""Fuse runs of the same queries, such as those of words and of vectors, into one.

Runs are TREC files, tables with one row per user and item (CSV or parquet), or JSON with
the items of each user. A query that a run does not answer counts as an empty list of
it.

methods:
  rrf                 reciprocal rank fusion: the sum of 1 / (k + rank)
  comb_sum, comb_mnz  sum of normalized scores; times the number of runs that have the item
  comb_anz            mean of normalized scores over the runs that have the item
  comb_max, comb_min  highest and lowest normalized score
  borda, condorcet    points by rank; duels of items, won by a majority of runs

Examples
--------
sklearn-rank fuse bm25.run dense.run -o fused.run
sklearn-rank fuse a.csv b.csv --weights 2,1 -o both.csv
sklearn-rank fuse a.csv b.csv --score score --method comb_sum -o both.csv
"""

import argparse

from sklearn_rank._cli._arguments import (
    add_columns_of_lists,
    add_new_file,
    add_options,
    non_negative_number,
)
from sklearn_rank._cli._errors import InputError

HELP = "fuse runs into one"
USAGE = "[options] -o FILE RUN RUN ..."
OPTIONS = """
--method NAME={rrf,comb_sum,comb_mnz,comb_anz,comb_max,comb_min,borda,condorcet}
    how to fuse, see above (default: rrf)
--weights W,W  weight of each run, as in 2,1 (default: all the same)
--k K          of rrf (default: 60)
--normalization NAME={min_max,sum,z_score,rank,none}
    of the scores of a query, for methods of scores: min_max (default), sum, z_score, rank
    or none
-n N           number of items to keep per query (default: all)
"""


def add_arguments(fuse: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    fuse.add_argument("runs", metavar="RUN", nargs="+", help="two or more files")
    add_columns_of_lists(fuse)
    add_options(fuse, OPTIONS, weights={"type": _parse_weights})
    add_new_file(fuse, "the fused run: a table (.csv, .csv.gz, .tsv, .parquet) or TREC")


def check_together(options: argparse.Namespace) -> None:
    """Raise if options do not fit together."""
    if len(options.runs) < 2:
        raise InputError("A fusion needs two runs or more, got 1.")


def _parse_weights(text: str) -> list[float]:
    return [non_negative_number(weight) for weight in text.split(",")]
