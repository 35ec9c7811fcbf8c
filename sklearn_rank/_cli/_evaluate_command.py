"""`sklearn-rank evaluate`: a report of item lists or of scored rows."""

from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from sklearn_rank._base._messages import quantity
from sklearn_rank._base._validation import check_installed
from sklearn_rank._cli._arguments import DEFAULT_METRIC
from sklearn_rank._cli._errors import InputError, quote_value, report_errors_as_options
from sklearn_rank._cli._named_metrics import BoundMetric, Rows, find_metric, unique_metrics
from sklearn_rank._cli._new_files import (
    check_new_file,
    check_new_table,
    check_not_read,
    new_file,
    new_table,
)
from sklearn_rank._cli._printing import Paragraph, print_notes, print_result
from sklearn_rank._cli._progress import Advance, show_progress
from sklearn_rank._cli._results import as_json
from sklearn_rank._cli.reading._csv import CsvFormat, refuse_changes
from sklearn_rank._cli.reading._id_tables import (
    as_model_ids,
    check_different,
    read_id_table,
)
from sklearn_rank._cli.reading._judged_runs import read_truth
from sklearn_rank._cli.reading._run_files import id_columns
from sklearn_rank._display._figures import as_png, new_figure
from sklearn_rank._display._section import frame_section
from sklearn_rank.distributed import QueryScorer, summarize
from sklearn_rank.distributed._sources import batches_of, count_rows
from sklearn_rank.metrics import (
    Catalogue,
    MetricAtKDisplay,
    conventions,
    per_query_scores,
    ranking_report,
)
from sklearn_rank.metrics._core._report import TITLES

METRICS = ("ndcg@10", "map@10", "mrr@10", "precision@10", "recall@10", "hit_rate@10")
# Parts of a catalogue that a log contains.
PARTS_OF_LOG = ("popularity", "counts", "n_users", "history")
# The options of Python's parameters that name columns.
COLUMNS = {
    "groups": "query",
    "y_true": "rating",
    "y_score": "score",
    "sample_weight": "sample-weight",
    "by": "by",
}
OPTIONS = {
    **{name: f"--{option}" for name, option in COLUMNS.items()},
    "memory": "--memory",
    "spill": "--spill",
    "sorted_by": "--sorted",
}
# Rows of values in one write.
WRITTEN_AT_ONCE = 2**20


def evaluate(options: Namespace) -> None:
    """Run `sklearn-rank evaluate`."""
    report_on = evaluate_rows if options.test is None else evaluate_lists
    # Files first: printing fails if the pipe is closed.
    report, notes = report_on(options)
    print_notes(*notes)
    wrote_files = any((options.values, options.picture))
    paragraph: Paragraph = partial(_describe_report, report)
    if options.json:
        records = report.reset_index().to_dict("records")
        paragraph = as_json(vars(options), {"metrics": records, "notes": notes}).rstrip()
    print_result(paragraph, wrote_files=wrote_files)


def _describe_report(report: pd.DataFrame, width: int) -> str:
    """Return a report of metrics, perhaps by segment, as `ranking_report` prints it."""
    parts = report.index.to_frame(index=False).astype(str)
    # Segments are below the name of their metric.
    metrics = parts["metric"].mask(parts["metric"].duplicated(), "")
    parts["metric"] = metrics.str.ljust(metrics.str.len().max())
    table = report.set_axis(parts.agg("  ".join, axis="columns"))
    return frame_section(table.rename(columns=TITLES)).text(width)


