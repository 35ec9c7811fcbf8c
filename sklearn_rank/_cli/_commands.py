"""The commands: their arguments, and what runs them. No other shared file knows them."""

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from sklearn_rank import __version__
from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli.compare import _arguments as _compare_arguments
from sklearn_rank._cli.evaluate import _arguments as _evaluate_arguments
from sklearn_rank._cli.gate import _arguments as _gate_arguments
from sklearn_rank._cli.rank import _arguments as _rank_arguments
from sklearn_rank._cli.tune import _arguments as _tune_arguments

ARGUMENTS = {
    "tune": _tune_arguments,
    "rank": _rank_arguments,
    "compare": _compare_arguments,
    "gate": _gate_arguments,
    "evaluate": _evaluate_arguments,
}
# Of errors. With another verdict than "pass", a gate has codes of its own.
ERROR_CODE = 2
ERROR_CODES = {"gate": _gate_arguments.ERROR_CODE}


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


def error_code(argv: Sequence[str] | None) -> int:
    """Return the exit code of an error, also where the arguments cannot be read."""
    given = sys.argv[1:] if argv is None else argv
    return ERROR_CODES.get(given[0], ERROR_CODE) if given else ERROR_CODE


def load_command(name: str) -> Callable[[argparse.Namespace], int | None]:
    """Return what runs a command, and perhaps returns an exit code.

    It takes a second or two to load.
    """
    if name == "compare":
        from sklearn_rank._cli.compare._command import compare

        return compare
    if name == "gate":
        from sklearn_rank._cli.gate._command import gate

        return gate
    if name == "evaluate":
        from sklearn_rank._cli.evaluate._command import evaluate

        return evaluate
    if name == "rank":
        from sklearn_rank._cli.rank._command import rank

        return rank
    from sklearn_rank._cli.tune._command import tune

    return tune
