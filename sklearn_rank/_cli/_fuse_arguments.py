"""Fuse runs of the same queries, such as those of words and of vectors, into one.

Runs are ranked lists in any of the forms of `evaluate`. A query that a run does not answer
counts as an empty list of it.

methods:
  rrf                 reciprocal rank fusion: the sum of 1 / (k + rank)
  comb_sum, comb_mnz  sum of normalized scores; times the number of runs that have the item
  comb_anz            mean of normalized scores over the runs that have the item
  comb_max, comb_min  highest and lowest normalized score
  borda, condorcet    points by rank; duels of items, won by a majority of runs
  dbsf                Qdrant's sum of scores by their mean and three standard deviations

With --weights learned and --truth GOLDEN, others replace equal weights only if shown to be
better; a line says how much better. With --formula qdrant, elasticsearch or
opensearch the settings of the engine are printed, too.

Examples
--------
sklearn-rank fuse bm25.jsonl dense.jsonl | sklearn-rank evaluate - golden.jsonl
sklearn-rank fuse bm25.run dense.run --weights 2,1 -o fused.run
sklearn-rank fuse a.csv b.csv --method comb_sum -o both.csv
sklearn-rank fuse a.run b.run --weights learned --qrels qrels.txt -o learned.run
"""

import argparse

from sklearn_rank._cli._arguments import (
    DEFAULT_METRIC,
    add_fields,
    count,
    names_type,
    non_negative_number,
    number_type,
)
from sklearn_rank._cli._errors import InputError

HELP = "fuse runs into one"
USAGE = "[options] RUN RUN ..."
LEARNED = "learned"
METHODS = (
    *("rrf", "comb_sum", "comb_mnz", "comb_anz", "comb_max", "comb_min"),
    *("borda", "condorcet", "dbsf"),
)
FORMULAS = (
    *("elasticsearch", "opensearch", "azure", "milvus", "mongodb", "qdrant", "chroma"),
    "weaviate",
)
NORMALIZATIONS = ("min_max", "sum", "z_score", "l2", "rank", "none")


def add_arguments(fuse: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add = fuse.add_argument
    add("runs", metavar="RUN", nargs="+", help="two or more files")
    text = "how to fuse, see above (default: rrf)"
    add("--method", metavar="NAME", type=method, default="rrf", help=text)
    text = "weight of each run, as in 2,1, or learned (default: all the same)"
    add("--weights", metavar="W,W", type=read_weights, help=text)
    text = f"what learned weights make better (default: {DEFAULT_METRIC})"
    add("-m", "--metric", metavar="NAME", help=text)
    text = "formula of rrf in this search engine: %(choices)s"
    add("--formula", metavar="ENGINE", choices=FORMULAS, help=text)
    text = "of rrf (default: 60, or that of --formula)"
    add("--k", metavar="K", type=non_negative_number, help=text)
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
    if (options.weights == LEARNED) != (options.truth is not None):
        raise InputError(f"--weights {LEARNED} and --truth GOLDEN go together, got one.")
    if options.metric is not None and options.weights != LEARNED:
        raise InputError(f"--metric {options.metric} needs --weights {LEARNED}.")


def method(text: str) -> str:
    """Return the name of a method; raise for another one."""
    if text == "wsum":
        raise argparse.ArgumentTypeError("write comb_sum, and --weights, for wsum")
    return names_type(METHODS)(text)[0]


def read_weights(text: str) -> list[float] | str:
    """Return the weights between commas."""
    if text == LEARNED:
        return text
    needed = f"a number from 0, or {LEARNED}"
    read_weight = number_type(needed, lambda number: number >= 0)
    return [read_weight(weight) for weight in text.split(",")]
