"""The items of a query in a value: ids, perhaps with grades or scores."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

from sklearn_rank._base._messages import quantity, shorten
from sklearn_rank.inputs._reading._bytes import FileError
from sklearn_rank.inputs._reading._names import (
    GRADE,
    NUMBER_LISTS,
    ONE_ITEM,
    ROW_ID,
    SCORE,
    Names,
    flatten,
    pick,
)
from sklearn_rank.inputs._reading._sides import LISTED, RANK, FileSide

_LARGEST_ID = 2**63
# Parameters of fields that both files may have.
BOTH = ("query", "item")


@dataclass
class EntryReader:
    """Adds the items of queries to a side."""

    side: FileSide
    names: Names
    may_be_unjudged: bool = False  # grades below 0

    def __post_init__(self) -> None:
        self.queries, self.items = self.side.new_codes()
        self.role = self.side.role
        self.noun = "grade" if self.role == "truth" else "score"

    def add_items(self, query: int, value: Any, where: str, numbers: Any = None) -> None:
        """Add the items of a query, with grades or scores if there are any.

        `numbers` are those of a field beside the items, one for each.
        """
        side = self.side
        record = len(side.records)
        side.records.append(where)
        default = 1.0 if self.role == "truth" else float("nan")
        entries: Iterable[tuple[str, float | None]] = self.entries_of(value, where)
        if numbers not in (None, ""):
            entries = self.add_numbers(list(entries), numbers, where)
        for item, number in entries:
            side.query.append(query)
            side.item.append(self.items[item])
            side.number.append(default if number is None else number)
            side.places.append(record)

    def field_beside(self, records: list[Mapping[Any, Any]]) -> Any:
        """Return the field with a list of grades or scores beside that of the items."""
        argument = "grade" if self.role == "truth" else "score"
        name = getattr(self.names, argument)
        if name is None:
            name = pick(
                {name: None for fields in records for name in fields},
                NUMBER_LISTS[self.role],
            )
        values = [fields.get(name) for fields in records]
        if not any(
            is_cell_of_list(value) and not isinstance(value, Mapping) for value in values
        ):
            return None
        self.named(argument, *records)
        return name

    def add_numbers(
        self, entries: list[tuple[str, float | None]], numbers: Any, where: str
    ) -> list[tuple[str, float | None]]:
        """Return entries with the numbers of a field beside them, unless they have some."""
        if any(number is not None for _, number in entries):
            return entries
        values = self.split_cell(numbers, where) if isinstance(numbers, str) else numbers
        values = values if isinstance(values, list | tuple) else [values]
        if len(values) != len(entries):
            raise FileError(
                f"{self.side.name} has {quantity(len(entries), 'id')} and "
                f"{quantity(len(values), self.noun)} in {where}; give one {self.noun} for "
                f"each id, or leave out the {self.noun}s."
            )
        if self.role == "lists":
            self.side.order = LISTED
        pairs = zip(entries, values, strict=True)
        return [
            (item, None if value is None else self.as_number(value, where))
            for (item, _), value in pairs
        ]

    def entries_of(self, value: Any, where: str) -> Iterator[tuple[str, float | None]]:
        """Yield the items of a value, with grades or scores if it has them."""
        if isinstance(value, str):
            value = self.split_cell(value, where)
        if value is None or value == "":
            return
        if isinstance(value, Mapping):
            yield from self.entries_of_mapping(value, where)
        elif isinstance(value, list | tuple):
            for entry in value:
                if type(entry) is str and entry.strip():
                    yield entry, None
                elif isinstance(entry, list):
                    raise FileError(
                        f"{self.side.name} has a list in a list in {where}; write one list "
                        f'of ids, or {{"id": {self.noun}}}. Alternatives are not read.'
                    )
                elif isinstance(entry, Mapping):
                    yield self.entry_of_object(entry, where)
                else:
                    yield self.as_id(entry, where), None
        else:
            yield self.as_id(value, where), None

    def entries_of_mapping(
        self, value: Mapping[Any, Any], where: str
    ) -> Iterator[tuple[str, float]]:
        if value and all(isinstance(ids_of_grade, list) for ids_of_grade in value.values()):
            for grade, ids in value.items():  # {"2": [ids], "1": [ids]}
                number = self.as_number(grade, where)
                for item in ids:
                    yield self.as_id(item, where), number
            return
        for item, number in value.items():
            if isinstance(number, list | Mapping) or not (
                isinstance(number, Real) or _is_number_text(number)
            ):
                raise FileError(
                    f"{self.side.name} has {shown(value)} in {where}; write one list "
                    f'of ids, or {{"id": {self.noun}}}. Conditions, such as a text that a '
                    "result has to contain, are not ids."
                )
            yield self.as_id(item, where), self.as_number(number, where)

    def entry_of_object(
        self, fields: Mapping[Any, Any], where: str
    ) -> tuple[str, float | None]:
        item = self.named("item", fields) or pick(fields, (ROW_ID, *ONE_ITEM))
        if item is None or self.names.item not in (None, item):
            fields = flatten(fields)  # an id may be in "metadata"
            item = self.named("item", fields) or pick(fields, (ROW_ID, *ONE_ITEM))
        if item is None:
            raise FileError(
                f"{self.side.name} has an object without an id in {where}: its fields are "
                f"{names_in(fields)}; name one with `item`, or write one list of ids, or "
                f'{{"id": {self.noun}}}.'
            )
        if self.role == "truth":
            name = self.named("grade", fields) or pick(fields, GRADE)
        else:
            rank = self.named("rank", fields)
            name = rank or self.named("score", fields) or pick(fields, SCORE)
            self.side.order = LISTED if rank is None else RANK
        number = None if name is None else fields[name]
        return (
            self.as_id(fields[item], where),
            None if number is None else self.as_number(number, where),
        )

    def split_cell(self, text: str, where: str) -> Any:
        """Return the ids of a cell: a JSON list, or text between ";" or "|"."""
        text = text.strip()
        if text[:1] in ("[", "{"):
            try:
                return json.loads(text)
            except ValueError:
                pass
            if re.fullmatch(r"\[\s*'[^\"]*'\s*\]", text):  # as Python writes it
                return re.split(r"'\s*,\s*'", text[1:-1].strip()[1:-1])
            raise FileError(
                f"{self.side.name} has the cell {shorten(text)} in {where}, which is not "
                "JSON; write a JSON list, or ids between ;."
            )
        parts = [part.strip() for part in re.split(r"[;|]", text)]
        return [part for part in parts if part] if len(parts) > 1 else text

    # Values of fields.

    @property
    def least(self) -> float:
        """The least number: scores may have any."""
        return 0.0 if self.role == "truth" else -float("inf")

    def as_id(self, value: Any, where: str) -> str:
        """Return an id as text; raise where it cannot be one."""
        if isinstance(value, str) and value.strip():
            return value
        is_whole = isinstance(value, Integral) and not isinstance(value, bool)
        if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
            value, is_whole = int(value), True  # as pandas writes a column with gaps
        if is_whole and -_LARGEST_ID <= value < _LARGEST_ID:
            return str(value)
        kind = "null" if value is None else type(value).__name__
        raise FileError(
            f"{self.side.name} has {shown(value)} ({kind}) in {where}, where an id is "
            "needed: text, or a whole number of 64 bits."
        )

    def as_number(self, value: Any, where: str) -> float:
        """Return a grade or a score; raise if the value is not a number."""
        try:
            if isinstance(value, str) and "_" in value:
                raise ValueError(value)
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            number = float("nan")
        if self.role == "truth" and self.may_be_unjudged and -float("inf") < number < 0:
            return float("nan")
        if self.least <= number < float("inf"):
            return number
        noun = "rank" if self.side.order == RANK and self.role == "lists" else self.noun
        needed = (
            "grades are numbers from 0" if self.role == "truth" else "a number is needed"
        )
        raise FileError(
            f"{self.side.name} has the {noun} {shown(value)} in {where}; {needed}."
        )

    def named(self, argument: str, *records: Mapping[Any, Any]) -> str | None:
        """Return the field that the caller named for a parameter, if a record has it."""
        name = getattr(self.names, argument)
        if name is None or not any(name in fields for fields in records):
            return None
        self.side.used.add(argument)
        return name


def is_cell_of_list(value: Any) -> bool:
    """Return whether a value, or the text of a cell, is a list or a mapping."""
    if isinstance(value, str):
        return value.lstrip()[:1] in ("[", "{") or ";" in value or "|" in value
    return isinstance(value, list | tuple | Mapping)


def _is_number_text(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def check_named(names: Names, *sides: FileSide) -> None:
    """Raise for a field that the caller named and no file with names of fields has."""
    for argument, name in vars(names).items():
        if name is None or any(argument in side.used for side in sides):
            continue
        role = "truth" if argument in ("relevant", "grade") else "lists"
        own = [side for side in sides if side.role == role or argument in BOTH]
        has = [f"{side.name} has {names_in(side.sample)}" for side in own if side.sample]
        if any(name in side.sample for side in own):
            raise FileError(
                f"The field {name!r} of `{argument}` is not read: beside a list of ids "
                "only a list of scores or grades counts, one number for each id."
            )
        if has:
            text = f"No file has the field {name!r} of `{argument}`: {'; '.join(has)}."
            raise FileError(text)


def names_in(fields: Mapping[Any, Any]) -> str:
    """Return the names of fields, as errors show them."""
    if not fields:
        return "no fields"
    return shorten(", ".join(map(str, fields)), 300)[1:-1]


def shown(value: Any) -> str:
    """Return a value as JSON, shortened."""
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:60]}..."
