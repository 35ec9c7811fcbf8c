"""Evaluate lists against judgments: a report, values per query, a picture."""

from argparse import Namespace
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pandas as pd

from sklearn_rank._cli.arguments._named_metrics import (
    NamedMetric,
    Rows,
    each_once,
    find_metric,
)
from sklearn_rank._cli.printing._errors import InputError, errors_as_options, shown
from sklearn_rank._cli.printing._printing import print_notes
from sklearn_rank._cli.reading._csv import CsvFormat
from sklearn_rank._cli.reading._id_tables import as_known, read_id_table
from sklearn_rank._cli.reading._judged_runs import read_truth
from sklearn_rank._cli.reading._run_files import ids_of
from sklearn_rank._cli.writing._new_file import check_new_file, new_file
from sklearn_rank._cli.writing._new_table import check_new_table, new_table
from sklearn_rank._drawing import as_png, new_figure
from sklearn_rank._text._wording import counted
from sklearn_rank.metrics import (
    Catalogue,
    MetricAtKDisplay,
    conventions,
    per_query_scores,
    ranking_report,
)

METRICS = ("ndcg@10", "map@10", "mrr@10", "precision@10", "recall@10", "hit_rate@10")
# Parts of a catalogue that a log contains.
OF_LOG = ("popularity", "counts", "n_users", "history")


def evaluate_lists(options: Namespace) -> tuple[pd.DataFrame, list[str]]:
    """Return the report and notes for users; write files if asked."""
    metrics = each_once(options.metric or _usual(options), partial(_read_metric, options))
    inputs = options.path, options.test, options.train
    # Files of an earlier run are replaced, as with reports of other commands.
    if options.values is not None:
        if not _of_each(metrics):
            raise InputError(
                "--values needs a metric that has a value of each list, such as ndcg@10."
            )
        check_new_table(options.values, force=True, inputs=inputs)
    if options.picture is not None:
        if not options.picture.lower().endswith(".png"):
            raise InputError(f"--picture {options.picture!r} needs the ending .png.")
        check_new_file(options.picture, force=True, inputs=inputs)
    truth = read_truth(options.test, options, [options.path], log=options.train)
    run = truth.judge(Path(options.path).name, options.path)
    if not (run.rows["y_true"] > 0).any():
        truth.notes.append(f"Nothing in {options.test} is relevant: no grade is above 0.")
    catalogue = _read_catalogue(run.rows, options)
    beside = {"catalogue": catalogue, "convention": options.convention}
    rows = {**run.rows, **beside, "metrics": metrics}
    with errors_as_options({}):
        report = ranking_report(**rows, as_frame=True)
    written = [*_write_values(rows, truth.noun, options.values)]
    if options.picture is not None:
        picture = _draw(rows)
        with new_file(options.picture, force=True) as file:
            file.write(picture)
        written.append(f"The picture is in {options.picture!r}.")
    return report, [*truth.notes, *run.notes, *written]


def _usual(options: Namespace) -> list[str]:
    """Return the default metrics that the convention has."""
    if options.convention is None:
        return list(METRICS)
    has = conventions[options.convention].metrics
    return [name for name in METRICS if name.partition("@")[0] in has]


def _write_values(rows: Rows, noun: str, path: str | None) -> Iterator[str]:
    if path is None:
        return
    with errors_as_options({}):
        each = {**rows, "metrics": _of_each(rows["metrics"])}
        values = per_query_scores(**each).to_frame()
    with new_table(path, force=True) as write:
        write(values.rename_axis(noun).reset_index())
    yield f"{path!r} has {counted(len(values), 'row')}."


def _of_each(metrics: list[NamedMetric]) -> list[NamedMetric]:
    """Return the metrics with one value per list; others have one value of all lists."""
    return [named for named in metrics if named.summary.per_query]


def _read_metric(options: Namespace, text: str) -> NamedMetric:
    """Return a metric; raise if it needs data that is missing."""
    named = find_metric(text, options.convention)
    metric = named.metric
    others = [name for name in metric.column_names if name != "items"]
    if others or not metric.ranks:
        raise InputError(f"--metric {text} needs more than lists of items and grades.")
    has = OF_LOG if options.train is not None else ()
    needs_size = "n_items" in metric.whole and named.parameters["n_items"] is None
    if options.train is None and needs_size:
        raise InputError(
            f"--metric {text} needs the number of items that can be shown; use --train LOG."
        )
    for part in metric.parts:
        if part.is_missing(named.parameters, has.__contains__):
            way = "use --train LOG" if part.of in OF_LOG else "a log does not contain them"
            raise InputError(f"--metric {text} needs {part.holds}; {way}.".replace("`", ""))
    # Without a cutoff it is of whole lists, as in `compare`, not at several cutoffs.
    return replace(named, given=named.given | {"k"})


def _read_catalogue(rows: Rows, options: Namespace) -> Catalogue | None:
    if options.train is None:
        return None
    log = read_id_table(options.train, ids_of(options), CsvFormat.of(options))
    print_notes(*log.notes)
    known = {"user": rows["groups"], "item": rows["items"]}
    ids = {role: as_known(log.rows[role], known[role], role) for role in known}
    pairs = pd.DataFrame(ids)
    catalogue = Catalogue.from_interactions(pairs)
    _note_repeats(rows, pairs, options.train)
    shown_items = pd.Index(rows["items"][rows["y_score"] > -float("inf")]).unique()
    unknown = shown_items[~shown_items.isin(catalogue.items)]
    if len(unknown):
        print_notes(
            f"{options.train!r} has no row of {counted(len(unknown), 'item')} that "
            f"lists show, such as {shown(unknown[0])}."
        )
    return catalogue


def _note_repeats(rows: Rows, log: pd.DataFrame, path: str) -> None:
    """Say how many relevant items a model without seen items cannot recommend."""
    is_relevant = rows["y_true"] > 0
    relevant = pd.MultiIndex.from_arrays(
        [rows["groups"][is_relevant], rows["items"][is_relevant]]
    )
    n_repeats = int(relevant.isin(pd.MultiIndex.from_frame(log)).sum())
    if n_repeats:
        print_notes(
            f"{n_repeats / len(relevant):.1%} of what is relevant is in {path!r} for "
            "the same user; lists without seen items have none of it."
        )


def _draw(rows: Rows) -> bytes:
    """Return a PNG with a line for each metric that has a cutoff."""
    of_lists = (one for one in rows["metrics"] if one.metric.takes_k)
    names = dict.fromkeys(one.name_without_cutoff for one in of_lists)
    figure = new_figure(6.4, 4.0)
    MetricAtKDisplay.from_predictions(
        **{**rows, "metrics": list(names) or "ndcg"},
        replace_undefined_by=float("nan"),
        ax=figure.subplots(),
    )
    return as_png(figure)
