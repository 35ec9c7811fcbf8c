"""Kept: results that the fits of a search share."""

import operator
from collections import defaultdict
from collections.abc import Callable, Collection
from threading import Lock
from typing import Any, TypeVar

T = TypeVar("T")


class Kept:
    """What was computed from a record, one result of each name: the last one."""

    def __init__(self) -> None:
        self._results: dict[str | tuple, tuple[Any, Any]] = {}
        self._locks: dict[str | tuple, Lock] = defaultdict(Lock)

    def get(
        self,
        name: str | tuple,
        key: Any,
        make: Callable[[], T],
        suffices: Callable[[Any, Any], bool] = operator.eq,
    ) -> T:
        """Return the result of this name if its key suffices, else what `make` returns."""
        with self._locks[name]:
            last = self._results.get(name)
            if last is None or not suffices(last[0], key):
                last = self._results[name] = key, make()
            return last[1]

    def forget(self, *, but: Collection[str] = ()) -> None:
        """Drop all results but those with some names, and what was made of these."""
        for name, (_, made) in list(self._results.items()):
            if isinstance(made, tuple) and isinstance(made[-1], Kept):
                made[-1].forget(but=but)  # of weights
            elif name not in but:
                del self._results[name]


def keep(
    kept: Kept | None,
    name: str | tuple,
    key: Any,
    make: Callable[[], T],
    suffices: Callable[[Any, Any], bool] = operator.eq,
) -> T:
    """Return what `make` returns, or in a search what it returned for that key."""
    return make() if kept is None else kept.get(name, key, make, suffices)
