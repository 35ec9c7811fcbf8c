"""Judgments and lists of files, joined by the ids or the texts of queries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank._base._ids import Codes
from sklearn_rank._base._labels import as_list, as_vector, places_as_text
from sklearn_rank._base._messages import quantity, shorten
from sklearn_rank._base._runs import begins_run
from sklearn_rank._ranking._judgments import Judgments
from sklearn_rank.inputs._item_lists import drop_items, is_excluded, read_excluded
from sklearn_rank.inputs._judged_subtopics import BySubtopic, DocumentEntries
from sklearn_rank.inputs._look_alikes import describe_look_alikes, find_alike
from sklearn_rank.inputs._match import JudgedRows, match_sides, side_by_user
from sklearn_rank.inputs._reading._bytes import FileError
from sklearn_rank.inputs._reading._sides import LISTED, RANK, SCORE, FileSide
from sklearn_rank.inputs._unmatched_ids import add_queries, check_users_numbered

TIES = ("id_descending", "id_ascending", "average")


class Joining(NamedTuple):
    """How two sides become rows."""

    duplicates: str = "raise"
    document_sep: str | None = None
    document_map: Mapping[str, str] | None = None
    ties: str = "id_descending"
    subtopics: bool = False
    exclude: Any = None
    queries: Any = None
    return_items: bool = False
    keeps_unjudged: bool = True  # lists of queries without judgments

    def document(self, item: str) -> str:
        """Return the document of an item that may be a chunk of it."""
        if self.document_map is not None:
            item = self.document_map.get(item, item)
        if self.document_sep is not None:
            item = item.rpartition(self.document_sep)[0] or item
        return item


AS_USUAL = Joining()


class Pairing(NamedTuple):
    """The number of the query of each list, -1 for none, and the labels of all queries."""

    query: np.ndarray
    labels: list[str]
    n_judged: int


def pair_queries(
    truth: FileSide, lists: FileSide, repeat: str | None, *, keeps: bool
) -> Pairing:
    """Match queries by id, by text against ids, or by text: the way with most matches."""
    chosen = [
        code
        for code in range(len(lists.queries))
        if lists.repeats is None or lists.repeats[code] == repeat
    ]
    number = {label: code for code, label in enumerate(truth.queries)}
    by_text = {text: code for code, text in truth.texts.items()}
    ways = [
        {
            code: number[lists.queries[code]]
            for code in chosen
            if lists.queries[code] in number
        },
        {
            code: by_text[lists.queries[code]]
            for code in chosen
            if lists.queries[code] in by_text
        },
        {
            code: by_text[text]
            for code in chosen
            if (text := lists.texts.get(code)) is not None and text in by_text
        },
    ]
    way = max(ways, key=len)
    if not way:
        ids = [lists.queries[code] for code in chosen]
        alike = find_alike(truth.queries, ids)
        judged, listed = alike[0] if alike else (truth.queries[0], ids[0])
        raise FileError(
            f"No query of {truth.name}, such as {shorten(judged)}, is in {lists.name}, "
            f"such as {shorten(listed)}: write them alike, or name the fields of queries "
            "with `query`."
        )
    if truth.has_ids and lists.has_ids:
        _check_both_ways(truth, lists, ways[0], ways[2])
    query = np.full(len(lists.queries), -1)
    query[list(way)] = list(way.values())
    labels = list(truth.queries)
    for code in chosen if keeps else ():
        if query[code] < 0:
            query[code] = len(labels)
            labels.append(lists.queries[code])
    return Pairing(query, labels, len(truth.queries))


def _check_both_ways(
    truth: FileSide, lists: FileSide, by_id: Mapping[int, int], by_text: Mapping[int, int]
) -> None:
    """Raise if ids and texts pair different queries, as running numbers in two orders."""
    for code in by_id:
        if code in by_text and by_text[code] != by_id[code]:
            label = shorten(lists.queries[code])
            raise FileError(
                f"The query {label} is {shorten(lists.texts[code])} in {lists.name} and "
                f"{shorten(truth.text_of(by_id[code]))} in {truth.name}: ids and texts "
                "pair different queries. Name the field that counts with `query`."
            )


def join_notes(truth: FileSide, lists: FileSide, pairing: Pairing) -> list[str]:
    """Return notes on queries without a list, and on lists without judgments."""
    notes = []
    listed = np.unique(pairing.query[np.unique(lists.query_codes)])
    missing = np.setdiff1d(np.arange(pairing.n_judged), listed)
    if len(missing):
        are = "counts as an empty list" if len(missing) == 1 else "count as empty lists"
        notes.append(
            f"{len(missing):,} of {quantity(pairing.n_judged, 'query')} of {truth.name} "
            f"without a list, such as {shorten(truth.queries[missing[0]])}: {are}."
        )
    unjudged = np.flatnonzero(pairing.query < 0)
    unjudged = unjudged[[lists.repeats is None] * len(unjudged)]
    label = truth.queries.__getitem__ if lists.has_ids else truth.text_of
    alone = [label(code) for code in missing], [lists.queries[code] for code in unjudged]
    every = [label(code) for code in range(pairing.n_judged)], lists.queries
    names = truth.name, lists.name
    text = describe_look_alikes("query", names, alone, lambda: every)
    notes += [text] if text else []
    if len(unjudged):
        notes.append(
            f"{quantity(len(unjudged), 'query')} of {lists.name} without judgments, such "
            f"as {shorten(lists.queries[unjudged[0]])}: left out."
        )
    return notes


def join(
    truth: FileSide, lists: FileSide, pairing: Pairing, options: Joining = AS_USUAL
) -> JudgedRows:
    """Return rows for the metrics: one for each item that is listed or judged."""
    of_files = as_vector(pairing.labels, name="query")
    labels = add_queries(options.queries, of_files)
    users = as_list(labels)
    ids, documents = _join_ids(truth, lists, options)
    judged = truth.query_codes, ids.left
    list_query = pairing.query[lists.query_codes]
    is_used = list_query >= 0
    listed = list_query[is_used], ids.right[is_used]
    excluded = read_excluded(options.exclude, users, len(users), ids, "truth")
    grades = truth.numbers
    by_aspect = None
    if options.subtopics:
        lines = DocumentEntries(*judged, grades, truth.second_fields)
        if len(excluded.user):
            counts = ~is_excluded(lines.query, lines.document, excluded)
            lines = DocumentEntries(*(column[counts] for column in lines))
        by_aspect = BySubtopic.read(lines, truth.subtopics(), of_files, documents)
        lines = by_aspect.documents()
        judged, grades = (lines.query, lines.document), lines.number
    scores, order = _scores_and_order(lists, list_query, ids.right, documents, options.ties)
    duplicates = options.duplicates
    if duplicates == "raise":
        _check_no_repeats(lists, *listed, np.flatnonzero(is_used), documents)
        is_plain = not (options.subtopics or options.document_sep or options.document_map)
        if truth.is_trec and is_plain:
            _check_no_repeats(truth, *judged, np.arange(len(grades)), documents)
        duplicates = "first"  # of several grades the highest counts elsewhere
    if order is not None:
        order = order[is_used[order]]
        scores = None if scores is None else scores[order]
        listed = list_query[order], ids.right[order]
    elif scores is not None:
        scores = scores[is_used]
    relevant = side_by_user("truth", *judged, grades, len(users))
    ranked = side_by_user("lists", *listed, scores, len(users))
    relevant, ranked, ids = drop_items(relevant, ranked, ids, duplicates, excluded)
    check_users_numbered(of_files, judged[0], listed[0], ("truth", "lists"), "query")
    has_scores = not lists.is_trec and lists.order == SCORE and scores is not None
    rows = match_sides(
        *(relevant, ranked, labels, ids),
        return_items=options.return_items,
        noun="query",
        are_scored=has_scores and not lists.is_named_low,
    )
    if by_aspect is not None:
        rows.y_true = by_aspect.take_rows(rows.y_true)
    elif np.isnan(rows.y_true).any():
        rows.y_true = rows.y_true.view(Judgments)
    return rows


def _join_ids(
    truth: FileSide, lists: FileSide, options: Joining
) -> tuple[Codes, list[str]]:
    """Return the codes of items of both sides, and the items."""
    number: dict[str, int] = {}
    places = [
        np.array(
            [number.setdefault(options.document(item), len(number)) for item in side.items]
        )
        for side in (truth, lists)
    ]
    documents = list(number)
    left, right = (
        at[codes] if len(codes) else codes
        for at, codes in zip(places, (truth.item_codes, lists.item_codes), strict=True)
    )
    return Codes(left, right, max(len(documents), 1), documents), documents


def _scores_and_order(
    lists: FileSide, query: np.ndarray, item: np.ndarray, documents: list[str], ties: str
) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Return scores, None for minus the places, and the order of entries if another."""
    numbers = lists.numbers
    if lists.is_trec:
        by_id = places_as_text(documents)[item]
        by_id = by_id if ties == "id_ascending" else -by_id
        order = np.lexsort((by_id, -numbers, query))
        return (numbers if ties == "average" else None), order
    if lists.order == RANK:
        _check_ranks(lists)
        return -numbers, None
    if np.isnan(numbers).all():
        return None, None
    if lists.order != LISTED and not np.isnan(numbers).any():
        return numbers, None
    return _scores_of_listed(lists), None


