"""Rows of Parquet files that may be larger than memory: scored in parts, as a report."""

import re
from argparse import Namespace
from functools import partial
from typing import Any

from sklearn_rank._cli.arguments._named_metrics import each_once, find_metric
from sklearn_rank._cli.evaluate._parquet import count_rows, open_files, read
from sklearn_rank._cli.evaluate._percent import Percent
from sklearn_rank._cli.printing._errors import InputError
from sklearn_rank._cli.printing._format import counted
from sklearn_rank._cli.printing._printing import print_notes, print_result
from sklearn_rank._cli.printing._progress import show_progress
from sklearn_rank._cli.reading._columns import check_different
from sklearn_rank._cli.tuning._text_tables import describe_report
from sklearn_rank._cli.writing._new_file import check_not_read
from sklearn_rank._cli.writing._new_table import check_new_table, new_table
from sklearn_rank.distributed import QueryScorer, summarize

# Rows of values that are written at once.
_ROWS = 2**20
# What the parameters of Python are called here.
OPTIONS = {
    "query": "--query",
    "y_true": "--rating",
    "y_score": "--score",
    "sample_weight": "--sample-weight",
    "by": "--by",
    "memory": "--memory",
    "spill": "--spill",
    "sorted_by": "--sorted",
}


def evaluate_rows(options: Namespace) -> None:
    """Score the rows in parts, print the report, write values where asked."""
    roles = ("query", "rating", "score", "sample_weight", "by")
    named = {role.replace("_", "-"): getattr(options, role) for role in roles}
    columns = {role: name for role, name in named.items() if name is not None}
    check_different(columns)
    metrics = each_once(options.metric or ["ndcg@10"], find_metric)
    score = QueryScorer(
        [metric.name for metric in metrics],
        query=options.query,
        y_true=options.rating,
        y_score=options.score,
        sample_weight=options.sample_weight,
        by=options.by,
    )
    files = open_files(options.path)
    # A link in a folder leads to a file that lies elsewhere.
    inputs = [options.path, *files.files]
    check_not_read(options.spill, inputs)
    if options.values is not None:
        check_new_table(options.values, force=True, inputs=inputs)
    n_rows = count_rows(files)
    if not n_rows:
        raise InputError(f"{options.path!r} has no rows.")
    try:
        values = _values(score, files, n_rows, list(columns.values()), options)
        report = summarize(values, by=options.by, n_rows=n_rows, as_frame=True)
    # Of the package, for values and for types of the columns.
    except (ValueError, TypeError, OSError) as error:
        raise InputError(_with_options(str(error))) from error
    # Files before what is printed: a pipe may be closed by then.
    if options.values is not None:
        _write(values, options.values)
        print_notes(f"{options.values!r} has {counted(values.num_rows, 'row')} of values.")
    print_result(partial(describe_report, report), wrote_files=options.values is not None)


def _with_options(message: str) -> str:
    """Return a message of Python that names the options instead of parameters."""
    return re.sub(r"`(\w+)`", lambda name: OPTIONS.get(name[1], name[0]), message)


def _values(
    score: QueryScorer, files: Any, n_rows: int, columns: list[str], options: Namespace
) -> Any:
    way = {"sorted_by": options.query} if options.sorted else {"spill": options.spill}
    with show_progress("Percent of reading and scoring") as advance:
        percent = Percent(2 * n_rows, advance)
        return score.stream(
            lambda: read(files, columns, percent.add),
            memory=options.memory,
            progress=percent.add,
            **way,
        )


def _write(values: Any, path: str) -> None:
    # That of an earlier run is replaced.
    with new_table(path, force=True) as write:
        for start in range(0, values.num_rows, _ROWS):
            write(values.slice(start, _ROWS).to_pandas())
