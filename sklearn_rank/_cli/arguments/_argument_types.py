"""Parsers of option values."""

import argparse
import math
from collections.abc import Callable, Sequence

from sklearn_rank._validation import suggest

# More folds or parallel fits than any computer can run.
MOST = 1000
# A whole number of this many digits fits 64 bits.
DIGITS = 18


def positive(text: str) -> float:
    """Return a number above 0."""
    return _number(text, "a number above 0", lambda number: number > 0)


def not_negative(text: str) -> float:
    """Return a number from 0."""
    return _number(text, "a number from 0", lambda number: number >= 0)


def share(text: str) -> float:
    """Return a number between 0 and 1."""
    needed = "a share above 0 and below 1, such as 0.2"
    return _number(text, needed, lambda number: 0 < number < 1)


def as_whole(text: str) -> int | None:
    """Return a whole number of at least 0 that fits 64 bits, None for other text."""
    # int() also accepts underscores and the digits of all scripts.
    is_whole = text.isascii() and text.isdecimal() and len(text.lstrip("0")) <= DIGITS
    return int(text[-DIGITS:]) if is_whole else None


def seed(text: str) -> int:
    """Return a seed of random numbers."""
    return _whole_number(text, 0, 2**32 - 1)


def count(text: str) -> int:
    """Return a whole number from 1."""
    return _whole_number(text, 1)


def folds(text: str) -> int:
    """Return a whole number from 2."""
    return _whole_number(text, 2)


def jobs(text: str) -> int:
    """Return a number of jobs; -1 is one per core."""
    return -1 if text == "-1" else count(text)


def names_among(valid: Sequence[str]) -> Callable[[str], tuple[str, ...]]:
    """Return the parser of a comma-separated list of names."""

    def names(text: str) -> tuple[str, ...]:
        # Dict keys drop duplicates and keep the order.
        given = tuple(dict.fromkeys(name.strip() for name in text.split(",")))
        for name in given:
            if name not in valid:
                raise argparse.ArgumentTypeError(f"got {name!r}. {suggest(name, valid)}")
        return given

    return names


def separator(text: str) -> str:
    """Return the separator, one character; "tab" is the tab."""
    text = {"\\t": "\t", "tab": "\t"}.get(text, text)
    if len(text) != 1 or text in '"\r\n':
        raise argparse.ArgumentTypeError(f"needs one character or tab, got {text!r}")
    return text


def encoding(text: str) -> str:
    """Return the name of a text encoding."""
    try:
        # Some codecs do not decode to text.
        "a".encode(text)
    except (LookupError, UnicodeError, ValueError) as error:
        raise argparse.ArgumentTypeError(
            f"needs the name of an encoding, such as latin-1, got {text!r}"
        ) from error
    return text


def _number(text: str, needed: str, is_good: Callable[[float], bool]) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and is_good(number)):
        raise argparse.ArgumentTypeError(f"needs {needed}, got {text!r}")
    return number


def _whole_number(text: str, least: int, most: int = MOST) -> int:
    number = as_whole(text)
    if number is None or not least <= number <= most:
        raise argparse.ArgumentTypeError(
            f"needs a whole number from {least} to {most:,}, got {text!r}"
        )
    return number
