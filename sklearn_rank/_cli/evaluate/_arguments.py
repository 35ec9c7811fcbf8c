"""The arguments of `sklearn-rank evaluate`."""

import argparse
import tempfile

DESCRIPTION = """\
Score the rows of a Parquet file, or of a folder of them, and print a report.

Rows may be in any order: they are written to a scratch folder, in parts that hold whole
queries, and scored part by part. With --sorted they are scored as they are read.
"""


def add_command(commands: argparse._SubParsersAction) -> None:
    """Add the command and its arguments."""
    evaluate = commands.add_parser(
        "evaluate",
        help="score Parquet files that may be larger than memory",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    evaluate.add_argument("path", metavar="PATH", help="Parquet file, or folder of them")
    evaluate.add_argument("--query", metavar="COLUMN", required=True, help="queries, users")
    evaluate.add_argument(
        "--y-true", metavar="COLUMN", required=True, help="relevance grades"
    )
    evaluate.add_argument(
        "--y-score", metavar="COLUMN", required=True, help="scores, higher is better"
    )
    evaluate.add_argument(
        "--metrics",
        metavar="METRIC",
        nargs="+",
        default=["ndcg@10"],
        help="metrics, such as ndcg@10 map@10 (default: ndcg@10)",
    )
    evaluate.add_argument("--by", metavar="COLUMN", help="segments of queries")
    evaluate.add_argument("--sample-weight", metavar="COLUMN", help="weights of queries")
    evaluate.add_argument(
        "--sorted", action="store_true", help="the rows of a query follow each other"
    )
    evaluate.add_argument(
        "--memory",
        metavar="BYTES",
        default="1GB",
        help="memory for rows, beside the program and a row a query (default: 1GB)",
    )
    evaluate.add_argument(
        "--spill",
        metavar="FOLDER",
        default=tempfile.gettempdir(),
        help="folder with room for the columns (default: %(default)s)",
    )
    evaluate.add_argument(
        "--values", metavar="FILE", help="Parquet file to write a row a query to"
    )


def check_together(options: argparse.Namespace) -> None:
    """Raise where options do not fit together: all do."""
