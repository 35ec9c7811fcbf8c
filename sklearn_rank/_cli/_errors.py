"""The ends of a command: an error of one line, and signals that stop it cleanly."""

import re
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

# The error that ends a command with one line, and helpers to write that line.

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

    def replace(match: re.Match) -> str:
        option = names.get(match[1] or match[3])
        value = (match[2] or match[4] or "").strip("'")
        return match[0] if option is None else f"{option} {value}".rstrip()

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


# Signals that end a command: it stops cleanly and never leaves half a file.

# Windows has no SIGHUP, the signal of a closed terminal.
ENDING = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)
)


class Stopped(KeyboardInterrupt):
    """A signal asked the command to end; libraries do not catch it, as with Ctrl-C."""

    def __init__(self, number: int):
        super().__init__()
        self.number = number


@contextmanager
def stop_on_signals() -> Iterator[None]:
    """Raise Stopped on such a signal, unless another handler is installed."""
    numbers = ENDING if _is_main_thread() else ()
    ours = [n for n in numbers if signal.getsignal(n) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, _raise_stopped)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def _raise_stopped(number: int, frame: FrameType | None) -> NoReturn:
    raise Stopped(number)


def _is_main_thread() -> bool:
    """Return whether Python allows to set handlers here."""
    return threading.current_thread() is threading.main_thread()
