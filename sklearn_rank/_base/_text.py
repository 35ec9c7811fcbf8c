"""Tables and paragraphs of plain text, in so many columns."""

import re
import textwrap
from collections.abc import Sequence
from unicodedata import category

# For files and for `print`; a terminal has its own width.
WIDTH = 80
NARROWEST = 20
# Marks the best row of a table.
BEST_MARK = "<- best"
_UNBROKEN = "\N{NO-BREAK SPACE}"
# Control characters, invisible ones that format, halves of characters, ends of lines and of
# paragraphs: a terminal obeys them, or cannot show them. Two of the second kind are part of
# writing and of emoji.
_ESCAPED = ("Cc", "Cf", "Cs", "Zl", "Zp")
_JOINERS = "\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}"
LATEX_ESCAPES = str.maketrans(
    {sign: f"\\{sign}" for sign in "&%$#_{}"}
    | {"\\": r"\textbackslash ", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"}
)


def escape_controls(text: str) -> str:
    r"""Return text as one line that a terminal only shows, such as \x1b for an escape."""
    if text.isprintable():
        return text
    return "".join(
        character.encode("unicode_escape").decode()
        if category(character) in _ESCAPED and character not in _JOINERS
        else character
        for character in text
    )


def align_columns(lines: list[list[str]], width: int = WIDTH) -> list[str]:
    """Return cells below each other, names to the left; long names on their own line.

    Columns that do not fit continue below, with the names again.
    """
    lines = [[escape_controls(cell) for cell in line] for line in lines]
    sizes = [2 + max(map(len, cells)) for cells in zip(*lines, strict=True)][1:]
    room = width
    if sum(sizes) > width:
        room -= max(len(line[0]) for line in lines)
    text, start = [], 0
    while start < len(sizes):
        end = start + 1
        while end < len(sizes) and sum(sizes[start : end + 1]) <= room:
            end += 1
        block = [[line[0], *line[start + 1 : end + 1]] for line in lines]
        text += _align_block(block, sizes[start:end], width)
        start = end
    return text


def _align_block(lines: list[list[str]], sizes: list[int], width: int) -> list[str]:
    """Return rows whose cells fit a line."""
    free = width - sum(sizes)
    first = max((len(line[0]) for line in lines if len(line[0]) <= free), default=0)
    text = []
    for name, *numbers in lines:
        if len(name) > first:
            text += wrap_lines(name, width)
        each = zip(numbers, sizes, strict=True)
        cells = "".join(f"{cell:>{size}}" for cell, size in each)
        text.append(f"{name if len(name) <= first else '':<{first}}{cells}".rstrip())
    return text


def wrap_lines(text: str, width: int = WIDTH) -> list[str]:
    """Return a text in lines; a word that is too long is cut."""
    return textwrap.wrap(escape_controls(text), width, subsequent_indent="  ")


def wrap_text(text: str, width: int = WIDTH) -> str:
    """Return text whose lines break between words; what goes on is as far in, or more."""
    lines = []
    for line in map(escape_controls, text.split("\n")):
        start = " " * (len(line) - len(line.lstrip(" ")))
        further = start + "  " if start else ""
        lines += break_lines(line.strip(" "), width, start, further) or [""]
    return "\n".join(lines)


def place_beside(numbers: str, text: str, width: int = WIDTH) -> list[str]:
    """Return the lines of a row: numbers, and a text that may take several lines.

    Where it is too narrow for both the text comes first, on lines of its own.
    """
    gap = "  "
    text = escape_controls(text).replace(BEST_MARK, BEST_MARK.replace(" ", _UNBROKEN))
    room = width - len(numbers) - len(gap)
    if room >= min(len(text), NARROWEST):
        first, *next_lines = break_lines(text, room, "", "")
        indent = " " * (len(numbers) + len(gap))
        lines = [numbers + gap + first, *(indent + next_line for next_line in next_lines)]
    else:
        lines = [*break_lines(text, width, "", "  "), numbers]
    return [line.replace(_UNBROKEN, " ") for line in lines]


def break_lines(text: str, width: int, first: str, others: str) -> list[str]:
    """Return lines that break at spaces only, the first and the others indented."""
    return textwrap.wrap(
        text,
        width,
        initial_indent=first,
        subsequent_indent=others,
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
    )


# How numbers are written for people: the same in text, tables, pages and pictures.


def format_percent(share: float) -> str:
    """Return a share as a percentage, such as 95%."""
    return f"{100 * share:g}%"


def name_interval(level: float) -> str:
    """Return the name of an interval, such as 95% interval."""
    return f"{format_percent(level)} interval"


def format_interval(low: float, high: float, shown: str = ".4f") -> str:
    """Return an interval in brackets, its ends in a format."""
    return f"[{low:{shown}}, {high:{shown}}]"


# Times as text.

ZONE = re.compile(r"(?:Z|[+-]\d\d:?\d\d)$")  # at the end of a moment


_DAY_AND_MONTH = re.compile(r"(\d\d?)[/.-](\d\d?)[/.-]\d\d")


def conversion_of(name: str, values: Sequence) -> str:
    """Return the call that makes times of texts: pandas reads one form and one zone."""
    texts = [value for value in values if isinstance(value, str)]
    zones = {match[0] for text in texts if (match := ZONE.search(text))}
    options = ", utc=True" if len(zones) > 1 else ""
    parts = [match for text in texts if (match := _DAY_AND_MONTH.match(text))]
    if parts:  # pandas takes the month first, so both are named
        options += f", dayfirst={all(int(match[2]) <= 12 for match in parts)}"
    elif len(set(map(len, texts))) > 1:
        options += ', format="ISO8601"'
    return f"pandas.to_datetime({name}{options})"
