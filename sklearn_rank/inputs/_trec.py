"""TREC files: judgments (qrels) and results (runs)."""

from __future__ import annotations

import io
import os
from array import array
from codecs import BOM_UTF8
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from math import isfinite, nan
from typing import Any, Literal

import numpy as np
from scipy import sparse

from sklearn_rank._ids._agree import named_twice
from sklearn_rank._ids._encode import as_vector
from sklearn_rank._ids._two_sides import Codes
from sklearn_rank._ranking._judgments import NEVER_POOLED, Judgments
from sklearn_rank._surroundings._unpacking import UnpackingError, open_unpacked
from sklearn_rank._text._wording import shorten
from sklearn_rank._validation import check_option
from sklearn_rank.inputs._bunches import JudgedRows
from sklearn_rank.inputs._choose import (
    check_duplicates,
    choose,
    is_excluded,
    read_excluded,
)
from sklearn_rank.inputs._match import match_sides, side_by_user
from sklearn_rank.inputs._matching import check_users_numbered
from sklearn_rank.typing import File

# Lines of TREC files have about a hundred characters.
_LONGEST_LINE = 2**20
# Beyond it, floats round whole numbers.
_MOST = 2**53
_LONGEST_PATH = 2**12


def from_trec(
    qrels: File,
    run: File,
    *,
    subtopics: bool = False,
    tied: Literal["descending", "ascending"] = "descending",
    duplicates: Literal["raise", "first"] = "raise",
    exclude: Mapping[str, str | Iterable[str]] | None = None,
    return_items: bool = False,
) -> JudgedRows:
    """Rows for the metrics from a TREC file of judgments and one of results.

    A line of `qrels` is ``query iteration document relevance``, a line of `run` is
    ``query Q0 document rank score tag``, separated by white space of ASCII; other white
    space, such as a no-break space, belongs to an id. Blank lines and lines that begin
    with ``#`` are skipped. As in `trec_eval`, the iteration, the rank and the tag are not
    used: documents are ordered by descending score, those with equal scores by id.

    Parameters
    ----------
    qrels : str, path or file
        Path of the judgments, plain or packed (gzip, bz2, xz or zip), or an open file
        (text or binary) or any other iterable of lines. The relevance is a whole number;
        any below 0 marks a document that was in the pool and that nobody judged. A document
        without a line was not in the pool.
    run : str, path or file
        Path of the results, or an open file. The rank is an integer and the score a finite
        number.
    subtopics : bool, default=False
        Whether `qrels` is that of ndeval, of which a line is ``query subtopic document
        relevance``, for metrics of subtopics such as :func:`alpha_ndcg_score`.
    tied : {"descending", "ascending"}, default="descending"
        The order of documents with equal scores, by id: descending, as in `trec_eval` and
        in ndeval with ``-traditional``, or ascending, as in pyndeval.
    duplicates : {"raise", "first"}, default="raise"
        What becomes of a document that a query has twice: an error, or the line with the
        first place, or the highest relevance, counts and the others are left out.
    exclude : mapping from query to documents, default=None
        Documents of a query that count in neither file, such as the query itself: several,
        or one alone, as strings. Queries and documents that the files do not name are
        passed over.
    return_items : bool, default=False
        Whether to return ``items`` too: the id of the document of each row, for metrics of
        what lists show.

    Returns
    -------
    rows : :class:`~sklearn.utils.Bunch`
        `y_true`, `y_score` and `groups` (the query ids, as strings), arrays of shape
        (n_rows,). Rows lie together by query, queries as they first appear in `qrels`,
        then those that only `run` has. The score is minus the rank, so nothing ties;
        documents that were not retrieved follow with score -inf. `y_true` says what
        metrics of judgments need, and others take for 0: NaN for a document that was
        pooled and not judged, -0.0 for one that was never in the pool. With `subtopics` it
        is a sparse array of shape (n_rows, n_subtopics): the relevance of each document to
        each subtopic, in the order in which subtopics first appear.

    Raises
    ------
    ValueError
        If a line is malformed or has more than 2**20 characters (with the file and the
        number of the line), a document occurs twice for a query, a file is not UTF-8 text
        or not whole, or 20 queries or more are not those of the other file.
    TypeError
        If an argument is neither a path nor a file nor lines of text.

    Warns
    -----
    MisleadingScoreWarning
        If none of 20 judged documents or more is in the run.

    See Also
    --------
    from_item_lists : From ids in memory.

    Notes
    -----
    A query of `qrels` that `run` does not answer scores 0, as with ``trec_eval -c``;
    `trec_eval` without that option leaves such queries out. A query of `run` without a
    relevant document is undefined and left out with a warning; `trec_eval` counts it as 0
    where it has judgments (``replace_undefined_by=0.0`` for metrics) and otherwise leaves
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

    With subtopics:

    >>> qrels = ["q1 1 d1 1", "q1 2 d1 1", "q1 2 d3 1"]
    >>> from_trec(qrels, run, subtopics=True).y_true.toarray().tolist()
    [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    """
    check_option("return_items", return_items, (True, False))
    check_option("subtopics", subtopics, (True, False))
    check_option("tied", tied, ("descending", "ascending"))
    check_duplicates(duplicates)
    queries: defaultdict = defaultdict(count().__next__)
    documents: defaultdict = defaultdict(count().__next__)
    aspects: defaultdict = defaultdict(count().__next__)
    judged = _read(qrels, _QRELS, queries, documents, aspects)
    results = _read(run, _RUN, queries, documents)
    labels = [document.decode() for document in documents]
    users = [query.decode() for query in queries]
    ids = Codes(judged[1], results[1], max(len(labels), 1), labels)
    excluded = read_excluded(exclude, users, len(users), ids, "qrels")
    if subtopics and len(excluded.user):
        counts = ~is_excluded(judged[0], judged[1], excluded)
        judged = tuple(column[counts] for column in judged)
    by_aspect = None
    if subtopics:
        names = [aspect.decode() for aspect in aspects]
        by_aspect = BySubtopic(*judged, names, list(queries), labels)
        judged = by_aspect.documents()
    relevance = np.where(judged[2] < 0, np.nan, judged[2])
    truth = side_by_user("qrels", judged[0], judged[1], relevance, len(queries))
    order = _trec_order(*results[:3], labels, tied)
    ranked = side_by_user("run", results[0][order], results[1][order], None, len(queries))
    truth = choose(truth, duplicates, excluded)
    ranked = choose(ranked, duplicates, excluded)
    labels_of_users = as_vector(users, name="query")
    check_users_numbered(users, judged[0], results[0], ("qrels", "run"), "query")
    rows = match_sides(truth, ranked, labels_of_users, ids, return_items=return_items)
    if by_aspect is not None:
        rows.y_true = by_aspect.of_rows(rows.y_true)
    elif np.isnan(rows.y_true).any():
        rows.y_true = rows.y_true.view(Judgments)
    return rows


