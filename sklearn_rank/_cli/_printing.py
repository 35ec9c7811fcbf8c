"""Print paragraphs at the width of the terminal, notes and errors."""

import io
import os
import re
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, TextIO

from sklearn_rank._base._messages import without_advice
from sklearn_rank._base._text import NARROWEST, WIDTH, escape_controls, wrap_text
from sklearn_rank._cli._errors import InputError

_BOLD, _NORMAL = "\x1b[1m", "\x1b[0m"
_CODES = re.compile(r"\x1b\[[01]m")
# Longer paths and values are cut, so that the line stays readable.
_LONG_WORD = re.compile(r"(\S{100})\S{51,}(\S{50})")
# Text, or a function that lays it out in a number of columns.
Paragraph = str | Callable[[int], str]


def terminal_width() -> int:
    """Return the columns of the terminal (COLUMNS may set them)."""
    return max(shutil.get_terminal_size((WIDTH, 24)).columns, NARROWEST)


def laid_out(paragraph: Paragraph, width: int) -> str:
    """Return a paragraph in this number of columns."""
    return paragraph if isinstance(paragraph, str) else paragraph(width)


def wrap_prose(text: str) -> Paragraph:
    """Return a paragraph whose lines break between words."""
    return partial(wrap_text, text)


def make_bold(text: str) -> str:
    """Return text in bold for a terminal; `remove_formatting` removes it."""
    return f"{_BOLD}{text}{_NORMAL}"


def remove_formatting(text: str) -> str:
    """Return text without terminal formatting."""
    return _CODES.sub("", text)


def can_show_color() -> bool:
    """Return whether stdout shows color (honors NO_COLOR)."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return sys.stdout is not None and sys.stdout.isatty()


class ClosedPipe(Exception):
    """The reader of the output closed the pipe, as `head` does; it is not an error."""


class ReportPrinter:
    """Prints paragraphs and keeps them for a report.

    With `writes_files` a closed terminal or pipe does not stop the command, because its
    files are worth more than its output: `finish` raises at the end.
    """

    def __init__(self, *, writes_files: bool = False) -> None:
        self.writes_files = writes_files
        self._kept: list[Paragraph] = []
        self._failure: OSError | None = None

    @property
    def paragraphs(self) -> list[str]:
        """The paragraphs for a file."""
        return [remove_formatting(laid_out(kept, WIDTH)) for kept in self._kept]

    def add(self, paragraph: Paragraph) -> None:
        """Print a paragraph now, and keep it."""
        self.keep(paragraph)
        self.print(paragraph, end="\n\n")

    def keep(self, paragraph: Paragraph) -> None:
        """Keep a paragraph for the report without printing it."""
        self._kept.append(paragraph)

    def print(self, paragraph: Paragraph, end: str = "\n") -> None:
        """Print text that does not belong in a report."""
        text = laid_out(paragraph, terminal_width())
        output = text if can_show_color() else remove_formatting(text)
        try:
            print(output, end=end, flush=True)
        except OSError as error:
            self._failure = error
            _drop_output(sys.stdout)
            if not self.writes_files:
                self.finish()

    def finish(self) -> None:
        """Raise if something could not be printed; a closed pipe is not an error."""
        if self._failure is None:
            return
        if isinstance(self._failure, BrokenPipeError):
            raise ClosedPipe from self._failure
        message = f"Cannot print: {self._failure.strerror}."
        if self.writes_files:
            message += " The files were written."
        raise InputError(message) from self._failure


def print_result(*paragraphs: Paragraph, wrote_files: bool) -> None:
    """Print the result of a command; its errors say whether the files were written."""
    printer = ReportPrinter(writes_files=wrote_files)
    printer.print(lambda width: "\n\n".join(laid_out(part, width) for part in paragraphs))
    printer.finish()


def escape_unprintable() -> None:
    """Let stdout escape what its encoding lacks; stderr does so anyway."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def flush() -> None:
    """Print buffered text, such as a help text, while a closed pipe can still be caught."""
    try:
        # None if stdout is closed.
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError as error:
        _drop_output(sys.stdout)
        raise ClosedPipe from error


def print_error(text: str) -> None:
    """Print one line on stderr."""
    line = escape_controls(_LONG_WORD.sub(r"\1...\2", " ".join(text.split())))
    # If stderr cannot be written either, the exit code still reports the error.
    with suppress(OSError):
        print(f"sklearn-rank: {line}", file=sys.stderr, flush=True)


def print_notes(*notes: str) -> None:
    """Print lines on stderr that are not errors."""
    for note in notes:
        print_error(f"note: {note}")


def _drop_output(stream: TextIO) -> None:
    """Drop buffered output, or Python would fail again at exit."""
    with suppress(io.UnsupportedOperation):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)


@contextmanager
def print_warnings_as_notes() -> Iterator[None]:
    """Print warnings for users on stderr, each text once."""
    printed = set()
    with warnings.catch_warnings():
        as_python_does = warnings.showwarning

        def show(message: Any, category: type[Warning], *where: Any, **rest: Any) -> None:
            if not issubclass(category, UserWarning):  # it is for developers
                as_python_does(message, category, *where, **rest)
                return
            text = without_advice(str(message))
            if text not in printed:
                printed.add(text)
                print_notes(text)

        warnings.showwarning = show
        yield
