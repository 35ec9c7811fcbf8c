"""Warnings at the line that called this package, and values as errors show them."""

import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import Any, TypeVar

from sklearn_rank.exceptions import MisleadingScoreWarning

# This package, and scikit-learn's calls between a user and `fit`.
_OWN_MODULES = (__name__.split(".")[0] + ".", "sklearn.callback.")


def warn_caller(*messages: str, category: type[Warning] = UserWarning) -> None:
    """Show warnings at the first frame outside this package."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(_OWN_MODULES):
        frame, level = frame.f_back, level + 1
    for message in messages:
        keep_text(message, category)
        warnings.warn(message, category, stacklevel=level)


# Warnings in results: a result has the texts of the call that made it.

Function = TypeVar("Function", bound=Callable[..., Any])
Texts = list[tuple[str, type[Warning]]]

_KEPT: ContextVar[Texts | None] = ContextVar("kept", default=None)


def keep_text(text: str, category: type[Warning] = MisleadingScoreWarning) -> None:
    """Add the text of a warning to those of the result in the making."""
    texts = _KEPT.get()
    if texts is not None:
        texts.append((without_advice(text), category))


def keep_warnings(function: Function) -> Function:
    """Return a function whose results have the warnings of its call, and of its inputs."""

    @wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        result, texts = call_keeping_texts(function, *arguments, **keywords)
        add_texts(texts)
        inherited = [
            text
            for argument in (*arguments, *keywords.values())
            for source in _results_in(argument)
            for text in source.warnings
        ]
        distinct = list(dict.fromkeys([*inherited, *(text for text, _ in texts)]))
        for made in _results_in(result):
            made._keep_warnings(distinct)
        return result

    return call  # type: ignore[return-value]


def call_keeping_texts(
    function: Callable[..., Any], *arguments: Any, **keywords: Any
) -> tuple[Any, Texts]:
    """Return what a function returns, and its warnings; jobs in other threads need it."""
    texts: Texts = []
    token = _KEPT.set(texts)
    try:
        return function(*arguments, **keywords), texts
    finally:
        _KEPT.reset(token)


def add_texts(texts: Texts) -> None:
    """Add the warnings of a call to those of the call that made it."""
    outer = _KEPT.get()
    if outer is not None:
        outer += texts


@contextmanager
def silence(category: type[Warning]) -> Iterator[None]:
    """Show no warnings of a category, and keep them in no result."""
    texts: Texts = []
    token = _KEPT.set(texts)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", category)
            yield
    finally:
        _KEPT.reset(token)
        add_texts([entry for entry in texts if not issubclass(entry[1], category)])


def _results_in(value: Any) -> Iterable[Any]:
    """Return a result, or the results of a dict or a list."""
    if hasattr(type(value), "_keep_warnings"):
        return [value]
    if isinstance(value, Mapping):
        value = list(value.values())
    if not isinstance(value, list | tuple):
        return []
    return [entry for entry in value if hasattr(type(entry), "_keep_warnings")]


# Scalars of NumPy, which errors show as those of Python.
_NUMPY = re.compile(r"\bnp\.(?:(?:u?int|float|str|bool)\w*\(([^()]*)\)|(True|False)_)")


def shorten(value: object, most: int = 60) -> str:
    """Return how errors show a value: its repr, cut where it is long."""
    if isinstance(value, int) and abs(value) > 10**most:
        return f"an integer of {value.bit_length()} bits"
    try:
        text = repr(value)
    # It holds an integer of more digits than Python writes, or deep lists.
    except (ValueError, RecursionError):
        return f"a very long {type(value).__name__}"
    text = _NUMPY.sub(r"\1\2", text)
    return text if len(text) <= most else f"{text[:most]}... ({len(text)} characters)"


def quantity(n: int, noun: str) -> str:
    """Return a count and its noun: 1 row, 2,000 rows, 2 queries."""
    return f"{n:,} {noun if n == 1 else plural(noun)}"


def clustered(n: int, noun: str, n_clusters: int) -> str:
    """Return a count, with that of its clusters if these are fewer: 3 rows in 1 cluster."""
    inside = f" in {quantity(n_clusters, 'cluster')}" if n_clusters < n else ""
    return quantity(n, noun) + inside


def plural(noun: str) -> str:
    """Return the plural of a noun: rows, queries."""
    return f"{noun[:-1]}ies" if noun.endswith("ry") else f"{noun}s"


# Warnings of scores that do not mean what they seem to mean.

# With fewer queries (users, rows, lists) there is no warning: small examples are common.
LEAST_TO_WARN = 20

_ADVICE = " If this is meant, ignore sklearn_rank.exceptions.MisleadingScoreWarning."


def without_advice(text: str) -> str:
    """Return the warning for those who do not call Python."""
    return text.removesuffix(_ADVICE)


def warn_misleading(text: str) -> None:
    """Warn of a misleading score."""
    warn_caller(text + _ADVICE, category=MisleadingScoreWarning)
