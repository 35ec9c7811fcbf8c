"""The command line, split into the options of one command."""

import argparse
from collections.abc import Sequence
from typing import NoReturn

from sklearn_rank import __version__
from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli.rank import _arguments as _rank_arguments
from sklearn_rank._cli.tune import _arguments as _tune_arguments

COMMANDS = {"tune": _tune_arguments, "rank": _rank_arguments}


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message} (see {self.prog} --help)")


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the options of the command; an InputError says which one is wrong."""
    parser = _Parser(
        prog="sklearn-rank",
        description="Judge and tune rankers and recommenders.",
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for command in COMMANDS.values():
        command.add_command(commands)
    options = parser.parse_args(argv)
    COMMANDS[options.command].check_together(options)
    return options
