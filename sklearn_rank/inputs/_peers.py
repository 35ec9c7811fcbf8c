"""Convert rankings of other libraries to mappings and lists."""

from collections.abc import Mapping
from typing import Any

from sklearn_rank._text._wording import shorten

# A hit of sentence-transformers, which may hold a text too.
_ITEM, _SCORE = "corpus_id", "score"


def as_mapping(values: Any) -> Any:
    """Return the Qrels or Run of ranx as a mapping of mappings; other values unchanged."""
    is_table = hasattr(values, "iloc") or hasattr(type(values), "columns")
    if is_table or isinstance(values, Mapping) or not hasattr(values, "to_dict"):
        return values
    return values.to_dict()


def hits_as_pairs(rows: Any, name: str) -> Any:
    """Return the hits of each query as pairs of id and score; other rows as they are."""
    if any(_is_hit(row) for row in rows):
        raise TypeError(
            f"`{name}` has the hits of one query; pass a list of such lists, one a query, "
            "or a mapping from query to them."
        )
    several = (row for row in rows if isinstance(row, list | tuple) and row)
    if not any(isinstance(row[0], Mapping) for row in several):
        return rows
    wrong = next((hit for row in rows for hit in row if not _is_hit(hit)), None)
    if wrong is not None:
        raise TypeError(
            f"`{name}` has the hit {shorten(wrong)}; needed is "
            f"{{{_ITEM!r}: id, {_SCORE!r}: number}}."
        )
    return [[(hit[_ITEM], hit[_SCORE]) for hit in row] for row in rows]


def _is_hit(value: Any) -> bool:
    return isinstance(value, Mapping) and _ITEM in value and _SCORE in value
