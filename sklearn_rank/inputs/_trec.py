"""Write ranked lists as runs of TREC."""

from __future__ import annotations

import gzip
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from math import isfinite
from os import PathLike
from typing import IO, Any

import numpy as np

from sklearn_rank._base._files import atomic_file
from sklearn_rank._base._label_checks import duplicate_item_error, show_id
from sklearn_rank._base._labels import as_python_value, as_vector, report_unhashable
from sklearn_rank._base._messages import shorten
from sklearn_rank._base._numbers import as_floats, is_missing
from sklearn_rank._base._validation import check_given, check_length
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._item_lists import ids_and_scores
from sklearn_rank.inputs._per_user import read_per_user
from sklearn_rank.typing import ItemLists

# What separates fields; other white space may be part of an id.
_ASCII_SPACE = set(" \t\n\r\x0b\x0c")


@explained
def to_trec(
    run: ItemLists, file: str | PathLike[str] | IO[str], *, tag: str = "sklearn_rank"
) -> None:
    """Write ranked lists as a TREC run, which trec_eval and :func:`from_files` read.

    A line is ``query Q0 document rank score tag``.

    Parameters
    ----------
    run : mapping, Series or sequence over queries, array, or Bunch of rows
        The documents of each query as :func:`from_item_lists` takes them: ranked ids, best
        first, or ids with scores. Or rows with their items, as functions of this module
        return them with ``return_items=True``.
    file : str, path or file
        Path to write to, compressed with gzip where it ends with ``.gz``, or a file that is
        open for writing (text). A file of this name is replaced once the new one is
        complete; a pipe or device is written into.
    tag : str, default="sklearn_rank"
        Name of the run, the last field of each line.

    Raises
    ------
    ValueError
        If an id or the tag is empty or holds white space of ASCII, a query begins with
        ``#``, two ids become the same text, a query has a document twice, or a score is
        NaN or inf.
    TypeError
        If `run` is not as described, or `file` is neither a path nor an open file.
    OSError
        If the file cannot be written; one that was there stays.

    See Also
    --------
    from_files : Read a run with its judgments.

    Notes
    -----
    Lists without scores get the scores n, n - 1, ..., 1, so that their order stays. Scores
    are written with all their digits. Equal scores are written as they are, and those who
    read the file order such documents by descending id. A document with the score -inf was
    not retrieved and is left out, and so is a query without documents.

    Examples
    --------
    >>> import sys
    >>> from sklearn_rank.inputs import to_trec
    >>> to_trec({"q1": ["d3", "d1"], "q2": ["d1"]}, sys.stdout, tag="me")
    q1 Q0 d3 1 2 me
    q1 Q0 d1 2 1 me
    q2 Q0 d1 1 1 me
    >>> to_trec({"q1": {"d1": 0.2, "d2": 0.7}}, sys.stdout, tag="me")
    q1 Q0 d2 1 0.7 me
    q1 Q0 d1 2 0.2 me
    """
    tag = _as_run_field(tag, "the tag")
    names: set[str] = set()
    lines: list[str] = []
    for query, documents in _documents_by_query(run).items():
        name = _as_run_field(query, "query")
        if name in names:
            raise ValueError(f"`run` has two queries with the text {name!r}; rename one.")
        if name.startswith(("#", "\ufeff")):
            raise ValueError(
                f"A query of a TREC file cannot begin with {name[0]!r}; rename {name!r}."
            )
        names.add(name)
        lines += _run_lines(name, documents, tag)
    _write_lines(lines, file)


def _documents_by_query(run: Any) -> dict[Any, Iterable[tuple[Any, float]]]:
    """Return the documents of each query with their scores."""
    if isinstance(run, Mapping) and {"y_score", "groups"} <= set(run):
        return _documents_of_rows(run)
    lists = read_per_user(run, name="run", ordered=True, scored=True)
    ids, scores = ids_and_scores(lists, [])
    if scores is None:  # whole numbers, the last 1
        scores = np.concatenate([np.arange(n, 0, -1) for n in (*lists.sizes, 0)])
    parts = zip(lists.labels(), lists.parts(ids), lists.parts(scores), strict=True)
    return {query: list(zip(documents, of, strict=True)) for query, documents, of in parts}


def _documents_of_rows(rows: Mapping[str, Any]) -> dict[Any, Iterable[tuple[Any, float]]]:
    if rows.get("items") is None:
        raise ValueError("`run` has rows without items; make them with return_items=True.")
    by_query: defaultdict = defaultdict(list)
    columns = [as_vector(rows[name], name=name) for name in ("groups", "items")]
    columns.append(as_vector(as_floats(rows["y_score"], "y_score"), name="y_score"))
    for name, column in zip(("items", "y_score"), columns[1:], strict=True):
        check_length(name, column, len(columns[0]))
    with report_unhashable("`groups` of `run`"):
        for query, document, score in zip(*(c.tolist() for c in columns), strict=True):
            by_query[query].append((document, score))
    return by_query


def _run_lines(
    query: str, documents: Iterable[tuple[Any, float]], tag: str
) -> Iterator[str]:
    """Return the lines of one query, ranked as readers of the file do."""
    pairs = [
        (score, _as_run_field(document, "document"))
        for document, score in documents
        if score != -np.inf
    ]
    twice = [name for name, n in Counter(name for _, name in pairs).items() if n > 1]
    if twice:
        raise duplicate_item_error(
            "`run`",
            twice[0],
            query,
            nouns=("document", "query"),
            advice="Ids that differ may become the same text.",
        )
    for rank, (score, document) in enumerate(sorted(pairs, reverse=True), 1):
        if not isfinite(score):
            raise ValueError(
                f"`run` has the score {score} for document {shorten(document)} of query "
                f"{shorten(query)}; scores must be numbers."
            )
        yield f"{query} Q0 {document} {rank} {score!r} {tag}\n"


def _as_run_field(value: Any, noun: str) -> str:
    """Return an id as a field of a line; raise where it cannot be one."""
    text = "" if is_missing(value) else str(as_python_value(value))
    if not text or not _ASCII_SPACE.isdisjoint(text):
        raise ValueError(
            f"A field of a TREC file is not empty and holds no white space, but {noun} "
            f"is {show_id(value)}; rename it."
        )
    return text


def _write_lines(lines: list[str], file: Any) -> None:
    """Write text into a path, or into a file that is open and stays open."""
    if isinstance(file, str | os.PathLike):
        with atomic_file(file) as raw, ExitStack() as stack:
            out = raw
            if os.fspath(file).endswith(".gz"):  # without a time: equal runs, equal files
                out = stack.enter_context(gzip.GzipFile("", "wb", fileobj=raw, mtime=0))
            out.writelines(line.encode() for line in lines)
    else:
        is_open = hasattr(file, "writelines")  # modules such as os have a `write`
        check_given("file", file, is_open, "a path or a file that is open for writing")
        file.writelines(lines)
