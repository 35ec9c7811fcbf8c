"""Score ranked lists by a golden set, and print a table.

RESULTS and GOLDEN are JSON, JSON Lines, YAML, CSV, Parquet or lines of TREC, packed or
not; - is the standard input. Names of fields say what they hold, such as expected_ids or
retrieved. A query of GOLDEN without a list counts as an empty list.
Without GOLDEN, RESULTS has both.

Examples
--------
sklearn-rank evaluate results.jsonl golden.jsonl
sklearn-rank evaluate run.txt qrels.txt -m ndcg@10,recall@100 --convention trec_eval
sklearn-rank evaluate hits.csv golden.yaml --relevant doc_ids --by category --json
sklearn-rank evaluate recs.csv test.csv -m novelty@10 --train train.csv
"""

import argparse

from sklearn_rank._cli._arguments import add_fields, add_metrics

HELP = "score ranked lists by a golden set"
USAGE = "[options] RESULTS [GOLDEN]"


def add_arguments(evaluate: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    add = evaluate.add_argument
    add("results", metavar="RESULTS", help="ranked lists")
    add("golden", metavar="GOLDEN", nargs="?", help="what is relevant")
    add_metrics(evaluate, "ndcg, map, mrr, precision, recall, hit_rate @10")
    add("-q", "--per-query", action="store_true", help="print the value of each query, too")
    add("--by", metavar="FIELD", help="print the means by a field of GOLDEN, too")
    add("--json", action="store_true", help="print one JSON object instead")
    text = "write the values per query as CSV; - is stdout"
    add("-o", "--output", metavar="FILE", help=text)
    text = "what the model was fitted on, for metrics such as novelty"
    add("--train", metavar="LOG", help=text)
    text = "write a PNG of the metrics by the length of lists"
    add("--picture", metavar="FILE", help=text)
    add_fields(evaluate)


def check_together(options: argparse.Namespace) -> None:
    """Raise if options do not fit together."""
