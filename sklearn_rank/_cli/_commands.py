"""The commands: their arguments, and what runs them. No other shared file knows them."""

import argparse
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NoReturn

from sklearn_rank import __version__
from sklearn_rank._cli._help import WIDEST, wrap_help, wrap_usage
from sklearn_rank._cli.printing._errors import InputError
from sklearn_rank._cli.printing._layout import terminal_width

# In the order of their use. Each is a folder beside this file, with `add_command` and
# `check_together` in `_arguments`, and a function of its name in `_command`.
COMMANDS = ("tune", "split", "recommend", "evaluate", "compare", "gate", "fuse", "rank")
# Of errors, unless `_arguments` has another one.
ERROR_CODE = 2
DESCRIPTION = """\
Judge and tune rankers and recommenders. Each command has examples in its --help.
"""


class _Parser(argparse.ArgumentParser):
    def __init__(self, **options: Any):
        # Which leaves lines alone that were wrapped here.
        options["formatter_class"] = argparse.RawDescriptionHelpFormatter
        super().__init__(**options)

    def format_help(self) -> str:
        # argparse leaves two columns free, too.
        width = min(terminal_width() - 2, WIDEST)
        if self.usage is not None:
            self.usage = wrap_usage(self.usage % {"prog": self.prog}, width)
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
    parser = _Parser(prog="sklearn-rank", description=DESCRIPTION)
    parser.add_argument("-V", "--version", action="version", version=__version__)
    commands = parser.add_subparsers(
        dest="command", metavar="COMMAND", required=True, parser_class=_CommandParser
    )
    given = _command_in(argv)
    # Others are not loaded, unless all are to be listed.
    for name in COMMANDS if given is None else (given,):
        _load(name, "_arguments").add_command(commands)
    options = parser.parse_args(argv)
    _load(options.command, "_arguments").check_together(options)
    return options


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
