"""`sklearn-rank evaluate`: scores of ranked lists by a golden set."""

import math
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from os.path import splitext
from typing import Any, cast

import numpy as np

from sklearn_rank._base._messages import quantity
from sklearn_rank._base._text import align_columns, escape_controls
from sklearn_rank._cli._errors import InputError, report_errors_as_options
from sklearn_rank._cli._named_metrics import BoundMetric, find_metric, split_names
from sklearn_rank._cli._printing import Paragraph, as_json, print_notes, print_result
from sklearn_rank._cli.files._golden_sets import (
    Files,
    ScoredLists,
    labels_of,
    parts_of,
    score_lists,
)
from sklearn_rank._cli.files._output_files import STDOUT, check_output, write_file
from sklearn_rank._cli.files._value_files import write_values
from sklearn_rank.metrics import PerQueryScores, conventions, ranking_report

METRICS = ("ndcg@10", "map@10", "mrr@10", "precision@10", "recall@10", "hit_rate@10")
COLUMNS = ("mean", "standard_error", "queries", "undefined")
TITLES = ("mean", "std error", "queries", "undefined")
# Parts of a catalogue that a log contains.
PARTS_OF_LOG = ("popularity", "counts", "n_users", "history")


def evaluate(options: Namespace) -> None:
    """Run `sklearn-rank evaluate`."""
    asked = split_names(options.metric or _default_metrics(options.convention))
    metrics = {name: _read_metric(name, options) for name in asked}
    files = Files(options)
    results, golden = _find_files(options, files)
    inputs = [results, golden, options.train]
    for path in (options.output, options.picture):
        check_output(path, inputs)
    if options.output and splitext(options.output)[1].lower() not in ("", ".csv"):
        raise InputError(
            f"--output {options.output!r} gets a table of values: name a file that ends in "
            ".csv. For JSON write --json."
        )
    truth, lists = files.side(golden, "truth"), files.side(results, "lists")
    of_query = [bound for bound in metrics.values() if bound.summary.per_query]
    # Coverage alone has no value per query; the notes on queries are made all the same.
    of_query = of_query or [find_metric("hit_rate", None)]
    catalogue = _read_catalogue(options, files)
    settings = {"convention": options.convention, "catalogue": catalogue}
    scored = score_lists(files, truth, lists, of_query, notes_judged=True, **settings)
    values, labels = scored.values, labels_of(truth)
    rows = _report(metrics, scored, settings)
    files.notes += _notes_on_catalogue(scored.rows, catalogue, options.train)
    parts = {} if options.by is None else parts_of(truth, options.by)
    by = [
        {"metric": name, options.by: label, **_cells(values, metric, queries)}
        for name, metric in metrics.items()
        if metric.name in values.scores
        for label, queries in parts.items()
    ]
    names = {
        name: metric.name
        for name, metric in metrics.items()
        if metric.name in values.scores
    }
    if options.output is not None:
        write_values(options.output, scored.repeats, names)
    if options.picture is not None:
        write_file(options.picture, _draw_metrics(scored, of_query))
    print_notes(*files.notes)
    wrote_files = options.output is not None or options.picture is not None
    if options.json:
        queries = _queries_as_json(values, names) if options.per_query else []
        report = {"rows": rows, "by": by, "queries": queries}
        print_result(as_json(options, report, files.notes), wrote_files=wrote_files)
    elif options.output != STDOUT:
        tables: list[Paragraph] = [partial(_table, rows, ["metric"])]
        if by:
            tables.append(partial(_table, by, ["metric", options.by]))
        if options.per_query and names:
            tables.append(_lines_of_queries(values, names, labels))
        print_result(*tables, wrote_files=wrote_files)


def _default_metrics(convention: str | None) -> Sequence[str]:
    """Return the default metrics that the convention has."""
    if convention is None:
        return METRICS
    has = conventions[convention].metrics
    return [name for name in METRICS if name.partition("@")[0] in has]


def _find_files(options: Namespace, files: Files) -> tuple[str, str]:
    """Return the path of the lists and that of the golden set."""
    if options.golden is not None and options.truth is not None:
        raise InputError("Name the golden set once: as GOLDEN, or with --truth.")
    golden = options.truth or options.golden
    if options.truth is not None:
        return options.results, golden
    if golden is not None:
        return files.order_sides(options.results, golden)
    files.check_holds_both(options.results)
    return options.results, options.results


