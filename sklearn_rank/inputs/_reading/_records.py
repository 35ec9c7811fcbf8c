"""The entries of records, of rows and of mappings from query to items."""

import re
from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from types import MappingProxyType
from typing import Any

import numpy as np

from sklearn_rank._base._labels import warn_if_rounded
from sklearn_rank._base._messages import quantity, shorten
from sklearn_rank.inputs._frames import warn_of_names
from sklearn_rank.inputs._reading._bytes import FileError
from sklearn_rank.inputs._reading._entries import (
    EntryReader,
    is_cell_of_list,
    names_in,
    shown,
)
from sklearn_rank.inputs._reading._forms import Parsed, Record, Table
from sklearn_rank.inputs._reading._names import (
    GRADE,
    NO_NAMES,
    PARTS,
    QUERY_ID,
    QUERY_TEXT,
    RANK,
    REPEAT,
    ROW_ID,
    SCORE,
    Names,
    flatten,
    has_role,
    item_fields,
    list_fields,
    pick,
    words_of,
)
from sklearn_rank.inputs._reading._roles import (
    find_records,
    first_object,
    is_item_list,
    records_by_query,
    records_of_hits,
)
from sklearn_rank.inputs._reading._sides import LISTED, FileSide
from sklearn_rank.inputs._reading._sides import RANK as BY_RANK
from sklearn_rank.inputs._reading._sides import SCORE as BY_SCORE
from sklearn_rank.inputs._reading._trec_lines import read_trec_lines, roles_of_lines

EXAMPLES = {
    "truth": '{"query": "how to sow", "relevant": ["id1", "id2"]}',
    "lists": '{"query": "how to sow", "retrieved": ["id1", "id2"]}',
}
HOLDS = {"truth": "relevant ids", "lists": "retrieved ids"}
# Rows that show the form of a table.
_SAMPLE = 100


def option_of(role: str) -> str:
    """Return the argument that names the field of items of a role."""
    return "`relevant`" if role == "truth" else "`item`"


def read_side(
    parsed: Parsed, role: str, names: Names = NO_NAMES, *, subtopics: bool = False
) -> FileSide:
    """Return the judgments ("truth") or the ranked lists ("lists") of a file."""
    if parsed.is_trec:
        if role not in roles_of_lines(parsed.value):
            kinds = {"truth": "a run", "lists": "judgments"}
            raise FileError(
                f"{parsed.name} has {len(parsed.value)} fields, as {kinds[role]} of TREC "
                f"{'has' if role == 'truth' else 'have'}, where {HOLDS[role]} are needed; "
                "swap the files, or name another one."
            )
        return read_trec_lines(parsed.content, role, subtopics=subtopics)
    if subtopics:
        raise FileError(f"{parsed.name} has no subtopics; give lines of TREC.")
    reader = _Reader(FileSide(parsed.name, role), names)
    reader.read(parsed.value)
    queries: list[Any] = list(reader.queries)
    if reader.repeat is not None:
        reader.side.repeats = [repeat for _, repeat in queries]
        queries = [query for query, _ in queries]
    reader.side.close(queries, list(reader.items))
    return reader.side


