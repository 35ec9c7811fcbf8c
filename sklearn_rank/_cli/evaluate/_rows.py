"""Report on rows of Parquet files that may be larger than memory, scored in parts."""

from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from sklearn_rank._cli.arguments._named_metrics import each_once, find_metric
from sklearn_rank._cli.printing._errors import InputError, errors_as_options
from sklearn_rank._cli.printing._progress import Advance, show_progress
from sklearn_rank._cli.reading._columns import check_different
from sklearn_rank._cli.writing._new_file import check_not_read
from sklearn_rank._cli.writing._new_table import check_new_table, new_table
from sklearn_rank._text._wording import counted
from sklearn_rank._validation import check_installed, suggest
from sklearn_rank.distributed import QueryScorer, summarize
from sklearn_rank.distributed._dataset_files import batches_of, count_rows

# Rows of values in one write.
WRITTEN_AT_ONCE = 2**20
# The options of Python's parameters, first of those that name columns.
COLUMNS = {
    "groups": "query",
    "y_true": "rating",
    "y_score": "score",
    "sample_weight": "sample-weight",
    "by": "by",
}
OPTIONS = {**COLUMNS, "memory": "memory", "spill": "spill", "sorted_by": "sorted"}
OPTIONS = {name: f"--{option}" for name, option in OPTIONS.items()}


def evaluate_rows(options: Namespace) -> tuple[pd.DataFrame, list[str]]:
    """Score the rows in parts; return the report and notes; write values if asked."""
    named = {
        name: getattr(options, option.replace("-", "_")) for name, option in COLUMNS.items()
    }
    columns = {COLUMNS[name]: one for name, one in named.items() if one is not None}
    check_different(columns)
    find = partial(find_metric, convention=options.convention)
    metrics = each_once(options.metric or ["ndcg@10"], find)
    score = QueryScorer(
        [metric.name for metric in metrics], **named, convention=options.convention
    )
    files = _open_files(options.path)
    # A symbolic link in a folder may lead to a file elsewhere.
    inputs = [options.path, *files.files]
    check_not_read(options.spill, inputs)
    if options.values is not None:
        check_new_table(options.values, force=True, inputs=inputs)
    # The errors of the package for values and for column types.
    with errors_as_options(OPTIONS, (ValueError, TypeError, OSError)):
        n_rows = count_rows(files)
        if not n_rows:
            raise InputError(f"{options.path!r} has no rows.")
        values = _values(score, files, n_rows, list(columns.values()), options)
        report = summarize(values, by=options.by, n_rows=n_rows, as_frame=True)
    if options.values is None:
        return report, []
    _write(values, options.values)
    return report, [f"{options.values!r} has {counted(values.num_rows, 'row')} of values."]


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
    # A file of an earlier run is replaced.
    with new_table(path, force=True) as write:
        for start in range(0, values.num_rows, WRITTEN_AT_ONCE):
            write(values.slice(start, WRITTEN_AT_ONCE).to_pandas())


class Percent:
    """Calls `advance` after each percent of `total`."""

    def __init__(self, total: int, advance: Advance):
        self._total = max(total, 1)
        self._advance = advance
        self._done = 0
        self._shown = 0

    def add(self, n_rows: int) -> None:
        """Count rows that are done."""
        self._done += n_rows
        while self._shown < 100 * self._done // self._total:
            self._shown += 1
            self._advance(self._shown, 100, self._shown / 100)


def _open_files(path: str) -> Any:
    """Return the rows of a Parquet file, or of all in a folder, as a pyarrow Dataset."""
    check_installed("pyarrow.dataset", "arrow", "`evaluate`")
    from pyarrow import dataset

    if not Path(path).exists():
        raise InputError(f"There is no file or folder {path!r}; check the name.")
    try:
        files = dataset.dataset(path)
    except (OSError, ValueError) as error:
        raise InputError(
            f"{path!r} is not a complete Parquet file, which rows need; lists also need "
            "TEST."
        ) from error
    if not files.files:
        raise InputError(f"Folder {path!r} has no files; name one with Parquet files.")
    return files


def read(files: Any, columns: Sequence[str], count: Callable[[int], None]) -> Iterator[Any]:
    """Yield the rows in batches and report the number of rows in each."""
    names = files.schema.names
    for column in columns:
        if column not in names:
            raise InputError(
                f"{column!r} is not a column of the files. {suggest(column, names)}"
            )
    yield files.schema.empty_table()
    for batch, _ in batches_of(files, list(dict.fromkeys(columns)), bounded=True):
        yield batch
        count(batch.num_rows)