def _scores_of_listed(lists: FileSide) -> np.ndarray | None:
    """Return scores in the order of each list: its own if these fall, else places.

    A single item has its score where those of other lists fall, or no list has two items.
    """
    query, numbers = lists.query_codes, lists.numbers
    starts = np.flatnonzero(begins_run(query))
    run = np.cumsum(begins_run(query)) - 1
    rises = np.r_[False, numbers[1:] > numbers[:-1]] & ~begins_run(query)
    ends = np.r_[starts[1:], len(query)] - 1
    has_rise = np.bincount(run[rises], minlength=len(starts)) > 0
    lacks = np.bincount(run[np.isnan(numbers)], minlength=len(starts)) > 0
    keeps = ~has_rise & ~lacks & (numbers[starts] > numbers[ends])
    if keeps.any() or len(starts) == len(query):
        keeps |= ~lacks & (starts == ends)
    if has_rise.any():
        lists.doubts.append(
            f"Scores of {int(has_rise.sum()):,} of {quantity(len(starts), 'list')} of "
            f"{lists.name} rise somewhere, as distances do: the order of such a list "
            "counts, not its scores."
        )
    if not keeps.any():
        return None
    rank = np.arange(len(query)) - starts[run] + 1.0
    return np.where(keeps[run], numbers, -rank)


