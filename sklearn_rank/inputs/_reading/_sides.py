"""The entries of a file: queries and items as codes, with a grade, a score or a rank."""

from array import array
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

# How numbers of lists order their items.
SCORE, RANK, LISTED = "score", "rank", "listed"


def counting() -> defaultdict[Any, int]:
    """Return a mapping that gives each new key the next number, from 0."""
    return defaultdict(count().__next__)


@dataclass(eq=False)
class FileSide:
    """Judgments ("truth") or ranked lists ("lists") of a file, in its order.

    The number of an entry is NaN where there is none, and in judgments also for an item
    that was pooled and not judged: then `is_unjudged` says so.
    """

    name: str  # of the file, in messages
    role: str
    is_trec: bool = False
    order: str = SCORE
    is_named_low: bool = False  # scores are named like what is best if small
    query: array = field(default_factory=lambda: array("q"))
    item: array = field(default_factory=lambda: array("q"))
    number: array = field(default_factory=lambda: array("d"))
    second: array = field(default_factory=lambda: array("q"))  # subtopics
    places: array = field(default_factory=lambda: array("q"))  # lines, or of `records`
    records: list[str] = field(default_factory=list)  # places in words
    repeats: list[str] | None = None  # of each query and repeat, the repeat
    texts: dict[int, str] = field(default_factory=dict)  # of queries, by code
    fields: dict[int, Mapping[Any, Any]] = field(default_factory=dict)
    sample: Mapping[Any, Any] = field(default_factory=dict)  # a record
    used: set[str] = field(default_factory=set)  # parameters whose fields were there
    has_ids: bool = True  # whether queries are known by ids, and not by their texts
    notes: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)  # notes that question the numbers
    queries: list[str] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    _seconds: defaultdict[Any, int] = field(default_factory=counting)

    def new_codes(self) -> tuple[defaultdict[Any, int], defaultdict[Any, int]]:
        """Return empty codes of queries and of items."""
        return counting(), counting()

    def second_codes(self) -> defaultdict[Any, int]:
        """Return the codes of subtopics."""
        return self._seconds

    def close(self, queries: list[str], items: list[str]) -> None:
        """Take the labels of the codes, and turn columns into arrays."""
        self.queries, self.items = queries, items
        self.query_codes = np.array(self.query, np.int64)
        self.item_codes = np.array(self.item, np.int64)
        self.numbers = np.array(self.number)
        self.second_fields = np.array(self.second, np.int64)

    def subtopics(self) -> list[str]:
        """Return the labels of subtopics."""
        return [label.decode() for label in self._seconds]

    def where(self, entry: int) -> str:
        """Return the place of an entry in the file, in words."""
        position = self.places[entry]
        return self.records[position] if self.records else f"line {position}"

    def text_of(self, query: int) -> str:
        """Return the text of a query, or else its id."""
        return self.texts.get(query, self.queries[query])
