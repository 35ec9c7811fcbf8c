"""Which roles a file may have, and where its records are."""

from collections.abc import Iterator, Mapping
from functools import reduce
from typing import Any

from sklearn_rank.inputs._reading._forms import Parsed, Record, Table
from sklearn_rank.inputs._reading._names import (
    GRADE,
    HOLDERS,
    NO_NAMES,
    ONE_ITEM,
    QUERY_ID,
    QUERY_TEXT,
    RANK,
    ROLES,
    ROW_ID,
    SCORE,
    Names,
    flatten,
    has_role,
    list_fields,
    pick,
    words_of,
)
from sklearn_rank.inputs._reading._trec_lines import roles_of_lines


def roles_of(parsed: Parsed, names: Names = NO_NAMES) -> set[str]:
    """Return the roles that a file may have by its content."""
    if parsed.is_trec:
        return roles_of_lines(parsed.value)
    roles = set()
    for role in ROLES:
        record = _first_record(parsed.value, role, names)
        if record is None:
            continue
        if names.list_of(role) in record or list_fields(record, role):
            roles.add(role)
        elif not list_fields(record, "truth" if role == "lists" else "lists"):
            is_scored = pick(record, (*SCORE, *RANK)) is not None
            is_graded = pick(record, GRADE[:-1]) is not None
            roles |= {"lists"} if is_scored and not is_graded else set(ROLES)
            if is_graded and not is_scored:
                roles.discard("lists")
    return roles or set(ROLES)


def _first_record(value: Any, role: str, names: Names) -> Mapping[Any, Any] | None:
    if isinstance(value, Table):
        return value.records(1)[0].fields
    if isinstance(value, Mapping) and has_role(flatten(value), role, names):
        return flatten(value)
    places = find_records(value, role, names)
    return next((flatten(part[0].fields) for _, part in places if part), None)


# Records, wherever they are in a value.


def find_records(
    value: Any, role: str, names: Names, at: str = "", seen: set[int] | None = None
) -> Iterator[tuple[str, list[Record]]]:
    """Yield each list of records that have the role, with its place.

    A value that a file names in several places is visited once.
    """
    seen = set() if seen is None else seen
    if id(value) in seen or not isinstance(value, list | Mapping):
        return
    seen.add(id(value))
    if isinstance(value, Mapping):
        for key, part in value.items():
            yield from find_records(
                part, role, names, f"{at}.{key}" if at else f"{key}", seen
            )
        return
    if value and isinstance(value[0], Record):
        records = [as_record(record.where, record.fields) for record in value]
        if any(has_role(flatten(record.fields), role, names) for record in records):
            yield at, records
            return
        for record in value:
            yield from find_records(record.fields, role, names, record.where, seen)
        return
    objects = [entry for entry in value if isinstance(entry, Mapping)]
    if any(has_role(flatten(entry), role, names) for entry in objects):
        places = enumerate(value)
        yield at, [as_record(f"{at}[{position}]", entry) for position, entry in places]
        return
    for position, entry in enumerate(value):
        yield from find_records(entry, role, names, f"{at}[{position}]", seen)


def records_by_query(value: Any, role: str, names: Names) -> list[Record]:
    """Return the records of a mapping from a query to the other fields of a record."""
    if not isinstance(value, Mapping):
        return []
    records = [
        Record(f"{query}", {**fields, ROW_ID: query})
        for query, fields in value.items()
        if isinstance(fields, Mapping)
        and any(
            isinstance(fields.get(name), list)
            for name in (*list_fields(fields, role), names.list_of(role))
        )
    ]
    return records if len(records) == len(value) else []


def records_of_hits(value: Any, role: str, names: Names) -> list[Record]:
    """Return records of a query with the list that each has at one place within it.

    Empty where there are several places, a list beside the query, or no query.
    """
    queries = (*QUERY_ID, *QUERY_TEXT[:-1])  # the text may be that of a hit
    if isinstance(value, Mapping) and isinstance(value.get(pick(value, queries)), str):
        value = [Record("line 1", value)]
    elif isinstance(value, Mapping):
        parts = [part for part in value.values() if isinstance(part, list)]
        value = parts[0] if len(parts) == 1 else None
    records: list[Record] = []
    paths = set()
    for position, part in enumerate(value if isinstance(value, list) else ()):
        record = part if isinstance(part, Record) else as_record(f"[{position}]", part)
        fields = flatten(record.fields)
        has_query = names.query in fields or pick(fields, queries) is not None
        is_judged = names.item is None and list_fields(fields, "truth")
        has_list = has_role(fields, role, names) or list_fields(fields, role)
        if role == "truth" or not has_query or is_judged or has_list:
            return []
        records.append(Record(record.where, fields))
        paths |= set(_paths_of_lists(fields, names))
    if len(paths) != 1:
        return []
    path = paths.pop()
    name = path[-1] if path[-1] == names.item else "retrieved"
    lists = [reduce(_inside, path, record.fields) for record in records]
    return [
        Record(where, fields if items is None else {**fields, name: items})
        for (where, fields), items in zip(records, lists, strict=True)
    ]


def _paths_of_lists(fields: Mapping[Any, Any], names: Names) -> Iterator[tuple[Any, ...]]:
    """Yield the fields, from the outer one, to each list of ids or of objects with ids."""
    for name, part in fields.items():
        if isinstance(part, Mapping):
            yield from ((name, *path) for path in _paths_of_lists(part, names))
        elif isinstance(part, list) and part:
            hits = [flatten(hit) if isinstance(hit, Mapping) else {} for hit in part]
            if names.item is not None:
                has_ids = name == names.item or all(names.item in hit for hit in hits)
            elif set(words_of(name).split()) <= HOLDERS:
                has_ids = all(pick(hit, (ROW_ID, *ONE_ITEM)) is not None for hit in hits)
            else:
                has_ids = bool(list_fields({name: part}, "lists"))
            if has_ids:
                yield (name,)


def _inside(value: Any, name: Any) -> Any:
    """Return the field of an object; None without any."""
    return value.get(name) if isinstance(value, Mapping) else None


def as_record(where: str, value: Any) -> Record:
    """Return a record, without fields for a value that is not an object."""
    return Record(where, value if isinstance(value, Mapping) else {})


def is_item_list(value: Any) -> bool:
    """Return whether a value of a mapping may hold the items of a query."""
    if isinstance(value, list):
        objects = [entry for entry in value if isinstance(entry, Mapping)]
        return all(
            pick(entry, (ROW_ID, *ONE_ITEM)) is not None
            and pick(entry, ("query", "question")) is None  # else they are records
            for entry in objects
        )
    return value is None or isinstance(value, str | Mapping)


def first_object(value: Any) -> Any:
    """Return the first object in a value, to show its fields."""
    if isinstance(value, list) and value:
        return value[0].fields if isinstance(value[0], Record) else value[0]
    parts = value.values() if isinstance(value, Mapping) else ()
    inner = (first_object(part) for part in parts if isinstance(part, list | Mapping))
    return next((part for part in inner if isinstance(part, Mapping)), value)
