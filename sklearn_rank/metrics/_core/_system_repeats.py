"""Repeats of a system: the names of their columns, and their mean."""

import re
from collections.abc import Sequence

import numpy as np

from sklearn_rank.metrics._core._per_query import PerQueryScores

# The name of a column of the second repeat of a system, and of later ones.
OF_REPEAT = re.compile(r"(.+) #([2-9]|[1-9]\d+)")


def column_of_repeat(name: str, number: int) -> str:
    """Return the name of the column of a repeat."""
    return name if number == 1 else f"{name} #{number}"


def repeat_of_column(column: str) -> tuple[str, int]:
    """Return the name of a column without its repeat, and the repeat."""
    match = OF_REPEAT.fullmatch(column)
    return (column, 1) if match is None else (match[1], int(match[2]))


def mean_of_repeats(repeats: Sequence[PerQueryScores]) -> PerQueryScores:
    """Return the mean over the repeats of each query."""
    first, *rest = repeats
    if not rest:
        return first
    scores = {}
    for name in first.scores:
        columns = np.column_stack([values.scores[name] for values in repeats])
        is_defined = ~np.isnan(columns)
        with np.errstate(invalid="ignore"):
            sums = np.where(is_defined, columns, 0).sum(axis=1)
            scores[name] = sums / is_defined.sum(axis=1)
    return first._like(first.groups, scores, {}, None)
