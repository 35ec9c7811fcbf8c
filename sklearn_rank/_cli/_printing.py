"""Printing: paragraphs, which a report repeats, and errors."""

import io
import os
import sys
from contextlib import suppress
from typing import TextIO

from sklearn_rank._cli._errors import InputError

# A path or a value of more characters is cut, so that the line can be read.
LONGEST_WORD = 200


class ReportPrinter:
    """Prints paragraphs and keeps them for a report."""

    def __init__(self) -> None:
        self.paragraphs: list[str] = []

    def add(self, text: str) -> None:
        """Print a paragraph at once, and keep it."""
        self.paragraphs.append(text)
        self.print(f"{text}\n")

    def print(self, text: str) -> None:
        """Print at once what does not belong into a report."""
        try:
            print(text, flush=True)
        except OSError as error:
            _drop(sys.stdout)
            raise InputError(f"Cannot print: {error.strerror}.") from error


def escape_unprintable() -> None:
    """Let stdout escape what its encoding lacks; stderr does so anyway."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def print_error(text: str) -> None:
    """Print one line on stderr."""
    line = " ".join(map(_cut, text.split()))
    # Where even that cannot be printed, the exit code still tells.
    with suppress(OSError):
        print(f"sklearn-rank: {line}", file=sys.stderr, flush=True)


def _cut(word: str) -> str:
    if len(word) <= LONGEST_WORD:
        return word
    return f"{word[: LONGEST_WORD // 2]}...{word[-LONGEST_WORD // 4 :]}"


def _drop(stream: TextIO) -> None:
    """Let nothing more come out, or Python would fail once more when it ends."""
    with suppress(io.UnsupportedOperation):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
