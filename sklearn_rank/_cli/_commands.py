"""The commands: their arguments and the functions that run them."""

import argparse
import re
import sys
from collections.abc import Callable, Sequence
from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec
from typing import Any, NoReturn

from sklearn_rank._base._machine import __version__
from sklearn_rank._base._text import break_lines, wrap_text
from sklearn_rank._cli._errors import InputError
from sklearn_rank._cli._printing import terminal_width

# In the order of their use. Each is two files beside this one: the docstring of
# `_tune_arguments` is the text of --help, and it has `add_arguments` and `check_together`;
# `_tune_command` has a function of its name.
COMMANDS = (
    "evaluate",
    "compare",
    "gate",
    "plan",
    "fuse",
    "tune",
    "split",
    "judge",
    "conform",
    "skill",
)
NEED_PANDAS = ("tune", "split")
# The exit code of errors, unless the `_arguments` of a command define another one.
ERROR_CODE = 2
# Options of other tools, and what they are in the commands that read lists.
NAMES_ELSEWHERE = {
    "--values": "-o FILE",
    "--rating": "--grade FIELD",
    "--user": "--query FIELD",
    "--metrics": "-m NAMES",
    "--golden": "GOLDEN, without an option, or --truth GOLDEN",
    "--run": "RESULTS, without an option",
    "--threshold": "--margin M (the largest loss) or --floor F (the least mean)",
    "--format": "--json",
    "--k": "-m ndcg@10",
    "-k": "-m ndcg@10",
}
# Longer lines are hard to read.
WIDEST = 92


class _Parser(argparse.ArgumentParser):
    """A parser whose errors have one line."""

    def __init__(self, **options: Any):
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, **options)

    def error(self, message: str) -> NoReturn:
        usage = " ".join((self.usage or "").split())
        usage = usage and f"; usage: {usage.replace(' sklearn-rank', ' or sklearn-rank')}"
        raise InputError(f"{message} (see {self.prog} --help{usage})")


def parse_arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the options of the command; raise an InputError for a wrong one."""
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == ["eval"]:
        raise InputError("Write evaluate for eval.")
    # The other commands are loaded only to list all.
    command = _find_command(words)
    parser, commands = _parsers(COMMANDS if command is None else (command,))
    options, unknown = parser.parse_known_args(_drop_stdout(words))
    option = next((word for word in unknown if word in NAMES_ELSEWHERE), None)
    if option is not None:
        raise InputError(f"Write {NAMES_ELSEWHERE[option]} for {option}.")
    if unknown:
        name = next((word for word in unknown if word.startswith("-")), unknown[0])
        kind = "option" if name.startswith("-") else "argument"
        text = commands.choices[options.command].format_help()
        options_of = re.findall(r"(?<!\S)--[\w-]+", text)
        near = get_close_matches(name.partition("=")[0], options_of, 1)
        advice = f" Did you mean {near[0]}?" if near else ""
        if options.command == "gate" and kind == "argument":
            *several, golden = [options.results, options.golden, *unknown]
            side = f"--candidate {' '.join(several)} --truth {golden}"
            advice = f" If several files are repeats, write {side}."
        raise InputError(
            f"{options.command} has no {kind} {name}; sklearn-rank {options.command} "
            f"--help lists all.{advice}"
        )
    _load_module(options.command, "_arguments").check_together(options)
    return options


def _drop_stdout(words: list[str]) -> list[str]:
    """Return the arguments without the "-" of `--json -`, unless a file may follow it."""
    return [
        word
        for word, before, after in zip(words, ["", *words], [*words[1:], "-"], strict=False)
        if (before, word, after[:1]) != ("--json", "-", "-")
    ]


def command_parser(name: str) -> argparse.ArgumentParser:
    """Return the parser of one command; the documentation shows its help."""
    return _parsers((name,))[1].choices[name]


def _parsers(names: Sequence[str]) -> tuple[argparse.ArgumentParser, Any]:
    # argparse leaves two columns free, too.
    width = min(terminal_width() - 2, WIDEST)
    text = (
        "Judge and tune rankers and recommenders. Each command has examples in its --help."
    )
    parser = _Parser(prog="sklearn-rank", description=wrap_text(text, width))
    parser.add_argument("-V", "--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in names:
        about = _load_module(name, "_arguments")
        # Python -OO has no docstrings.
        text, _, examples = (about.__doc__ or "").partition("\n\nExamples\n--------\n")
        # Lines that begin with a space stand as they are.
        text = re.sub(r"(?<=\S)\n(?=\S)", " ", text)
        usages = (about.USAGE,) if isinstance(about.USAGE, str) else about.USAGE
        usage = "\n".join(f"sklearn-rank {name} {usage}" for usage in usages)
        command = commands.add_parser(
            name,
            help=about.HELP,
            usage=wrap_text(usage, width - 7).replace("\n", "\n" + " " * 7),
            description=wrap_text(text, width),
            epilog="\n".join(["examples:", *map(_wrap_example, examples.splitlines())]),
        )
        # The type of all arguments without their own.
        command.register("type", None, _non_empty_text)
        about.add_arguments(command)
    return parser, commands


def error_code(argv: Sequence[str] | None) -> int:
    """Return the exit code of an error, even if the arguments cannot be parsed."""
    command = _find_command(sys.argv[1:] if argv is None else argv)
    module = None if command is None else _load_module(command, "_arguments")
    return getattr(module, "ERROR_CODE", ERROR_CODE)


def load_command(name: str) -> Callable[[argparse.Namespace], int | None]:
    """Return the function that runs a command and may return an exit code."""
    if name in NEED_PANDAS and find_spec("pandas") is None:
        from sklearn_rank._base._validation import missing_package_error

        raise missing_package_error("pandas", "cli", f"The command {name}")
    return getattr(_load_module(name, "_command"), name)


def _non_empty_text(text: str) -> str:
    """Return the text; raise if it is empty, as an unset shell variable leaves it."""
    if not text:
        raise argparse.ArgumentTypeError("needs a text, got ''; name one, or leave it out")
    return text


def _find_command(words: Sequence[str]) -> str | None:
    return words[0] if words and words[0] in COMMANDS else None


def _load_module(name: str, module: str) -> Any:
    return import_module(f"sklearn_rank._cli._{name}{module}")


def _wrap_example(line: str) -> str:
    """Return a command that can be copied, wherever it is broken."""
    width = min(terminal_width() - 2, WIDEST)
    return " \\\n".join(break_lines(line, width - 2, "  ", "      "))
