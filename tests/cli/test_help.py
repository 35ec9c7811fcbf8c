"""The help of every command: as wide as the terminal, with examples that can be run."""

import json
import shlex
import subprocess
import sys

import pytest

from sklearn_rank._cli import main
from sklearn_rank._cli._arguments import CONVENTIONS
from sklearn_rank._cli._commands import (
    COMMANDS,
    command_parser,
    load_command,
    parse_arguments,
)
from sklearn_rank.metrics import conventions


@pytest.fixture
def help_of(capsys, monkeypatch):
    def read(*command, width=80):
        monkeypatch.setenv("COLUMNS", str(width))
        with pytest.raises(SystemExit) as stop:
            main([*command, "--help"])
        assert stop.value.code == 0
        return capsys.readouterr().out

    return read


@pytest.mark.parametrize("width", [40, 80, 200])
@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS)])
def test_no_line_is_wider_than_the_terminal(help_of, command, width):
    text = help_of(*command, width=width)
    assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize("command", COMMANDS)
def test_examples_are_arguments_that_fit_together(help_of, command):
    _, examples = help_of(command, width=200).split("examples:")
    lines = [line for line in examples.splitlines() if line.strip()]
    assert 1 <= len(lines) <= 4
    for line in lines:
        program, *arguments = shlex.split(line.partition(" > ")[0])
        assert program == "sklearn-rank"
        assert parse_arguments(arguments).command == command


def test_a_narrow_example_can_still_be_copied(help_of):
    _, examples = help_of("fuse", width=40).split("examples:")
    copied = examples.replace("\\\n", " ")
    parse_arguments(shlex.split(copied.strip().splitlines()[0])[1:])


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_listed_and_runs_a_function_of_its_name(help_of, command):
    assert f"    {command} " in help_of()
    assert load_command(command).__name__ == command


@pytest.mark.parametrize("rule", ["time", "last", "random", "users"])
def test_each_rule_of_split_has_its_line(help_of, rule):
    assert f"\n  {rule} " in help_of("split")


def test_help_loads_nothing_that_takes_long():
    code = (
        "import sys\n"
        "from sklearn_rank._cli._commands import COMMANDS, command_parser\n"
        "texts = [command_parser(name).format_help() for name in COMMANDS]\n"
        "print(len(texts), {'numpy', 'pandas', 'scipy', 'sklearn'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (f"{len(COMMANDS)} set()\n", "")


def test_a_gate_loads_neither_scikit_learn_nor_pandas(tmp_path):
    golden, results = tmp_path / "golden.jsonl", tmp_path / "results.jsonl"
    queries = [("how to sow carrots", "carrots.md"), ("how to water beans", "beans.md")]
    lines = [{"query": query, "expected_ids": [path]} for query, path in queries]
    golden.write_text("\n".join(map(json.dumps, lines)))
    lines = [{"query": query, "retrieved": [path, "soil.md"]} for query, path in queries]
    results.write_text("\n".join(map(json.dumps, lines)))
    code = (
        "import sys\n"
        "from sklearn_rank._cli import run_program\n"
        "for more in (['-m', 'mrr@10', '--update'], ['--queries', 'sample']):\n"
        f"    sys.argv = ['', 'gate', {str(results)!r}, {str(golden)!r}, *more]\n"
        "    try:\n"
        "        run_program()\n"
        "    except SystemExit as end:\n"
        "        print(end.code)\n"
        "print({'pandas', 'scipy.stats', 'sklearn'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1:] == ["set()"], done.stdout + done.stderr


def test_evaluate_lists_all_conventions():
    assert sorted(conventions) == list(CONVENTIONS)


def test_commands_run_without_docstrings(monkeypatch):
    """Python -OO has none, and the text of --help is the docstring of a file."""
    for name in COMMANDS:
        monkeypatch.setattr(f"sklearn_rank._cli._{name}_arguments.__doc__", None)
        assert command_parser(name).format_help().startswith(f"usage: sklearn-rank {name}")
