"""`sklearn-rank fuse`: read runs, fuse them, write one run."""

import io
from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sklearn_rank._base._messages import quantity
from sklearn_rank._cli._errors import InputError, report_errors_as_options
from sklearn_rank._cli._new_files import (
    check_new_file,
    check_new_table,
    is_table,
    new_file,
    new_table,
)
from sklearn_rank._cli._printing import print_notes, print_result, wrap_prose
from sklearn_rank._cli.reading._csv import PACKED
from sklearn_rank._cli.reading._id_tables import is_parquet
from sklearn_rank._cli.reading._run_files import (
    check_options_of_tables,
    id_columns,
    is_trec,
    list_column_names,
    name_runs,
    read_run,
)
from sklearn_rank.inputs import from_runs, to_trec
from sklearn_rank.rankers import RankFusion

NEITHER = (".json", ".jsonl", ".xlsx")


def fuse(options: Namespace) -> None:
    """Run `sklearn-rank fuse`."""
    if is_table(options.output):
        check_new_table(options.output, force=options.force, inputs=options.runs)
    else:
        _check_ending_of_trec(options.output)
        check_new_file(options.output, force=options.force, inputs=options.runs)
    runs = name_runs(options.runs)
    # The options of ids also name the columns of the output.
    ids = () if is_table(options.output) else ("user", "item")
    check_options_of_tables(
        options, ("rank", "score", "sep", "encoding", *ids), options.runs
    )
    # Ids of one file may be numbers; all files must have the same type.
    texts = not all(map(is_parquet, runs.values()))
    read = {name: _read_run(path, options, texts) for name, path in runs.items()}
    with report_errors_as_options({"method": "--method", "weights": "--weights"}):
        rows = from_runs({}, read, missing="empty", return_items=True)
        fused = _fuse_rows(rows, options)
    _note_missing(rows)
    _write_run(fused, options)
    wrote = f"{quantity(len(fused), 'row')} of {quantity(fused['user'].nunique(), 'query')}"
    print_result(wrap_prose(f"Wrote {wrote} into {options.output}."), wrote_files=True)


def _check_ending_of_trec(path: str) -> None:
    """Raise if the ending is that of another format, since readers would use that."""
    ending = Path(path).suffix.lower()
    if ending in (*PACKED, *NEITHER):
        raise InputError(
            f"{path!r} ends in {ending}, which is neither a table that can be written nor "
            "a run of TREC; name for example fused.csv, fused.csv.gz or fused.run."
        )


def _read_run(path: str, options: Namespace, texts: bool) -> Any:
    """Return a run as `from_runs` takes it: a TREC file, or lists by user."""
    if is_trec(path):
        return path
    run = read_run(path, options, texts=texts)
    print_notes(*run.notes)
    rows = run.rows
    if "rank" in rows:
        ranked = rows.sort_values("rank", kind="stable").groupby("user", sort=False)
        return ranked["item"].agg(list).to_dict()
    return {
        user: dict(zip(of["item"], of["score"], strict=True))
        for user, of in rows.groupby("user", sort=False)
    }


def _fuse_rows(rows: Any, options: Namespace) -> pd.DataFrame:
    """Return users, items, ranks and scores, best first."""
    is_none = options.normalization == "none"
    fusion = RankFusion(
        options.method,
        rrf_k=options.k,
        weights=options.weights,
        normalization=None if is_none else options.normalization,
    )
    fusion.fit(rows.X, groups=rows.groups)
    fused = fusion.rank(rows.X, groups=rows.groups, items=rows["items"], k=options.n)
    return pd.DataFrame(fused).rename(columns={"query": "user"})


def _note_missing(rows: Any) -> None:
    """Say which runs do not answer all queries."""
    has = pd.DataFrame(~np.isnan(rows.X)).groupby(rows.groups).any()
    for column, name in enumerate(rows.runs):
        n_missing = int((~has[column]).sum())
        if n_missing:
            print_notes(
                f"{name} has no list for {n_missing:,} of {quantity(len(has), 'query')}."
            )


def _write_run(fused: pd.DataFrame, options: Namespace) -> None:
    if is_table(options.output):
        with new_table(options.output, force=options.force) as write:
            write(fused.rename(columns=list_column_names(id_columns(options))))
        return
    rows = {"groups": "user", "items": "item", "y_score": "score"}
    text = io.StringIO()
    to_trec({name: fused[column].to_numpy() for name, column in rows.items()}, text)
    with new_file(options.output, force=options.force) as file:
        file.write(text.getvalue().encode())
