"""Which subpackage may import which: the table of the page, held to the code.

And what keeps the package readable: the sizes of files and folders, the names of files,
classes and functions, and where the tests of a file are.
"""

import ast
import csv
import re
from collections import Counter
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

from sklearn_rank._cli._commands import COMMANDS
from tests.public_modules import MODULES
from tests.structure import (
    PACKAGE,
    annotation_lines,
    code_lines,
    count_moves,
    docstring_lines,
    follow,
    import_lines,
    imports,
    is_ours,
    modules,
    n_floors,
    nodes_of,
    plain_call,
    table,
)

ROOT = Path(__file__).parents[1]
# Every subpackage may name types and give hints; the table says so once.
EVERYWHERE = {"", "typing", "_hints._explain"}
# Imports of a method, which would be a circle above it: a result draws its picture.
PICTURES = {("metrics._core._per_query", "metrics._plot._per_query_display")}


@cache
def allowed():
    """Return the subpackages from the ground up, and those that each may import."""
    with (ROOT / "docs" / "subpackages.csv").open(newline="") as lines:
        return {
            row["Subpackage"].strip("`"): {
                other.strip(" `") for other in row["May import"].split(",") if other
            }
            for row in csv.DictReader(lines)
        }


def subpackage_of(module):
    """Return the subpackage of a module; only `metrics` has subpackages in it."""
    parts = module.split(".")
    return "/".join(parts[: 2 if parts[0] == "metrics" else 1])


def crossings():
    """Return which module imports which, across subpackages."""
    return {
        (one, other)
        for one, others in imports().items()
        for other in others - EVERYWHERE
        if subpackage_of(one) != subpackage_of(other) and (one, other) not in PICTURES
    }


def test_every_subpackage_is_in_the_table():
    assert {subpackage_of(module) for module in modules()} == set(allowed())


def test_subpackages_import_what_the_table_allows():
    wrong = {
        (one, other)
        for one, other in crossings()
        if subpackage_of(other) not in allowed()[subpackage_of(one)]
    }
    assert wrong == set()


def test_the_table_allows_nothing_that_nobody_needs():
    needed = {(subpackage_of(one), subpackage_of(other)) for one, other in crossings()}
    assert needed == {(one, other) for one, others in allowed().items() for other in others}


def test_no_subpackage_may_import_upward_so_that_there_is_no_circle():
    below = set()
    for one, others in allowed().items():
        assert others <= below, one
        below.add(one)


def test_no_module_imports_from_the_package_itself():
    assert {one for one, others in imports().items() if "" in others} == set()


def test_no_modules_import_each_other_in_a_circle():
    # A package is more than its own file, which gathers the names of what is in it.
    graph = {one: others - {""} for one, others in imports().items()}
    for one, other in PICTURES:
        graph[one].remove(other)
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def test_one_file_asks_what_a_table_is():
    # All others ask it for rows, columns and names.
    asking = {
        name
        for name, path in modules().items()
        for node in nodes_of(path)
        if isinstance(node, ast.Name) and node.id == "is_arrow"
    }
    assert asking == {"inputs._columns"}


# The two files of a command.
PARTS = ("arguments", "command")


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_do_not_know_each_other(command):
    files = {f"_cli._{one}_{part}": one for one in COMMANDS for part in PARTS}
    for module in (module for module, one in files.items() if one == command):
        assert {files.get(other, command) for other in imports()[module]} <= {command}


# Beside docstrings: a longer file holds more than one idea.
MOST_LINES = 450
MOST_FILES = 30
# A shorter file serves at least two others, or is loaded by its name.
FEWEST_LINES = 60
LOADED_BY_NAME = re.compile(
    r"_cli\.(_\w+_(arguments|command)|reading\.\w+)|metrics\._families\.\w+"
)


def lines_beside_docstrings(path):
    """Return the number of lines of a file that belong to no docstring."""
    text = path.read_text()
    return text.count("\n") - len(docstring_lines(text))


def test_no_file_is_long():
    long = {
        name: lines
        for name, path in modules().items()
        if (lines := lines_beside_docstrings(path)) > MOST_LINES
    }
    assert long == {}


def test_no_folder_has_many_files():
    files = Counter(
        path.parent for path in PACKAGE.rglob("*.py") if path.stem != "__init__"
    )
    assert {folder: n for folder, n in files.items() if n > MOST_FILES} == {}


def test_a_short_file_serves_two_others():
    users = Counter(other for others in imports().values() for other in others)
    alone = {
        name
        for name, path in modules().items()
        if path.stem != "__init__"
        and path.read_text().count("\n") < FEWEST_LINES
        and users[name] < 2
        and not LOADED_BY_NAME.fullmatch(name)
    }
    assert alone == set()


# Words that say nothing when they stand alone in a traceback.
PREPOSITIONS = "of|in|on|by|at|among|beside|only|told|tell|may|with|over|to|for"
RIDDLE = re.compile(
    rf"_*({PREPOSITIONS})(_of|_few|_each)?|_of_\w+|told_\w+|tell_\w+|\w+_is_said"
)


