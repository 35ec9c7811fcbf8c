"""Fuse runs of the same queries, such as those of words and of vectors, into one.

Runs are ranked lists in any of the forms of `evaluate`. A query that a run does not answer
counts as an empty list of it.

methods:
  rrf                 reciprocal rank fusion: the sum of 1 / (k + rank)
  comb_sum, comb_mnz  sum of normalized scores; times the number of runs that have the item
  comb_anz            mean of normalized scores over the runs that have the item
  comb_max, comb_min  highest and lowest normalized score
  borda, condorcet    points by rank; duels of items, won by a majority of runs

Examples
--------
sklearn-rank fuse bm25.jsonl dense.jsonl | sklearn-rank evaluate - golden.jsonl
sklearn-rank fuse bm25.run dense.run --weights 2,1 -o fused.run
sklearn-rank fuse a.csv b.csv --method comb_sum -o both.csv
"""

import argparse

from sklearn_rank._cli._arguments import add_fields, count, non_negative_number
from sklearn_rank._cli._errors import InputError

HELP = "fuse runs into one"
USAGE = "[options] RUN RUN ..."
METHODS = (
    *("rrf", "comb_sum", "comb_mnz", "comb_anz", "comb_max", "comb_min"),
    *("borda", "condorcet"),
)
NORMALIZATIONS = ("min_max", "sum", "z_score", "rank", "none")


def add_arguments(fuse: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add = fuse.add_argument
    add("runs", metavar="RUN", nargs="+", help="two or more files")
    text = "how to fuse, see above (default: rrf)"
    add("--method", metavar="NAME", choices=METHODS, default="rrf", help=text)
    text = "weight of each run, as in 2,1 (default: all the same)"
    add("--weights", metavar="W,W", type=read_weights, help=text)
    text = "of rrf (default: 60)"
    add("--k", metavar="K", type=non_negative_number, default=60.0, help=text)
    text = "of the scores of a query, for methods of scores: %(choices)s (default: min_max)"
    names = NORMALIZATIONS
    add("--normalization", metavar="NAME", choices=names, default="min_max", help=text)
    add("-n", metavar="N", type=count, help="items to keep per query (default: all)")
    text = "the fused run (default: -, stdout)"
    add("-o", "--output", metavar="FILE", default="-", help=text)
    text = "%(choices)s (default: by the ending of FILE, jsonl for stdout)"
    add("--format", metavar="NAME", choices=("jsonl", "csv", "trec"), help=text)
    add_fields(fuse)


def check_together(options: argparse.Namespace) -> None:
    """Raise if options do not fit together."""
    if len(options.runs) < 2:
        raise InputError("A fusion needs two runs or more, got 1.")


def read_weights(text: str) -> list[float]:
    """Return the weights between commas."""
    return [non_negative_number(weight) for weight in text.split(",")]
