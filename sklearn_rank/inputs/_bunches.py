"""The Bunches that inputs return, with their fields.

Items, if requested, are a key but not an attribute, because ``items()`` is a method.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from sklearn_rank.typing import Bunch, Floats, Integers


class JudgedRows(Bunch):
    """Rows of queries, for the metrics."""

    y_true: Floats
    y_score: Floats
    groups: NDArray[Any]
    subtopics: NDArray[Any]


class RunRows(Bunch):
    """Rows of queries with a score of each run, for their fusion."""

    X: Floats
    y: Floats
    groups: NDArray[Any]
    runs: list[Any]


class ItemsToJudge(Bunch):
    """Items to judge."""

    groups: NDArray[Any]
    rank: Integers
    n_runs: Integers


class JudgedUnits(Bunch):
    """One grade a unit."""

    y_true: Floats
    n_raters: Integers
    units: NDArray[Any]
    groups: NDArray[Any]
    alpha: float
