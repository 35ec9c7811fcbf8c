"""Judgments (qrels) and results (runs): the entries of files, of lines and of mappings."""

import io
import os
from array import array
from codecs import BOM_UTF8
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from math import isfinite, nan
from typing import Any, NamedTuple

import numpy as np

from sklearn_rank._base._files import UnpackingError, open_unpacked
from sklearn_rank._base._label_checks import duplicate_item_error, show_id
from sklearn_rank._base._messages import LEAST_TO_WARN, shorten, warn_misleading
from sklearn_rank._base._numbers import is_number
from sklearn_rank._base._runs import begins_run
from sklearn_rank._base._text import escape_controls
from sklearn_rank._base._validation import is_iterable
from sklearn_rank.inputs._per_user import as_mapping, count_ascending

# Lines of TREC files have about a hundred characters.
_LONGEST_LINE = 2**20
# Beyond this, floats round whole numbers.
_LARGEST_EXACT = 2**53
_LONGEST_PATH = 2**12
# Scores are compared with the ranks in the first lines.
_COMPARED_LINES = 2**16


class DocumentEntries(NamedTuple):
    """Codes of the query and document of each entry, its number, and its second field."""

    query: np.ndarray
    document: np.ndarray
    number: np.ndarray
    second: np.ndarray  # as codes, where these are asked for


@dataclass(frozen=True)
class _Form:
    """A form of lines: the words for its fields, and where they are."""

    fields: str
    document: int
    number_of: Callable[[list[bytes]], float]  # the one that a line is read for
    may_go_on: bool = False  # with text after the last field
    has_ranks: bool = False
    rank: int | None = None  # the field beside the score

    @property
    def n_fields(self) -> int:
        return len(self.fields.split())

    def cut(self, fields: list[bytes]) -> list[bytes]:
        """Return fields without the text after them; raise where they are others."""
        n_fields, advice = self.n_fields, ""
        if self.may_go_on and len(fields) > n_fields:
            if not is_number_text(fields[n_fields - 1]):
                return fields[:n_fields]
            advice = " The last of these is a number: is there white space in an id?"
        excerpt = shorten(b" ".join(fields).decode(errors="replace"))
        raise ValueError(
            f"{len(fields)} field(s) instead of {n_fields} ({self.fields}): {excerpt}."
            + advice
        )


@dataclass(frozen=True)
class EntryKind:
    """What one argument holds: the forms that its lines may have, and its numbers."""

    name: str
    usual: _Form
    number: Callable[[Any], float]  # of a value in a mapping
    by_length: dict[int, _Form] = field(default_factory=dict)
    by_header: dict[bytes, _Form] = field(default_factory=dict)  # by its third field

    def form_of(self, fields: list[bytes]) -> tuple[_Form, bool]:
        """Return the form that the first line shows, and whether it is a header."""
        if len(fields) == 3 and fields[2] in self.by_header:
            return self.by_header[fields[2]], True
        return self.by_length.get(len(fields), self.usual), False


def _parse_relevance(column: int, fields: list[bytes]) -> float:
    return _check_relevance(_parse(fields[column], int, "relevance", "a whole number"))


def _check_relevance(relevance: float) -> float:
    if abs(relevance) > _LARGEST_EXACT:
        raise ValueError(f"the relevance {shorten(relevance)} is beyond 2**53.")
    return relevance


def _parse_score(fields: list[bytes]) -> float:
    # The rank is not used, but checks that the fields are in order.
    _, _, _, rank, score, _ = fields
    try:
        value = float(score)
    except ValueError:
        value = nan
    if rank.isdigit() and isfinite(value) and b"_" not in score:
        return value
    _parse_rank(rank)
    return _parse_number(score)


def is_number_text(text: bytes) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _read_relevance(value: Any) -> float:
    if not is_number(type(value)) or float(value) % 1:
        raise ValueError(f"the relevance must be a whole number, got {show_id(value)}")
    return float(_check_relevance(value))


def _read_score(value: Any) -> float:
    if not is_number(type(value)) or not isfinite(value):
        raise ValueError(f"the score must be a finite number, got {show_id(value)}")
    return float(value)


def _parse(text: bytes, read: Callable[[bytes], float], meaning: str, needed: str) -> float:
    try:
        if b"_" not in text:  # which Python allows in numbers
            return read(text)
    except (ValueError, OverflowError):
        pass
    excerpt = shorten(text.decode(errors="replace"))
    raise ValueError(f"the {meaning} must be {needed}, got {excerpt}.")


def _parse_finite(text: bytes) -> float:
    value = float(text)
    if not isfinite(value):
        raise ValueError(text)
    return value


