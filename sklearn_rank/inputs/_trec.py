"""TREC files: judgments (qrels) and results (runs)."""

from __future__ import annotations

import gzip
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from math import isfinite
from os import PathLike
from typing import IO, Any, Literal

import numpy as np
from scipy import sparse

from sklearn_rank._base._files import atomic_file
from sklearn_rank._base._ids import Codes
from sklearn_rank._base._label_checks import (
    check_no_duplicates,
    duplicate_item_error,
    show_id,
)
from sklearn_rank._base._labels import (
    as_list,
    as_python_value,
    as_vector,
    places_as_text,
    report_unhashable,
)
from sklearn_rank._base._messages import shorten
from sklearn_rank._base._numbers import as_floats, is_missing
from sklearn_rank._base._validation import check_given, check_length, check_option
from sklearn_rank._hints._explain import explained
from sklearn_rank._ranking._judgments import Judgments
from sklearn_rank.inputs._entries import (
    QRELS,
    RUN,
    DocumentEntries,
    new_codes,
    read_entries,
)
from sklearn_rank.inputs._item_lists import (
    DUPLICATES,
    drop_items,
    ids_and_scores,
    is_excluded,
    read_excluded,
)
from sklearn_rank.inputs._match import JudgedRows, match_sides, side_by_user
from sklearn_rank.inputs._per_user import as_mapping, read_per_user
from sklearn_rank.inputs._unmatched_ids import add_queries, check_users_numbered
from sklearn_rank.typing import File, ItemLists, Labels

# What separates fields; other white space may be part of an id.
_ASCII_SPACE = set(" \t\n\r\x0b\x0c")