class _Reader(EntryReader):
    """Reads a value into a side."""

    def read(self, value: Any) -> None:
        """Read a table, records, a value that holds some, or a mapping of queries."""
        if isinstance(value, Table):
            if self.list_field(value.records(_SAMPLE)) is None:
                self.read_rows(value)
            else:
                self.read_records(value.records())
        elif isinstance(value, Mapping) and self.is_record(flatten(value)):
            self.read_records([Record("line 1", value)])
        elif records := (
            records_by_query(value, self.role, self.names)
            or records_of_hits(value, self.role, self.names)
        ):
            self.read_records(records)
        elif (parts := self.mapping_of(value)) is not None:
            self.read_mapping(*parts)
        else:
            places = list(find_records(value, self.role, self.names))
            if not places:
                by_words = replace(self.names, relevant=None, item=None)
                places = list(find_records(value, self.role, by_words))
            if not places:
                raise self.no_field(value)
            if len({re.sub(r"\[\d+\]|^line \d+", "[]", at) for at, _ in places}) > 1:
                both = " and at ".join(at or "the top" for at, _ in places[:3])
                raise FileError(
                    f"{self.side.name} has records at {both}; keep those of one place."
                )
            self.read_records([record for _, part in places for record in part])

    def is_record(self, fields: Mapping[Any, Any]) -> bool:
        """Return whether the object of a file is one record, not a mapping of queries."""
        query = pick(fields, (*QUERY_ID, ROW_ID, *QUERY_TEXT))
        return isinstance(fields.get(query), str | int) and has_role(
            fields, self.role, self.names
        )

    def mapping_of(self, value: Any) -> tuple[Mapping[Any, Any], str] | None:
        """Return the mapping from query to items in a value, and its place."""
        if not isinstance(value, Mapping) or not value:
            return None
        chosen_field = self.names.list_of(self.role)
        for name, part in value.items():
            is_lists = (
                isinstance(part, Mapping)
                and part
                and (name == chosen_field or list_fields({name: part}, self.role))
            )
            if is_lists and all(map(is_item_list, part.values())):
                texts = value.get("queries")
                self.texts = texts if isinstance(texts, Mapping) else self.texts
                return part, f"{name}."
        if next(find_records(value, self.role, self.names), None) is not None:
            return None
        if not all(map(is_item_list, value.values())):
            return None
        return value, ""

    def read_mapping(self, lists: Mapping[Any, Any], at: str) -> None:
        """Read {query: [ids]}, {query: {id: number}} or {query: [{id, score}]}."""
        side = self.side
        numbers = [
            number
            for items in lists.values()
            if isinstance(items, Mapping)
            for number in items.values()
        ]
        # As pytrec_eval and its file have them.
        self.may_be_unjudged = bool(numbers) and all(
            isinstance(number, Real) and float(number).is_integer() for number in numbers
        )
        for query, items in lists.items():
            where = f"{at}{query}" if isinstance(query, str) else f"{at}[{shorten(query)}]"
            key = self.as_id(query, where)
            code = self.queries[key]
            if isinstance(self.texts.get(query), str):
                side.texts[code] = self.texts[query]
            self.add_items(code, items, where)

    repeat: Any = None  # the field of repeats
    texts: Mapping[Any, Any] = MappingProxyType({})  # of queries, beside a mapping

    # Records with a list, one per query.

    def read_records(self, records: list[Record]) -> None:
        """Read one record per query, or rows of query and item."""
        side = self.side
        records = [record._replace(fields=flatten(record.fields)) for record in records]
        name = self.list_field(records)
        if name is None:
            columns = list(
                dict.fromkeys(field for record in records for field in record.fields)
            )
            rows = [[record.fields.get(field) for field in columns] for record in records]
            self.read_rows(Table(columns, rows, [record.where for record in records]))
            return
        used = [record for record in records if name in record.fields]
        side.sample = used[0].fields
        if len(used) < len(records):
            side.doubts.append(
                f"{len(records) - len(used)} of {quantity(len(records), 'record')} of "
                f"{side.name} without the field {name!r}: left out."
            )
        self.note_parts(used[0].fields)
        query = self.query_field(used)
        text = pick(used[0].fields, QUERY_TEXT)
        fields_of = [fields for _, fields in used]
        self.repeat = repeat = self.repeat_field(fields_of, query)
        numbers = self.field_beside(fields_of)
        first: dict[Any, str] = {}
        for where, fields in used:
            key: Any = self.as_id(fields.get(query), where)
            if repeat is not None:
                key = (key, self.as_id(fields.get(repeat), where))
            if key in first:
                raise self.query_again(key, first[key], where)
            first[key] = where
            code = self.queries[key]
            side.fields[code] = fields
            if isinstance(fields.get(text), str):
                side.texts[code] = fields[text]
            self.add_items(code, fields[name], where, fields.get(numbers))

    def repeat_field(self, records: list[Mapping[Any, Any]], query: Any) -> Any:
        """Return the field of repeats, where a query has several lists."""
        if self.role == "truth":
            return None
        field = self.named("repeat", *records)
        if field is not None:
            return field
        name = pick(records[0], REPEAT)
        if name is None:
            return None
        lists = {(str(fields.get(query)), str(fields.get(name))) for fields in records}
        if len(lists) == len({key for key, _ in lists}):
            return None
        labels = list(dict.fromkeys(str(fields.get(name)) for fields in records))
        if all(re.fullmatch(r"[+-]?\d+", label) for label in labels):
            return name
        first = ", ".join(labels[:3])
        raise FileError(
            f"{self.side.name} has {len(labels)} systems in one file ({first}) by its "
            f"field {name!r}: split it, or name the field with `repeat` if these are "
            "repeats of one system."
        )

    def query_again(self, key: Any, first: str, where: str) -> FileError:
        """Return the error of a query that has two records."""
        advice = "name the field of its repeats with `repeat`, or leave one"
        if self.role == "truth":
            advice = "give each its own id, or name the field of ids with `query`"
        return FileError(
            f"{self.side.name} has the query {shorten(key)} in {first} and again in "
            f"{where}; {advice}."
        )

    def list_field(self, records: list[Record]) -> Any:
        """Return the field that holds the items of a query; None for rows."""
        side, role = self.side, self.role
        argument = "relevant" if role == "truth" else "item"
        field = self.named(argument, *(record.fields for record in records))
        if field is not None:
            values = [record.fields[field] for record in records if field in record.fields]
            is_column = all(isinstance(value, str | int | float) for value in values)
            is_row = is_column and not any(map(is_cell_of_list, values))
            return None if is_row and self.has_number(records[0].fields) else field
        counts: dict[Any, int] = {}
        graded = set()
        for _, fields in records:
            for name in list_fields(fields, role):
                counts[name] = counts.get(name, 0) + 1
                if isinstance(fields[name], Mapping) and fields[name]:
                    graded.add(name)
        if self.is_of_rows(records[0].fields):
            # A field of a number, such as relevance, or of a text has no list.
            counts = {
                name: n
                for name, n in counts.items()
                if any(is_cell_of_list(record.fields.get(name)) for record in records)
            }
        if len(graded & set(counts)) == 1:
            return graded.pop()
        if len(counts) < 2:
            return next(iter(counts), None)
        with_ids = [
            name
            for name in counts
            if set(words_of(name).split()) & {"id", "ids", "key", "keys"}
        ]
        if len(with_ids) == 1:
            rest = ", ".join(repr(name) for name in counts if name not in with_ids)
            side.notes.append(f"{with_ids[0]!r} of {side.name} is read, {rest} is not.")
            return with_ids[0]
        raise FileError(
            f"{side.name} has {' and '.join(map(repr, counts))}; name the one with the ids "
            f"with {option_of(role)}."
        )

    def is_of_rows(self, fields: Mapping[Any, Any]) -> bool:
        """Return whether a record may be a row of one query and one item."""
        if self.role == "lists":
            return True
        return bool(item_fields(fields)) and pick(fields, GRADE[:-1]) is not None

    def has_number(self, fields: Mapping[Any, Any]) -> bool:
        """Return whether a record has a grade, or a score or a rank."""
        chosen = self.names.grade, self.names.score, self.names.rank
        wanted = GRADE if self.role == "truth" else (*SCORE, *RANK)
        return any(name in fields for name in chosen) or pick(fields, wanted) is not None

    def query_field(self, records: list[Record]) -> Any:
        """Return the field of the query: its id if all have one, else its text."""
        first = records[0]
        chosen = self.named("query", *(record.fields for record in records))
        if chosen is not None:
            return chosen
        for wanted in ((*QUERY_ID, ROW_ID), QUERY_TEXT):
            name = pick(first.fields, wanted)
            if name is not None and all(
                record.fields.get(name) not in (None, "") for record in records
            ):
                self.side.has_ids = wanted is not QUERY_TEXT
                return name
        raise FileError(
            f"{self.side.name} has no field of the query; {first.where} has: "
            f"{names_in(first.fields)}. Name it with `query`."
        )

    # Rows of query, item and number.

    def read_rows(self, table: Table) -> None:
        """Read rows of a query and an item, with a grade, a score or a rank."""
        side, role = self.side, self.role
        first = table.records(1)[0]
        side.sample = first.fields
        query = self.named("query", first.fields)
        if query is None:
            query = pick(first.fields, QUERY_ID)
        if query is None:
            query = pick(first.fields, QUERY_TEXT)
            side.has_ids = False
        item = self.named("item", first.fields)
        items = item_fields(first.fields) if item is None else [item]
        items = [name for name in items if name != query]
        value = self.value_field(first)
        if len(items) > 1:
            raise FileError(
                f"{side.name} has {' and '.join(map(repr, items))}; name the one of the "
                "item with `item`."
            )
        if query is None or (not items and value is None):
            raise self.no_field([first.fields])
        if role == "lists":
            has_names = self.names.repeat or pick(first.fields, REPEAT) is not None
            records = table.records() if has_names else [first]
            self.repeat = self.repeat_field([fields for _, fields in records], query)
        self.note_parts(first.fields)
        if not items:
            side.notes.append(
                f"{side.name} has no field of items: each row counts as an item of its own."
            )
        self.add_rows(table, query, items[0] if items else None, value)

    def value_field(self, first: Record) -> Any:
        """Return the field of grades, of scores or of ranks; note how lists are ordered."""
        side, fields = self.side, first.fields
        if self.role == "truth":
            return self.named("grade", fields) or pick(fields, GRADE)
        if self.names.score is not None and self.names.rank is not None:
            raise FileError("Name `score` or `rank`, not both.")
        rank = self.named("rank", fields)
        value = rank or self.named("score", fields) or pick(fields, SCORE)
        if rank is not None or value is None:
            value = rank or pick(fields, RANK)
            side.order = BY_RANK
        if value is None:
            side.order = LISTED
            side.notes.append(
                f"{side.name} has neither scores nor ranks: the order of its rows counts."
            )
        return value

    def add_rows(self, table: Table, query: Any, item: Any, value: Any) -> None:
        """Add the rows that have a query and an item; note how many lack one."""
        side, dropped = self.side, 0
        at = {name: column for column, name in enumerate(table.names)}
        at_query, at_item, at_value = at[query], at.get(item), at.get(value)
        at_repeat = at.get(self.repeat)
        for name in (query, item):
            if name in table.floats:
                warn_if_rounded(table.floats[name], f"{side.name}[{name!r}]")
        queries, items, places = self.queries, self.items, side.places
        number = 1.0 if self.role == "truth" else float("nan")
        for position, row in enumerate(table.rows):
            key, label = row[at_query], str(position) if at_item is None else row[at_item]
            if key in (None, "") or label in (None, ""):
                dropped += 1
                continue
            if type(key) is not str or type(label) is not str:
                where = self.where_of(table, position)
                key, label = self.as_id(key, where), self.as_id(label, where)
            if at_value is not None:
                try:
                    number = float(row[at_value])
                except (TypeError, ValueError):
                    number = float("nan")
                if not self.least <= number < float("inf"):
                    number = self.as_number(row[at_value], self.where_of(table, position))
            if at_repeat is not None:
                key = (key, self.as_id(row[at_repeat], self.where_of(table, position)))
            n_queries, code = len(queries), queries[key]
            if code == n_queries:
                side.fields[code] = dict(zip(table.names, row, strict=True))
            side.query.append(code)
            side.item.append(items[label])
            side.number.append(number)
            places.append(position)
        if not len(places):
            raise FileError(f"{side.name} has no row with a query and an item.")
        if isinstance(table.places[0], str):
            side.records = table.places
        else:
            lines = table.places
            side.places = type(places)("q", [lines[position] for position in places])
        if self.role == "lists" and side.order == BY_SCORE:
            numbers, codes = np.array(side.number), np.array(side.query)
            side.is_named_low = warn_of_names(value, numbers, codes)
        if dropped:
            side.doubts.append(
                f"{quantity(dropped, 'row')} of {side.name} without a query or an item: "
                "left out."
            )

    def where_of(self, table: Table, position: int) -> str:
        """Return the place of a row in words."""
        where = table.places[position]
        return where if isinstance(where, str) else f"line {where}"

    # Notes and errors.

    def note_parts(self, fields: Mapping[Any, Any]) -> None:
        """Say that fields which narrow an item, such as its lines, are not read."""
        own = [name for name in fields if set(words_of(name).split()) & PARTS]
        own = [name for name in own if name not in list_fields(fields, self.role)]
        own = [name for name in own if name not in vars(self.names).values()]
        if own and self.role == "truth":
            ignored = ", ".join(map(repr, own))
            are = "is" if len(own) == 1 else "are"
            self.side.notes.append(
                f"{ignored} of {self.side.name} {are} not read: an item counts as a whole."
            )

    def no_field(self, value: Any) -> FileError:
        """Return the error of a file without a field of the role."""
        first = first_object(value)
        side, opposite = self.side, "lists" if self.role == "truth" else "truth"
        if isinstance(first, Mapping) and list_fields(flatten(first), opposite):
            name = list_fields(flatten(first), opposite)[0]
            return FileError(
                f"{side.name} holds {HOLDS[opposite]}, in its field {name!r}, where "
                f"{HOLDS[self.role]} are needed; swap the files, or name another one."
            )
        has = names_in(first) if isinstance(first, Mapping) else shorten(first)
        example = f", as in {shown(first)}" if isinstance(first, Mapping) else ""
        return FileError(
            f"{side.name} has no field that is known to hold {HOLDS[self.role]}; it has: "
            f"{has}{example}. Name one with {option_of(self.role)} FIELD, or write "
            f"{EXAMPLES[self.role]}."
        )
