"""Lines of TREC: judgments (qrels) and results (runs), as columns of codes and numbers."""

import io
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from math import isfinite, nan

import numpy as np

from sklearn_rank._base._messages import LEAST_TO_WARN, quantity, shorten, warn_misleading
from sklearn_rank._base._runs import begins_run
from sklearn_rank.inputs._per_user import count_ascending
from sklearn_rank.inputs._reading._bytes import Content, FileError
from sklearn_rank.inputs._reading._sides import FileSide

# Beyond this, floats round whole numbers.
_LARGEST_EXACT = 2**53
# Scores are compared with the ranks in the first lines.
_COMPARED_LINES = 2**16
_COMMENT = b"#"


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
        """Return fields without the text after them; raise if their number is wrong."""
        n_fields, advice = self.n_fields, ""
        if self.may_go_on and len(fields) > n_fields:
            if not is_number_text(fields[n_fields - 1]):
                return fields[:n_fields]
            advice = " The last of these is a number: is there white space in an id?"
        sample = shorten(b" ".join(fields).decode(errors="replace"))
        raise ValueError(
            f"{len(fields)} field(s) instead of {n_fields} ({self.fields}): {sample}."
            + advice
        )


@dataclass(frozen=True)
class _Kind:
    """The forms that lines of one role may have, by the first of them."""

    usual: _Form
    by_length: dict[int, _Form] = field(default_factory=dict)
    by_header: dict[bytes, _Form] = field(default_factory=dict)  # by its third field

    def form_of(self, fields: list[bytes]) -> tuple[_Form, bool]:
        """Return the form that the first line shows, and whether it is a header."""
        if len(fields) == 3 and fields[2] in self.by_header:
            return self.by_header[fields[2]], True
        return self.by_length.get(len(fields), self.usual), False


