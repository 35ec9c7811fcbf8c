"""What a benchmark is: one task of ours, and what it is compared with."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

__all__ = ["Built", "Case", "Task", "argsort_of"]


@dataclass
class Task:
    """Something to time.

    `values` turns what `run` returns into {metric: value}, which are compared with those
    of ours, to `tolerance`. `limit` is the target: the largest share of this task's time
    that ours may take. `run` is None for a peer that is not installed.
    """

    name: str
    run: Callable[[], Any] | None
    values: Callable[[Any], dict[str, float]] | None = None
    tolerance: float = 1e-9
    limit: float | None = None
    number: int = 1  # calls that are timed together
    most_repeats: int | None = None
    is_warmed_up: bool = True


@dataclass
class Case:
    """One line of the table for each peer, and one each for memory and for a time limit.

    `limit_ms` is the longest that ours may take, `inputs` are the arrays that the memory
    of ours is compared with, and `limit_memory` the largest multiple of theirs. A case
    that takes long has `most_repeats`.
    """

    name: str
    size: str
    ours: Task
    peers: list[Task] = field(default_factory=list)
    limit_ms: float | None = None
    inputs: tuple = ()
    limit_memory: float | None = None
    most_repeats: int | None = None

    @property
    def input_bytes(self) -> int:
        return sum(_size(array) for array in self.inputs)


def _size(array: Any) -> int:
    if hasattr(array, "indptr"):
        return array.data.nbytes + array.indices.nbytes + array.indptr.nbytes
    return array.nbytes


class Built:
    """An input that takes long to build, kept for the tasks that do not build it."""

    def __init__(self, build: Callable[[], Any]):
        self._build = build
        self._value: Any = None

    def anew(self) -> Any:
        self._value = self._build()
        return self._value

    def once(self) -> Any:
        return self.anew() if self._value is None else self._value


def argsort_of(scores: np.ndarray, limit: float | None = None) -> Task:
    """One np.argsort of the scores, with the target that ours takes `limit` times it."""
    return Task("np.argsort(y_score)", lambda: np.argsort(scores), limit=limit)