@dataclass(frozen=True)
class _FileColumns:
    """The columns of a file."""

    name: str  # of the argument
    fields: str
    n_fields: int
    number_of: Callable[[list[bytes]], float]  # the one that a line is read for


def _relevance(fields: list[bytes]) -> float:
    whole = _parse(fields[3], int, "relevance", "a whole number")
    if abs(whole) > _MOST:
        raise ValueError(f"the relevance {shorten(whole)} is beyond 2**53.")
    return whole


def _score(fields: list[bytes]) -> float:
    # The rank is not used, but tells whether the fields are what they seem.
    _, _, _, rank, score, _ = fields
    try:
        value = float(score)
    except ValueError:
        value = nan
    if rank.isdigit() and isfinite(value) and b"_" not in score:
        return value
    _parse(rank, int, "rank", "an integer")
    return _parse(score, _finite, "score", "a finite number")


def _parse(text: bytes, read: Callable[[bytes], float], meaning: str, needed: str) -> float:
    try:
        if b"_" not in text:  # which Python allows in numbers
            return read(text)
    except (ValueError, OverflowError):
        pass
    shown = shorten(text.decode(errors="replace"))
    raise ValueError(f"the {meaning} must be {needed}, got {shown}.")


def _finite(text: bytes) -> float:
    value = float(text)
    if not isfinite(value):
        raise ValueError(text)
    return value


