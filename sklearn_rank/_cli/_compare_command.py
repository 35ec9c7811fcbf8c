"""`sklearn-rank compare`: score runs and compare them."""

import csv
import io
import math
from argparse import Namespace
from collections.abc import Mapping

from sklearn_rank._base._text import WIDTH, escape_controls
from sklearn_rank._cli._arguments import DEFAULT_METRIC
from sklearn_rank._cli._compared import (
    check_known_ranges,
    check_outputs,
    errors_of_comparison,
    metrics_of,
    name_runs,
    note_directions,
    read_values_of,
    score_run,
    write_output,
)
from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._named_metrics import split_names
from sklearn_rank._cli._printing import as_json, print_notes, print_result
from sklearn_rank._cli.files._golden_sets import Files, clusters_of
from sklearn_rank._display._section import sections_as_text
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.metrics._core._registry import canonical_name
from sklearn_rank.statistics import ModelComparison, compare_models
from sklearn_rank.statistics._gate_model import describe_changes


def compare(options: Namespace) -> None:
    """Run `sklearn-rank compare`: print the comparison, and write it if asked."""
    runs = name_runs(options.runs)
    baseline = None if options.all_pairs else _find_baseline(options.baseline, runs)
    check_outputs(options, [*runs.values(), options.truth])
    files = Files(options)
    asked = split_names(options.metric or [])
    scores, lists, clusters = _score_runs(options, files, runs, asked)
    if options.test == "anytime":
        check_known_ranges(scores.values(), asked, "--test anytime")
    with errors_of_comparison():
        comparison = compare_models(
            scores,
            baseline=baseline,
            metrics=asked or None,
            test=options.test,
            correction=None if options.correction == "none" else options.correction,
            intervals=options.intervals,
            margin=options.margin,
            confidence_level=options.confidence_level,
            clusters=clusters,
            random_state=0,  # so that a run can be repeated
        )
    report = comparison.to_dict()
    report["rows"] = [
        {**row, "definition": canonical_name(row["metric"])} for row in report["rows"]
    ]
    # Files first: printing fails if the pipe is closed.
    if options.output is not None:
        table = _table_of_values(comparison)
        write_output(options, table, report, files.notes, comparison, lists or None)
    print_notes(*files.notes)
    output = as_json(options, report, files.notes) if options.json else None
    print_result(
        # Without its warnings, which the notes have.
        output or (lambda w: sections_as_text(comparison._sections(), min(w, WIDTH))),
        wrote_files=options.output is not None,
    )


def _find_baseline(asked: str | None, runs: Mapping[str, str]) -> str:
    """Return the name of the run that was given by its name or its path."""
    if asked is None:
        return next(iter(runs))
    name = escape_controls(asked)
    by_path = {path: name for name, path in runs.items()}
    return name if name in runs else by_path.get(asked, name)


def _score_runs(
    options: Namespace, files: Files, runs: Mapping[str, str], asked: list[str]
) -> tuple[dict[str, list[PerQueryScores]], dict[str, object], dict[str, str] | None]:
    """Return the values of each run, its rows if it has lists, and clusters of queries."""
    if options.truth is None:
        scores = {name: read_values_of(files, path, asked) for name, path in runs.items()}
        (first, (values, *_)), *_ = scores.items()
        note_directions(files, asked or values.scores)
        for name, (shared, *_) in scores.items():
            changes = describe_changes(values.groups.tolist(), shared.groups.tolist())
            if changes:
                raise InputError(
                    f"{runs[first]!r} and {runs[name]!r} have different queries: "
                    f"{changes}. Give both the same queries."
                )
        return scores, {}, None
    truth = files.side(options.truth, "truth")
    metrics = [*metrics_of(asked or [DEFAULT_METRIC]).values()]
    answered = options.test == "anytime"
    scored = {
        name: score_run(files, truth, path, metrics, options.convention, answered=answered)
        for name, path in runs.items()
    }
    return (
        {name: lists.repeats for name, lists in scored.items()},
        {name: lists.rows for name, lists in scored.items()},
        options.cluster and clusters_of(truth, options.cluster, files.notes),
    )


def _table_of_values(comparison: ModelComparison) -> bytes:
    """Return a row for each query, and a column for each run and metric."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    columns = {
        f"{metric} {model}": values
        for metric, of_models in comparison.values.items()
        for model, values in of_models.items()
    }
    table.writerow(["query", *columns])
    labels = [] if comparison.labels is None else comparison.labels.tolist()
    for query, *numbers in zip(labels, *columns.values(), strict=True):
        cells = ["" if math.isnan(number) else float(number) for number in numbers]
        table.writerow([query, *cells])
    return text.getvalue().encode()
