"""A new command, step by step: two files, and its name in a list."""

import shutil
import sys
from pathlib import Path

import pandas as pd
import pytest

import sklearn_rank._cli as cli
from sklearn_rank._cli import _commands
from tests.cli import test_help
from tests.cli.test_help import help_of  # noqa: F401, a fixture

NAME = "core"
FILES = ("_core_arguments", "_core_command")


@pytest.fixture(autouse=True)
def command(tmp_path, monkeypatch):
    """Put the recipe among the commands, as if its files were in the package."""
    folder = tmp_path / "commands"
    folder.mkdir()
    for name in FILES:
        shutil.copy(Path(__file__).with_name(f"{name}.py"), folder)
    monkeypatch.setattr(cli, "__path__", [*cli.__path__, str(folder)])
    monkeypatch.setattr(_commands, "COMMANDS", (*_commands.COMMANDS, NAME))
    yield
    for name in FILES:
        sys.modules.pop(f"{cli.__name__}.{name}", None)
        vars(cli).pop(name, None)


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text("user,item\n007,tea\n007,milk\nbob,tea\nbob,milk\neve,cake\n")
    return path


def run(*arguments):
    return cli.main([NAME, *map(str, arguments)])


def test_it_reads_calls_and_writes(log, tmp_path, capsys):
    assert run(log, "--least", 2, "-o", tmp_path / "core.csv") == 0
    kept = pd.read_csv(tmp_path / "core.csv", dtype=str)
    assert kept.to_numpy().tolist() == [
        ["007", "tea"],
        ["007", "milk"],
        ["bob", "tea"],
        ["bob", "milk"],
    ]
    assert "Wrote 4 rows into" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--least", "0"], "argument --least: needs a whole number from 1"),
        (["--least", "3"], "--least 3 leaves no row; a lower number may."),
        (["--user", "item"], "both name the column 'item'; name two."),
        (["--user", "item", "--item", "item"], "need different columns."),
        (["--user", "name"], "has no column 'name'; name one with --user."),
        (["--least", "2", "-o", "log.csv"], "is an input and is never overwritten"),
    ],
)
def test_what_is_wrong_is_one_line_and_nothing_is_written(
    log, tmp_path, monkeypatch, capsys, options, message
):
    monkeypatch.chdir(tmp_path)
    before = log.read_text()
    assert run("log.csv", "-o", "core.csv", *options) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not Path("core.csv").exists()
    assert log.read_text() == before


def test_it_keeps_the_promises_of_all_helps(help_of):  # noqa: F811
    for width in (40, 80, 200):
        test_help.test_no_line_is_wider_than_the_terminal(help_of, [NAME], width)
    test_help.test_examples_are_arguments_that_fit_together(help_of, NAME)
    test_help.test_every_command_is_listed_and_runs_a_function_of_its_name(help_of, NAME)