def evaluate_lists(options: Namespace) -> tuple[pd.DataFrame, list[str]]:
    """Return the report and notes for users; write files if asked."""
    names = options.metric or _default_metrics(options)
    metrics = unique_metrics(names, partial(_read_metric, options))
    inputs = options.path, options.test, options.train
    # Files of an earlier run are replaced, as with reports of other commands.
    if options.values is not None:
        if not _per_list_metrics(metrics):
            raise InputError(
                "--values needs a metric that has a value of each list, such as ndcg@10."
            )
        check_new_table(options.values, force=True, inputs=inputs)
    if options.picture is not None:
        if not options.picture.lower().endswith(".png"):
            raise InputError(f"--picture {options.picture!r} needs the ending .png.")
        check_new_file(options.picture, force=True, inputs=inputs)
    with refuse_changes(options.test):
        truth = read_truth(options.test, options, [options.path], log=options.train)
        run = truth.match_run(Path(options.path).name, options.path)
    if not (run.rows["y_true"] > 0).any():
        truth.notes.append(f"Nothing in {options.test} is relevant: no grade is above 0.")
    catalogue = _read_catalogue(run.rows, options)
    arguments = {"catalogue": catalogue, "convention": options.convention}
    rows = {**run.rows, **arguments, "metrics": metrics}
    with report_errors_as_options({}):
        report = ranking_report(**rows, as_frame=True)
    written = [*_write_values(rows, truth.noun, options.values)]
    if options.picture is not None:
        picture = _draw_metrics(rows)
        with new_file(options.picture, force=True) as file:
            file.write(picture)
        written.append(f"The picture is in {options.picture!r}.")
    return report, [*truth.notes, *run.notes, *written]


def _default_metrics(options: Namespace) -> list[str]:
    """Return the default metrics that the convention has."""
    if options.convention is None:
        return list(METRICS)
    has = conventions[options.convention].metrics
    return [name for name in METRICS if name.partition("@")[0] in has]


def _write_values(rows: Rows, noun: str, path: str | None) -> Iterator[str]:
    if path is None:
        return
    with report_errors_as_options({}):
        each = {**rows, "metrics": _per_list_metrics(rows["metrics"])}
        values = per_query_scores(**each).to_frame()
    with new_table(path, force=True) as write:
        write(values.rename_axis(noun).reset_index())
    yield f"{path!r} has {quantity(len(values), 'row')}."


def _per_list_metrics(metrics: list[BoundMetric]) -> list[BoundMetric]:
    """Return the metrics with one value per list; others have one value of all lists."""
    return [bound for bound in metrics if bound.summary.per_query]


def _read_metric(options: Namespace, text: str) -> BoundMetric:
    """Return a metric; raise if it needs data that is missing."""
    bound = find_metric(text, options.convention)
    metric = bound.metric
    columns = [column for column in metric.needed_columns if column.name != "items"]
    if columns or metric.unjudged == "needed" or not metric.ranks:
        raise InputError(f"--metric {text} needs more than lists of items and grades.")
    has = PARTS_OF_LOG if options.train is not None else ()
    missing = {
        part.holds.replace("`", ""): part.key in PARTS_OF_LOG
        for part in metric.parts
        if part.is_missing(bound.parameters, has.__contains__)
    }
    if "n_items" in metric.from_data and bound.parameters["n_items"] is None and not has:
        missing["the number of items that can be shown"] = True
    for data, is_in_log in missing.items():
        way = "use --train LOG" if is_in_log else "a log does not contain them"
        raise InputError(f"--metric {text} needs {data}; {way}.")
    # Without a cutoff it is of whole lists, as in `compare`, not at several cutoffs.
    return replace(bound, chosen=(*bound.chosen, "k"))


def _read_catalogue(rows: Rows, options: Namespace) -> Catalogue | None:
    if options.train is None:
        return None
    log = read_id_table(options.train, id_columns(options), CsvFormat.from_options(options))
    print_notes(*log.notes)
    run_ids = {"user": rows["groups"], "item": rows["items"]}
    ids = {role: as_model_ids(log.rows[role], run_ids[role], role) for role in run_ids}
    pairs = pd.DataFrame(ids)
    catalogue = Catalogue.from_interactions(pairs)
    _note_repeats(rows, pairs, options.train)
    shown_items = pd.Index(rows["items"][rows["y_score"] > -float("inf")]).unique()
    unknown = shown_items[~shown_items.isin(catalogue.items)]
    if len(unknown):
        print_notes(
            f"{options.train!r} has no row of {quantity(len(unknown), 'item')} that "
            f"lists show, such as {quote_value(unknown[0])}."
        )
    return catalogue


