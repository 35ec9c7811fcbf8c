"""The guide in plain English: short paragraphs, and no inverted clauses."""

import ast
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(DOCS.glob("*.rst"))
EXAMPLES = sorted((DOCS / "examples").glob("*/plot_*.py"))
WORDS_OF_A_PARAGRAPH = 70
INVERTED = r"\bof (?:which|whom)\b|\b(?:is|are) none\b|\bshall\b"


def paragraphs(text):
    """Return the paragraphs of prose, without code, tables, literals and directives."""
    found, directive = [], None
    for block in re.split(r"\n\s*\n", text):
        indent = len(block) - len(block.lstrip(" \n"))
        if directive is not None and indent > directive:
            continue
        directive = None
        if block.lstrip().startswith(("..", ">>>")) or block.rstrip().endswith("::"):
            directive = indent if not block.lstrip().startswith(">>>") else None
            continue
        if not re.search(r"^\s*[=\-~^]{4,}", block, re.MULTILINE):
            found += re.split(r"\n(?=\s*(?:[-*#]|\d\.) |\S[^\n]*\n {4})", block)
    return [" ".join(one.split()) for one in found]


def comments(source):
    """Return the prose of an example: its docstring and the comments of its cells."""
    cells = re.findall(r"^# %%\n((?:#.*\n)+)", source, re.MULTILINE)
    prose = [re.sub(r"^# ?", "", cell, flags=re.MULTILINE) for cell in cells]
    return "\n\n".join([ast.get_docstring(ast.parse(source)), *prose])


def read(path):
    text = path.read_text(encoding="utf-8")
    return comments(text) if path.suffix == ".py" else text


@pytest.mark.parametrize("path", PAGES + EXAMPLES, ids=lambda path: path.stem)
def test_paragraphs_are_short(path):
    long = [p for p in paragraphs(read(path)) if len(p.split()) > WORDS_OF_A_PARAGRAPH]
    assert not long, f"{len(long)} paragraphs over {WORDS_OF_A_PARAGRAPH} words: {long}"


@pytest.mark.parametrize("path", PAGES + EXAMPLES, ids=lambda path: path.stem)
def test_clauses_are_not_inverted(path):
    text = re.sub(
        r"^ *>>>.*?(?:\n\s*\n|\Z)|``.*?``", "", read(path), flags=re.M | re.DOTALL
    )
    text = " ".join(text.split())
    found = [
        text[max(m.start() - 40, 0) : m.end() + 20] for m in re.finditer(INVERTED, text)
    ]
    assert not found


def test_the_checks_find_what_they_look_for():
    page = "Title\n=====\n\n" + "word " * 71 + "\n\n.. code::\n\n   " + "word " * 80
    assert [len(p.split()) for p in paragraphs(page)] == [71]
    assert re.search(INVERTED, "Ten lists, of which none is empty, shall do.")
