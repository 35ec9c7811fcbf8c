"""Scripts as users write them: they run, and are the ones that type checkers read."""

import ast
import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
RIGHT = sorted(path.stem for path in (FOLDER / "right").glob("*.py"))
WRONG = sorted(path.stem for path in (FOLDER / "wrong").glob("*.py"))
OPTIONAL = {"pandas", "polars", "matplotlib"}


def imported_by(text):
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module.partition(".")[0]


@pytest.mark.parametrize("name", RIGHT)
def test_a_script_without_mistakes_runs(name, monkeypatch):
    path = FOLDER / "right" / f"{name}.py"
    needed = OPTIONAL & set(imported_by(path.read_text(encoding="utf-8")))
    # The scripts make frames of logs, which takes pandas without an import of it.
    for package in sorted(needed | {"pandas"}):
        pytest.importorskip(package)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    runpy.run_path(str(path))


@pytest.mark.parametrize("name", WRONG)
def test_a_script_with_a_mistake_marks_its_line(name):
    lines = (FOLDER / "wrong" / f"{name}.py").read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if "# wrong" in line] == lines[-1:]


def test_there_are_enough_scripts():
    assert len(RIGHT) >= 20
    assert len(WRONG) >= 10