_parse_rank = partial(_parse, read=int, meaning="rank", needed="an integer")
_parse_number = partial(
    _parse, read=_parse_finite, meaning="score", needed="a finite number"
)
_BEIR_FIELDS = _Form("query-id corpus-id score", 1, partial(_parse_relevance, 2))
QRELS = EntryKind(
    "qrels",
    _Form("query iteration document relevance", 2, partial(_parse_relevance, 3)),
    _read_relevance,
    # Without a header the third of three fields could be a rank.
    by_header=dict.fromkeys([b"score", b"relevance"], _BEIR_FIELDS),
)
_MS_MARCO_FORM = _Form(
    "query document rank", 1, lambda fields: -_parse_rank(fields[2]), has_ranks=True
)
RUN = EntryKind(
    "run",
    _Form("query Q0 document rank score tag", 2, _parse_score, may_go_on=True, rank=3),
    _read_score,
    by_length={3: _MS_MARCO_FORM},
    by_header={
        b"score": _Form(
            "query-id corpus-id score", 1, lambda fields: _parse_number(fields[2])
        ),
        b"rank": _MS_MARCO_FORM,
    },
)


def new_codes() -> defaultdict[bytes, int]:
    """Return a mapping that gives each new id the next number, from 0."""
    return defaultdict(count().__next__)


def read_entries(
    source: Any,
    kind: EntryKind,
    queries: defaultdict,
    documents: defaultdict,
    seconds: defaultdict | None = None,
) -> DocumentEntries:
    """Return the entries of a path, a file, lines, or a mapping; ids become bytes."""
    source = as_mapping(source)
    if isinstance(source, Mapping):
        return _read_mapping(source, kind, queries, documents)
    query, document, number, second = array("q"), array("q"), array("d"), array("q")
    ranks = array("d")  # of the first lines
    where, line_number, form = _source_name(source, kind), 1, None
    try:
        with _open_lines(source, where) as lines:
            for line_number, line in enumerate(lines, 1):
                text = line.encode() if type(line) is str else line
                is_plain = type(text) is bytes and len(text) <= _LONGEST_LINE
                if not (is_plain and text.isascii()):
                    text = _check_line(text, where, line_number)
                fields = text.split()  # at ASCII white space only
                if not fields or fields[0].startswith(b"#"):
                    continue
                if form is None:
                    form, is_header = kind.form_of(fields)
                    n_fields, column = form.n_fields, form.document
                    number_of = form.number_of
                    if is_header:
                        continue
                if len(fields) != n_fields:
                    fields = form.cut(fields)
                number.append(number_of(fields))
                query.append(queries[fields[0]])
                document.append(documents[fields[column]])
                if seconds is not None:
                    second.append(seconds[fields[1]])
                if line_number <= _COMPARED_LINES and form.rank is not None:
                    ranks.append(float(fields[form.rank]))
    except UnicodeError as error:
        message = f"{where} is not UTF-8 text: line {line_number}: {error}."
        raise ValueError(message) from error
    except UnpackingError as error:
        raise ValueError(f"Cannot read {where}: {error}.") from error
    except ValueError as error:
        raise ValueError(f"{where}, line {line_number}: {error}") from error
    codes = [np.array(of_lines, np.int64) for of_lines in (query, document, second)]
    entries = DocumentEntries(codes[0], codes[1], np.array(number), codes[2])
    if form is not None and form.has_ranks:
        _check_ranks(entries, where, list(queries))
    _warn_if_scores_rise(entries, np.array(ranks), where)
    return entries


def _read_mapping(
    source: Mapping, kind: EntryKind, queries: defaultdict, documents: defaultdict
) -> DocumentEntries:
    query, document, number = array("q"), array("q"), array("d")
    for name, row in source.items():
        if not isinstance(row, Mapping):
            raise TypeError(
                f"`{kind.name}` must map each query to {{document: number}}, got "
                f"{shorten(row)} for query {show_id(name)}; from_item_lists takes lists."
            )
        code = queries[_as_field(name, kind, "query")]
        for label, value in row.items():
            try:
                number.append(kind.number(value))
            except ValueError as error:
                raise ValueError(
                    f"`{kind.name}`, query {show_id(name)}, document {show_id(label)}: "
                    f"{error}."
                ) from error
            query.append(code)
            document.append(documents[_as_field(label, kind, "document")])
    codes = [np.array(of_entries, np.int64) for of_entries in (query, document)]
    return DocumentEntries(codes[0], codes[1], np.array(number), np.zeros(0, np.int64))