@explained
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
    tag = _as_run_field(tag, "the tag")
    names: set[str] = set()
    lines: list[str] = []
    for query, documents in _documents_by_query(run).items():
        name = _as_run_field(query, "query")
        if name in names:
            raise ValueError(f"`run` has two queries that become the text {name!r}.")
        if name.startswith(("#", "\ufeff")):
            raise ValueError(
                f"A query of a TREC file cannot begin with {name[0]!r}: {name!r}."
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
            f"is {show_id(value)}."
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


_TIES = ("id_descending", "id_ascending", "average")


@explained
def from_trec(
    qrels: File | Mapping[str, Mapping[str, float]],
    run: File | Mapping[str, Mapping[str, float]],
    *,
    subtopics: bool = False,
    ties: Literal["id_descending", "id_ascending", "average"] = "id_descending",
    duplicates: Literal["raise", "first", "miss"] = "raise",
    exclude: Mapping[str, str | Iterable[str]] | None = None,
    return_items: bool = False,
    queries: Labels | None = None,
) -> JudgedRows:
    """Rows for the metrics from TREC files of judgments and results.

    A line of `qrels` is ``query iteration document relevance``, a line of `run` is
    ``query Q0 document rank score tag``, separated by white space of ASCII; other white
    space, such as a no-break space, belongs to an id. Blank lines and lines that begin
    with ``#`` are skipped. As in `trec_eval`, the iteration, the rank and the tag are not
    used: documents are ordered by descending score, those with equal scores by id.
    BEIR's ``qrels.tsv``, MS MARCO's runs and mappings are read as well.

    Parameters
    ----------
    qrels : str, path, file or mapping
        Path of the judgments, plain or packed (gzip, bz2, xz or zip), or an open file (text
        or binary) or any other iterable of lines. The relevance is a whole number; a
        negative one marks an unjudged document of the pool. A document without a line was
        not in the pool. Three fields below the header ``query-id corpus-id score`` are
        those of BEIR. Or a mapping from query to documents with their relevance, ids as
        strings, or ranx's ``Qrels``.
    run : str, path, file or mapping
        Path of the results, or an open file. The rank is an integer and the score a finite
        number; text after the tag is skipped. Lines of three fields are ``query document
        rank``, as in MS MARCO, or scores below the header ``query-id corpus-id score``.
        Or a mapping from query to documents with their scores, or ranx's ``Run``.
    subtopics : bool, default=False
        Whether `qrels` is that of ndeval, with lines of ``query subtopic document
        relevance``, for metrics of subtopics such as :func:`alpha_ndcg_score`.
    ties : {"id_descending", "id_ascending", "average"}, default="id_descending"
        How to order documents with equal scores: by descending id, as in `trec_eval` and
        in ndeval with ``-traditional``; by ascending id, as in pyndeval; or "average": they
        tie, and metrics take the mean over their orders.
    duplicates : {"raise", "first", "miss"}, default="raise"
        How to treat a document that a query has twice. "raise" is an error; "first" keeps
        the line with the first place, or the highest relevance. With "miss" the other lines
        of a run keep their places and are not relevant.
    exclude : mapping from query to documents, default=None
        Documents of a query that count in neither file, such as the query itself: several,
        or one alone, as strings. Queries and documents that the files do not name are
        passed over.
    return_items : bool, default=False
        Whether to return ``items`` too: the id of the document of each row, for metrics of
        what lists show.
    queries : array-like of str, default=None
        All queries, for those that may be in neither file. One without a judgment and
        without a result gets a row of grade -0.0 and score -inf.

    Returns
    -------
    rows : :class:`~sklearn.utils.Bunch`
        `y_true`, `y_score` and `groups` (the query ids, as strings), arrays of shape
        (n_rows,). Rows lie together by query, queries as they first appear in `qrels`,
        then those that only `run` has. The score is minus the rank, so nothing ties, or
        with ``ties="average"`` that of the run; documents that were not retrieved follow
        with score -inf. `y_true` says what
        metrics of judgments need, and others take for 0: NaN for a document that was
        pooled and not judged, -0.0 for one that was never in the pool. With `subtopics` it
        is a sparse array of shape (n_rows, n_subtopics): the relevance of each document to
        each subtopic, in the order in which subtopics first appear.

    Raises
    ------
    ValueError
        If a line is malformed or has more than 2**20 characters (with the file and the
        number of the line), a document occurs twice for a query, a file is not UTF-8 text
        or not whole, no query is in both files, of 20 or more, or of two or more if
        queries look alike, or `queries` lacks one of a file.
    TypeError
        If an argument is neither a path nor a file nor lines of text, nor a mapping of
        strings.

    Warns
    -----
    MisleadingScoreWarning
        If none of 20 judged documents or more is in the run, or of two or more if ids look
        alike; ids that one file has alone look like ids that the other has alone; no list
        has a judged document, where lists of other queries would; five queries or more are
        not those of the other file; or scores rise with the rank in all queries, of 20 or
        more.

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
    check_option("ties", ties, _TIES)
    check_option("duplicates", duplicates, DUPLICATES)
    numbers, documents, aspects = new_codes(), new_codes(), new_codes()
    if subtopics and isinstance(as_mapping(qrels), Mapping):
        raise TypeError("`qrels` is a mapping, which has no subtopics; pass lines.")
    judged = read_entries(qrels, QRELS, numbers, documents, aspects)
    results = read_entries(run, RUN, numbers, documents)
    labels = [document.decode() for document in documents]
    of_files = as_vector([query.decode() for query in numbers], name="query")
    labels_of_users = add_queries(queries, of_files)
    users = as_list(labels_of_users)
    ids = Codes(judged.document, results.document, max(len(labels), 1), labels)
    excluded = read_excluded(exclude, users, len(users), ids, "qrels")
    if subtopics and len(excluded.user):
        counts = ~is_excluded(judged.query, judged.document, excluded)
        judged = DocumentEntries(*(column[counts] for column in judged))
    by_aspect = None
    if subtopics:
        names = [aspect.decode() for aspect in aspects]
        by_aspect = BySubtopic.read(judged, names, of_files, labels)
        judged = by_aspect.documents()
    relevance = np.where(judged.number < 0, np.nan, judged.number)
    truth = side_by_user("qrels", judged.query, judged.document, relevance, len(users))
    order = _trec_order(results, labels, ties)
    scores = results.number[order] if ties == "average" else None
    listed = results.query[order], results.document[order]
    ranked = side_by_user("run", *listed, scores, len(users))
    truth, ranked, ids = drop_items(truth, ranked, ids, duplicates, excluded)
    check_users_numbered(of_files, judged.query, results.query, ("qrels", "run"), "query")
    sides = truth, ranked, labels_of_users, ids
    rows = match_sides(*sides, return_items=return_items, noun="query")
    if by_aspect is not None:
        rows.y_true = by_aspect.take_rows(rows.y_true)
    elif np.isnan(rows.y_true).any():
        rows.y_true = rows.y_true.view(Judgments)
    return rows


def _trec_order(results: DocumentEntries, labels: list[str], ties: str) -> np.ndarray:
    """Return the order of results by query, descending score and id."""
    by_id = places_as_text(labels)[results.document]
    ascends = ties == "id_ascending"
    return np.lexsort((by_id if ascends else -by_id, -results.number, results.query))


@dataclass(frozen=True, eq=False)
class BySubtopic:
    """The lines of judgments as codes, and which document of a query each is of."""

    lines: DocumentEntries
    first: np.ndarray  # the first line of each document of a query
    pair: np.ndarray  # of each line, the number of its document of a query
    n_subtopics: int

    @classmethod
    def read(
        cls, lines: DocumentEntries, subtopics: list, queries: np.ndarray, labels: list
    ) -> BySubtopic:
        """Find the documents; raise if one is judged twice for a subtopic."""
        key = lines.query * max(len(labels), 1) + lines.document
        _, first, pair = np.unique(key, return_index=True, return_inverse=True)
        check_no_duplicates(
            pair * max(len(subtopics), 1) + lines.second,
            lambda line: ValueError(
                f"`qrels` judges document {shorten(labels[lines.document[line]])} of query "
                f"{shorten(queries[lines.query[line]])} more than once for subtopic "
                f"{shorten(subtopics[lines.second[line]])}; leave one line of each."
            ),
        )
        return cls(lines, first, pair, len(subtopics))

    def documents(self) -> DocumentEntries:
        """Return the lines with each document of a query once, and no subtopic.

        Its number, from 1, replaces the grade.
        """
        query, document, _, subtopic = (column[self.first] for column in self.lines)
        number = np.arange(1.0, len(self.first) + 1)
        return DocumentEntries(query, document, number, subtopic[:0])

    def take_rows(self, number: np.ndarray) -> sparse.csr_array:
        """Return the relevance of rows to subtopics, from the number of each row."""
        row_of = np.full(len(self.first), -1)
        judged = np.flatnonzero(number > 0)
        row_of[number[judged].astype(np.intp) - 1] = judged
        lines = np.flatnonzero(self.lines.number > 0)
        cells = (row_of[self.pair[lines]], self.lines.second[lines])
        shape = (len(number), self.n_subtopics)
        return sparse.csr_array((self.lines.number[lines], cells), shape=shape)