def _check_ranks(lists: FileSide) -> None:
    """Raise for a rank that is not a whole number from 0, or that a list has twice."""
    ranks, query = lists.numbers, lists.query_codes
    is_bad = (ranks < 0) | (ranks % 1 > 0)
    order = np.lexsort((ranks, query))
    is_bad[order] |= ~begins_run(query[order], ranks[order])
    if is_bad.any():
        entry = int(np.argmax(is_bad))
        raise FileError(
            f"{lists.name} has the rank {ranks[entry]:g} for the query "
            f"{shorten(lists.queries[lists.query_codes[entry]])} in {lists.where(entry)}; "
            "ranks are whole numbers from 0, each once in a list. Name scores with `score`."
        )


def _check_no_repeats(
    side: FileSide,
    query: np.ndarray,
    item: np.ndarray,
    entries: np.ndarray,
    documents: list[str],
) -> None:
    """Raise for the first item that a query has twice."""
    keys = np.sort(query * max(len(documents), 1) + item)
    if (keys[1:] != keys[:-1]).all():
        return
    order = np.lexsort((entries, item, query))
    again = np.flatnonzero(~begins_run(query[order], item[order]))
    first = order[again[np.argmin(entries[order[again]])]]
    raise _item_again(side, int(entries[first]), documents[item[first]])


def _item_again(side: FileSide, entry: int, item: str) -> FileError:
    advice = "leave one grade."
    if side.role == "lists":
        advice = (
            "with `duplicates='first'` the best place counts, as for chunks of a document, "
            "and with `duplicates='miss'` the others keep their places and are not "
            "relevant."
        )
    return FileError(
        f"{side.name} has the item {shorten(item)} twice for the query "
        f"{shorten(side.queries[side.query_codes[entry]])}, again in {side.where(entry)}; "
        + advice
    )


def numbers_by_query(
    side: FileSide, options: Joining = AS_USUAL
) -> dict[str, dict[str, float]]:
    """Return the grades, or scores that order each list, of the items of each query."""
    documents = [options.document(item) for item in side.items]
    numbers = side.numbers
    if side.role == "lists" and not side.is_trec:
        scores, _ = _scores_and_order(
            side, side.query_codes, side.item_codes, [], "average"
        )
        begins = begins_run(side.query_codes)
        rank = np.arange(len(begins)) - np.flatnonzero(begins)[np.cumsum(begins) - 1]
        numbers = -1.0 - rank if scores is None else scores
    by_query: dict[str, dict[str, float]] = {query: {} for query in side.queries}
    columns = (side.query_codes.tolist(), side.item_codes.tolist(), numbers.tolist())
    for entry, (query, item, number) in enumerate(zip(*columns, strict=True)):
        items, document = by_query[side.queries[query]], documents[item]
        if document not in items:
            items[document] = number
        elif options.duplicates == "raise":
            raise _item_again(side, entry, document)
        else:
            items[document] = max(items[document], number)
    return by_query