def test_a_definition_is_named_by_a_verb_or_a_noun():
    riddles = {
        f"{name}: {node.name}"
        for name, path in modules().items()
        for node in nodes_of(path)
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and RIDDLE.fullmatch(node.name)
    }
    assert riddles == PUBLIC_PREPOSITIONS


# Values of some queries: `scores.of(is_long)`.
PUBLIC_PREPOSITIONS = {"metrics._core._per_query: of"}


SHARED_FILES = {"__init__"}


def test_the_name_of_a_file_means_one_thing():
    assert repeated(path.stem for path in PACKAGE.rglob("*.py")) == SHARED_FILES


def test_the_name_of_a_class_means_one_thing():
    nodes = (node for path in modules().values() for node in nodes_of(path))
    names = (node.name.lstrip("_") for node in nodes if isinstance(node, ast.ClassDef))
    assert repeated(names) == set()


# Public classes in a file of another name, and why.
IN_THE_FILE_OF_ANOTHER = {
    "SplitDescription": "describe_split returns it",
    "Last": "a way to hold rows out, beside the functions that count them",
    "Random": "a way to hold rows out, beside the functions that count them",
    "PopularityRecommender": "a baseline, beside the others",
    "RandomRecommender": "a baseline, beside the others",
    "RepeatRecommender": "a baseline, beside the others",
    "UserKFold": "shares its split of users with UserTimeSplit",
    "IncomparableIdsError": "`exceptions` is one file",
    "MisleadingScoreWarning": "`exceptions` is one file",
}


def words_of(name):
    """Return the words of the name of a class or a file."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name)
    return set(apart.lower().split("_"))


def test_a_public_class_is_in_the_file_of_its_name():
    public = (import_module(name) for name in MODULES)
    classes = [getattr(module, name) for module in public for name in module.__all__]
    strangers = {
        one.__name__
        for one in classes
        if isinstance(one, type)
        and is_ours(one.__module__)
        # A part of the name is enough: SLIMRecommender is in _slim.
        and not words_of(one.__module__.rpartition("._")[2]) <= words_of(one.__name__)
    }
    assert strangers == set(IN_THE_FILE_OF_ANOTHER)


# Of a call of `ndcg_score` with groups and a cutoff.
MOST_FUNCTIONS = 99
MOST_MOVES = 53


def test_a_plain_call_runs_through_few_functions():
    functions = follow(plain_call())
    assert PACKAGE / "_ranking" / "_rank.py" in {file for file, _ in functions}
    assert len(set(functions)) <= MOST_FUNCTIONS
    assert count_moves(functions) <= MOST_MOVES


COUNTED = """\
'''A docstring.'''

import ast  # one
from typing import (
    overload,
)

class Counted:
    # A comment.
    field: int
    other: int = 1

    @overload
    def count(self): ...
    def count(self):
        '''Another
        docstring.'''
        return '''a text
        of two lines'''
"""


def test_what_a_line_of_code_is():
    assert code_lines(COUNTED) == {3, 4, 5, 6, 8, 10, 11, 13, 14, 15, 18, 19}
    assert import_lines(COUNTED) == {3, 4, 5, 6}
    assert annotation_lines(COUNTED) == {10, 13, 14}


def test_floors_stand_above_what_they_import():
    assert n_floors({("a", "b"), ("b", "c"), ("a", "c"), ("d", "c")}) == 3


def test_the_table_of_the_structure():
    found = table(PACKAGE.glob("*.py"))
    assert found["files"] == len(list(PACKAGE.glob("*.py")))
    assert found["lines of code"] > found["files"]
    assert found["floors"] <= 10


# Folders of tests that are about more than a subpackage.
NO_SUBPACKAGE = {
    "advice",  # lines that messages tell people to write, executed
    "benchmarks",  # speed and memory beside other libraries
    "boundary",  # data that mean something else than they seem to, in all subpackages
    "docs",  # the pages
    "door",  # what a user meets who guesses a name, or gives one thing for another
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
    folders = {folder for _, folder in places_of("*.py", PACKAGE, "")}
    tests = {folder for _, folder in places_of("test_*.py", ROOT / "tests", "test_")}
    assert tests == folders - {"metrics"} | NO_SUBPACKAGE  # `metrics` has subpackages only


def test_the_test_of_a_file_is_in_the_folder_of_the_file():
    folders = {}
    for name, folder in places_of("*.py", PACKAGE, ""):
        folders.setdefault(name, set()).add(folder)
    for name, folder in places_of("test_*.py", ROOT / "tests", "test_"):
        if (
            folder not in NO_SUBPACKAGE
        ):  # where a file of tests is about a topic, it names none
            assert folder in folders.get(name, {folder}), f"{folder}/test_{name}.py"


def repeated(names):
    return {name for name, count in Counter(names).items() if count > 1}
