"""The files that a contributor opens, as the page lists them: those that recipes need."""

import ast
import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

from sklearn_rank.model_selection import train_valid_test_split

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "sklearn_rank"
RECIPES = ROOT / "tests" / "recipes"
# The names of types say what they are; the second stands in for scikit-learn before 1.9.
NOT_OPENED = {"typing/__init__.py", "_base/_sklearn.py"}


def listed(title):
    """Return the files that the page lists for an addition."""
    page = (ROOT / "docs" / "contributing.rst").read_text()
    section = page.partition(f"{title}\n{'-' * len(title)}\n")[2]
    return re.findall(
        r"^\d\. ``([\w/]+\.py)``", re.split(r"\n\n[^\n]+\n[-=]+\n", section)[0], re.M
    )


def file_of(module):
    """Return the path of a module below the package."""
    return str(Path(import_module(module).__file__).relative_to(PACKAGE))


def imported_by(path, prefix="sklearn_rank"):
    """Return the files of the package that a file imports from."""
    nodes = [
        n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.ImportFrom)
    ]
    return {file_of(n.module) for n in nodes if n.module.startswith(prefix)} - NOT_OPENED


def inherited(class_):
    """Return the files of the base classes in the package."""
    modules = {base.__module__ for base in class_.__mro__}
    return {
        file_of(name) for name in modules if name.startswith("sklearn_rank.")
    } - NOT_OPENED


# Decorators, body and types of a metric are written as in the metrics beside it.
COPIED = {f"metrics/_core/{name}.py" for name in ("_evaluate", "_parameters")}
COPIED.add("_hints/_explain.py")


def files_of_metric():
    own = "metrics/_families/_cumulative_gain.py"
    assert imported_by(PACKAGE / own) >= COPIED
    return {own} | imported_by(RECIPES / "_generalized_precision.py") - COPIED


def files_of_recommender():
    recipe = import_module("tests.recipes._bought_together").BoughtTogether
    return inherited(recipe) | imported_by(RECIPES / "_bought_together.py")


def files_of_splitter():
    recipe = import_module("tests.recipes._item_folds").ItemKFold
    files = inherited(recipe) | imported_by(RECIPES / "_item_folds.py")
    return files | {"model_selection/__init__.py"}


def files_of_option():
    arguments = PACKAGE / "_cli" / "_split_arguments.py"
    command = import_module("sklearn_rank._cli._split_command")
    function = inspect.getmodule(train_valid_test_split).__name__
    assert train_valid_test_split in vars(command).values()
    files = imported_by(arguments, "sklearn_rank._cli") | {file_of(function)}
    return files | {"_cli/_split_arguments.py", file_of(command.__name__)}


ADDITIONS = {
    "A metric": files_of_metric,
    "A recommender": files_of_recommender,
    "A splitter": files_of_splitter,
    "An option of a command": files_of_option,
}


@pytest.mark.parametrize("title", ADDITIONS)
def test_the_page_lists_the_files_that_an_addition_needs(title):
    pytest.importorskip("pandas")
    files = listed(title)
    assert len(files) == len(set(files))
    assert set(files) == ADDITIONS[title]()
