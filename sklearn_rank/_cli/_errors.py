"""The error that ends a command with one line, and helpers to write that line."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

LONGEST_VALUE = 60
# An argument, perhaps with its value.
_ARGUMENT = re.compile(r"`(\w+)(?:=([^`]*))?`|\b(\w+)=('\w+'|\d[\d.]*)")


class InputError(Exception):
    """Input of the user is unusable; the message is one line."""


def quote_value(value: object) -> str:
    """Return the given value in quotes, shortened."""
    text = str(value)
    return repr(text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}...")


def replace_arguments_by_options(text: str, names: Mapping[str, str]) -> str:
    """Replace the names of Python arguments in a text by those of options."""

    def replace(found: re.Match) -> str:
        option = names.get(found[1] or found[3])
        value = (found[2] or found[4] or "").strip("'")
        return found[0] if option is None else f"{option} {value}".rstrip()

    return _ARGUMENT.sub(replace, text)


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