_QRELS = _FileColumns("qrels", "query iteration document relevance", 4, _relevance)
_RUN = _FileColumns("run", "query Q0 document rank score tag", 6, _score)


def _read(
    source: Any,
    layout: _FileColumns,
    queries: defaultdict,
    documents: defaultdict,
    seconds: defaultdict | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return of each line the code of the query, that of the document and the number.

    And the code of the second field, where its codes are given.
    """
    query, document, number, second = array("q"), array("q"), array("d"), array("q")
    where, line_number = _name(source, layout), 1
    try:
        with _lines(source, where) as lines:
            for line_number, line in enumerate(lines, 1):
                text = line.encode() if type(line) is str else line
                if not _is_plain(text):
                    text = _checked(text, where, line_number)
                fields = text.split()  # at the white space of ASCII: ids may hold other
                if not fields or fields[0].startswith(b"#"):
                    continue
                if len(fields) != layout.n_fields:
                    raise _unfit(fields, layout)
                number.append(layout.number_of(fields))
                query.append(queries[fields[0]])
                document.append(documents[fields[2]])
                if seconds is not None:
                    second.append(seconds[fields[1]])
    except UnicodeError as error:
        message = f"{where} is not UTF-8 text: line {line_number}: {error}."
        raise ValueError(message) from error
    except UnpackingError as error:
        raise ValueError(f"Cannot read {where}: {error}.") from error
    except ValueError as error:
        raise ValueError(f"{where}, line {line_number}: {error}") from error
    codes = [np.array(of_lines, np.int64) for of_lines in (query, document, second)]
    return codes[0], codes[1], np.array(number), codes[2]


def _is_plain(line: Any) -> bool:
    return type(line) is bytes and len(line) <= _LONGEST_LINE and line.isascii()


def _checked(line: Any, where: str, number: int) -> bytes:
    """Return a line as bytes of UTF-8, or say what is wrong with it."""
    if not isinstance(line, str | bytes | bytearray):
        raise TypeError(
            f"{where} must be a path, or a file or a list of lines, but line {number} "
            f"is {shorten(line)}."
        )
    if len(line) > _LONGEST_LINE:
        raise ValueError(f"more than {_LONGEST_LINE} bytes, so this is no TREC file.")
    text = line.encode() if isinstance(line, str) else bytes(line)
    text.decode()
    return text.removeprefix(BOM_UTF8) if number == 1 else text


def _unfit(fields: list[bytes], layout: _FileColumns) -> ValueError:
    shown = shorten(b" ".join(fields).decode(errors="replace"))
    return ValueError(
        f"{len(fields)} field(s) instead of {layout.n_fields} ({layout.fields}): {shown}."
    )


def _name(source: Any, layout: _FileColumns) -> str:
    """Return how errors call a file."""
    if isinstance(source, str):
        _check_path(source, layout)
    path = source if isinstance(source, str | os.PathLike) else None
    name = path if path is not None else getattr(source, "name", None)
    return os.fspath(name) if isinstance(name, str | os.PathLike) else f"`{layout.name}`"


def _check_path(path: str, layout: _FileColumns) -> None:
    if "\n" in path or "\0" in path or len(path) > _LONGEST_PATH:
        raise ValueError(
            f"`{layout.name}`: {shorten(path)} is no path. Pass the text of a file as "
            "io.StringIO(text)."
        )


@contextmanager
def _lines(source: Any, where: str) -> Iterator[Iterable]:
    """Give the lines of a path or of an open file, which stays open."""
    if isinstance(source, str | os.PathLike):
        with open_unpacked(source) as file:
            yield _lines_of(file)
    elif isinstance(source, bytes | bytearray) or not _has_lines(source):
        raise TypeError(f"{where} must be a path or an open file, got {shorten(source)}.")
    else:
        yield _lines_of(source)


def _has_lines(source: Any) -> bool:
    try:
        iter(source)
    except TypeError:
        return False
    return True


def _lines_of(source: Iterable) -> Iterable:
    """Return lines; of a file, no more than it takes to see that a line is too long."""
    if not isinstance(source, io.IOBase):
        return source
    end = "" if isinstance(source, io.TextIOBase) else b""
    return iter(partial(source.readline, _LONGEST_LINE + 1), end)


def _trec_order(
    query: np.ndarray,
    document: np.ndarray,
    score: np.ndarray,
    labels: list[str],
    tied: str,
) -> np.ndarray:
    """Return the order of results by query, descending score and id."""
    place = np.empty(len(labels), dtype=np.int64)
    place[sorted(range(len(labels)), key=labels.__getitem__)] = np.arange(len(labels))
    by_id = place[document]
    return np.lexsort((by_id if tied == "ascending" else -by_id, -score, query))


def read_judgments(qrels: Any) -> dict[str, dict[str, float]]:
    """Return the relevance of each query's documents; of unjudged ones, -0.0."""
    of_query = _by_query(qrels, _QRELS)
    return {
        query: {name: NEVER_POOLED if grade < 0 else grade for name, grade in some.items()}
        for query, some in of_query.items()
    }


def read_results(run: Any) -> dict[str, dict[str, float]]:
    """Return the scores of each query's documents."""
    return _by_query(run, _RUN)


def _by_query(source: Any, layout: _FileColumns) -> dict[str, dict[str, float]]:
    queries: defaultdict = defaultdict(count().__next__)
    documents: defaultdict = defaultdict(count().__next__)
    columns = _read(source, layout, queries, documents)
    query_names = [query.decode() for query in queries]
    names = [document.decode() for document in documents]
    found: dict[str, dict[str, float]] = {query: {} for query in query_names}
    for query, document, number in zip(*(c.tolist() for c in columns[:3]), strict=True):
        of_query, name = found[query_names[query]], names[document]
        if name in of_query:
            raise named_twice(
                _name(source, layout),
                name,
                query_names[query],
                nouns=("document", "query"),
            )
        of_query[name] = number
    return found


@dataclass(frozen=True, eq=False)
class BySubtopic:
    """The lines of judgments as codes, and the labels of these."""

    query: np.ndarray
    document: np.ndarray
    relevance: np.ndarray
    subtopic: np.ndarray
    subtopics: list[str]
    queries: list[bytes]
    labels: list[str]  # of documents

    def __post_init__(self) -> None:
        keys = np.stack([self._pairs()[1], self.subtopic])
        unique, first, count = np.unique(
            keys, axis=1, return_index=True, return_counts=True
        )
        if unique.shape[1] < keys.shape[1]:
            line = int(first[np.argmax(count > 1)])
            raise ValueError(
                "`qrels` judges document "
                f"{shorten(self.labels[self.document[line]])} of query "
                f"{shorten(self.queries[self.query[line]].decode())} more than once for "
                f"subtopic {shorten(self.subtopics[self.subtopic[line]])}; leave "
                "one line of each."
            )

    def _pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the first line of each document of a query, and which one a line is of."""
        key = self.query * max(len(self.labels), 1) + self.document
        _, first, pair = np.unique(key, return_index=True, return_inverse=True)
        return first, pair

    def documents(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Return the lines with each document of a query once, and no subtopic.

        Its number, from 1, stands in place of the grade.
        """
        first, _ = self._pairs()
        number = np.arange(1.0, len(first) + 1)
        return self.query[first], self.document[first], number, self.subtopic[:0]

    def of_rows(self, number: np.ndarray) -> sparse.csr_array:
        """Return the relevance of rows to subtopics, from the number of each row."""
        first, pair = self._pairs()
        row_of = np.full(len(first), -1)
        judged = np.flatnonzero(number > 0)
        row_of[number[judged].astype(np.intp) - 1] = judged
        lines = np.flatnonzero(self.relevance > 0)
        cells = (row_of[pair[lines]], self.subtopic[lines])
        shape = (len(number), len(self.subtopics))
        return sparse.csr_array((self.relevance[lines], cells), shape=shape)
