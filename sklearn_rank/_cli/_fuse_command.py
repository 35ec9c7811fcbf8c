"""`sklearn-rank fuse`: read runs, fuse them, write one run."""

from argparse import Namespace
from collections import Counter
from functools import partial
from typing import Any

import numpy as np

from sklearn_rank._base._messages import quantity
from sklearn_rank._base._text import wrap_text
from sklearn_rank._cli._compared import name_runs
from sklearn_rank._cli._errors import InputError, report_errors_as_options
from sklearn_rank._cli._golden_sets import Files, errors_as_options
from sklearn_rank._cli._list_files import format_of, lists_as_text
from sklearn_rank._cli._output_files import STDOUT, check_output, write_file
from sklearn_rank._cli._printing import print_notes, print_result
from sklearn_rank.inputs import from_runs
from sklearn_rank.inputs._reading._joining import numbers_by_query
from sklearn_rank.rankers import RankFusion


def fuse(options: Namespace) -> None:
    """Run `sklearn-rank fuse`."""
    form = options.format or format_of("--output", options.output)
    check_output(options.output, options.runs)
    runs = name_runs(options.runs)
    files = Files(options)
    read = {}
    for name, path in runs.items():
        side = files.side(path, "lists")
        if side.repeats is not None:
            raise InputError(f"{path!r} has several lists of a query; give one of each.")
        with errors_as_options():
            read[name] = numbers_by_query(side, files.how)
    with report_errors_as_options({"method": "--method", "weights": "--weights"}):
        rows = from_runs({}, read, missing="empty", return_items=True)
        fused = _fuse_rows(rows, options)
    text = lists_as_text(form, fused, "query", "item")
    if options.output != STDOUT:
        write_file(options.output, text.encode())
    print_notes(*files.notes, *_notes_on_missing(rows))
    if options.output == STDOUT:
        print_result(text.rstrip("\n"))
    else:
        n_queries = quantity(len(dict.fromkeys(fused["query"].tolist())), "query")
        n_rows = quantity(len(fused["query"]), "row")
        wrote = f"Wrote {n_rows} of {n_queries} into {options.output}."
        print_result(partial(wrap_text, wrote), wrote_files=True)


def _fuse_rows(rows: Any, options: Namespace) -> dict[str, np.ndarray]:
    """Return queries, items, ranks and scores, best first."""
    is_none = options.normalization == "none"
    fusion = RankFusion(
        options.method,
        rrf_k=options.k,
        weights=options.weights,
        normalization=None if is_none else options.normalization,
    )
    fusion.fit(rows.X, groups=rows.groups)
    return fusion.rank(rows.X, groups=rows.groups, items=rows["items"], k=options.n)


def _notes_on_missing(rows: Any) -> list[str]:
    """Say which runs do not answer all queries."""
    queries = Counter(rows.groups.tolist())
    notes = []
    for column, name in enumerate(rows.runs):
        answered = set(rows.groups[~np.isnan(rows.X[:, column])].tolist())
        n_missing = len(queries) - len(answered)
        if n_missing:
            notes.append(
                f"{name} has no list for {n_missing:,} of "
                f"{quantity(len(queries), 'query')}."
            )
    return notes
