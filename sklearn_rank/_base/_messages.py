"""Warnings at the line that called this package, and values as errors show them."""

import re
import sys
import warnings

from sklearn_rank.exceptions import MisleadingScoreWarning

# This package, and scikit-learn's calls between a user and `fit`.
_OWN_MODULES = (__name__.split(".")[0] + ".", "sklearn.callback.")


def warn_caller(*messages: str, category: type[Warning] = UserWarning) -> None:
    """Show warnings at the first frame outside this package."""
    frame, level = sys._getframe(), 1
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(_OWN_MODULES):
        frame, level = frame.f_back, level + 1
    for message in messages:
        warnings.warn(message, category, stacklevel=level)


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
