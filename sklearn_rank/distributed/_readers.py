"""Read the columns of a table for metrics: rows, or two tables in one."""

from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse

from sklearn_rank._ids._encode import as_vector, encode_labels
from sklearn_rank._per_query_tables._frame_libraries import column_of, library_of
from sklearn_rank._validation import check_option, shorten
from sklearn_rank._values._missing import plain_array
from sklearn_rank.inputs import from_frames

Arguments = dict[str, Any]


@dataclass(frozen=True)
class RowsReader:
    """A row an item of a query, with its grade and its score."""

    query: Any
    y_true: Any
    y_score: Any
    sample_weight: Any
    beside: dict[str, Any]  # further columns

    @property
    def columns(self) -> dict[str, Any]:
        """The columns by parameter, that of queries first."""
        named = {"groups": self.query, "y_true": self.y_true, "y_score": self.y_score}
        if self.sample_weight is not None:
            named["sample_weight"] = self.sample_weight
        return {**named, **self.beside}

    def never_null(self, *, judged: bool) -> list[str]:
        """Return the parameters of columns without nulls."""
        names = [name for name in self.columns if name not in ("y_true", "pooled")]
        return ["y_true", *names] if judged else names

    def read(self, table: Any) -> Arguments:
        """Return the arguments of metrics."""
        read = {
            name: plain_array(column_of(table, column))
            for name, column in self.columns.items()
        }
        if "subtopics" in read:
            read["subtopics"] = _by_subtopic(read["subtopics"], self.beside["subtopics"])
        return read


def _by_subtopic(lists: np.ndarray, name: Any) -> sparse.csr_array:
    """Return which rows have which subtopic, given a list of subtopics a row."""
    for row, one in enumerate(lists):
        if not isinstance(one, list | tuple | np.ndarray):
            raise TypeError(
                f"Column {name!r}, which is `subtopics`, must hold a list of subtopics in "
                f"each row, empty for none, got {shorten(one)} in row {row} of its part."
            )
    ends = np.cumsum([0, *map(len, lists)])
    labels = list(chain.from_iterable(lists))
    found: Any = encode_labels(labels, name="subtopics") if labels else ([], [])
    distinct, codes = found
    shape = (len(lists), max(len(distinct), 1))
    return sparse.csr_array((np.ones(len(codes)), codes, ends), shape=shape)


@dataclass(frozen=True)
class TablesReader:
    """Held-out pairs and recommended lists in one table; `marker` is True of pairs."""

    user: Any
    item: Any
    marker: Any
    relevance: Any
    score: Any
    rank: Any

    def __post_init__(self) -> None:
        if (self.score is None) == (self.rank is None):
            raise ValueError(
                "Name the column that orders the recommendations: either `score=` or "
                f"`rank=`; got score={self.score!r}, rank={self.rank!r}."
            )

    @property
    def query(self) -> Any:
        """The column of users."""
        return self.user

    @property
    def columns(self) -> dict[str, Any]:
        """The columns by parameter, that of users first."""
        named = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {name: column for name, column in named.items() if column is not None}

    def never_null(self, *, judged: bool) -> list[str]:
        """Return the parameters of columns without nulls."""
        return ["user", "item", "marker"]

    def read(self, table: Any) -> Arguments:
        """Return the arguments of metrics, for users of both tables or of one."""
        is_pair = marked(column_of(table, self.marker), "marker")
        library = library_of(table)
        ids = [self.user, self.item]
        pairs = ids if self.relevance is None else [*ids, self.relevance]
        lists = [*ids, self.score if self.rank is None else self.rank]
        return dict(
            from_frames(
                library.select(library.rows(table, is_pair), pairs),
                library.select(library.rows(table, ~is_pair), lists),
                user=self.user,
                item=self.item,
                relevance=self.relevance,
                score=self.score,
                rank=self.rank,
                return_items=True,
            )
        )


Reader: TypeAlias = RowsReader | TablesReader


def marked(column: Any, name: str) -> np.ndarray:
    """Return where a column of booleans is True."""
    marks = as_vector(column, name=name)
    for mark in np.unique(marks).tolist():
        check_option(name, bool(mark) if mark in (0, 1) else mark, (True, False))
    return marks.astype(bool)
