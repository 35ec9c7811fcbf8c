"""Print results at the width of the terminal, notes and errors."""

import io
import json
import os
import re
import shutil
import sys
import warnings
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from sklearn_rank._base._machine import __version__
from sklearn_rank._base._messages import without_advice
from sklearn_rank._base._text import NARROWEST, WIDTH, escape_controls
from sklearn_rank._cli._errors import InputError

# Longer paths and values are cut, so that the line stays readable.
_LONG_WORD = re.compile(r"(\S{100})\S{51,}(\S{50})")
# Text, or a function that lays it out in a number of columns.
Paragraph = str | Callable[[int], str]


def terminal_width() -> int:
    """Return the columns of the terminal (COLUMNS may set them)."""
    return max(shutil.get_terminal_size((WIDTH, 24)).columns, NARROWEST)


def lay_out(paragraphs: Sequence[Paragraph], width: int) -> str:
    """Return paragraphs in this number of columns."""
    return "\n\n".join(
        paragraph if isinstance(paragraph, str) else paragraph(width)
        for paragraph in paragraphs
    )


class ClosedPipe(Exception):
    """The reader of the output closed the pipe, as `head` does; it is not an error."""


def print_result(*paragraphs: Paragraph, wrote_files: bool = False) -> None:
    """Print the result of a command; its errors say whether the files were written."""
    try:
        print(lay_out(paragraphs, terminal_width()), flush=True)
    except OSError as error:
        _drop_output()
        if isinstance(error, BrokenPipeError):
            raise ClosedPipe from error
        end = " The files were written." if wrote_files else ""
        raise InputError(f"Cannot print: {error.strerror}.{end}") from error


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
        _drop_output()
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


def as_json(options: Namespace, found: Mapping[str, Any], notes: Sequence[str] = ()) -> str:
    """Return what a command found as JSON: warnings and notes after it, options last."""
    from sklearn_rank._display._result import as_json_types

    own = ("command", "warned")
    asked = {name: value for name, value in vars(options).items() if name not in own}
    report = {
        **found,
        "warnings": list(options.warned),
        "notes": list(notes),
        "sklearn_rank": __version__,
        "options": asked,
    }
    return json.dumps(as_json_types(report), indent=2, allow_nan=False, ensure_ascii=False)


def _drop_output() -> None:
    """Drop buffered output, or Python would fail again at exit."""
    with suppress(io.UnsupportedOperation):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


@contextmanager
def print_warnings_as_notes() -> Iterator[dict[str, None]]:
    """Print warnings for users on stderr, each text once; return the texts."""
    printed: dict[str, None] = {}
    with warnings.catch_warnings():
        as_python_does = warnings.showwarning

        def show(message: Any, category: type[Warning], *where: Any, **rest: Any) -> None:
            if not issubclass(category, UserWarning):  # it is for developers
                as_python_does(message, category, *where, **rest)
                return
            text = without_advice(str(message))
            if text not in printed:
                printed[text] = None
                print_notes(text)

        warnings.showwarning = show
        yield printed
