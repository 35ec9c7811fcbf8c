"""Print how large the package is, how its parts depend on each other, and a plain call.

    python -m tests.structure

`tests/test_architecture.py` holds the limits.
"""

import ast
import io
import sys
import tokenize
from collections import Counter
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from sklearn_rank.metrics import ndcg_score

PACKAGE = Path(__file__).parents[1] / "sklearn_rank"
# The start of the program and the package itself stand above all subpackages.
OUTSIDE = {"__init__", "__main__"}
# What is on a line that holds no code.
NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef
DOCUMENTED = FUNCTIONS | ast.Module | ast.ClassDef


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


def nodes_of(path):
    """Return all nodes of the syntax tree of a file."""
    return walk(path.read_text())


@cache
def walk(text):
    """Return all nodes of the syntax tree of a text."""
    return list(ast.walk(ast.parse(text)))


def imported_by(path):
    for node in nodes_of(path):
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


def span(node):
    """Return the lines of a node, with those of its decorators."""
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    return set(range(first, node.end_lineno + 1))


def code_lines(text):
    """Return the lines with code: no blank lines, comments and docstrings."""
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    lines = {
        line
        for token in tokens
        if token.type not in NO_CODE
        for line in range(token.start[0], token.end[0] + 1)
    }
    return lines - docstring_lines(text)


def docstring_lines(text):
    """Return the lines of docstrings."""
    return {
        line
        for node in walk(text)
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node) is not None
        for line in span(node.body[0])
    }


def import_lines(text):
    """Return the lines of import statements."""
    return {
        line
        for node in walk(text)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for line in span(node)
    }


def annotation_lines(text):
    """Return the lines that only type checkers read, such as overloads."""
    nodes = walk(text)
    return {line for node in nodes if _is_for_type_checkers(node) for line in span(node)}


def _is_for_type_checkers(node):
    if isinstance(node, FUNCTIONS):
        return any(ast.unparse(one).endswith("overload") for one in node.decorator_list)
    if isinstance(node, ast.If):
        return ast.unparse(node.test).endswith("TYPE_CHECKING")
    return isinstance(node, ast.AnnAssign) and node.value is None


def arrows():
    """Return the pairs of parts of which one imports the other."""
    pairs = {(one, other) for one, others in imports().items() for other in others if other}
    by_part = {(one.partition(".")[0], other.partition(".")[0]) for one, other in pairs}
    return {(one, other) for one, other in by_part if one != other}


def n_floors(pairs):
    """Return how many floors the parts need, if each stands above what it imports."""

    @cache
    def floor(part):
        return 1 + max((floor(other) for one, other in pairs if one == part), default=0)

    return max(floor(one) for one, _ in pairs)


def follow(call):
    """Return the file and the line of each function of the package that a call runs."""
    call()  # what is made once is made
    functions = []

    def trace(frame, event, arg):
        # Only Python 3.11 calls a function for them.
        if frame.f_code.co_name not in {"<listcomp>", "<dictcomp>", "<setcomp>"}:
            code = frame.f_code
            functions.append((Path(code.co_filename), code.co_firstlineno))

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        call()
    finally:
        sys.settrace(before)
    return [(file, line) for file, line in functions if PACKAGE in file.parents]


def count_moves(functions):
    """Return how often a call goes from one file to another, its first file included."""
    return 1 + sum(file != last for (last, _), (file, _) in pairwise(functions))


def plain_call():
    """Score 20 queries of 10 rows."""
    y_true, groups = np.arange(200.0) % 4, np.repeat(np.arange(20), 10)
    y_score = np.random.default_rng(0).random(200)
    return lambda: ndcg_score(y_true, y_score, groups=groups, k=10)


def table(paths):
    """Return what is counted, by name; files and lines are those of some files."""
    texts = {path: path.read_text() for path in paths}
    lines = {path: code_lines(text) for path, text in texts.items()}
    n_lines = sum(map(len, lines.values()))
    run = sum(len(lines[path] - annotation_lines(text)) for path, text in texts.items())
    imported = sum(len(lines[path] & import_lines(text)) for path, text in texts.items())
    own = [path for path in texts if path.stem != "__init__"]
    pairs, functions = arrows(), follow(plain_call())
    return {
        "parts": len({name.partition(".")[0] for name in modules()}),
        "floors": n_floors(pairs),
        "arrows between parts": len(pairs),
        "files": len(texts),
        "most files in one folder": max(Counter(path.parent for path in own).values()),
        "files of fewer than 60 lines": sum(texts[one].count("\n") < 60 for one in own),
        "lines of code": n_lines,
        "lines of code without overloads and bare annotations": run,
        "imports among them, in percent": round(100 * imported / n_lines, 1),
        "functions that a plain call of ndcg_score runs": len(set(functions)),
        "their files": len({file for file, _ in functions}),
        "moves between these": count_moves(functions),
    }


if __name__ == "__main__":
    for what, count in table(PACKAGE.rglob("*.py")).items():
        print(f"{count:>8,}  {what}")
