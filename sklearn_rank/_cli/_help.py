"""The text above and below the options of `--help`, at the width of the terminal."""

import re
import textwrap

# Longer lines are hard to read.
WIDEST = 92
PROGRAM = "sklearn-rank"
# A name, and what stands beside it after two blanks or more.
BESIDE = re.compile(r" +\S.*?\S  +(?=\S)")
# The text beside a name goes below it where less room is left.
LEAST = 24


def wrap_usage(text: str, width: int) -> str:
    """Return the lines of a usage, which argparse leaves as they are."""
    begin = "usage: "
    return f"\n{' ' * len(begin)}".join(
        part
        for line in text.splitlines()
        for part in textwrap.wrap(
            line.strip(),
            width - len(begin),
            subsequent_indent="  ",
            break_on_hyphens=False,
            break_long_words=False,
        )
    )


def wrap_help(text: str, width: int) -> str:
    """Return paragraphs as lines of a width.

    A line that is indented stands for itself: a command, which can be copied in several
    lines, or a name with its text beside it.
    """
    return "\n\n".join(
        "\n".join(_wrap_paragraph(paragraph, width))
        for paragraph in text.strip().split("\n\n")
    )


def _wrap_paragraph(paragraph: str, width: int) -> list[str]:
    lines: list[str] = []
    plain: list[str] = []
    for line in paragraph.splitlines():
        if line.startswith(" "):
            lines += [*_fill(plain, width), *_wrap_item(line, width)]
            plain = []
        else:
            plain.append(line)
    return [*lines, *_fill(plain, width)]


def _fill(lines: list[str], width: int) -> list[str]:
    return textwrap.wrap(" ".join(lines), width, break_on_hyphens=False)


def _wrap_item(line: str, width: int) -> list[str]:
    if line.strip().startswith(PROGRAM):
        parts = textwrap.wrap(
            line,
            width - 2,
            subsequent_indent="      ",
            break_on_hyphens=False,
            break_long_words=False,
        )
        return [f"{part} \\" for part in parts[:-1]] + parts[-1:]
    beside = BESIDE.match(line)
    if beside is not None and width - beside.end() < LEAST:
        name, text = line[: beside.end()].rstrip(), " " * 6 + line[beside.end() :]
        return [name, *_fill_item(text, width, 6)]
    return _fill_item(line, width, 4 if beside is None else beside.end())


def _fill_item(line: str, width: int, place: int) -> list[str]:
    return textwrap.wrap(line, width, subsequent_indent=" " * place, break_on_hyphens=False)
