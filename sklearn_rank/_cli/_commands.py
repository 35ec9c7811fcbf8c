"""The commands: their arguments, and what runs them. No other shared file knows them."""

import argparse
from collections.abc import Callable, Sequence
from typing import NoReturn

from sklearn_rank import __version__
from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli.rank import _arguments as _rank_arguments
from sklearn_rank._cli.tune import _arguments as _tune_arguments

ARGUMENTS = {"tune": _tune_arguments, "rank": _rank_arguments}


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
    for arguments in ARGUMENTS.values():
        arguments.add_command(commands)
    options = parser.parse_args(argv)
    ARGUMENTS[options.command].check_together(options)
    return options


def load_command(name: str) -> Callable[[argparse.Namespace], None]:
    """Return what runs a command; it takes a second or two to load."""
    if name == "rank":
        from sklearn_rank._cli.rank._command import rank

        return rank
    from sklearn_rank._cli.tune._command import tune

    return tune
