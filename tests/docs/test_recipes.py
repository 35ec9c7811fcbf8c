"""The recipes for other programs: short, shown on a page, and run by .ci/weekly."""

import ast
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
RECIPES = sorted((DOCS / "recipes").glob("*.py"))
PAGES = "".join(path.read_text(encoding="utf-8") for path in DOCS.glob("*.rst"))
STATEMENTS = 10  # beside imports


@pytest.mark.parametrize("path", RECIPES, ids=lambda path: path.stem)
def test_a_recipe(path):
    text = path.read_text(encoding="utf-8")
    compile(text, path.name, "exec")
    assert re.match(r"# needs: [\w ./\[\]-]+\n", text)
    shown, _, checks = text.partition("# recipe\n")[2].partition("# end\n")
    statements = [
        node
        for node in ast.walk(ast.parse(shown))
        if isinstance(node, ast.stmt) and not isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert 2 <= len(statements) <= STATEMENTS
    assert "assert " in checks
    assert f".. literalinclude:: recipes/{path.name}\n   :start-after: # recipe\n" in PAGES
