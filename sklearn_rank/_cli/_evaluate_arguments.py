"""Score lists of items by what is relevant, or rows by their grades, and print a report.

LISTS are tables with one row per user and item (CSV or parquet), JSON with the items of
each user, or a run of TREC. TEST has what is relevant in the same form, such as the
rows that were held out, or judgments of TREC. A user of TEST without a list counts as
an empty list.

Without TEST, ROWS is a parquet file of rows, or a folder of them, which may be larger
than memory. Rows may be in any order: they are written to a scratch folder, in parts
that hold whole queries, and scored part by part. With --sorted they are scored as they
are read.

Examples
--------
sklearn-rank evaluate recs.csv test.csv
sklearn-rank evaluate recs.csv test.csv --metric novelty@10 --train train.csv
sklearn-rank evaluate bm25.run qrels.txt --convention trec_eval --picture k.png
sklearn-rank evaluate rows/ --query user --rating grade --score score
"""

import argparse
import tempfile

from sklearn_rank._cli._arguments import add_columns_of_lists, add_options
from sklearn_rank._cli._errors import InputError

HELP = "score lists or rows, and print a report"
USAGE = ("[options] LISTS TEST", "[options] ROWS --query COL --rating COL --score COL")
COLUMNS_OF_ROWS = {
    "query": "column of queries or users",
    "by": "column of segments of queries",
    "sample_weight": "column of weights of queries",
}
# Those of `sklearn_rank.metrics.conventions`, which takes a second to import.
CONVENTIONS = (
    *("catboost", "evidently", "implicit", "kaggle", "lenskit", "lightgbm", "ndeval"),
    *("pyndeval", "ranx", "recommenders", "rectools", "sklearn", "spark", "torchmetrics"),
    *("trec_eval", "trec_eval_10", "xgboost"),
)
OPTIONS_OF_LISTS = ("user", "item", "rank", "sep", "encoding", "train", "picture")
DEFAULTS = {"memory": "1GB", "spill": tempfile.gettempdir()}
OPTIONS = """
--metric METRIC
    metric; repeat it for several (default: the usual ones at 10; for rows ndcg@10)
--json  print JSON instead of text
--convention LIBRARY  use the definitions of this library: %(choices)s
"""
FILES = """
--train FILE        log of the model, for metrics such as novelty and coverage
--values FILE       table to write, one row per query (.csv, .parquet)
--picture FILE.png  file for a picture of the metrics at k
"""
ROWS = f"""
--sorted        the rows of a query follow each other
--memory BYTES  memory for rows, beside the program and one row per query (default: 1GB)
--spill FOLDER  folder with room for the columns (default: {DEFAULTS["spill"]})
"""


def add_arguments(evaluate: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    evaluate.add_argument("path", metavar="LISTS", help="what to score")
    evaluate.add_argument("test", metavar="TEST", nargs="?", help="what is relevant")
    add_options(evaluate, "--qrels QRELS  judgments of TREC, in place of TEST")
    add_options(
        evaluate, OPTIONS, metric={"action": "append"}, convention={"choices": CONVENTIONS}
    )
    add_columns_of_lists(evaluate, "TEST or of rows")
    add_options(evaluate, FILES)
    rows = evaluate.add_argument_group("options of rows, without TEST")
    for name, description in COLUMNS_OF_ROWS.items():
        add_options(rows, f"--{name.replace('_', '-')} COL  {description}")
    add_options(rows, ROWS)


def check_together(options: argparse.Namespace) -> None:
    """Raise if options do not fit together; fill in defaults."""
    if options.qrels is not None and options.test is not None:
        raise InputError("Name what is relevant with one of TEST and --qrels.")
    options.test = options.test or options.qrels
    of_rows = (*COLUMNS_OF_ROWS, "sorted", *DEFAULTS)
    for name in OPTIONS_OF_LISTS if options.test is None else of_rows:
        if getattr(options, name) not in (None, False):
            needs = "goes with" if options.test is None else "goes without"
            raise InputError(f"--{name.replace('_', '-')} {needs} TEST.")
    if options.test is None:
        needed = ("query", "rating", "score")
        missing = [f"--{name}" for name in needed if getattr(options, name) is None]
        if missing:
            raise InputError(
                f"Without TEST, rows need {', '.join(missing)}, the names of columns. "
                "Lists need TEST, a file with what is relevant."
            )
    for name, default in DEFAULTS.items():
        setattr(options, name, getattr(options, name) or default)
