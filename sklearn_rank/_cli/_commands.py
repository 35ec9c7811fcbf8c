"""The commands: their arguments and the functions that run them."""

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import zip_longest
from typing import Any, NoReturn

from sklearn_rank._base._machine import __version__
from sklearn_rank._base._text import break_lines, wrap_text
from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._printing import terminal_width

# In the order of their use. Each is two files beside this one: the docstring of
# `_tune_arguments` is the text of --help, and it has `add_arguments` and `check_together`;
# `_tune_command` has a function of its name.
COMMANDS = ("tune", "split", "recommend", "evaluate", "compare", "gate", "fuse", "rank")
# The exit code of errors, unless the `_arguments` of a command define another one.
ERROR_CODE = 2
DESCRIPTION = """\
Judge and tune rankers and recommenders. Each command has examples in its --help.
"""
# Longer lines are hard to read.
WIDEST = 92


class _Parser(argparse.ArgumentParser):
    def __init__(self, **options: Any):
        # It keeps the lines that were wrapped here.
        options["formatter_class"] = argparse.RawDescriptionHelpFormatter
        super().__init__(**options)

    def format_help(self) -> str:
        # argparse leaves two columns free, too.
        width = min(terminal_width() - 2, WIDEST)
        if self.usage is not None:
            begin = "usage: "
            lines = wrap_text(self.usage % {"prog": self.prog}, width - len(begin))
            self.usage = lines.replace("\n", "\n" + " " * len(begin))
        self.description = wrap_text(self.description or "", width)
        examples = (_wrap_example(line, width) for line in (self.epilog or "").splitlines())
        self.epilog = "\n".join(["examples:", *examples]) if self.epilog else None
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        usages = (self.usage or "").replace("%(prog)s", self.prog).split("\n")
        usage = f"; usage: {' or '.join(usages)}" if self.usage else ""
        raise InputError(f"{message} (see {self.prog} --help{usage})")


class _CommandParser(_Parser):
    def __init__(self, **options: Any):
        super().__init__(**options)
        # The type of all arguments without their own.
        self.register("type", None, _non_empty_text)


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the options of the command; raise an InputError for a wrong one."""
    name = _find_command(argv)
    # The other commands are loaded only to list all.
    parser, commands = _parsers(COMMANDS if name is None else (name,))
    options, unrecognized = parser.parse_known_args(_drop_stdout(argv))
    if unrecognized:
        commands.choices[options.command].error(
            f"unrecognized arguments: {' '.join(unrecognized)}"
        )
    _load_module(options.command, "_arguments").check_together(options)
    return options


def _drop_stdout(argv: Sequence[str] | None) -> list[str]:
    """Return the arguments without the "-" of `--json -`, unless a file may follow it."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    kept: list[str] = []
    for argument, after in zip_longest(arguments, arguments[1:], fillvalue="-"):
        if (kept[-1:], argument, after[:1]) != (["--json"], "-", "-"):
            kept.append(argument)
    return kept


def command_parser(name: str) -> argparse.ArgumentParser:
    """Return the parser of one command; the documentation shows its help."""
    return _parsers((name,))[1].choices[name]


def _parsers(names: Sequence[str]) -> tuple[argparse.ArgumentParser, Any]:
    parser = _Parser(prog="sklearn-rank", description=DESCRIPTION)
    parser.add_argument("-V", "--version", action="version", version=__version__)
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, parser_class=_CommandParser
    )
    for name in names:
        about = _load_module(name, "_arguments")
        # Python -OO has no docstrings.
        text, _, examples = (about.__doc__ or "").partition("\n\nExamples\n--------\n")
        # Lines that begin with a space stand as they are.
        text = re.sub(r"(?<=\S)\n(?=\S)", " ", text)
        usages = (about.USAGE,) if isinstance(about.USAGE, str) else about.USAGE
        command = commands.add_parser(
            name,
            help=about.HELP,
            usage="\n".join(f"%(prog)s {usage}" for usage in usages),
            description=text,
            epilog=examples,
        )
        about.add_arguments(command)
    return parser, commands


def error_code(argv: Sequence[str] | None) -> int:
    """Return the exit code of an error, even if the arguments cannot be parsed."""
    name = _find_command(argv)
    if name is None:
        return ERROR_CODE
    return getattr(_load_module(name, "_arguments"), "ERROR_CODE", ERROR_CODE)


def load_command(name: str) -> Callable[[argparse.Namespace], int | None]:
    """Return the function that runs a command and may return an exit code.

    It takes a second or two to load.
    """
    return getattr(_load_module(name, "_command"), name)


def _non_empty_text(text: str) -> str:
    """Return the text; raise if it is empty, as an unset shell variable leaves it."""
    if not text:
        raise argparse.ArgumentTypeError("needs a text, got ''; name one, or leave it out")
    return text


def _find_command(argv: Sequence[str] | None) -> str | None:
    arguments = sys.argv[1:] if argv is None else argv
    return arguments[0] if arguments and arguments[0] in COMMANDS else None


def _load_module(name: str, module: str) -> Any:
    return import_module(f"sklearn_rank._cli._{name}{module}")


def _wrap_example(line: str, width: int) -> str:
    """Return a command that can be copied, wherever it is broken."""
    return " \\\n".join(break_lines(line, width - 2, "  ", "      "))
