"""TREC files: judgements (qrels) and results (runs)."""

import gzip
import os
import zlib
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from math import isfinite
from typing import Any

import numpy as np
from sklearn.utils import Bunch

from sklearn_rank._labels import as_vector
from sklearn_rank.inputs._ids import Codes
from sklearn_rank.inputs._match import match_sides, side_by_user

__all__ = ["from_trec"]


def from_trec(qrels: Any, run: Any, *, unjudged: float = 0.0) -> Bunch:
    """Rows for the metrics from a TREC file of judgements and one of results.

    A line of `qrels` is ``query iteration document relevance``, a line of `run` is
    ``query Q0 document rank score tag``, separated by white space. Blank lines and lines
    that begin with ``#`` are skipped. As in `trec_eval`, the iteration, the rank, the tag
    and what follows it are not used: documents are ordered by descending score, those
    with equal scores by descending id.

    Parameters
    ----------
    qrels : str, path or file
        Path of the judgements, plain or compressed with gzip, or an open file (text or
        binary) or any other iterable of lines. The relevance is a whole number. Below 0
        it marks a document that was pooled but not judged, which counts as not relevant.
    run : str, path or file
        Path of the results, or an open file. The score is a finite number.
    unjudged : {0.0, nan}, default=0.0
        The grade of documents without a judgement: those of `run` that `qrels` does not
        mention for the query, and those with a relevance below 0. NaN is for metrics for
        incomplete judgements, and no others accept it.

    Returns
    -------
    rows : :class:`~sklearn.utils.Bunch`
        `y_true`, `y_score` and `groups` (the query ids, as strings), arrays of shape
        (n_rows,). Rows lie together by query, queries as they first appear in `qrels`,
        then those that only `run` has. The score is minus the rank, so nothing ties;
        documents that were not retrieved follow with score -inf.

    Raises
    ------
    ValueError
        If a line is malformed (with the file and the number of the line), a document
        occurs twice for a query, or a file is not UTF-8 text or not whole.
    TypeError
        If an argument is neither a path nor a file.

    See Also
    --------
    from_item_lists : From ids in memory.

    Notes
    -----
    A query of `qrels` that `run` does not answer scores 0, as with ``trec_eval -c``;
    `trec_eval` without that option leaves such queries out. A query of `run` without a
    relevant document is undefined and left out with a warning; `trec_eval` counts it as 0
    where it has judgements (``replace_undefined_by=0.0`` for metrics) and otherwise leaves
    it out.

    Scores are compared as double-precision numbers, as in version 10 of `trec_eval`.
    Version 9, and `pytrec_eval`, round them to single precision first, where close scores
    can become equal.

    Examples
    --------
    >>> from sklearn_rank.inputs import from_trec
    >>> qrels = ["q1 0 d1 2", "q1 0 d2 0", "q1 0 d3 1"]
    >>> run = ["q1 Q0 d1 1 0.5 me", "q1 Q0 d2 2 0.5 me"]
    >>> rows = from_trec(qrels, run)
    >>> rows.y_true.tolist()  # d2 before d1, for their scores are equal
    [0.0, 2.0, 1.0]
    >>> rows.y_score.tolist()
    [-1.0, -2.0, -inf]
    """
    queries: defaultdict = defaultdict(count().__next__)
    documents: defaultdict = defaultdict(count().__next__)
    judged = _read(qrels, _QRELS, queries, documents)
    results = _read(run, _RUN, queries, documents)
    labels = list(documents)
    ids = Codes(judged[1], results[1], max(len(labels), 1), labels)
    relevance = np.where(judged[2] < 0, unjudged, judged[2])
    truth = side_by_user("qrels", judged[0], judged[1], relevance, len(queries))
    order = _trec_order(*results, labels)
    ranked = side_by_user("run", results[0][order], results[1][order], None, len(queries))
    users = as_vector(list(queries), name="query")
    return match_sides(truth, ranked, users, ids, unjudged)


@dataclass(frozen=True)
class _Layout:
    """The columns of a file."""

    name: str  # of the argument
    fields: str
    n_fields: int
    may_have_more: bool
    column: int  # of the number
    parse: Callable[[str], float]
    number: str  # what it must be


def _whole(text: str) -> float:
    return float(int(text))


def _finite(text: str) -> float:
    value = float(text)
    if not isfinite(value):
        raise ValueError(text)
    return value


_QRELS = _Layout(
    "qrels", "query iteration document relevance", 4, False, 3, _whole, "a whole number"
)
_RUN = _Layout(
    "run", "query Q0 document rank score tag", 6, True, 4, _finite, "a finite number"
)


def _read(
    source: Any, layout: _Layout, queries: defaultdict, documents: defaultdict
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the code of the query, the code of the document and the number of a line."""
    query, document, number = array("q"), array("q"), array("d")
    where = _name(source, layout)
    for line_number, line in _lines(source, where):
        fields = line.split()
        if not fields or fields[0].startswith("#"):
            continue
        try:
            number.append(_parse(fields, layout))
        except ValueError as error:
            raise ValueError(f"{where}, line {line_number}: {error}") from error
        query.append(queries[fields[0]])
        document.append(documents[fields[2]])
    return np.array(query, np.int64), np.array(document, np.int64), np.array(number)


def _parse(fields: list[str], layout: _Layout) -> float:
    """Return the number on a line, whose fields are as many as they should be."""
    surplus = len(fields) - layout.n_fields
    if surplus < 0 or (surplus and not layout.may_have_more):
        raise ValueError(
            f"{len(fields)} field(s) instead of {layout.n_fields} ({layout.fields}): "
            f"{' '.join(fields)!r}."
        )
    try:
        return layout.parse(fields[layout.column])
    except (ValueError, OverflowError) as error:
        meaning, given = layout.fields.split()[layout.column], fields[layout.column]
        raise ValueError(
            f"the {meaning} must be {layout.number}, got {given!r}."
        ) from error


def _name(source: Any, layout: _Layout) -> str:
    """Return how errors call a file."""
    path = source if isinstance(source, str | os.PathLike) else None
    name = path if path is not None else getattr(source, "name", None)
    if isinstance(name, str | os.PathLike):
        return os.fspath(name)
    return f"`{layout.name}`"


def _lines(source: Any, where: str) -> Iterator[tuple[int, str]]:
    """Yield the numbered lines of a path or of an open file, which stays open."""
    if isinstance(source, str | os.PathLike):
        with _open(source) as file:
            yield from _lines(file, where)
        return
    if isinstance(source, bytes | bytearray) or not isinstance(source, Iterable):
        raise TypeError(f"{where} must be a path or an open file, got {source!r}.")
    try:
        for number, line in enumerate(source, 1):
            text = line.decode() if isinstance(line, bytes) else line
            yield number, text.removeprefix("\ufeff") if number == 1 else text
    except UnicodeDecodeError as error:
        raise ValueError(f"{where} is not UTF-8 text: {error}.") from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"{where} is damaged or not whole: {error}.") from error


def _open(path: str | os.PathLike) -> Any:
    with open(path, "rb") as file:
        is_compressed = file.read(2) == b"\x1f\x8b"
    return gzip.open(path, "rb") if is_compressed else open(path, "rb")


def _trec_order(
    query: np.ndarray, document: np.ndarray, score: np.ndarray, labels: list[str]
) -> np.ndarray:
    """Return the order of results by query, descending score and descending id."""
    place = np.empty(len(labels), dtype=np.int64)
    place[sorted(range(len(labels)), key=labels.__getitem__)] = np.arange(len(labels))
    return np.lexsort((-place[document], -score, query))
