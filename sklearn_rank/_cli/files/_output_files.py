"""Files that commands write: whole or not at all, and never one that they read."""

import csv
import io
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from sklearn_rank._base._files import atomic_file, check_writable
from sklearn_rank._cli._errors import InputError
from sklearn_rank.inputs import to_trec

STDOUT = "-"


def check_output(
    path: str | None, inputs: Iterable[str | None] = (), *, makes_folder: bool = False
) -> None:
    """Raise if a file cannot be written, or if it is an input."""
    if path in (None, STDOUT):
        return
    target = os.path.realpath(path)
    for read in inputs:
        if read in (None, STDOUT) or not os.path.exists(read):
            continue
        if os.path.exists(target) and os.path.samefile(target, read):
            raise InputError(
                f"{path!r} is an input and is never overwritten; name another output."
            )
        if os.path.isdir(read) and Path(target).is_relative_to(os.path.realpath(read)):
            raise InputError(
                f"{path!r} lies in {read!r}, which is an input; write to another folder."
            )
    folder = os.path.dirname(target)
    if makes_folder:  # the first folder above that exists
        folder = next(str(f) for f in Path(target).parents if f.exists())
        if not os.path.isdir(folder):
            raise InputError(f"{folder!r} is a file; name a folder.")
    try:
        check_writable(path)
        if not os.path.isdir(folder):
            raise FileNotFoundError(0, f"there is no folder {folder!r}")
        if not os.access(folder, os.W_OK) and not os.path.exists(target):
            raise PermissionError(0, f"the folder {folder!r} is read-only")
    except OSError as error:
        raise _write_error(path, error) from error


def write_file(path: str, content: bytes) -> None:
    """Write a file in one step: whatever happens, it is the old one or the new one."""
    try:
        with atomic_file(path) as file:
            file.write(content)
    except OSError as error:
        raise _write_error(path, error) from error


def append_text(path: str, text: str) -> None:
    """Append text to a file, as other steps of a job do."""
    try:
        with open(path, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as error:
        raise _write_error(path, error) from error


def write_folder(
    folder: str, files: Mapping[str, bytes], names: Iterable[str]
) -> list[str]:
    """Write files into a folder, each in one step; remove others of these names.

    `names` are all that a command may write: a folder never has files of two runs. Return
    the names of the files that were removed.
    """
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise _write_error(folder, error) from error
    for name, content in files.items():
        write_file(os.path.join(folder, name), content)
    old = [name for name in names if name not in files]
    old = [name for name in old if os.path.exists(os.path.join(folder, name))]
    for name in old:
        os.unlink(os.path.join(folder, name))
    return old


def _write_error(path: str, error: OSError) -> InputError:
    return InputError(
        f"Cannot write {path!r}: {error.strerror or error}. The old file stays."
    )


# Ranked lists, as `fuse` and `tune` write them.

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
