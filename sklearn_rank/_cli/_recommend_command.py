"""`sklearn-rank recommend`: load a model and write its lists in chunks."""

from argparse import Namespace
from typing import Any

import numpy as np
import pandas as pd

from sklearn_rank._base._messages import quantity
from sklearn_rank._cli._errors import InputError, quote_value, report_errors_as_options
from sklearn_rank._cli._new_files import check_new_table, new_table
from sklearn_rank._cli._printing import print_notes, print_result, wrap_prose
from sklearn_rank._cli._progress import show_progress
from sklearn_rank._cli._results import read_model
from sklearn_rank._cli.reading._csv import CsvFormat, check_file
from sklearn_rank._cli.reading._id_tables import as_model_ids, read_id_table
from sklearn_rank._cli.reading._run_files import list_column_names
from sklearn_rank.recommenders import RecommenderMixin

# Rows of the output in memory at a time.
ROWS_AT_ONCE = 100_000


def recommend(options: Namespace) -> None:
    """Run `sklearn-rank recommend`."""
    inputs = options.model, options.users, options.items
    check_new_table(options.output, force=options.force, inputs=inputs)
    check_file(options.model, "a model file")
    model = read_model(options.model, trust=options.trust)
    if not isinstance(model, RecommenderMixin):
        raise InputError(f"The model {options.model!r} is not a recommender.")
    users = _read_ids("user", model, options)
    items = None if options.items is None else _read_ids("item", model, options)
    n_rows, n_short = _write_lists(users, items, model, options)
    if n_short:
        print_notes(
            f"{quantity(n_short, 'user')} get fewer items: they have seen the others."
        )
    wrote = f"{quantity(n_rows, 'row')} for {quantity(len(users), 'user')}"
    print_result(wrap_prose(f"Wrote {wrote} into {options.output}."), wrote_files=True)


def _read_ids(role: str, model: Any, options: Namespace) -> np.ndarray:
    """Return the distinct ids of a file, or of the model; print unknown ones."""
    model_ids = getattr(model, f"{role}s_")
    path = getattr(options, f"{role}s")
    if path is None:
        return model_ids
    column = getattr(options, role) or _column(model, role)
    table = read_id_table(path, {role: column}, CsvFormat.from_options(options))
    print_notes(*table.notes)
    ids = pd.Index(as_model_ids(table.rows[role], model_ids, role)).unique()
    unknown = ids[~ids.isin(model_ids)]
    if role == "item" and len(unknown) == len(ids):
        raise InputError(
            f"{path!r} has no item of the model, such as {quote_value(model_ids[0])}."
        )
    if len(unknown):
        consequence = "get popular items" if role == "user" else "are left out"
        print_notes(
            f"The model does not know {len(unknown):,} of "
            f"{quantity(len(ids), role)} in {path!r}, such as "
            f"{quote_value(unknown[0])}: they {consequence}."
        )
    return ids.to_numpy()


def _column(model: Any, role: str) -> str:
    """Return the name of a column in the log of the model, or else the role."""
    name = getattr(model, f"{role}_column_")
    return name if isinstance(name, str) else role


def _write_lists(
    users: np.ndarray, items: np.ndarray | None, model: Any, options: Namespace
) -> tuple[int, int]:
    """Write the lists; return how many rows, and how many lists are short."""
    k = _list_length(items, model, options.n)
    size = max(ROWS_AT_ONCE // k, 1)
    starts = range(0, len(users), size)
    names = list_column_names({role: _column(model, role) for role in ("user", "item")})
    names["query"] = names.pop("user")
    exclude_seen = not options.include_seen
    n_rows = n_full = 0
    with (
        show_progress("Blocks of users") as advance,
        new_table(options.output, force=options.force) as write,
    ):
        for n_done, start in enumerate(starts, 1):
            with report_errors_as_options({}):
                part = users[start : start + size]
                lists = model.rank(part, k, exclude_seen=exclude_seen, items=items)
            write(pd.DataFrame(lists).rename(columns=names))
            n_rows += len(lists["rank"])
            n_full += int((lists["rank"] == k).sum())
            advance(n_done, len(starts), n_done / len(starts))
    return n_rows, len(users) - n_full


def _list_length(items: np.ndarray | None, model: Any, n: int) -> int:
    """Return the length of the lists, at most the number of items."""
    n_items = len(model.items_)
    if items is not None:
        n_items = int(pd.Index(items).isin(model.items_).sum())
    if n > n_items:
        print_notes(f"Only {quantity(n_items, 'item')} can be recommended.")
    return min(n, n_items)