def is_number_text(text: bytes) -> bool:
    """Return whether text is a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _parse(text: bytes, read: Callable[[bytes], float], meaning: str, needed: str) -> float:
    try:
        if b"_" not in text:  # which Python allows in numbers
            return read(text)
    except (ValueError, OverflowError):
        pass
    raise _not_a_number(text, meaning, needed)


def _not_a_number(text: bytes, meaning: str, needed: str) -> ValueError:
    sample = shorten(text.decode(errors="replace"))
    return ValueError(f"the {meaning} must be {needed}, got {sample}.")


def _parse_whole(text: bytes) -> float:
    """Return a whole number, which pandas may have written as 2.0."""
    try:
        return int(text)
    except ValueError:
        value = float(text)
    if not value.is_integer():
        raise ValueError(text)
    return value


def _parse_grade(field: int, fields: list[bytes]) -> float:
    grade = _parse(fields[field], _parse_whole, "grade", "a whole number")
    if abs(grade) > _LARGEST_EXACT:
        raise ValueError(f"the grade {shorten(grade)} is beyond 2**53.")
    return nan if grade < 0 else grade


def _parse_score(field: int, fields: list[bytes]) -> float:
    text = fields[field]
    try:
        value = float(text)
    except ValueError:
        value = nan
    if isfinite(value) and b"_" not in text:
        return value
    raise _not_a_number(text, "score", "a finite number")


def _rank_or_nan(text: bytes) -> float:
    try:
        return float(text)
    except ValueError:  # it is not used, and may be anything
        return nan


_parse_rank = partial(_parse, read=_parse_whole, meaning="rank", needed="a whole number")


def _parse_rank_alone(fields: list[bytes]) -> float:
    return -_parse_rank(fields[2])


_JUDGED_TRIPLE = _Form("query document grade", 1, partial(_parse_grade, 2))
_RANKED_TRIPLE = _Form("query document rank", 1, _parse_rank_alone, has_ranks=True)
_SCORED_TRIPLE = _Form("query-id corpus-id score", 1, partial(_parse_score, 2))
KINDS = {
    "truth": _Kind(
        _Form("query iteration document grade", 2, partial(_parse_grade, 3)),
        by_length={3: _JUDGED_TRIPLE},
        by_header=dict.fromkeys([b"score", b"relevance"], _JUDGED_TRIPLE),
    ),
    "lists": _Kind(
        _Form(
            *("query Q0 document rank score tag", 2, partial(_parse_score, 4)),
            may_go_on=True,
            rank=3,
        ),
        by_length={
            3: _RANKED_TRIPLE,
            5: _Form("query Q0 document rank score", 2, partial(_parse_score, 4), rank=3),
        },
        by_header={b"score": _SCORED_TRIPLE, b"rank": _RANKED_TRIPLE},
    ),
}
_HEADER = (b"query-id", b"corpus-id", b"score")
# The place of the number by which a line shows that it is of TREC.
_NUMBER_FIELDS = {3: 2, 4: 3, 5: 4}


def first_fields(data: bytes) -> list[bytes]:
    """Return the fields of the first line that is not a comment."""
    for line in io.BytesIO(data):
        fields = line.split()  # at ASCII white space only
        if fields and not fields[0].startswith(_COMMENT):
            return fields
    return []


def is_trec(fields: list[bytes]) -> bool:
    """Return whether these are the fields of a first line of TREC."""
    if len(fields) == 3 and (
        tuple(fields) == _HEADER or fields[0] in (b"qid", b"query-id")
    ):
        return fields[2] in (b"score", b"rank", b"relevance")
    column = _NUMBER_FIELDS.get(min(len(fields), 5))
    if column is None or b"," in b"".join(fields[:2]) or fields[0][:1] in (b"{", b"["):
        return False
    return is_number_text(fields[column])


def roles_of_lines(fields: list[bytes]) -> set[str]:
    """Return the roles that lines with these fields may have."""
    if len(fields) == 3:
        return {"lists"} if fields[2] == b"rank" else {"truth", "lists"}
    return {"truth"} if len(fields) == 4 else {"lists"}


def read_trec_lines(content: Content, role: str, *, subtopics: bool = False) -> FileSide:
    """Return the entries of lines, with the second field of each for `subtopics`."""
    content.text()  # raises unless it is UTF-8
    side = FileSide(content.name, role, is_trec=True)
    queries, documents = side.new_codes()
    query, document, number = side.query, side.item, side.number
    seconds, second = side.second_codes(), side.second
    ranks, comments = array("d"), []
    places, line_number = side.places, 1
    form, is_header = KINDS[role].form_of(first_fields(content.data))
    n_fields, at_document, at_rank = form.n_fields, form.document, form.rank
    number_of = form.number_of
    try:
        for line_number, line in enumerate(io.BytesIO(content.data), 1):
            fields = line.split()  # at ASCII white space only
            if not fields:
                continue
            if fields[0].startswith(_COMMENT):
                comments.append(fields)
                continue
            if is_header:
                is_header = False
                continue
            if len(fields) != n_fields:
                fields = form.cut(fields)
            number.append(number_of(fields))
            query.append(queries[fields[0]])
            document.append(documents[fields[at_document]])
            places.append(line_number)
            if subtopics:
                second.append(seconds[fields[1]])
            if at_rank is not None and line_number <= _COMPARED_LINES:
                ranks.append(_rank_or_nan(fields[at_rank]))
    except ValueError as error:
        raise FileError(f"{content.name}, line {line_number}: {error}") from error
    if not len(query):
        raise FileError(f"{content.name} has no line below its header in line 1.")
    side.close([code.decode() for code in queries], [code.decode() for code in documents])
    _note_comments(side, comments, form)
    if form.has_ranks:
        _check_ranks(side)
    _warn_if_scores_rise(side, np.array(ranks))
    return side


def _note_comments(side: FileSide, comments: list[list[bytes]], form: _Form) -> None:
    """Say how many comments have all the fields of a line."""
    lines = [fields for fields in comments if len(fields) == form.n_fields]
    lines = [fields for fields in lines if is_number_text(fields[-1 - form.may_go_on])]
    if lines:
        first = shorten(lines[0][0].decode(errors="replace"))
        have, are = (
            ("has", "it is a comment") if len(lines) == 1 else ("have", "they are comments")
        )
        side.notes.append(
            f"{quantity(len(lines), 'line')} of {side.name} with all fields {have} # in "
            f"front, such as that of {first}: {are}. If these are queries, name them "
            "without #."
        )


def _check_ranks(side: FileSide) -> None:
    """Raise unless each query has ranks from 1 on: other numbers may be scores."""
    order = np.lexsort((-side.numbers, side.query_codes))
    query, rank = side.query_codes[order], -side.numbers[order]
    is_first = np.r_[True, query[1:] != query[:-1]]
    is_wrong = np.where(is_first, ~np.isin(rank, (0, 1)), np.r_[False, np.diff(rank) == 0])
    if is_wrong.any():
        entry = int(np.argmax(is_wrong))
        raise FileError(
            f"{side.name} has three fields, and the last is not a rank: query "
            f"{shorten(side.queries[query[entry]])} has "
            + ("no rank 1" if is_first[entry] else f"rank {rank[entry]:g} twice")
            + ". Scores need the header query-id corpus-id score, or a line of names and "
            "`score` or `rank`."
        )


def _warn_if_scores_rise(side: FileSide, ranks: np.ndarray) -> None:
    """Warn if scores rise with the rank, as distances do, in all of the first queries."""
    n = 0 if np.isnan(ranks).any() else len(ranks)
    ranks = ranks[:n]
    order = np.lexsort((ranks, side.query_codes[:n]))
    query = side.query_codes[:n][order]
    n_rising = count_ascending(query, side.numbers[:n][order])
    if n_rising >= LEAST_TO_WARN and begins_run(query, ranks[order]).all():
        warn_misleading(
            f"Scores of {side.name} rise with the rank in all of {n_rising} queries, but "
            "the highest score ranks first, whatever the rank. Give distances as -distance."
        )