def _as_field(label: Any, kind: EntryKind, noun: str) -> bytes:
    """Return an id as in a file, so that ids with equal scores have the same order."""
    if not isinstance(label, str):
        of_row = "row" if noun == "query" else "{str(d): n for d, n in row.items()}"
        raise TypeError(
            f"`{kind.name}` has the {noun} {show_id(label)}, but ids are strings, as in "
            "files. from_item_lists takes ids of any type. Or convert them: "
            f"{{str(q): {of_row} for q, row in {kind.name}.items()}}."
        )
    return label.encode()


def _check_ranks(entries: DocumentEntries, where: str, queries: list[bytes]) -> None:
    """Raise unless each query has ranks from 1 on: other numbers may be scores."""
    order = np.lexsort((-entries.number, entries.query))
    query, rank = entries.query[order], -entries.number[order]
    is_first = np.r_[True, query[1:] != query[:-1]]
    is_wrong = np.where(is_first, ~np.isin(rank, (0, 1)), np.r_[False, np.diff(rank) == 0])
    if is_wrong.any():
        entry = int(np.argmax(is_wrong))
        raise ValueError(
            f"{where} has three fields, and the last is not a rank: query "
            f"{shorten(queries[query[entry]].decode())} has "
            + ("no rank 1" if is_first[entry] else f"rank {rank[entry]:g} twice")
            + ". Scores need the header query-id corpus-id score."
        )


def _warn_if_scores_rise(entries: DocumentEntries, ranks: np.ndarray, where: str) -> None:
    """Warn if scores rise with the rank, as distances do, in all of the first queries."""
    n = len(ranks)
    order = np.lexsort((ranks, entries.query[:n]))
    query = entries.query[:n][order]
    n_rising = count_ascending(query, entries.number[:n][order])
    if n_rising >= LEAST_TO_WARN and begins_run(query, ranks[order]).all():
        warn_misleading(
            f"Scores of {where} rise with the rank in all of {n_rising} queries, but the "
            "highest score ranks first, whatever the rank. Give distances as -distance."
        )


def _check_line(line: Any, where: str, number: int) -> bytes:
    """Return a line as bytes of UTF-8; raise if it is wrong."""
    if not isinstance(line, str | bytes | bytearray):
        raise TypeError(
            f"{where} must be a path, or a file or a list of lines, but line {number} "
            f"is {shorten(line)}."
        )
    if len(line) > _LONGEST_LINE:
        raise ValueError(f"more than {_LONGEST_LINE} bytes, so this is not a TREC file.")
    text = line.encode() if isinstance(line, str) else bytes(line)
    text.decode()
    return text.removeprefix(BOM_UTF8) if number == 1 else text


def _source_name(source: Any, kind: EntryKind) -> str:
    """Return the name of a file in errors."""
    if isinstance(source, str) and (
        "\n" in source or "\0" in source or len(source) > _LONGEST_PATH
    ):
        raise ValueError(
            f"`{kind.name}`: {shorten(source)} is not a path. Pass the text of a file as "
            "io.StringIO(text)."
        )
    path = source if isinstance(source, str | os.PathLike) else None
    name = path if path is not None else getattr(source, "name", None)
    if not isinstance(name, str | os.PathLike):
        return f"`{kind.name}`"
    return escape_controls(os.fsdecode(name))


@contextmanager
def _open_lines(source: Any, where: str) -> Iterator[Iterable]:
    """Give the lines of a path or of an open file, which stays open."""
    if isinstance(source, str | os.PathLike):
        with open_unpacked(source) as file:
            yield _iterate_lines(file)
    elif isinstance(source, bytes | bytearray) or not is_iterable(source):
        raise TypeError(
            f"{where} must be a path or an open file, or a mapping from query to "
            f"{{document: number}}, got {shorten(source)}."
        )
    else:
        yield _iterate_lines(source)


def _iterate_lines(source: Iterable) -> Iterable:
    """Return lines; of a file, no more than it takes to see that a line is too long."""
    if not isinstance(source, io.IOBase):
        return source
    end = "" if isinstance(source, io.TextIOBase) else b""
    return iter(partial(source.readline, _LONGEST_LINE + 1), end)


def numbers_by_query(source: Any, kind: EntryKind) -> dict[str, dict[str, float]]:
    """Return the relevance or the score of each query's documents."""
    queries, documents = new_codes(), new_codes()
    columns = read_entries(source, kind, queries, documents)[:3]
    query_names = [query.decode() for query in queries]
    names = [document.decode() for document in documents]
    by_query: dict[str, dict[str, float]] = {query: {} for query in query_names}
    for code, document, number in zip(*(c.tolist() for c in columns), strict=True):
        query, name = query_names[code], names[document]
        if name in by_query[query]:
            where, nouns = _source_name(source, kind), ("document", "query")
            raise duplicate_item_error(where, name, query, nouns=nouns)
        by_query[query][name] = number
    return by_query
