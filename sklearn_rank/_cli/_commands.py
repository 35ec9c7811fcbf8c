"""The commands: their arguments, and what runs them. No other shared file knows them."""

import argparse
import re
import sys
import textwrap
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NoReturn

from sklearn_rank import __version__
from sklearn_rank._cli.printing._errors import InputError
from sklearn_rank._cli.printing._printing import terminal_width

# In the order of their use. Each is a folder beside this file, with `add_command` and
# `check_together` in `_arguments`, and a function of its name in `_command`.
COMMANDS = ("tune", "split", "recommend", "evaluate", "compare", "gate", "fuse", "rank")
# Of errors, unless `_arguments` has another one.
ERROR_CODE = 2
DESCRIPTION = """\
Judge and tune rankers and recommenders. Each command has examples in its --help.
"""
# Longer lines are hard to read.
WIDEST = 92
PROGRAM = "sklearn-rank"
# A name, and what stands beside it after two blanks or more.
BESIDE = re.compile(r" +\S.*?\S  +(?=\S)")
# The text beside a name goes below it where less room is left.
LEAST = 24


class _Parser(argparse.ArgumentParser):
    def __init__(self, **options: Any):
        # Which leaves lines alone that were wrapped here.
        options["formatter_class"] = argparse.RawDescriptionHelpFormatter
        super().__init__(**options)

    def format_help(self) -> str:
        # argparse leaves two columns free, too.
        width = min(terminal_width() - 2, WIDEST)
        if self.usage is not None:
            self.usage = _wrap_usage(self.usage % {"prog": self.prog}, width)
        self.description = wrap_help(self.description or "", width)
        self.epilog = wrap_help(self.epilog or "", width)
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message} (see {self.prog} --help)")


class _CommandParser(_Parser):
    def __init__(self, **options: Any):
        super().__init__(**options)
        # Of all arguments that have no type of their own.
        self.register("type", None, _not_empty)


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the options of the command; an InputError says which one is wrong."""
    given = _command_in(argv)
    # Others are not loaded, unless all are to be listed.
    parser, _ = _parsers(COMMANDS if given is None else (given,))
    options = parser.parse_args(argv)
    _load(options.command, "_arguments").check_together(options)
    return options


def command_parser(name: str) -> argparse.ArgumentParser:
    """Return the parser of one command, whose help the documentation shows."""
    return _parsers((name,))[1].choices[name]


def _parsers(names: Sequence[str]) -> tuple[argparse.ArgumentParser, Any]:
    parser = _Parser(prog="sklearn-rank", description=DESCRIPTION)
    parser.add_argument("-V", "--version", action="version", version=__version__)
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, parser_class=_CommandParser
    )
    for name in names:
        _load(name, "_arguments").add_command(commands)
    return parser, commands


def error_code(argv: Sequence[str] | None) -> int:
    """Return the exit code of an error, also where the arguments cannot be read."""
    given = _command_in(argv)
    if given is None:
        return ERROR_CODE
    return getattr(_load(given, "_arguments"), "ERROR_CODE", ERROR_CODE)


def load_command(name: str) -> Callable[[argparse.Namespace], int | None]:
    """Return what runs a command, and perhaps returns an exit code.

    It takes a second or two to load.
    """
    return getattr(_load(name, "_command"), name)


def _not_empty(text: str) -> str:
    """Return the text; a variable of the shell that is not set leaves none."""
    if not text:
        raise argparse.ArgumentTypeError("needs a text, got ''; name one, or leave it out")
    return text


def _command_in(argv: Sequence[str] | None) -> str | None:
    given = sys.argv[1:] if argv is None else argv
    return given[0] if given and given[0] in COMMANDS else None


def _load(name: str, module: str) -> Any:
    return import_module(f"sklearn_rank._cli.{name}.{module}")


def _wrap_usage(text: str, width: int) -> str:
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
