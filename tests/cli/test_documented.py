"""The command lines of the pages: each has options that exist and fit together."""

import shlex
from pathlib import Path

import pytest

from sklearn_rank._cli._commands import parse_arguments

ROOT = Path(__file__).parents[2]
PAGES = (*sorted((ROOT / "docs").glob("*.rst")), ROOT / "README.md")
LINES = [
    (page.name, line.strip())
    for page in PAGES
    for line in page.read_text().replace("\\\n", "").splitlines()
    # Alone in a block.
    if line.startswith(("sklearn-rank ", "   sklearn-rank "))
]


@pytest.mark.parametrize(("page", "line"), LINES)
def test_documented_lines_are_read(page, line):
    arguments = shlex.split(line.partition(" > ")[0])[1:]
    assert parse_arguments(arguments).command == arguments[0]
