"""Streams of tables of several models, matched by label."""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from sklearn_rank._base._labels import encode_labels, join_labels
from sklearn_rank._base._validation import shorten
from sklearn_rank.distributed._frame_libraries import is_table
from sklearn_rank.distributed._value_tables import (
    SeenLabels,
    is_on_ray,
    is_outside_memory,
    read_values,
    split_query_error,
    tables_of,
)
from sklearn_rank.metrics import PerQueryScores
from sklearn_rank.metrics._core._per_query import has_same_queries, join_results

Chunk = dict[Hashable, PerQueryScores]


def is_stream(found: Any) -> bool:
    """Return whether this is a stream of tables."""
    if is_table(found) or isinstance(found, PerQueryScores | str):
        return False
    if hasattr(found, "to_batches") or is_outside_memory(found) or is_on_ray(found):
        return True  # a Dataset has no length that can be asked for
    return isinstance(found, Iterable) and not hasattr(found, "__len__")


def has_streams(scores: Any) -> bool:
    """Return whether the scores of some model are read table by table."""
    return isinstance(scores, Mapping) and any(map(is_stream, scores.values()))


def iterate_chunks(scores: Mapping[Hashable, Any]) -> Iterator[Chunk]:
    """Yield values of the same queries of all models, some queries at a time.

    Queries that some models have not shown yet are held: few, if the tables of all models
    have the same queries in about the same order.
    """
    sides = [_ModelStream(name, source) for name, source in scores.items()]
    seen = SeenLabels()
    n_tried = 0
    while True:
        waiting = [side for side in sides if not side.is_done]
        if waiting:
            min(waiting, key=lambda side: side.n_read).read()
        # Held queries are matched again after enough new ones, and at the end.
        n_read = sum(side.n_read for side in sides)
        n_held = sum(side.n_held for side in sides)
        is_time = not waiting or n_read - n_tried >= n_held / 2
        if is_time and all(side.n_held for side in sides):
            n_tried = n_read
            block = _take_common(sides)
            if block:
                seen.add(block[sides[0].name].groups)
                yield block
        if not waiting:
            break
    left = _labels_left(sides)
    for labels in left.values():
        seen.check(labels)  # a query that was split is left over too
    if left:
        first = {name: labels[:1].tolist()[0] for name, labels in left.items()}
        raise other_queries_error({n: (len(left[n]), label) for n, label in first.items()})


class _ModelStream:
    """The tables of one model, and its queries that other models have not shown yet."""

    def __init__(self, name: Hashable, source: Any):
        self.name = name
        several = isinstance(source, list | tuple)
        parts = [source] if is_table(source) else source
        self.tables = iter(parts) if several else tables_of(parts, "scores")
        self.held: Any = None  # PerQueryScores, if some wait
        self.n_read = 0
        self.is_done = False

    @property
    def n_held(self) -> int:
        """The number of queries that wait for the other models."""
        return 0 if self.held is None else len(self.held)

    def read(self) -> None:
        """Read a table that has rows, if there is another."""
        for table in self.tables:
            part = read_values(table).scores
            if len(part):
                self.n_read += len(part)
                self.held = (
                    part if not self.n_held else join_results([self.held, part], None)
                )
                return
        self.is_done = True


def _take_common(sides: Sequence[_ModelStream]) -> Chunk:
    """Take out the queries that all models have shown, and return them."""
    parts = [side.held for side in sides]
    if all(has_same_queries(parts[0], part) for part in parts[1:]):
        for side in sides:
            side.held = None
        return {side.name: part for side, part in zip(sides, parts, strict=True)}
    labels = join_labels([part.groups for part in parts], name="groups")
    distinct, codes = encode_labels(labels, name="groups")
    of_sides = np.split(codes, np.cumsum([len(part) for part in parts])[:-1])
    is_common = np.ones(len(distinct), dtype=bool)
    for of_side in of_sides:
        counts = np.bincount(of_side, minlength=len(distinct))
        if counts.max() > 1:
            raise split_query_error(
                distinct[np.argmax(counts > 1)], int(np.sum(counts > 1))
            )
        is_common &= counts > 0
    block = {}
    for side, part, of_side in zip(sides, parts, of_sides, strict=True):
        is_taken = is_common[of_side]
        block[side.name] = part if is_taken.all() else part.of(is_taken)
        side.held = None if is_taken.all() else part.of(~is_taken)
    return block if is_common.any() else {}


def common_queries(tables: Mapping[Hashable, Any]) -> tuple[Chunk, dict[Hashable, Any]]:
    """Return the values of the queries in all tables, and the labels of the others."""
    sides = [_ModelStream(name, [table]) for name, table in tables.items()]
    for side in sides:
        side.read()
    block = _take_common(sides) if all(side.n_held for side in sides) else {}
    return block, _labels_left(sides)


def _labels_left(sides: Sequence[_ModelStream]) -> dict[Hashable, np.ndarray]:
    return {side.name: side.held.groups for side in sides if side.held is not None}


def other_queries_error(left: Mapping[Hashable, tuple[int, Any]]) -> ValueError:
    """Return the error for queries that another model lacks: how many, and one of them."""
    counts = {name: n for name, (n, _) in left.items()}
    name, (_, label) = next(iter(left.items()))
    return ValueError(
        f"The models have different queries: of {shorten(counts)} queries some other "
        f"model has no values, such as {shorten(label)} of {shorten(name)}. Compare "
        "models on the same queries, with labels of one type."
    )
