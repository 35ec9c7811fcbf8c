"""`sklearn-rank fuse`: read runs, fuse them, write one run."""

import json
from argparse import Namespace
from collections import Counter
from collections.abc import Mapping
from functools import partial
from itertools import islice
from typing import Any

from sklearn_rank._base._messages import quantity, shorten
from sklearn_rank._base._text import wrap_text
from sklearn_rank._cli._arguments import DEFAULT_METRIC
from sklearn_rank._cli._compared import name_runs
from sklearn_rank._cli._errors import InputError, report_errors_as_options
from sklearn_rank._cli._fuse_arguments import LEARNED
from sklearn_rank._cli._printing import print_notes, print_result
from sklearn_rank._cli.files._golden_sets import Files, errors_as_options
from sklearn_rank._cli.files._output_files import (
    STDOUT,
    check_output,
    format_of,
    lists_as_text,
    write_file,
)
from sklearn_rank.inputs import from_runs
from sklearn_rank.inputs._reading._entries import check_named
from sklearn_rank.inputs._reading._joining import numbers_by_query
from sklearn_rank.inputs._reading._sides import FileSide
from sklearn_rank.rankers import RankFusion, fuse_runs
from sklearn_rank.rankers._fusion import CONFIGURED, Fusion

OPTIONS = {
    **{name: f"--{name}" for name in ("method", "weights", "metric")},
    **{"convention": "--formula", "rrf_k": "--k"},
}
Run = dict[str, dict[str, float]]


def fuse(options: Namespace) -> None:
    """Run `sklearn-rank fuse`."""
    form = options.format or format_of("--output", options.output)
    check_output(options.output, [*options.runs, options.truth])
    runs = name_runs(options.runs)
    files = Files(options)
    sides = [_read_side(files, path, "lists") for path in runs.values()]
    if options.truth is not None:
        sides.append(_read_side(files, options.truth, "truth"))
    with errors_as_options():
        check_named(files.names, *sides)
        numbers = [numbers_by_query(side, files.how) for side in sides]
    files.notes += [doubt for side in sides for doubt in side.doubts]
    read = dict(zip(runs, numbers, strict=False))
    _check_common(read)
    is_raw = options.normalization == "none"
    keywords = {
        "method": options.method,
        "rrf_k": options.k,
        "normalization": None if is_raw else options.normalization,
        "convention": options.formula,
    }
    weights, findings = options.weights, []
    if weights == LEARNED:
        metric = options.metric or DEFAULT_METRIC
        fusion = _learn_weights(numbers[-1], read, metric, keywords)
        weights = fusion.weights_.tolist()
        findings.append(fusion.tuning_["text"])
    names = {name: repr(path) for name, path in runs.items()} | OPTIONS
    fusing = partial(fuse_runs, weights=weights, **keywords)
    fused = files.note_doubts(names, fusing, read)
    with report_errors_as_options(OPTIONS):
        if options.formula in CONFIGURED:
            formula = Fusion.read(RankFusion(**keywords))
            settings = formula.configuration(weights or [1.0] * len(read))
            findings.append(json.dumps(settings))
    rows = [
        (query, item, rank, score)
        for query, items in fused.items()
        for rank, (item, score) in enumerate(islice(items.items(), options.n), 1)
    ]
    text = lists_as_text(form, rows, "query", "item")
    if options.output != STDOUT:
        write_file(options.output, text.encode())
    print_notes(*files.notes, *_notes_on_missing(read))
    if options.output == STDOUT:
        print_notes(*findings)
        print_result(text.rstrip("\n"))
    else:
        counts = f"{quantity(len(rows), 'row')} of {quantity(len(fused), 'query')}"
        wrote = partial(wrap_text, f"Wrote {counts} into {options.output}.")
        print_result(*["\n".join(findings)] * bool(findings), wrote, wrote_files=True)


def _check_common(read: Mapping[str, Run]) -> None:
    """Raise if no query is in two runs: a fusion would be each run by itself."""
    counts = Counter(query for run in read.values() for query in run)
    if max(counts.values(), default=0) < 2:
        queries = [shorten(next(iter(run))) for run in read.values() if run]
        raise InputError(
            f"The runs have no query in common ({', '.join(queries)}); give the queries "
            "one spelling, or name their field with --query."
        )


def _read_side(files: Files, path: str, role: str) -> FileSide:
    side = files.side(path, role)
    if side.repeats is not None:
        raise InputError(f"{path!r} has several lists of a query; give one of each.")
    return side


def _learn_weights(
    truth: Run, read: Mapping[str, Run], metric: str, keywords: Mapping[str, Any]
) -> RankFusion:
    """Return a fusion with weights learned from the judged queries."""
    truth = {
        query: {item: grade for item, grade in grades.items() if grade == grade}
        for query, grades in truth.items()
    }
    judged = {
        name: {query: run[query] for query in truth if query in run}
        for name, run in read.items()
    }
    with report_errors_as_options(OPTIONS):
        rows = from_runs(truth, judged, missing="empty")
        fusion = RankFusion(weights="learned", metric=metric, **keywords)
        return fusion.fit(rows.X, rows.y, groups=rows.groups)


def _notes_on_missing(read: Mapping[str, Run]) -> list[str]:
    """Say which runs do not answer all queries."""
    queries = {query for run in read.values() for query, items in run.items() if items}
    notes = []
    for name, run in read.items():
        n_missing = sum(not run.get(query) for query in queries)
        if n_missing:
            notes.append(
                f"{name} has no list for {n_missing:,} of "
                f"{quantity(len(queries), 'query')}."
            )
    return notes