def _read_metric(text: str, options: Namespace) -> BoundMetric:
    """Return a metric; raise if it needs data that is missing."""
    bound = find_metric(text, options.convention)
    metric = bound.metric
    needed = [column for column in metric.needed_columns if column.name != "items"]
    if needed or not metric.ranks:
        raise InputError(f"--metric {text} needs more than items and grades; name another.")
    has = PARTS_OF_LOG if options.train is not None else ()
    missing = {
        part.holds.replace("`", ""): part.key in PARTS_OF_LOG
        for part in metric.parts
        if part.is_missing(bound.parameters, has.__contains__)
    }
    if "n_items" in metric.from_data and bound.parameters["n_items"] is None and not has:
        missing["the number of items that can be shown"] = True
    for lacking, is_in_log in missing.items():
        way = "use --train LOG" if is_in_log else "a log does not contain them"
        raise InputError(f"--metric {text} needs {lacking}; {way}.")
    # Without a cutoff it is of whole lists, as in `compare`, not at several cutoffs.
    return replace(bound, chosen=(*bound.chosen, "k"))


def _report(
    metrics: Mapping[str, BoundMetric], scored: ScoredLists, settings: dict[str, Any]
) -> list[dict[str, Any]]:
    """Return a row for each metric as it was asked."""
    values = scored.values
    of_all = [metric for metric in metrics.values() if metric.name not in values.scores]
    report: dict[str, Any] = {}
    if of_all:
        with report_errors_as_options({}):
            report = ranking_report(
                **scored.rows, metrics=cast(Any, of_all), **settings, output_dict=True
            )
    return [
        {
            **{"metric": name, "definition": metric.name},
            **(report[metric.name] if metric.name in report else _cells(values, metric)),
        }
        for name, metric in metrics.items()
    ]


def _cells(
    values: PerQueryScores, metric: BoundMetric, queries: Sequence[str] | None = None
) -> dict[str, Any]:
    """Return the mean of a metric over queries, its error, and their number."""
    if queries is not None:
        values = values.of(np.isin(values.groups, queries))
    summary = values._summary_of(metric.name)
    numbers = (summary.result(), summary.standard_error(), summary.n, summary.undefined)
    return dict(zip(COLUMNS, numbers, strict=True))


def _read_catalogue(options: Namespace, files: Files) -> Any:
    """Return the catalogue of the log that a model was fitted on."""
    if options.train is None:
        return None
    from sklearn_rank.metrics import Catalogue

    log = files.side(options.train, "truth")
    users, items = np.array(log.queries, object), np.array(log.items, object)
    pairs = np.column_stack([users[log.query_codes], items[log.item_codes]])
    return Catalogue.from_interactions(pairs)


def _notes_on_catalogue(rows: Any, catalogue: Any, path: str) -> list[str]:
    """Say that lists show items that the log lacks."""
    if catalogue is None:
        return []
    listed = set(rows["items"][rows["y_score"] > -np.inf].tolist())
    unknown = sorted(listed.difference(catalogue.items.tolist()))
    if not unknown:
        return []
    return [
        f"{path!r} has no row of {quantity(len(unknown), 'item')} that lists show, such as "
        f"{unknown[0]!r}."
    ]


def _draw_metrics(scored: ScoredLists, metrics: Sequence[BoundMetric]) -> bytes:
    """Return a PNG with a line for each metric that has a cutoff."""
    from sklearn_rank._display._figures import as_png, new_figure
    from sklearn_rank.metrics import MetricAtKDisplay

    names = dict.fromkeys(
        metric.name_without_cutoff for metric in metrics if metric.metric.takes_k
    )
    figure = new_figure(6.4, 4.0)
    rows = {name: scored.rows[name] for name in ("y_true", "y_score", "groups")}
    MetricAtKDisplay.from_predictions(
        **rows,
        metrics=list(names) or "ndcg",
        replace_undefined_by=float("nan"),
        ax=figure.subplots(),
    )
    return as_png(figure)


# What is printed and written.


def _table(rows: Sequence[Mapping[str, Any]], keys: list[str], width: int) -> str:
    lines = [["", *TITLES]]
    names = [[str(row[key]) for key in keys] for row in rows]
    first = max(len(name) for name, *_ in names)
    for (name, *values), row in zip(names, rows, strict=True):
        numbers = [row[column] for column in COLUMNS]
        cells = [
            *(f"{number:.4f}" for number in numbers[:2]),
            *(f"{count:,}" for count in numbers[2:]),
        ]
        lines.append(["  ".join([name.ljust(first) if values else name, *values]), *cells])
    return "\n".join(align_columns(lines, width))


def _lines_of_queries(
    values: PerQueryScores, names: Mapping[str, str], labels: Mapping[str, str]
) -> str:
    """Return one line for each query and metric, between tabs."""
    lines = []
    for row, query in enumerate(values.groups.tolist()):
        label = escape_controls(" ".join(labels[query].split()))
        for name, metric in names.items():
            value = values.scores[metric][row]
            lines.append(f"{name}\t{label}\t{'' if math.isnan(value) else f'{value:.4f}'}")
    return "\n".join(lines)


def _queries_as_json(
    values: PerQueryScores, names: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return the values of each query; None where a metric is undefined."""
    columns = {name: values.scores[metric].tolist() for name, metric in names.items()}
    return [
        {"query": query, **{name: of[row] for name, of in columns.items()}}
        for row, query in enumerate(values.groups.tolist())
    ]
