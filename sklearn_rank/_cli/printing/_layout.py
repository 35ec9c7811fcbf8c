"""Text at the width of the terminal, and what stands out on it."""

import os
import re
import shutil
import sys
from collections.abc import Callable
from functools import partial

from sklearn_rank._text._table import NARROWEST, WIDTH, wrapped

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