def _note_repeats(rows: Rows, log: pd.DataFrame, path: str) -> None:
    """Say how many relevant items a model without seen items cannot recommend."""
    is_relevant = rows["y_true"] > 0
    of_relevant = [rows[role][is_relevant] for role in ("groups", "items")]
    relevant = pd.MultiIndex.from_arrays(of_relevant)
    n_repeats = int(relevant.isin(pd.MultiIndex.from_frame(log)).sum())
    if n_repeats:
        print_notes(
            f"{n_repeats / len(relevant):.1%} of what is relevant is in {path!r} for "
            "the same user; lists without seen items have none of it."
        )


def _draw_metrics(rows: Rows) -> bytes:
    """Return a PNG with a line for each metric that has a cutoff."""
    of_lists = (bound for bound in rows["metrics"] if bound.metric.takes_k)
    names = dict.fromkeys(bound.name_without_cutoff for bound in of_lists)
    figure = new_figure(6.4, 4.0)
    MetricAtKDisplay.from_predictions(
        **{**rows, "metrics": list(names) or "ndcg"},
        replace_undefined_by=float("nan"),
        ax=figure.subplots(),
    )
    return as_png(figure)


# Rows of Parquet files may be larger than memory, so they are scored in parts.


def evaluate_rows(options: Namespace) -> tuple[pd.DataFrame, list[str]]:
    """Score the rows in parts; return the report and notes; write values if asked."""
    arguments = {
        name: getattr(options, option.replace("-", "_")) for name, option in COLUMNS.items()
    }
    columns = {
        COLUMNS[name]: column for name, column in arguments.items() if column is not None
    }
    check_different(columns)
    find = partial(find_metric, convention=options.convention)
    metrics = unique_metrics(options.metric or [DEFAULT_METRIC], find)
    names = [metric.name for metric in metrics]
    score = QueryScorer(names, **arguments, convention=options.convention)
    files = _open_files(options.path)
    # A symbolic link in a folder may lead to a file elsewhere.
    inputs = [options.path, *files.files]
    check_not_read(options.spill, inputs)
    if options.values is not None:
        check_new_table(options.values, force=True, inputs=inputs)
    # The errors of the package for values and for column types.
    errors = ValueError, TypeError, OSError
    with refuse_changes(*files.files), report_errors_as_options(OPTIONS, errors):
        n_rows = count_rows(files)
        if not n_rows:
            raise InputError(f"{options.path!r} has no rows.")
        values = _stream_values(score, files, n_rows, list(columns.values()), options)
        report = summarize(values, by=options.by, n_rows=n_rows, as_frame=True)
    if options.values is None:
        return report, []
    _write_table(values, options.values)
    return report, [f"{options.values!r} has {quantity(values.num_rows, 'row')} of values."]


def _stream_values(
    score: QueryScorer, files: Any, n_rows: int, columns: list[str], options: Namespace
) -> Any:
    way = {"sorted_by": options.query} if options.sorted else {"spill": options.spill}
    with show_progress("Percent of reading and scoring") as advance:
        percent = PercentCounter(2 * n_rows, advance)
        return score.stream(
            lambda: read(files, columns, percent.add),
            memory=options.memory,
            progress=percent.add,
            **way,
        )


def _write_table(values: Any, path: str) -> None:
    # A file of an earlier run is replaced.
    with new_table(path, force=True) as write:
        for start in range(0, values.num_rows, WRITTEN_AT_ONCE):
            write(values.slice(start, WRITTEN_AT_ONCE).to_pandas())


class PercentCounter:
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
    # For the checks of the columns.
    yield files.schema.empty_table()
    for batch, _ in batches_of(files, list(dict.fromkeys(columns)), bounded=True):
        yield batch
        count(batch.num_rows)
