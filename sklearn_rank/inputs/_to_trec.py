"""Write lists of items as a TREC run."""

from __future__ import annotations

import gzip
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from math import isfinite
from os import PathLike
from typing import IO, Any

import numpy as np

from sklearn_rank._ids._agree import named_twice, show
from sklearn_rank._ids._encode import as_vector, plain
from sklearn_rank._ids._two_sides import hashing
from sklearn_rank._text._wording import shorten
from sklearn_rank._validation import as_floats
from sklearn_rank._values._missing import is_missing
from sklearn_rank.inputs._per_user import read_per_user
from sklearn_rank.inputs._scored import ids_and_scores
from sklearn_rank.typing import ItemLists

# What separates fields; other white space may be part of an id.
_ASCII_SPACE = set(" \t\n\r\x0b\x0c")


def to_trec(
    run: ItemLists, file: str | PathLike[str] | IO[str], *, tag: str = "sklearn_rank"
) -> None:
    """Write ranked lists as a TREC run, which trec_eval and :func:`from_trec` read.

    A line is ``query Q0 document rank score tag``.

    Parameters
    ----------
    run : mapping, Series or sequence over queries, array, or Bunch of rows
        The documents of each query as :func:`from_item_lists` takes them: ranked ids, best
        first, or ids with scores. Or rows with their items, as functions of this module
        return them with ``return_items=True``.
    file : str, path or file
        Path to write to, compressed with gzip where it ends with ``.gz``, or a file that is
        open for writing (text).
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

    See Also
    --------
    from_trec : Read a run with its judgments.

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
    tag = _field(tag, "the tag")
    names: set[str] = set()
    lines: list[str] = []
    for query, documents in _by_query(run).items():
        name = _field(query, "query")
        if name in names:
            raise ValueError(f"`run` has two queries that become the text {name!r}.")
        if name.startswith(("#", "\ufeff")):
            raise ValueError(
                f"A query of a TREC file cannot begin with {name[0]!r}: {name!r}."
            )
        names.add(name)
        lines += _lines(name, documents, tag)
    with _open(file) as out:
        out.writelines(lines)


def _by_query(run: Any) -> dict[Any, Iterable[tuple[Any, float]]]:
    """Return the documents of each query with their scores."""
    if isinstance(run, Mapping) and {"y_score", "groups"} <= set(run):
        return _of_rows(run)
    lists = read_per_user(run, name="run", ordered=True, scored=True)
    ids, scores = ids_and_scores(lists, [])
    if scores is None:  # whole numbers, the last 1
        scores = np.concatenate([np.arange(n, 0, -1) for n in (*lists.sizes, 0)])
    parts = zip(lists.labels(), lists.parts(ids), lists.parts(scores), strict=True)
    return {query: list(zip(some, of, strict=True)) for query, some, of in parts}


def _of_rows(rows: Mapping[str, Any]) -> dict[Any, Iterable[tuple[Any, float]]]:
    if rows.get("items") is None:
        raise ValueError(
            "`run` has rows without items; make them with return_items=True, so that "
            "documents have names."
        )
    found: defaultdict = defaultdict(list)
    columns = [as_vector(rows[name], name=name) for name in ("groups", "items")]
    columns.append(as_vector(as_floats(rows["y_score"], "y_score"), name="y_score"))
    if len({len(column) for column in columns}) > 1:
        raise ValueError(
            "`groups`, `items` and `y_score` of `run` need one value a row, got "
            f"{', '.join(str(len(column)) for column in columns)}."
        )
    with hashing("`groups` of `run`"):
        for query, document, score in zip(*(c.tolist() for c in columns), strict=True):
            found[query].append((document, score))
    return found


def _lines(query: str, documents: Iterable[tuple[Any, float]], tag: str) -> Iterator[str]:
    """Return the lines of one query, ranked as readers of the file do."""
    named = [
        (score, _field(document, "document"))
        for document, score in documents
        if score != -np.inf
    ]
    twice = [name for name, n in Counter(name for _, name in named).items() if n > 1]
    if twice:
        raise named_twice(
            "`run`",
            twice[0],
            query,
            nouns=("document", "query"),
            advice="Ids that differ may become the same text.",
        )
    for rank, (score, document) in enumerate(sorted(named, reverse=True), 1):
        if not isfinite(score):
            raise ValueError(
                f"`run` has the score {score} for document {shorten(document)} of query "
                f"{shorten(query)}; scores must be numbers."
            )
        yield f"{query} Q0 {document} {rank} {score!r} {tag}\n"


def _field(value: Any, what: str) -> str:
    """Return an id as a field of a line; raise where it cannot be one."""
    text = "" if is_missing(value) else str(plain(value))
    if not text or not _ASCII_SPACE.isdisjoint(text):
        raise ValueError(
            f"A field of a TREC file is not empty and holds no white space, but {what} "
            f"is {show(value)}."
        )
    return text


@contextmanager
def _open(file: Any) -> Iterator[Any]:
    """Give a file to write text to; one that was open stays open."""
    if isinstance(file, str | os.PathLike):
        opened = gzip.open if os.fspath(file).endswith(".gz") else open
        with opened(file, "wt", encoding="utf-8", newline="\n") as out:
            yield out
    elif hasattr(file, "write"):
        yield file
    else:
        raise TypeError(
            "`file` must be a path or a file that is open for writing, got "
            f"{shorten(file)}."
        )
