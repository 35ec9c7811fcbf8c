"""Which room of the package may know which: the table of the page, held to the code.

And where the tests of a room are: its folders and files have their mirror in `tests`.
"""

import ast
import csv
from collections import Counter
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from sklearn_rank._cli._commands import COMMANDS

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "sklearn_rank"
# The start of the program and the version stand above and beside all rooms.
OUTSIDE = {"__init__", "__main__"}
# Every room may name types; the table says so once.
EVERYWHERE = {"", "typing"}


@cache
def allowed():
    """Return the rooms from the ground up, and the rooms that each may import."""
    with (ROOT / "docs" / "rooms.csv").open(newline="") as lines:
        return {
            row["Room"].strip("`"): {
                other.strip(" `") for other in row["May import"].split(",") if other
            }
            for row in csv.DictReader(lines)
        }


@cache
def modules():
    """Return the path of each module by its name below the package."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        parts = parts[:-1] if parts[1:] and parts[-1] == "__init__" else parts
        found[".".join(parts)] = path
    return {name: path for name, path in found.items() if name not in OUTSIDE}


@cache
def imports():
    """Return the modules of the package that each module imports, wherever it does."""
    return {name: set(imported_by(path)) - {name} for name, path in modules().items()}


def imported_by(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (known(alias.name) for alias in node.names if is_ours(alias.name))
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path}: write imports out"
            if is_ours(node.module):
                yield from (known(f"{node.module}.{alias.name}") for alias in node.names)


def is_ours(dotted):
    return dotted.partition(".")[0] == PACKAGE.name


def known(dotted):
    """Return the module that a dotted name is, or is in; the package for its version."""
    name = dotted.partition(".")[2]
    while name and name not in modules():
        name = name.rpartition(".")[0]
    return name


def room_of(module):
    """Return the room of a module; only `metrics` has rooms in it."""
    parts = module.split(".")
    return "/".join(parts[: 2 if parts[0] == "metrics" else 1])


def doors():
    """Return who imports whom, across rooms."""
    return {
        (one, other)
        for one, others in imports().items()
        for other in others - EVERYWHERE
        if room_of(one) != room_of(other)
    }


def test_every_room_is_in_the_table():
    assert {room_of(module) for module in modules()} == set(allowed())


def test_rooms_import_what_the_table_allows():
    wrong = {
        (one, other)
        for one, other in doors()
        if room_of(other) not in allowed()[room_of(one)]
    }
    assert wrong == set()


def test_the_table_allows_nothing_that_nobody_needs():
    needed = {(room_of(one), room_of(other)) for one, other in doors()}
    assert needed == {
        (room, other) for room, others in allowed().items() for other in others
    }


def test_no_room_may_import_upward_so_that_there_is_no_circle():
    below = set()
    for room, others in allowed().items():
        assert others <= below, room
        below.add(room)


def test_no_modules_import_each_other_in_a_circle():
    # A package is more than its own file, which gathers the names of what is in it.
    graph = {one: others - {""} for one, others in imports().items()}
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


# The two files of a command.
PARTS = ("arguments", "command")


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_do_not_know_each_other(command):
    files = {f"_cli._{one}_{part}": one for one in COMMANDS for part in PARTS}
    for module in (module for module, one in files.items() if one == command):
        assert {files.get(other, command) for other in imports()[module]} <= {command}


SHARED_FILES = {"__init__"}


def test_the_name_of_a_file_means_one_thing():
    assert repeated(path.stem for path in PACKAGE.rglob("*.py")) == SHARED_FILES


def test_the_name_of_a_class_means_one_thing():
    nodes = (
        node
        for path in modules().values()
        for node in ast.walk(ast.parse(path.read_text()))
    )
    names = (node.name.lstrip("_") for node in nodes if isinstance(node, ast.ClassDef))
    assert repeated(names) == set()


# Folders of tests that are about more than a room.
NO_ROOM = {
    "benchmarks",  # speed and memory beside other libraries
    "boundary",  # data that mean something else than they seem to, in all rooms
    "docs",  # the pages
    "docstrings",  # paragraphs that docstrings share, a tool of its own
    "oracles",  # the numbers of other libraries
    "recipes",  # the files of contributors that the page of the architecture shows
    "typing",  # scripts of users, as type checkers read them
}


def mirrored(folder, root):
    """Return the folder of tests for a folder of the package: the same, made public."""
    return "/".join(part.lstrip("_") for part in folder.relative_to(root).parts)


def places_of(pattern, root, prefix):
    """Yield the public name of each file, and its mirrored folder."""
    for path in root.rglob(pattern):
        yield path.stem.removeprefix(prefix).lstrip("_"), mirrored(path.parent, root)


def test_every_folder_of_the_package_has_a_folder_of_tests():
    rooms = {folder for _, folder in places_of("*.py", PACKAGE, "")}
    tests = {folder for _, folder in places_of("test_*.py", ROOT / "tests", "test_")}
    assert tests == rooms - {"metrics"} | NO_ROOM  # `metrics` is its rooms


def test_the_test_of_a_file_is_in_the_folder_of_the_file():
    folders = {}
    for name, folder in places_of("*.py", PACKAGE, ""):
        folders.setdefault(name, set()).add(folder)
    for name, folder in places_of("test_*.py", ROOT / "tests", "test_"):
        if folder not in NO_ROOM:  # where a file of tests is about a topic, it names none
            assert folder in folders.get(name, {folder}), f"{folder}/test_{name}.py"


def repeated(names):
    return {name for name, count in Counter(names).items() if count > 1}
