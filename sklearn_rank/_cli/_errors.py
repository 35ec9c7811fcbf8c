"""The error that ends a command with one line, and helpers to write that line."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

LONGEST_VALUE = 60
_ARGUMENT = re.compile(r"`(\w+)`")
_VALUE = re.compile(r"\bcv='(\w+)'")


class InputError(Exception):
    """Input of the user is unusable; the message is one line."""


def quote_value(value: object) -> str:
    """Return the given value in quotes, shortened."""
    text = str(value)
    return repr(text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}...")


def replace_arguments_by_options(text: str, names: Mapping[str, str]) -> str:
    """Replace the names of Python arguments in a text by those of options."""
    text = _ARGUMENT.sub(lambda found: names.get(found[1], found[0]), text)
    return _VALUE.sub(r"--cv \1", text)


@contextmanager
def report_errors_as_options(
    names: Mapping[str, str],
    kinds: tuple[type[Exception], ...] = (ValueError, TypeError, ArithmeticError),
) -> Iterator[None]:
    """Turn errors about Python arguments into an InputError about options."""
    try:
        yield
    except kinds as error:
        raise InputError(replace_arguments_by_options(str(error), names)) from error
