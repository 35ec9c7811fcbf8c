"""Work that several fits on the same data share, such as those of a search."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Any, NamedTuple, TypeVar

import numpy as np
from scipy import sparse

T = TypeVar("T")

# Values that are compared by type and value; all others are compared by identity.
_PLAIN = (int, float, complex, str, bytes, type(None), np.generic)


class _Entry(NamedTuple):
    """A result; its inputs stay alive, so that no other object gets their identity."""

    result: Any
    inputs: tuple
    sizes: Mapping[int, int]  # bytes of each array and frame that the entry keeps alive


class SharedWork:
    """Results by what they were computed from; the least recently used ones are dropped.

    Parameters
    ----------
    most_bytes : int
        Bytes of the results and of their inputs; an array counts once.
    candidates : iterable of (type, dict)
        The class and the parameters of each estimator that shares the work.
    """

    def __init__(self, most_bytes: int, candidates: Iterable[tuple[type, dict]] = ()):
        self.most_bytes = most_bytes
        self.candidates = list(candidates)
        self._entries: OrderedDict[tuple, _Entry] = OrderedDict()
        self._n_bytes = 0
        self._n_holders: Counter[int] = Counter()  # entries by the identity of an array
        self._running: dict[tuple, Lock] = {}
        self._lock = Lock()

    def get(self, name: str, inputs: tuple, make: Callable[[], T]) -> T:
        """Return the result for these inputs; `make` computes it if it is not there.

        Threads that want the same result wait for the first one. If `make` raises there,
        the next one calls it again.
        """
        key = (name, *map(identify, inputs))
        with self._lock:
            running = self._running.setdefault(key, Lock())
        with running:
            with self._lock:
                if key in self._entries:
                    self._entries.move_to_end(key)
                    return self._entries[key].result
            try:
                result = make()
                sizes: dict[int, int] = {}  # of all that is kept alive
                _measure(inputs, sizes, freezes=False)
                _measure(result, sizes, freezes=True)
                with self._lock:
                    self._keep(key, _Entry(result, inputs, sizes))
            finally:
                with self._lock:
                    self._running.pop(key, None)
        return result

    def forget(self, names: Iterable[str]) -> None:
        """Drop the results with these names."""
        with self._lock:
            for key in [key for key in self._entries if key[0] in names]:
                self._drop(key)

    def _keep(self, key: tuple, entry: _Entry) -> None:
        if sum(entry.sizes.values()) > self.most_bytes or key in self._entries:
            return
        self._entries[key] = entry
        for held, size in entry.sizes.items():
            self._n_bytes += 0 if self._n_holders[held] else size
            self._n_holders[held] += 1
        while self._n_bytes > self.most_bytes:
            self._drop(next(iter(self._entries)))

    def _drop(self, key: tuple) -> None:
        for held, size in self._entries.pop(key).sizes.items():
            self._n_holders[held] -= 1
            if not self._n_holders[held]:
                del self._n_holders[held]
                self._n_bytes -= size


def identify(value: Any) -> Any:
    """Return a key of a value: type and value, or the identity of an object."""
    return (type(value), value) if isinstance(value, _PLAIN) else id(value)


_current: ContextVar[SharedWork | None] = ContextVar("shared_work", default=None)


@contextmanager
def sharing(work: SharedWork | None) -> Iterator[None]:
    """Let `shared` keep its results in `work`, in this thread; if None, nowhere."""
    token = _current.set(work)
    try:
        yield
    finally:
        _current.reset(token)


def shared(name: str, inputs: tuple, make: Callable[[], T]) -> T:
    """Return what `make` returns, or what it returned for the same inputs before.

    The result must depend on the inputs only, and must not be modified: its arrays are
    read-only. Outside of `sharing` this is a call of `make`.
    """
    work = _current.get()
    return make() if work is None else work.get(name, inputs, make)


def room_for_shared() -> int:
    """Return the bytes that shared results may take, 0 where nothing is shared."""
    work = _current.get()
    return 0 if work is None else work.most_bytes


def values_of(estimator: Any, name: str, check: Callable[[Any], T]) -> list[T]:
    """Return the valid values of a parameter of all candidates that differ in it alone.

    They may also differ in the parameters in ``estimator._not_of_models``, which its model
    does not depend on. The first value is that of the estimator itself.
    """
    own = getattr(estimator, name)
    checked = {identify(own): check(own)}
    for params in _similar_candidates(estimator, {name, *estimator._not_of_models}):
        value = identify(params[name])
        if value not in checked:
            try:
                checked[value] = check(params[name])
            except (TypeError, ValueError):
                continue  # this candidate fails alone
    return list(checked.values())


def is_learned_once(estimator: Any) -> bool:
    """Return whether one candidate alone learns this model, so that none waits for it."""
    return len(_similar_candidates(estimator, set(estimator._not_of_models))) == 1


def _similar_candidates(estimator: Any, ignored: set[str]) -> list[dict]:
    """Return the parameters of the candidates that differ in ignored ones alone."""
    work = _current.get()
    own = {key: identify(value) for key, value in estimator.get_params(deep=False).items()}
    return [
        params
        for kind, params in (() if work is None else work.candidates)
        if kind is type(estimator)
        and params.keys() == own.keys()
        and all(identify(params[key]) == own[key] for key in own if key not in ignored)
    ]


def first_that_works(inputs: Iterable[Any], compute: Callable[[Any], T]) -> T:
    """Return the result for the first input, or where it raises for the next one.

    The last input is what was asked for; those before give it with more.
    """
    *more, asked = dict.fromkeys(inputs)
    for candidate in more:
        try:
            return compute(candidate)
        except (ValueError, MemoryError, Warning):
            continue
    return compute(asked)


def _measure(value: Any, sizes: dict[int, int], *, freezes: bool) -> None:
    """Note the bytes of all arrays in a value, which may be made read-only."""
    if isinstance(value, np.ndarray):
        if freezes:
            value.flags.writeable = False
        while isinstance(value.base, np.ndarray):
            value = value.base
        sizes[id(value)] = value.nbytes
    elif isinstance(value, tuple | dict):
        for part in value.values() if isinstance(value, dict) else value:
            _measure(part, sizes, freezes=freezes)
    elif not isinstance(value, _PLAIN) and id(value) not in sizes and not callable(value):
        sizes[id(value)] = _bytes_of_frame(value)
        if sparse.issparse(value) or not sizes[id(value)]:
            for part in getattr(value, "__dict__", {}).values():
                _measure(part, sizes, freezes=freezes)


def _bytes_of_frame(value: Any) -> int:
    """Return the bytes of a frame or a list; 0 for other objects."""
    if hasattr(value, "memory_usage"):  # pandas
        return int(np.sum(value.memory_usage()))
    if hasattr(value, "estimated_size"):  # polars
        return int(value.estimated_size())
    if isinstance(value, list):
        return 8 * len(value)
    return 0 if sparse.issparse(value) else int(getattr(value, "nbytes", 0))
