"""Text at the width of the terminal, and what stands out on it."""

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Callable
from functools import partial

# Of files; of a terminal where it does not say its own.
WIDTH = 80
NARROWEST = 20
# Behind the first of a table.
BEST = "<- best"
_UNBROKEN = "\N{NO-BREAK SPACE}"
_BOLD, _NORMAL = "\x1b[1m", "\x1b[0m"
_CODES = re.compile(r"\x1b\[[01]m")

# Text as it is, or what lays it out in so many columns.
Paragraph = str | Callable[[int], str]


def terminal_width() -> int:
    """Return the columns of the terminal, which COLUMNS may say."""
    return max(shutil.get_terminal_size((WIDTH, 24)).columns, NARROWEST)


def laid_out(paragraph: Paragraph, width: int) -> str:
    """Return a paragraph in so many columns."""
    return paragraph if isinstance(paragraph, str) else paragraph(width)


def prose(text: str) -> Paragraph:
    """Return a paragraph whose lines break between words."""
    return partial(wrapped, text)


def wrapped(text: str, width: int) -> str:
    """Return text whose lines break between words; what goes on is as far in, or more."""
    lines = []
    for line in text.split("\n"):
        start = " " * (len(line) - len(line.lstrip(" ")))
        further = start + "  " if start else ""
        lines += _broken(line.strip(" "), width, start, further) or [""]
    return "\n".join(lines)


def beside(numbers: str, text: str, width: int) -> list[str]:
    """Return the lines of a row: numbers, and a text that may take several lines.

    Where it is too narrow for both the text comes first, on lines of its own.
    """
    gap = "  "
    text = text.replace(BEST, BEST.replace(" ", _UNBROKEN))
    room = width - len(numbers) - len(gap)
    if room >= min(len(text), NARROWEST):
        first, *others = _broken(text, room, "", "")
        indent = " " * (len(numbers) + len(gap))
        lines = [numbers + gap + first, *(indent + other for other in others)]
    else:
        lines = [*_broken(text, width, "", "  "), numbers]
    return [line.replace(_UNBROKEN, " ") for line in lines]


def bold(text: str) -> str:
    """Return text that stands out on a terminal; whoever prints elsewhere calls plain."""
    return f"{_BOLD}{text}{_NORMAL}"


def plain(text: str) -> str:
    """Return text without what makes it stand out."""
    return _CODES.sub("", text)


def takes_color() -> bool:
    """Return whether stdout shows what stands out: a terminal that nobody asked not to."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return sys.stdout is not None and sys.stdout.isatty()


def _broken(text: str, width: int, first: str, others: str) -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
    )
