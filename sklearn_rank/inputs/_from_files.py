"""Rows for the metrics from files of judgments and of ranked lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from sklearn_rank._base._messages import warn_caller
from sklearn_rank._base._validation import check_option
from sklearn_rank._hints._explain import explained
from sklearn_rank.inputs._item_lists import DUPLICATES
from sklearn_rank.inputs._match import JudgedRows
from sklearn_rank.inputs._per_user import as_mapping
from sklearn_rank.inputs._reading._bytes import read_content
from sklearn_rank.inputs._reading._entries import check_named
from sklearn_rank.inputs._reading._forms import parse, read_document_map
from sklearn_rank.inputs._reading._joining import TIES, Joining, join, pair_queries
from sklearn_rank.inputs._reading._names import Names
from sklearn_rank.inputs._reading._records import read_side
from sklearn_rank.typing import File, Labels


@explained
def from_files(
    truth: File | Mapping[str, object] | Sequence[Mapping[str, object]],
    lists: File | Mapping[str, object] | Sequence[Mapping[str, object]],
    *,
    query: str | None = None,
    relevant: str | None = None,
    item: str | None = None,
    grade: str | None = None,
    score: str | None = None,
    rank: str | None = None,
    repeat: str | None = None,
    split: str | None = None,
    duplicates: Literal["raise", "first", "miss"] = "raise",
    document_sep: str | None = None,
    document_map: File | None = None,
    ties: Literal["id_descending", "id_ascending", "average"] = "id_descending",
    subtopics: bool = False,
    exclude: Mapping[str, str | Iterable[str]] | None = None,
    queries: Labels | None = None,
    return_items: bool = False,
) -> JudgedRows | Any:
    """Rows for the metrics from files: a golden set or judgments, and ranked lists.

    The content of a file shows its form: JSON, JSON Lines, YAML (by its name), CSV,
    Parquet, or lines of TREC; each may be packed (gzip, bz2, xz, or a zip of one file).
    Names of fields say what they hold, such as ``expected_ids`` or ``gold_docs`` for what
    is relevant, and ``retrieved`` or ``results`` for lists. Where two fields fit, an error
    names the parameter that decides.

    Parameters
    ----------
    truth : str, path, file, mapping or list of mappings
        What is relevant: a path, ``"-"`` for the standard input, an open file (text or
        binary), or any other iterable of lines. A mapping, or a list of them, is read as
        its JSON is.

        A record has a query and its relevant ids, perhaps with grades, in the objects of
        ids or as a list beside them; a row has a query,
        an item and a grade; a line of TREC is ``query iteration document grade``, and in
        three fields ``query document grade``. A folder of BEIR or MTEB stands for its
        ``qrels``.
    lists : str, path, file, mapping or list of mappings
        The ranked lists, in the same forms. A line of TREC is ``query Q0 document rank
        score tag``; the rank and the tag are not used, and three fields are ``query
        document rank``, as in MS MARCO, or scores below the header ``query-id corpus-id
        score``.
    query, relevant, item, grade, score, rank : str, default=None
        Names of fields, where they do not say what they hold: of the query (its id or its
        text), of the relevant ids in `truth`, of the retrieved ids in `lists` or of one id
        in a row or object, of grades, of scores (the highest first), and of ranks.
    repeat : str, default=None
        Name of the field that numbers the lists of a query, where a system was run several
        times.
    split : str, default=None
        Which judgments of a folder to read. If None, "test", or the only one.
    duplicates : {"raise", "first", "miss"}, default="raise"
        How to treat an item that a list has twice. "raise" is an error; "first" keeps the
        one with the best place, as for chunks of a document. With "miss" the others keep
        their places and are not relevant.
    document_sep : str, default=None
        Text between a document and its chunk in ids: the document is what stands before the
        last one, on both sides.
    document_map : str, path or file, default=None
        Table with two columns, an id and that of its document.
    ties : {"id_descending", "id_ascending", "average"}, default="id_descending"
        How to order documents with equal scores in a run of TREC: by descending id, as in
        `trec_eval` and in ndeval with ``-traditional``; by ascending id, as in pyndeval; or
        "average": they tie, and metrics take the mean over their orders.
    subtopics : bool, default=False
        Whether `truth` is that of ndeval, with lines of ``query subtopic document grade``,
        for metrics of subtopics such as :func:`alpha_ndcg_score`.
    exclude : mapping from query to items, default=None
        Items of a query that count in neither file, such as the query itself: several, or
        one alone, as strings. Queries and items that the files do not have are ignored.
    queries : array-like of str, default=None
        All queries, for those that may be in neither file. One without a judgment and
        without a result gets a row of grade -0.0 and score -inf.
    return_items : bool, default=False
        Whether to return ``items`` too: the id of the item of each row, for metrics of what
        lists show.

    Returns
    -------
    rows : Bunch, or dict of them
        `y_true`, `y_score` and `groups` (the queries, as strings), arrays of shape
        (n_rows,). Rows lie together by query, queries as they first appear in `truth`, then
        those that only `lists` has. The score is minus the rank, so nothing ties, or that
        of the file where scores tie; items that were not retrieved follow with score -inf.

        Two grades are 0 for most metrics, and differ for metrics of judgments: NaN is an
        item that was pooled and not judged, -0.0 one that was never in the pool. With
        `subtopics` it is a sparse array of shape (n_rows, n_subtopics), in the order in
        which subtopics first appear. With `repeat`, a mapping from each repeat to its rows.

    Raises
    ------
    ValueError
        If a file is malformed (with the file and the place), is not UTF-8 text or not
        whole, has no field of its role or two of them, holds the other role, has an item
        twice for a query, no query is in both files, or `queries` lacks one of a file.
    TypeError
        If an argument is neither a path nor a file nor lines of text nor a mapping.

    Warns
    -----
    MisleadingScoreWarning
        If the ids may not match: no list has any of 20 judged items or more, or of two or
        more if ids look alike; ids that only one file has look like ids that only the other
        has; no list has a judged item, where lists of other queries would; or ids of a
        Parquet file are rounded.

        If the scores may be upside down: those of TREC rise with the rank in all of 20
        queries or more; those of a mapping or a column rise as given, and relevant items
        score low; or their field is named like ranks or distances.
    UserWarning
        If records or rows are left out, or a field may be meant differently.

    See Also
    --------
    from_item_lists : From ids in memory.
    from_frames : From two tables in memory.
    to_trec : Write a run.

    Notes
    -----
    Queries are matched by their ids or, where those of the files differ, by their texts. A
    query of `truth` without a list scores 0, as with ``trec_eval -c``; `trec_eval` without
    that option leaves such queries out. A query without a relevant item is undefined and
    left out with a warning; `trec_eval` counts it as 0 where it has judgments
    (``replace_undefined_by=0.0`` for metrics) and otherwise leaves it out.

    A list of ids or of objects keeps its order; scores of objects are kept, and tell ties,
    where they fall, and that of a single object is kept. Scores of a mapping or a column
    order its items, and equal ones tie. Grades below 0 mark unjudged documents in lines of
    TREC and in mappings from query to grades; they are an error elsewhere.

    Of several grades of an item the highest counts, but in lines of TREC they are an error.

    Scores are compared as double-precision numbers, as in version 10 of `trec_eval`.
    Version 9, and `pytrec_eval`, round them to single precision first, where close scores
    can become equal.

    Examples
    --------
    >>> from sklearn_rank.inputs import from_files
    >>> golden = ['{"question": "how to sow", "expected_ids": ["d2", "d7"]}']
    >>> results = ['{"question": "how to sow", "retrieved": ["d7", "d1"]}']
    >>> rows = from_files(golden, results)
    >>> rows.y_true.tolist(), rows.y_score.tolist()
    ([1.0, -0.0, 1.0], [-1.0, -2.0, -inf])

    Lines of TREC, where d2 comes before d1, as their scores are equal:

    >>> qrels = ["q1 0 d1 2", "q1 0 d2 0", "q1 0 d3 1"]
    >>> run = ["q1 Q0 d1 1 0.5 me", "q1 Q0 d2 2 0.5 me"]
    >>> rows = from_files(qrels, run)
    >>> rows.y_true.tolist()
    [0.0, 2.0, 1.0]

    With subtopics:

    >>> qrels = ["q1 1 d1 1", "q1 2 d1 1", "q1 2 d3 1"]
    >>> from_files(qrels, run, subtopics=True).y_true.toarray().tolist()
    [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    """
    check_option("return_items", return_items, (True, False))
    check_option("subtopics", subtopics, (True, False))
    check_option("ties", ties, TIES)
    check_option("duplicates", duplicates, DUPLICATES)
    names = Names(query, relevant, item, grade, score, rank, repeat)
    contents = {"truth": as_mapping(truth), "lists": as_mapping(lists)}
    judged, ranked = (
        read_side(
            parse(read_content(content, role, split)),
            role,
            names,
            subtopics=subtopics and role == "truth",
        )
        for role, content in contents.items()
    )
    check_named(names, judged, ranked)
    documents = None if document_map is None else read_document_map(document_map)
    joining = Joining(
        *(duplicates, document_sep, documents, ties, subtopics, exclude, queries),
        return_items=return_items,
    )
    repeats = [None] if ranked.repeats is None else list(dict.fromkeys(ranked.repeats))
    rows: dict[Any, JudgedRows] = {}
    for repeat_of_rows in repeats:
        pairing = pair_queries(judged, ranked, repeat_of_rows, keeps=ranked.repeats is None)
        rows[repeat_of_rows] = join(judged, ranked, pairing, joining)
    warn_caller(*dict.fromkeys([*judged.doubts, *ranked.doubts]))
    return rows[None] if ranked.repeats is None else rows
