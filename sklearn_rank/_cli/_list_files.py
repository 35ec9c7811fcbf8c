"""Files of ranked lists, as `fuse` and `tune` write them."""

import csv
import io
import json
from collections.abc import Iterable
from typing import Any

from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._output_files import STDOUT
from sklearn_rank.inputs import to_trec

FORMATS = {
    ".jsonl": "jsonl",
    ".csv": "csv",
    ".run": "trec",
    ".trec": "trec",
    ".txt": "trec",
}


def format_of(option: str, path: str) -> str:
    """Return the form of a file by the ending of its name."""
    if path == STDOUT:
        return "jsonl"
    name = path.lower()
    form = next((form for end, form in FORMATS.items() if name.endswith(end)), None)
    if form is None:
        raise InputError(
            f"{option} {path!r} needs one of the endings {', '.join(FORMATS)}."
        )
    return form


def lists_as_text(form: str, rows: Iterable[tuple], query: str, item: str) -> str:
    """Return rows of query, item, rank and score, best first, in a form.

    `query` and `item` are names of columns, of CSV.
    """
    text = io.StringIO(newline="")
    if form == "csv":
        table = csv.writer(text, lineterminator="\n")
        table.writerow([query, item, "rank", "score"])
        table.writerows(rows)
        return text.getvalue()
    by_query: dict[Any, dict[Any, float]] = {}
    for query, item, _, score in rows:
        by_query.setdefault(query, {})[item] = score
    if form == "trec":
        to_trec(by_query, text)
        return text.getvalue()
    for query, items in by_query.items():
        ids = [{"id": item, "score": score} for item, score in items.items()]
        record = {"query": query, "retrieved": ids}
        text.write(json.dumps(record, ensure_ascii=False) + "\n")
    return text.getvalue()
